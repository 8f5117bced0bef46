/* In which order a process measures the cells, and in which the rows stand.
 *
 * The order of measuring is drawn, from the run's seed and the process's number: no row has the same neighbours in
 * every process, or always comes when the machine is warm. An input is loaded once for the cells of a part that are on
 * it, so those stay together; they are shuffled among themselves, and so are the inputs. In the files and in print rows
 * stand in the order of the plan.
 */
#ifndef ANTBENCH_ORDER_H
#define ANTBENCH_ORDER_H

#include "bench/plan/plan.h"

/* Draws order[plan->n_cells]: order[turn] is the cell whose turn it is, turns being counted from 0. */
ab_status ab_order_draw(const ab_plan *plan, uint64_t seed, int process, int *order);

/* The cell that has a row of scope setup beside it, whichever cell is measured first: the first on the row's instance
 * that has all of its params, such as nn=32, and of those the first that every process measures; of an empty instance,
 * which a limit of the GPU has, the first that is timed on a GPU. -1 where there is none. */
int ab_order_of_setup(const ab_plan *plan, const ab_row *setup);

/* Where each of the rows, which hold all that was measured, stands in the order of the plan: places[count], before each
 * cell's row those beside it. */
void ab_order_places(const ab_plan *plan, const ab_row *rows, int count, int *places);

#endif
