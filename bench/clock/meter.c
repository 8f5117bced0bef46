/* Computes power from an energy counter (meter.h). */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "bench/clock/meter.h"

enum { LOOK_NS = 1000000 };

struct ab_meter {
    const ab_nvml *nvml;
    pthread_t thread;
    atomic_bool ended;
    int steps;
    double first_s, first_j, last_s, last_j; /* first and last step of the counter */
};

static void *look(void *context)
{
    ab_meter *meter = context;
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    double before_j = ab_nvml_energy_j(meter->nvml);
    while (!meter->ended) {
        nanosleep(&pause, NULL);
        const double now_j = ab_nvml_energy_j(meter->nvml), now_s = ab_now_s();
        if (now_j == before_j || isnan(now_j)) continue;
        if (meter->steps++ == 0) {
            meter->first_s = now_s;
            meter->first_j = now_j;
        }
        meter->last_s = now_s;
        meter->last_j = before_j = now_j;
    }
    return NULL;
}

ab_status ab_meter_open(const ab_nvml *nvml, ab_meter **meter)
{
    *meter = NULL;
    if (isnan(ab_nvml_energy_j(nvml))) return ab_unsupported("this GPU has no energy counter in NVML");
    ab_meter *made = calloc(1, sizeof *made);
    if (!made) return ab_failed("out of memory");
    made->nvml = nvml;
    if (pthread_create(&made->thread, NULL, look, made) != 0) {
        free(made);
        return ab_failed("cannot start a thread");
    }
    *meter = made;
    return ab_ok();
}

double ab_meter_close(ab_meter *meter)
{
    if (!meter) return NAN;
    meter->ended = true;
    pthread_join(meter->thread, NULL);
    const double watts = (meter->last_j - meter->first_j) / (meter->last_s - meter->first_s);
    const bool known = meter->steps >= 3;
    free(meter);
    return known ? watts : (double)NAN;
}
