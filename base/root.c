/* Finds the project's folder (base/root.h). */
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/root.h"

/* Found once, because a process cannot change its executable; empty when nothing above it is the project's folder. */
static char above_executable[PATH_MAX];
static bool is_installed; /* above_executable is PREFIX/share/antbench */

static bool is_project(const char *directory)
{
    static const char mark[] = "/instances/catalogue.csv";
    char path[PATH_MAX + sizeof mark];
    snprintf(path, sizeof path, "%s%s", directory, mark);
    return access(path, F_OK) == 0;
}

static void find_above_executable(void)
{
    char directory[PATH_MAX] = "";
    if (readlink("/proc/self/exe", directory, sizeof directory - 1) < 0) return;
    for (char *slash = strrchr(directory, '/'); slash != NULL; slash = strrchr(directory, '/')) {
        *slash = '\0';
        if (is_project(directory)) {
            strcpy(above_executable, directory[0] != '\0' ? directory : "/");
            return;
        }
        char shared[PATH_MAX];
        is_installed = snprintf(shared, sizeof shared, "%s/share/antbench", directory) < PATH_MAX && is_project(shared);
        if (is_installed) {
            strcpy(above_executable, shared);
            return;
        }
    }
}

static bool is_current_directory(const char *directory)
{
    struct stat a, b;
    return stat(directory, &a) == 0 && stat(".", &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

const char *ab_root(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *chosen = getenv("ANTBENCH_ROOT");
    if (chosen != NULL && chosen[0] != '\0') return chosen;
    pthread_once(&once, find_above_executable);
    return above_executable[0] == '\0' || is_current_directory(above_executable) ? "." : above_executable;
}

static ab_status join(char *path, size_t size, const char *root, const char *below)
{
    const bool here = strcmp(root, ".") == 0;
    const int length = snprintf(path, size, "%s%s%s", here ? "" : root, here ? "" : "/", below);
    return length < (int)size ? ab_ok() : ab_failed("%.200s...: the path is too long", path);
}

ab_status ab_root_path(char *path, size_t size, const char *below)
{
    return join(path, size, ab_root(), below);
}

ab_status ab_own_path(char *path, size_t size, const char *below)
{
    const char *root = ab_root();
    return join(path, size, root == above_executable && is_installed ? "." : root, below);
}
