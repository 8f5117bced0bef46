/* From a name that a user gives to the file of that name, and what to say where there is none. */
#ifndef ANTBENCH_LOOKUP_H
#define ANTBENCH_LOOKUP_H

#include <stdbool.h>

#include "base/catalogue.h"
#include "base/status.h"

enum { AB_PATH_SIZE = 1024 }; /* of a file's path, bytes with the NUL */

/* Where the inputs of one kind are and what they are called. */
typedef struct ab_shelf {
    const char *what;              /* "instance", for messages */
    const char *variable;          /* the environment's folder, searched first: "TSPLIB_DIR" */
    const char *const *subfolders; /* folders in that one, in order, NULL-terminated: "", "bsds" */
    const char *folder;            /* ours, searched last, below ab_root(): "instances/tsplib" */
    const char *const *extensions; /* in order, NULL-terminated: ".tsp" */
    const char *companion;         /* files whose name ends so before the extension are not inputs: ".gt"; or NULL */
    const ab_catalogue *catalogue; /* whose names may be suggested; NULL where there is none */
    const char *const *examples;   /* other names that may be, NULL-terminated */
} ab_shelf;

/* The file that a user calls `name`: the one at this path, if it has a slash or one of the extensions, else
 * <name><extension> on the shelf; an empty path where the shelf has none. AB_BAD_INPUT when there is no such path, or
 * when the name is not UTF-8 without control characters: it becomes part of messages, of results and of file names. */
ab_status ab_find_file(const ab_shelf *shelf, const char *name, char path[AB_PATH_SIZE]);

/* True with the path of the regular file that is called `name` in the current folder: for what nothing else is called. */
bool ab_find_here(const char *name, char path[AB_PATH_SIZE]);

/* AB_BAD_INPUT that the name is neither in the catalogue (or generated) nor a file, with the nearest of the catalogue's
 * names, the examples and the files as a suggestion; or what is wrong with the catalogue. */
ab_status ab_unknown_name(const ab_shelf *shelf, const char *name);

/* The part of a path that leaves room for the rest of a message: all of it, or its end. */
const char *ab_short_path(const char *path);

#endif
