/* Files that survive a crash. Every error is AB_FAILED "path: the system's reason". */
#ifndef ANTBENCH_FILES_H
#define ANTBENCH_FILES_H

#include <sys/types.h>

#include "base/status.h"

/* Creates a directory and those above it, where they do not exist. */
ab_status ab_make_directories(const char *path);

/* Takes the lock of a directory as *fd. All others who ask for it get AB_BAD_INPUT until that is closed or the process
 * has ended, however it ends. */
ab_status ab_lock_directory(const char *path, int *fd);

/* Replaces a file as a whole: after a crash it is either the old one or the new one. Of several writers at once one is
 * the last. A link at `path` is replaced, not followed. The umask gives the permissions. */
ab_status ab_replace_file(const char *path, const char *text);

/* The same in steps, for what is not a text. The new file is not forced to disk. */
typedef struct ab_replacement {
    const char *path; /* the file to replace; the caller's */
    char *new_path;   /* the new file until it has that name, in the same folder */
    int fd;           /* of the new file, open for writing */
} ab_replacement;

ab_status ab_replacement_open(const char *path, ab_replacement *file);

/* Closes the new file, whose fd is -1 where the caller has done so, and gives it its name; where `written` is an error,
 * or that fails, removes it and returns the error. */
ab_status ab_replacement_close(ab_replacement *file, ab_status written);

/* A file that grows by whole lines. */
typedef struct ab_log {
    char *path;
    int fd;
    off_t size; /* bytes, all of them whole lines on disk */
} ab_log;

/* Opens or creates the log; a torn last line is cut off. Close with ab_log_close, after an error too. */
ab_status ab_log_open(const char *path, ab_log *log);

/* Appends `size` bytes and waits until they are on disk. When that fails the file is cut back to what it was. */
ab_status ab_log_append(ab_log *log, const char *text, size_t size);

/* Cuts the log down to its first `size` bytes. */
ab_status ab_log_cut(ab_log *log, off_t size);

void ab_log_close(ab_log *log); /* accepts one that was zeroed with fd -1 */

#endif
