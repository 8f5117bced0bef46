/* The order in which a process measures the cells, and the order of the rows in files and in print.
 *
 * The run's seed and the process's number determine a random order of measuring. So no row has the same neighbours in
 * every process, or always runs when the machine is warm. The harness loads an input once for all cells of a part that
 * use it. These cells stay together; they are shuffled among themselves, and so are the inputs. In files and in print,
 * rows have the order of the plan.
 */
#ifndef ANTBENCH_ORDER_H
#define ANTBENCH_ORDER_H

#include "bench/plan/plan.h"

/* Fills order[plan->n_cells]: order[turn] is the cell to measure at this turn, counted from 0. */
ab_status ab_order_draw(const ab_plan *plan, uint64_t seed, int process, int *order);

/* Returns the cell beside which a row of scope setup is listed, or -1. The order of measuring does not matter. It is
 * the first cell on the row's instance that has all of the row's params, such as nn=32. Cells that every process
 * measures come first. A limit of the GPU has no instance: its cell is the first that is timed on a GPU. */
int ab_order_of_setup(const ab_plan *plan, const ab_row *setup);

/* Computes the place of each row in the order of the plan. The rows must be all rows of the run. Rows of other scopes
 * come before their cell's row. places has `count` entries. */
void ab_order_places(const ab_plan *plan, const ab_row *rows, int count, int *places);

#endif
