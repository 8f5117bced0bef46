/* Calls NCCL through dlopen (mpi/nccl.h). Prototypes and constants follow the library's public interface, "NCCL User
 * Guide", NCCL API. Its header is not needed to build. */
#include <dlfcn.h>
#include <string.h>

#include "mpi/nccl.h"

enum { NCCL_SUCCESS = 0, NCCL_FLOAT = 7, NCCL_SUM = 0 };

typedef struct nccl_id {
    char bytes[RANKS_NCCL_ID];
} nccl_id;

static struct {
    void *handle;
    void *of[RANKS_NCCL_MOST + 1]; /* communicators, by the number of ranks */
    void *communicator;            /* the one in use */
    int (*get_id)(nccl_id *id);
    int (*init)(void **communicator, int n, nccl_id id, int rank);
    int (*all_reduce)(const void *from, void *to, size_t count, int type, int operation, void *communicator,
                      void *stream);
    const char *(*error_text)(int error);
} nccl;

/* POSIX lets a function pointer be stored through a void pointer. */
static bool find(void *function, const char *symbol)
{
    void *found = dlsym(nccl.handle, symbol);
    memcpy(function, &found, sizeof found);
    return found;
}

ab_status ranks_nccl_find(void)
{
    if (nccl.error_text) return ab_ok();
    if (!nccl.handle) nccl.handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!nccl.handle) return ab_unsupported("there is no libnccl.so.2");
    if (find(&nccl.get_id, "ncclGetUniqueId") && find(&nccl.init, "ncclCommInitRank") &&
        find(&nccl.all_reduce, "ncclAllReduce") && find(&nccl.error_text, "ncclGetErrorString"))
        return ab_ok();
    return ab_unsupported("this libnccl.so.2 lacks a function");
}

static ab_status status_of(int error, const char *what)
{
    return error == NCCL_SUCCESS ? ab_ok() : ab_failed("%s: %s", what, nccl.error_text(error));
}

ab_status ranks_nccl_id(char id[RANKS_NCCL_ID])
{
    return status_of(nccl.get_id((nccl_id *)id), "ncclGetUniqueId");
}

ab_status ranks_nccl_open(const char id[RANKS_NCCL_ID], int n, int rank)
{
    nccl_id same;
    memcpy(&same, id, sizeof same);
    if (n > RANKS_NCCL_MOST) return ab_unsupported("needs at most %d ranks with NCCL", RANKS_NCCL_MOST);
    AB_TRY(status_of(nccl.init(&nccl.of[n], n, same, rank), "ncclCommInitRank"));
    nccl.communicator = nccl.of[n];
    return ab_ok();
}

bool ranks_nccl_use(int n)
{
    if (n <= RANKS_NCCL_MOST) nccl.communicator = nccl.of[n];
    return n <= RANKS_NCCL_MOST && nccl.of[n];
}

ab_status ranks_nccl_sum(float *values, size_t count)
{
    return status_of(nccl.all_reduce(values, values, count, NCCL_FLOAT, NCCL_SUM, nccl.communicator, NULL),
                     "ncclAllReduce");
}
