/* The project's folder, in which programs find the data that came with them, whatever the current directory is: the
 * checkout or, installed, PREFIX/share/antbench. Paths that a user gives stay relative to the current directory and do
 * not go through here. */
#ifndef ANTBENCH_ROOT_H
#define ANTBENCH_ROOT_H

#include <stddef.h>

#include "base/status.h"

/* Returns the project's folder. This is $ANTBENCH_ROOT if it is set and not empty. Otherwise it is the nearest
 * directory above the executable that holds instances/catalogue.csv, itself or in share/antbench. If neither exists, it
 * is ".". The current directory is returned as ".", so that paths in print and in files stay short. */
const char *ab_root(void);

/* The path of `below`, "images/standard", in that folder into path[size]; AB_FAILED when it is too long. */
ab_status ab_root_path(char *path, size_t size, const char *below);

/* The same of a folder that is written to, "results/runs": where the program is installed, in the current directory. */
ab_status ab_own_path(char *path, size_t size, const char *below);

#endif
