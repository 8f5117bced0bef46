/* Every reader of files (readers.h). The bytes lie in memory that has a path. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "base/text.h"
#include "bench/record/meta.h"
#include "bench/plan/published.h"
#include "bench/record/recorded.h"
#include "images/image.h"
#include "instances/cnf.h"
#include "instances/describe.h"
#include "instances/tsplib.h"
#include "tests/support/readers.h"

/* ---- Files ---- */

static void expect(bool prepared)
{
    if (prepared) return;
    perror("readers.c");
    abort();
}

/* Makes an open file hold these bytes alone. */
static void fill(int fd, const void *bytes, size_t size)
{
    expect(ftruncate(fd, 0) == 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size);
}

/* The path of a file with these bytes, until the next call. */
static const char *file_of(const void *bytes, size_t size)
{
    static int fd = -1;
    static char path[32];
    if (fd < 0) fd = memfd_create("input", MFD_CLOEXEC);
    expect(fd >= 0);
    fill(fd, bytes, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

static char folder_path[64];

static void remove_folder(void)
{
    static const char *const names[] = {
        "instances/catalogue.csv", "instances", "images/catalogue.csv", "images", "table-3.3.csv", "samples.csv", ""};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder_path, names[i]);
        (void)remove(path);
    }
}

/* A folder of this process, as long as that lasts. */
static const char *folder(void)
{
    char *const path = folder_path;
    char below[80];
    if (path[0]) return path;
    snprintf(path, sizeof folder_path, "/dev/shm/antbench-readers-%d", getpid());
    expect(mkdir(path, 0700) == 0 && atexit(remove_folder) == 0);
    for (int i = 0; i < 2; i++) {
        snprintf(below, sizeof below, "%s/%s", path, i ? "images" : "instances");
        expect(mkdir(below, 0700) == 0);
    }
    return path;
}

/* Writes folder()/<name>: a text and the bytes behind it. */
static void write_in_folder(const char *name, const char *before, const void *bytes, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    FILE *file = fopen(path, "wb");
    expect(file != NULL);
    expect(fputs(before, file) >= 0 && fwrite(bytes, 1, size, file) == size);
    expect(fclose(file) == 0);
}

static void check(ab_status status)
{
    char clean[sizeof status.reason];
    memcpy(clean, status.reason, sizeof clean);
    ab_clean(clean);
    if (strcmp(clean, status.reason) == 0 && (status.code == AB_OK) == (status.reason[0] == '\0')) return;
    fprintf(stderr, "not one clean line: %s\n", status.reason);
    abort();
}

/* ---- Inputs ---- */

static void read_tsplib(const uint8_t *bytes, size_t size)
{
    tsp_instance instance;
    check(tsp_read(file_of(bytes, size), &instance));
    tsp_free(&instance);
}

static void read_coordinates(const uint8_t *bytes, size_t size)
{
    static const tsp_metric metrics[] = {TSP_BY_HEADER, TSP_PLANE, TSP_GEO};
    for (int i = 0; i < 3; i++) {
        tsp_table *table;
        int n;
        check(tsp_table_read("x.csv", (const char *)bytes, size, metrics[i], TSP_MAX_CITIES, &table, &n));
        for (int city = -1; city < n && table; city++) expect(tsp_table_row(table, city).length <= size);
        tsp_table_free(table);
    }
    tsp_instance instance;
    check(tsp_read_file(file_of(bytes, size), TSP_REAL, TSP_BY_HEADER, &instance));
    tsp_free(&instance);
}

static void read_cnf(const uint8_t *bytes, size_t size)
{
    cnf_formula formula;
    check(cnf_read(file_of(bytes, size), &formula));
    cnf_free(&formula);
}

static void read_image(const uint8_t *bytes, size_t size)
{
    ab_image image;
    check(image_read(file_of(bytes, size), &image));
    image_free(&image);
}

static size_t put_number(uint8_t *to, uint32_t number)
{
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(number >> (24 - 8 * i));
    return 4;
}

/* A chunk of a PNG with its checksum; returns its size. */
static size_t put_chunk(uint8_t *to, const char *type, const uint8_t *data, size_t size)
{
    size_t at = put_number(to, (uint32_t)size);
    memcpy(to + at, type, 4);
    if (size) memcpy(to + at + 4, data, size);
    at += 4 + size;
    return at + put_number(to + at, (uint32_t)crc32(0, to + 4, (uInt)(4 + size)));
}

