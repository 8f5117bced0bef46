/* Calling ranks after the first to work (mpi/workers.h). */
#include <stdio.h>

#include "mpi/ranks.h"
#include "mpi/workers.h"

typedef struct call {
    char operation[32]; /* "": dismissed */
} call;

static bool are_called; /* rank 0's: some work has them */

ab_status workers_call(const char *operation, int n)
{
    call c = {{0}};
    if (are_called) return ab_failed("one work of several ranks at a time");
    snprintf(c.operation, sizeof c.operation, "%s", operation);
    ranks_order(&c, sizeof c, n);
    are_called = true;
    return ab_ok();
}

void workers_release(void)
{
    are_called = false;
}

void workers_serve(workers_work *work, ab_status gpu)
{
    call c;
    for (ranks_await(&c, sizeof c); c.operation[0]; ranks_await(&c, sizeof c)) work(c.operation, gpu);
}

void workers_dismiss(void)
{
    const call c = {{0}};
    ranks_order(&c, sizeof c, ranks_count());
}
