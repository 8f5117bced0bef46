/* Files that survive a crash (base/files.h). */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

static ab_status system_error(const char *path)
{
    return ab_failed("%s: %s", path, strerror(errno));
}

ab_status ab_make_directories(const char *path)
{
    char *parent = strdup(path);
    if (!parent) return ab_failed("out of memory");
    ab_status status = ab_ok();
    for (char *slash = strchr(parent + 1, '/'); slash && status.code == AB_OK; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(parent, 0777) != 0 && errno != EEXIST) status = system_error(parent);
        *slash = '/';
    }
    free(parent);
    if (status.code != AB_OK) return status;
    struct stat existing;
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &existing) == 0 && S_ISDIR(existing.st_mode)))
        return ab_ok();
    return errno == EEXIST ? ab_failed("%s: a file is there, no folder", path) : system_error(path);
}

ab_status ab_lock_directory(const char *path, int *fd)
{
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0) return system_error(path);
    /* The kernel releases the lock when the process ends, however it ends. */
    if (flock(*fd, LOCK_EX | LOCK_NB) == 0) return ab_ok();
    const ab_status status =
        errno == EWOULDBLOCK ? ab_bad_input("%s: another process is writing this run", path) : system_error(path);
    close(*fd);
    *fd = -1;
    return status;
}

static ab_status write_all(int fd, const char *path, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, text, size);
        if (written < 0 && errno != EINTR) return system_error(path);
        if (written <= 0) continue;
        text += written;
        size -= (size_t)written;
    }
    return fsync(fd) == 0 ? ab_ok() : system_error(path);
}

/* Makes the names of new files in the directory of `path` durable. Some file systems cannot sync a directory; they get
 * no more than the best effort. */
static void sync_directory_of(const char *path)
{
    char *copy = strdup(path);
    const int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(copy);
}

/* Opens a file that was not there, whose name is *new_path. mkostemp() would leave the umask aside. */
static int open_new(const char *path, char **new_path)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        uint32_t number;
        if (getrandom(&number, sizeof number, 0) != sizeof number) return -1;
        if (asprintf(new_path, "%s.new-%08x", path, number) < 0) {
            *new_path = NULL;
            return -1;
        }
        const int fd = open(*new_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
        free(*new_path);
        *new_path = NULL;
    }
    return -1;
}

ab_status ab_replacement_open(const char *path, ab_replacement *file)
{
    *file = (ab_replacement){.path = path};
    file->fd = open_new(path, &file->new_path);
    if (file->fd >= 0) return ab_ok();
    const ab_status status = system_error(path);
    free(file->new_path);
    *file = (ab_replacement){.fd = -1};
    return status;
}

ab_status ab_replacement_close(ab_replacement *file, ab_status written)
{
    if (file->fd >= 0 && close(file->fd) != 0 && written.code == AB_OK) written = system_error(file->path);
    if (written.code == AB_OK && rename(file->new_path, file->path) != 0) written = system_error(file->path);
    if (written.code != AB_OK) unlink(file->new_path);
    free(file->new_path);
    *file = (ab_replacement){.fd = -1};
    return written;
}

ab_status ab_replace_file(const char *path, const char *text)
{
    ab_replacement file;
    AB_TRY(ab_replacement_open(path, &file));
    const ab_status status = ab_replacement_close(&file, write_all(file.fd, path, text, strlen(text)));
    if (status.code == AB_OK) sync_directory_of(path);
    return status;
}

/* The offset just behind the last newline. */
static off_t end_of_last_line(int fd, off_t size)
{
    char last;
    while (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n') size--;
    return size;
}

ab_status ab_log_open(const char *path, ab_log *log)
{
    *log = (ab_log){.path = strdup(path), .fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)};
    struct stat file;
    if (!log->path) return ab_failed("out of memory");
    if (log->fd < 0 || fstat(log->fd, &file) != 0) return system_error(path);
    sync_directory_of(path);
    return ab_log_cut(log, end_of_last_line(log->fd, file.st_size));
}

ab_status ab_log_cut(ab_log *log, off_t size)
{
    if (ftruncate(log->fd, size) != 0) return system_error(log->path);
    log->size = size;
    return ab_ok();
}

ab_status ab_log_append(ab_log *log, const char *text, size_t size)
{
    const ab_status status = write_all(log->fd, log->path, text, size);
    if (status.code == AB_OK)
        log->size += (off_t)size;
    else
        (void)ab_log_cut(log, log->size); /* the first error is the one to report; a torn line is cut when resuming */
    return status;
}

void ab_log_close(ab_log *log)
{
    if (log->fd >= 0) close(log->fd);
    free(log->path);
    *log = (ab_log){.fd = -1};
}