/* Width and height up to 255, depth, colour type, interlacing, entries of a palette and of its transparency. */
enum { PNG_HEAD = 7, PNG_MOST = 1 << 16 };

static void read_png(const uint8_t *bytes, size_t size)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static uint8_t png[4 * PNG_MOST], packed[2 * PNG_MOST];
    if (size < PNG_HEAD || size > PNG_MOST) return;
    uint8_t header[13] = {[3] = bytes[0], [7] = bytes[1], bytes[2], bytes[3], 0, 0, bytes[4]};
    uLongf packed_size = sizeof packed;
    size_t at = sizeof signature;
    memcpy(png, signature, at);
    at += put_chunk(png + at, "IHDR", header, sizeof header);
    bytes += PNG_HEAD - 2, size -= PNG_HEAD - 2;
    const size_t palette = 3 * (size_t)bytes[0], transparent = bytes[1];
    if (palette && palette + 2 < size) at += put_chunk(png + at, "PLTE", bytes + 2, palette);
    if (transparent && transparent + 2 < size) at += put_chunk(png + at, "tRNS", bytes + 2, transparent);
    expect(compress2(packed, &packed_size, bytes + 2, size - 2, 1) == Z_OK);
    at += put_chunk(png + at, "IDAT", packed, packed_size);
    at += put_chunk(png + at, "IEND", NULL, 0);
    read_image(png, at);
}

/* ---- Our own files ---- */

static void read_published(const uint8_t *bytes, size_t size)
{
    ab_published_table table;
    check(ab_published_read_file(file_of(bytes, size), &table));
    ab_published_free(&table);
}

static void read_catalogue(const uint8_t *bytes, size_t size)
{
    tsp_catalogue_entry *instances;
    image_catalogue_entry *images;
    int count;
    expect(setenv("ANTBENCH_ROOT", folder(), 1) == 0);
    write_in_folder("instances/catalogue.csv", "", bytes, size);
    write_in_folder("images/catalogue.csv", "", bytes, size);
    check(tsp_catalogue(&instances, &count));
    check(image_catalogue(&images, &count));
    free(instances);
    free(images);
    unsetenv("ANTBENCH_ROOT");
}

/* What resuming reads of an old run's, continued by one that is like it. */
static void read_meta(const uint8_t *bytes, size_t size)
{
    json_t *meta;
    const ab_status status = ab_meta_read(file_of(bytes, size), &meta);
    check(status);
    if (status.code != AB_OK) return;
    json_t *now = json_deep_copy(meta);
    check(ab_meta_check_resumable(meta, now, "run"));
    check(ab_meta_continue(now, meta));
    if (ab_meta_clear_processes(now).code == AB_OK) check(ab_meta_add_process(now, meta));
    (void)ab_meta_is_complete(meta);
    json_decref(now);
    json_decref(meta);
}

static void read_run(const uint8_t *bytes, size_t size)
{
    static char header[2048], samples_header[128];
    const uint8_t *end = memchr(bytes, 0x1e, size);
    const size_t table = end ? (size_t)(end - bytes) : size, behind = table + (end != NULL);
    ab_recorded recorded;
    if (!header[0]) {
        FILE *file = fmemopen(header, sizeof header, "w");
        expect(file != NULL);
        ab_row_write_header(file);
        fclose(file);
        snprintf(samples_header, sizeof samples_header, "%s\n", ab_samples_header);
    }
    write_in_folder("table-3.3.csv", header, bytes, table);
    write_in_folder("samples.csv", samples_header, bytes + behind, size - behind);
    check(ab_recorded_read(folder(), "table-3.3.csv", "run", &recorded));
    ab_recorded_free(&recorded);
}

/* ---- All ---- */

const char *const reader_names[] = {"tsplib",    "coordinates", "cnf",  "image", "png",
                                    "published", "catalogue",   "meta", "run",   NULL};

void read_as(int i, const uint8_t *bytes, size_t size)
{
    static void (*const readers[])(const uint8_t *, size_t) = {read_tsplib,    read_coordinates, read_cnf,
                                                               read_image,     read_png,         read_published,
                                                               read_catalogue, read_meta,        read_run};
    readers[i](bytes, size);
}
