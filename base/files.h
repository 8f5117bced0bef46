/* Files that survive a crash. Every error is AB_FAILED with "path: the system's reason". */
#ifndef ANTBENCH_FILES_H
#define ANTBENCH_FILES_H

#include <sys/types.h>

#include "base/status.h"

/* Creates a directory and all directories above it that do not exist. */
ab_status ab_make_directories(const char *path);

/* Locks a directory and returns the lock in *fd. Other callers get AB_BAD_INPUT until the lock is closed or the process
 * ends, for whatever reason. */
ab_status ab_lock_directory(const char *path, int *fd);

/* Replaces a whole file: after a crash it is either the old one or the new one. If several processes write at once, the
 * last one wins. A link at `path` is replaced, not followed. The umask sets the permissions. */
ab_status ab_replace_file(const char *path, const char *text);

/* The same in steps, for data that is not one text. The new file is not forced to disk. */
typedef struct ab_replacement {
    const char *path; /* path of the file to replace; owned by the caller */
    char *new_path;   /* path of the new file, in the same folder, until it gets the name */
    int fd;           /* descriptor of the new file, open for writing */
} ab_replacement;

ab_status ab_replacement_open(const char *path, ab_replacement *file);

/* Closes the new file and gives it its name. fd is -1 if the caller has closed it. If `written` is an error, or if
 * closing fails, removes the new file and returns the error. */
ab_status ab_replacement_close(ab_replacement *file, ab_status written);

/* A file that grows by whole lines. */
typedef struct ab_log {
    char *path;
    int fd;
    off_t size; /* size in bytes; all are whole lines on disk */
} ab_log;

/* Opens or creates the log and cuts off a torn last line. Close it with ab_log_close, also after an error. */
ab_status ab_log_open(const char *path, ab_log *log);

/* Appends `size` bytes and waits until they are on disk. On failure the file is cut back to its old size. */
ab_status ab_log_append(ab_log *log, const char *text, size_t size);

/* Cuts the log to its first `size` bytes. */
ab_status ab_log_cut(ab_log *log, off_t size);

void ab_log_close(ab_log *log); /* accepts a zeroed log with fd -1 */

#endif
