/* Names of files (base/lookup.h). */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lookup.h"
#include "base/names.h"
#include "base/root.h"
#include "base/text.h"

/* ---- Names ---- */

static ab_status check_characters(const ab_shelf *shelf, const char *name)
{
    const char *slash = strrchr(name, '/'), *own = slash != NULL ? slash + 1 : name;
    if (*own && strchr("=+-@", *own) != NULL)
        return ab_bad_input("%s \"%.63s\": a spreadsheet that reads the results would run a name that begins with %c",
                            shelf->what, name, *own);
    if (ab_is_clean(name)) return ab_ok();
    return ab_bad_input("%s \"%.63s\": a name is UTF-8 without control characters", shelf->what, name);
}

/* The extension that a file's name ends with, behind at least one character; NULL where it has none of them. */
static const char *extension_of(const ab_shelf *shelf, const char *name)
{
    const size_t length = strlen(name);
    for (const char *const *extension = shelf->extensions; *extension; extension++) {
        const size_t behind = strlen(*extension);
        if (length > behind && strcmp(name + length - behind, *extension) == 0) return name + length - behind;
    }
    return NULL;
}

static bool is_path(const ab_shelf *shelf, const char *name)
{
    return strchr(name, '/') != NULL || extension_of(shelf, name) != NULL;
}

/* Copies a name that is a path. */
static ab_status check_path(const char *name, char path[AB_PATH_SIZE])
{
    if (strlen(name) >= AB_PATH_SIZE) return ab_bad_input("%s: the path is too long", ab_short_path(name));
    if (access(name, F_OK) != 0) return ab_bad_input("%s: no such file", ab_short_path(name));
    strcpy(path, name);
    return ab_ok();
}

const char *ab_short_path(const char *path)
{
    const size_t longest = 200, length = strlen(path);
    return length > longest ? path + length - longest : path;
}

/* ---- Folders ---- */

/* The shelf's folder number i, from 0, into folder; false behind the last. A folder that is not there is "". */
static bool get_folder(const ab_shelf *shelf, int i, char folder[AB_PATH_SIZE])
{
    int n_subfolders = 0;
    while (shelf->subfolders[n_subfolders] != NULL) n_subfolders++;
    folder[0] = '\0';
    if (i > n_subfolders) return false;
    bool fits;
    if (i < n_subfolders) {
        const char *directory = getenv(shelf->variable), *below = shelf->subfolders[i];
        if (directory == NULL || directory[0] == '\0') return true;
        fits = snprintf(folder, AB_PATH_SIZE, "%s%s%s", directory, *below ? "/" : "", below) < AB_PATH_SIZE;
    } else {
        fits = ab_root_path(folder, AB_PATH_SIZE, shelf->folder).code == AB_OK;
    }
    if (!fits) folder[0] = '\0';
    return true;
}

/* A variable that names no folder would leave all its files out, without a word. */
static ab_status check_folder(const ab_shelf *shelf)
{
    struct stat found;
    const char *directory = getenv(shelf->variable);
    if (directory == NULL || directory[0] == '\0' || (stat(directory, &found) == 0 && S_ISDIR(found.st_mode)))
        return ab_ok();
    return ab_bad_input("%s=%s: no such folder; name one, or unset %s", shelf->variable, ab_short_path(directory),
                        shelf->variable);
}

/* True with the path where a file on the shelf is called <name><extension>. */
static bool find_on_shelf(const ab_shelf *shelf, const char *name, char path[AB_PATH_SIZE])
{
    char folder[AB_PATH_SIZE];
    for (int i = 0; get_folder(shelf, i, folder); i++)
        for (const char *const *extension = shelf->extensions; *extension && folder[0] != '\0'; extension++) {
            const int length = snprintf(path, AB_PATH_SIZE, "%s/%s%s", folder, name, *extension);
            if (length < AB_PATH_SIZE && access(path, F_OK) == 0) return true;
        }
    return false;
}

ab_status ab_find_file(const ab_shelf *shelf, const char *name, char path[AB_PATH_SIZE])
{
    path[0] = '\0';
    AB_TRY(check_characters(shelf, name));
    if (is_path(shelf, name)) return check_path(name, path);
    AB_TRY(check_folder(shelf));
    if (!find_on_shelf(shelf, name, path)) path[0] = '\0';
    return ab_ok();
}

bool ab_find_here(const char *name, char path[AB_PATH_SIZE])
{
    struct stat file;
    if (strlen(name) >= AB_PATH_SIZE || stat(name, &file) != 0 || !S_ISREG(file.st_mode)) return false;
    strcpy(path, name);
    return true;
}

/* ---- Suggestions ---- */

enum { SUGGESTION_SIZE = 256 }; /* bytes of a file's name, with the NUL */

/* Makes `candidate` the nearest name if it is nearer than the present one; "" means no name yet. */
static void consider(const char *name, const char *candidate, char nearest[SUGGESTION_SIZE])
{
    const char *const both[] = {nearest[0] != '\0' ? nearest : candidate, candidate, NULL};
    if (ab_nearest_name(name, both) == candidate) snprintf(nearest, SUGGESTION_SIZE, "%s", candidate);
}

/* Makes of a file's name what a user calls it, in place; false where it is no input or nothing to print. */
static bool strip_extension(const ab_shelf *shelf, char *name)
{
    const char *extension = extension_of(shelf, name);
    if (extension == NULL || !ab_is_clean(name)) return false;
    name[extension - name] = '\0';
    const size_t length = strlen(name), behind = shelf->companion != NULL ? strlen(shelf->companion) : 0;
    return behind == 0 || length < behind || strcmp(name + length - behind, shelf->companion) != 0;
}

static void consider_files(const ab_shelf *shelf, const char *folder, const char *name, char nearest[SUGGESTION_SIZE])
{
    struct dirent **files;
    const int count = scandir(folder, &files, NULL, alphasort); /* sorted: the first of equals is suggested */
    for (int i = 0; i < count; i++) {
        if (strip_extension(shelf, files[i]->d_name)) consider(name, files[i]->d_name, nearest);
        free(files[i]);
    }
    if (count >= 0) free(files);
}

static ab_status consider_catalogue(const ab_catalogue *catalogue, const char *name, char nearest[SUGGESTION_SIZE])
{
    void *entries;
    int count;
    AB_TRY(ab_catalogue_read(catalogue, &entries, &count));
    for (int i = 0; i < count; i++) consider(name, ab_catalogue_name(catalogue, entries, i), nearest);
    free(entries);
    return ab_ok();
}

ab_status ab_unknown_name(const ab_shelf *shelf, const char *name)
{
    char folder[AB_PATH_SIZE], nearest[SUGGESTION_SIZE] = "", hint[SUGGESTION_SIZE + 32] = "";
    if (shelf->catalogue) AB_TRY(consider_catalogue(shelf->catalogue, name, nearest));
    for (const char *const *example = shelf->examples; *example; example++) consider(name, *example, nearest);
    for (int i = 0; get_folder(shelf, i, folder); i++)
        if (folder[0] != '\0') consider_files(shelf, folder, name, nearest);
    if (nearest[0] != '\0') snprintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest);
    return ab_bad_input("%s \"%.64s\": %s, and no such file here, in $%s or %s%s", shelf->what, name,
                        shelf->catalogue ? "not in the catalogue" : "not one that is generated", shelf->variable,
                        shelf->folder, hint);
}
