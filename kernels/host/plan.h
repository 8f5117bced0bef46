/* Plans of kernels (AB_PLAN of cuda_port.h): each place that names one is known before main begins, so that a test can
 * say which nothing has taken. */
#ifndef ANTBENCH_HOST_PLAN_H
#define ANTBENCH_HOST_PLAN_H

#include "kernels/host/host_backend.h"

namespace host_backend
{

struct plan : host_backend_plan {
    explicit plan(const char *its_name); /* enters it in the list */
    void take()
    {
        if (!__atomic_load_n(&taken, __ATOMIC_RELAXED)) __atomic_store_n(&taken, true, __ATOMIC_RELAXED);
    }
};

/* The plan of a place, which is a type of its own. */
template <typename Place> inline plan plan_of{Place::name()};

} // namespace host_backend

#define AB_PLAN(text)                                                                                                  \
    do {                                                                                                               \
        struct place {                                                                                                 \
            static const char *name()                                                                                  \
            {                                                                                                          \
                return text;                                                                                           \
            }                                                                                                          \
        };                                                                                                             \
        ::host_backend::plan_of<place>.take();                                                                         \
    } while (0)

#endif
