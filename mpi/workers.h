/* What ranks of MPI after the first do (mpi/ranks.h): they wait until rank 0 calls them to a work of several ranks.
 *
 * The call names an operation. What serves it then does on them what that work's methods order on rank 0, until rank 0
 * has closed it, or could not open it.
 */
#ifndef ANTBENCH_WORKERS_H
#define ANTBENCH_WORKERS_H

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rank 0 calls ranks 1 .. n - 1; AB_FAILED where another work has them, as one can be open at a time. */
ab_status workers_call(const char *operation, int n);

/* Rank 0 says that it is closed, or was not opened. */
void workers_release(void);

/* Does on a rank after the first what works of the operation called `operation` order; `gpu` is why there is no GPU
 * here, or AB_OK. */
typedef void workers_work(const char *operation, ab_status gpu);

/* Ranks after the first, until rank 0 dismisses them. */
void workers_serve(workers_work *work, ab_status gpu);

/* Rank 0, once, at the end of the program. */
void workers_dismiss(void);

#ifdef __cplusplus
}
#endif
#endif
