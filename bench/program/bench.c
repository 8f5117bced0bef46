/* Computes the exit code of a program from the outcomes of its rows (bench.h). */
#include "bench/program/bench.h"

void ab_bench_count(ab_bench *bench, ab_row_status status)
{
    bench->any_wrong |= status == AB_ROW_WRONG;
    bench->any_error |= status == AB_ROW_ERROR;
    bench->any_done |= status == AB_ROW_OK || status == AB_ROW_NOISY || status == AB_ROW_FEW;
}

int ab_bench_exit_code(const ab_bench *bench)
{
    if (bench->any_wrong) return AB_EXIT_WRONG;
    if (bench->any_error) return AB_EXIT_ERROR;
    return bench->any_done ? AB_EXIT_OK : AB_EXIT_SKIPPED;
}
