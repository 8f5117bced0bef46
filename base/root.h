/* The project's folder, in which programs find the data that came with them, whatever the current directory is: the
 * checkout or, installed, PREFIX/share/antbench. Paths that a user gives stay relative to the current directory and do
 * not go through here. */
#ifndef ANTBENCH_ROOT_H
#define ANTBENCH_ROOT_H

#include <stddef.h>

#include "base/status.h"

/* $ANTBENCH_ROOT where that is set and not empty; else the nearest directory above the executable that holds
 * instances/catalogue.csv, itself or in share/antbench, as "." when that is the current directory, so that paths which
 * are printed and stored stay short; else ".". */
const char *ab_root(void);

/* The path of `below`, "images/standard", in that folder into path[size]; AB_FAILED when it is too long. */
ab_status ab_root_path(char *path, size_t size, const char *below);

/* The same of a folder that is written to, "results/runs": where the program is installed, in the current directory. */
ab_status ab_own_path(char *path, size_t size, const char *below);

#endif
