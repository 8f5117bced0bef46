/* Finds the file of a name that the user gives, and suggests a name if there is no such file. */
#ifndef ANTBENCH_LOOKUP_H
#define ANTBENCH_LOOKUP_H

#include <stdbool.h>

#include "base/catalogue.h"
#include "base/status.h"

enum { AB_PATH_SIZE = 1024 }; /* size of a file's path, in bytes with the NUL */

/* A shelf: the places of the inputs of one kind, and their names. */
typedef struct ab_shelf {
    const char *what;              /* kind for messages, "instance" */
    const char *variable;          /* environment variable of the folder that is searched first: "TSPLIB_DIR" */
    const char *const *subfolders; /* subfolders of that folder, in order, NULL-terminated: "", "bsds" */
    const char *folder; /* folder of the project that is searched last, below ab_root(): "instances/tsplib" */
    const char *const *extensions; /* extensions in order, NULL-terminated: ".tsp" */
    const char *companion;         /* ending before the extension of files that are not inputs, ".gt"; or NULL */
    const ab_catalogue *catalogue; /* catalogue whose names may be suggested; or NULL */
    const char *const *examples;   /* other names that may be suggested, NULL-terminated */
} ab_shelf;

/* Finds the file that a user calls `name`. If the name has a slash or one of the extensions, it is a path. Otherwise
 * the function looks for <name><extension> on the shelf, and returns an empty path if there is no such file. Returns
 * AB_BAD_INPUT if the path does not exist, or if the name is not UTF-8 without control characters: it becomes part of
 * messages, results and file names. Returns it too if the shelf's variable names no folder. */
ab_status ab_find_file(const ab_shelf *shelf, const char *name, char path[AB_PATH_SIZE]);

/* True, with the path, if the current folder has a regular file called `name`. For names that mean nothing else. */
bool ab_find_here(const char *name, char path[AB_PATH_SIZE]);

/* Returns AB_BAD_INPUT: the name is neither in the catalogue, nor generated, nor a file. Suggests the nearest of the
 * catalogue's names, the examples and the files. Returns the catalogue's own error if it has one. */
ab_status ab_unknown_name(const ab_shelf *shelf, const char *name);

/* Returns the part of a path that leaves room for the rest of a message: all of it, or its end. */
const char *ab_short_path(const char *path);

#endif
