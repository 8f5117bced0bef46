/* Locks the GPU's clock (clocks.h). */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/clock/clocks.h"
#include "bench/clock/nvml.h"

/* The single request to the keeper. It answers with an ab_status. */
typedef struct request {
    char pci_bus_id[32];
    int mhz;
} request;

/* Reads all `size` bytes; false if the other end is closed. */
static bool receive(int from, void *data, size_t size)
{
    return recv(from, data, size, MSG_WAITALL) == (ssize_t)size;
}

static bool pass(int to, const void *data, size_t size)
{
    return send(to, data, size, MSG_NOSIGNAL) == (ssize_t)size;
}

/* Runs the keeper. It ignores signals from the terminal's keyboard. */
static void keep(int socket)
{
    request asked;
    char nothing;
    setsid();
    signal(SIGTERM, SIG_IGN);
    if (!receive(socket, &asked, sizeof asked)) return;
    ab_nvml *nvml = ab_nvml_open(asked.pci_bus_id);
    const ab_status status = ab_nvml_lock_clock(nvml, asked.mhz);
    pass(socket, &status, sizeof status);
    (void)receive(socket, &nothing, sizeof nothing); /* wait until the program has ended */
    if (status.code == AB_OK) (void)ab_nvml_free_clock(nvml);
    ab_nvml_close(nvml);
}

ab_status ab_clocks_open(ab_clocks *clocks)
{
    int ends[2];
    *clocks = (ab_clocks){0, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return ab_failed("--lock-clocks: no socket");
    fflush(NULL);
    clocks->keeper = fork();
    if (clocks->keeper == 0) {
        close(ends[0]);
        keep(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    clocks->socket = ends[0];
    if (clocks->keeper > 0) return ab_ok();
    close(ends[0]);
    *clocks = (ab_clocks){0, -1};
    return ab_failed("--lock-clocks: cannot start the process that locks the clock");
}

ab_status ab_clocks_lock(ab_clocks *clocks, const char *pci_bus_id, int mhz)
{
    request asked = {.mhz = mhz};
    ab_status status;
    snprintf(asked.pci_bus_id, sizeof asked.pci_bus_id, "%s", pci_bus_id);
    if (pass(clocks->socket, &asked, sizeof asked) && receive(clocks->socket, &status, sizeof status)) return status;
    return ab_unsupported("the process that locks the clock has ended");
}

void ab_clocks_close(ab_clocks *clocks)
{
    if (clocks->keeper <= 0) return;
    close(clocks->socket);
    waitpid(clocks->keeper, NULL, 0);
    *clocks = (ab_clocks){0, -1};
}
