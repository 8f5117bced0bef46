/* The TSPLIB reader, the distance rules, the stand-ins and the catalogue. Small files are written to a temporary
 * directory; the published optima are checked where $TSPLIB_DIR has the files of TSPLIB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/root.h"
#include "instances/tsplib.h"
#include "tests/support/directory.h"
#include "tests/support/tours.h"

/* ---- Files of a test ---- */

static void write_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

/* All tests run in a fresh directory of their own, from which a relative $TSPLIB_DIR would not be found. */
static int find_inputs(void **state)
{
    const char *tsplib = getenv("TSPLIB_DIR");
    char *absolute = tsplib != NULL ? realpath(tsplib, NULL) : NULL;
    if (absolute != NULL) setenv("TSPLIB_DIR", absolute, 1);
    free(absolute);
    return enter_directory(state);
}

static tsp_instance read_text(const char *text)
{
    tsp_instance instance;
    write_text("t.tsp", text);
    ab_status status = tsp_read("t.tsp", &instance);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    return instance;
}

static void assert_error(const char *text, const char *reason)
{
    tsp_instance instance;
    write_text("t.tsp", text);
    ab_status status = tsp_read("t.tsp", &instance);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_string_equal(status.reason, reason);
    assert_null(instance.dist);
}

static void assert_distances(const char *text, int n, const int32_t *expected)
{
    tsp_instance instance = read_text(text);
    assert_int_equal(instance.n, n);
    assert_memory_equal(instance.dist, expected, (size_t)n * (size_t)n * sizeof *expected);
    tsp_free(&instance);
}

/* ---- Distances ---- */

#define HEAD(type, n) "NAME: t\nTYPE: TSP\nDIMENSION: " n "\nEDGE_WEIGHT_TYPE: " type "\n"

static void rounds_euc_2d_to_nearest(void **state)
{
    (void)state;
    const int32_t expected[] = {0, 5, 1, 5, 0, 5, 1, 5, 0}; /* 5, 0.5 and sqrt(6.25 + 16) = 4.717 */
    assert_distances(HEAD("EUC_2D", "3") "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 0.5 0\nEOF\n", 3, expected);
}

static void rounds_ceil_2d_up(void **state)
{
    (void)state;
    const int32_t expected[] = {0, 5, 2, 5, 0, 5, 2, 5, 0}; /* 5, 1.1 and sqrt(1.9^2 + 16) = 4.428 */
    assert_distances(HEAD("CEIL_2D", "3") "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 1.1 0\nEOF\n", 3, expected);
}

/* 3.3 + 4.4 is rounded as a sum, and the larger of two by itself: 1.5 and 2.4, 0.2 and 4.5. */
static void adds_man_2d_and_takes_the_larger_of_max_2d(void **state)
{
    (void)state;
    const int32_t sums[] = {0, 8, 4, 8, 0, 4, 4, 4, 0}, larger[] = {0, 4, 2, 4, 0, 2, 2, 2, 0};
    assert_distances(HEAD("MAN_2D", "3") "NODE_COORD_SECTION\n1 0 0\n2 3.3 4.4\n3 1.5 2.4\nEOF\n", 3, sums);
    assert_distances(HEAD("MAX_2D", "3") "NODE_COORD_SECTION\n1 0 0\n2 3.3 4.4\n3 1.5 2.4\nEOF\n", 3, larger);
    assert_distances(HEAD("MAX_2D", "2") "NODE_COORD_SECTION\n1 0 0\n2 -4.5 0.2\n", 2, (const int32_t[]){0, 5, 5, 0});
    assert_error(HEAD("MAN_2D", "2") "NODE_COORD_SECTION\n1 0 0\n2 2e9 2e9\n",
                 "t.tsp: the distance between nodes 1 and 2 is 4e+09, which does not fit in 32 bits");
}

static void rounds_att_up_after_dividing_by_ten(void **state)
{
    (void)state;
    const int32_t expected[] = {0, 2,  10, 2, 0,
                                9, 10, 9,  0}; /* sqrt(20/10) = 1.41, sqrt(1000/10), sqrt(740/10) = 8.60 */
    assert_distances(HEAD("ATT", "3") "NODE_COORD_SECTION\n1 0 0\n2 2 4\n3 10 30\nEOF\n", 3, expected);
}

/* Expected values computed apart from this program; a quarter of the equator, opposite points, and 30 minutes. */
static void computes_geo_from_degrees_and_minutes(void **state)
{
    (void)state;
    const int32_t expected[] = {0,     10020, 5175,  14864, 56,    10020, 0,     10856, 9183,  10020, 5175,  10856, 0,
                                20039, 5120,  14864, 9183,  20039, 0,     14919, 56,    10020, 5120,  14919, 0};
    assert_distances(HEAD("GEO", "5") "NODE_COORD_SECTION\n1 0.0 0.0\n2 0.0 90.0\n3 45.30 -10.45\n4 -45.30 169.15\n"
                                      "5 0.30 0.0\nEOF\n",
                     5, expected);
    /* 19594 with more digits of pi than TSPLIB's; and a city has distance 1 to another one at the same place. */
    assert_distances(HEAD("GEO", "2") "NODE_COORD_SECTION\n1 0 0\n2 0 176\n", 2, (const int32_t[]){0, 19593, 19593, 0});
    assert_distances(HEAD("GEO", "2") "NODE_COORD_SECTION\n1 6 7\n2 6 7\n", 2, (const int32_t[]){0, 1, 1, 0});
}

/* The same matrix, all of its forms; the diagonal of a file is not a distance. */
static void reads_every_matrix_form(void **state)
{
    (void)state;
    static const char *const forms[][2] = {
        {"FULL_MATRIX", "9 1 2 3 1 9 4 5 2 4 9 6 3 5 6 9"},
        {"UPPER_ROW", "1 2 3 4 5 6"},
        {"LOWER_COL", "1 2 3 4 5 6"},
        {"LOWER_ROW", "1 2 4 3 5 6"},
        {"UPPER_COL", "1 2 4 3 5 6"},
        {"UPPER_DIAG_ROW", "9 1 2 3 9 4 5 9 6 9"},
        {"LOWER_DIAG_COL", "9 1 2 3 9 4 5 9 6 9"},
        {"LOWER_DIAG_ROW", "9 1 9 2 4 9 3 5 6 9"},
        {"UPPER_DIAG_COL", "9 1 9 2 4 9 3 5 6 9"},
    };
    const int32_t expected[] = {0, 1, 2, 3, 1, 0, 4, 5, 2, 4, 0, 6, 3, 5, 6, 0};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, HEAD("EXPLICIT", "4") "EDGE_WEIGHT_FORMAT: %s\nEDGE_WEIGHT_SECTION\n%s\nEOF\n",
                 forms[i][0], forms[i][1]);
        assert_distances(text, 4, expected);
    }
}

/* ---- Coordinates as CSV ---- */

static ab_status read_csv(const char *text, tsp_instance *instance)
{
    write_text("my cities.csv", text);
    return tsp_read("my cities.csv", instance);
}

static void reads_coordinates(void **state)
{
    (void)state;
    const int32_t expected[] = {0, 5, 1, 5, 0, 5, 1, 5, 0};
    static const char *const texts[] = {"0,0\n3,4\n0.5,0\n", "x,y\r\n0,0\r\n 3 , 4e0\r\n0.5,-0",
                                        "\"x\",\"y, north\"\n\n0,0\n3,4\n0.5,0\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tsp_instance instance;
        const ab_status status = read_csv(texts[i], &instance);
        if (status.code != AB_OK) fail_msg("%s", status.reason);
        assert_int_equal(instance.n, 3);
        assert_string_equal(instance.name, "my cities");
        assert_string_equal(instance.edge_weight_type, "EUC_2D");
        assert_memory_equal(instance.dist, expected, sizeof expected);
        tsp_free(&instance);
    }
}

static void explains_broken_coordinates(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "my cities.csv:1: the file is empty"},
        {"x,y\n", "my cities.csv: no cities"},
        {"1,2\n3\n", "my cities.csv:2: expected \"x,y\", got 1 cell"},
        {"1,2\n3,4,5\n", "my cities.csv:2: expected 2 cells, as above, got 3"},
        {"1;2\n", "my cities.csv:1: expected \"x,y\", got 1 cell"},
        {"1,two\n3,4\n", "my cities.csv:1: column 2: expected a number, got \"two\""},
        {"x,y\nx,y\n", "my cities.csv:2: column 1: expected a number, got \"x\""},
        {"1,2\n3,\n", "my cities.csv:2: column 2 is empty"},
        {"1,nan\n", "my cities.csv:1: column 2: expected a number, got \"nan\""},
        {"lat,lon\n1,2\n30,40\n",
         "my cities.csv:1: latitudes and longitudes, where distances are a plane's: project them "
         "(antbench solve takes them as they are)"},
        {"0.1,0.2\n0.7,1\n1,1\n", "my cities.csv: distances are rounded to whole numbers, and all 3 cities are within "
                                  "1.20416: multiply the coordinates (antbench solve takes them as they are)"},
        {"0,0\n3e9,0\n", "my cities.csv: the distance between nodes 1 and 2 is 3e+09, which does not fit in 32 bits"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tsp_instance instance;
        const ab_status status = read_csv(cases[i][0], &instance);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, cases[i][1]);
        assert_null(instance.dist);
    }
}

/* ---- Spelling ---- */

static void accepts_free_spelling(void **state)
{
    (void)state;
    const int32_t expected[] = {0, 5, 5, 0};
    assert_distances("NAME:t\r\nCOMMENT : TYPE : ATSP\r\nCOMMENT: twice\r\nTYPE   :TSP (M.~Hofmeister)  \r\n\r\n"
                     "DIMENSION:2\r\nEDGE_WEIGHT_TYPE\t: EUC_2D\r\nEDGE_WEIGHT_FORMAT: FUNCTION\r\n"
                     "DISPLAY_DATA_TYPE: COORD_DISPLAY\r\nNODE_COORD_SECTION:\r\n"
                     "\t2\t+.3e1  4.0E+00\r\n\r\n  1 0 -0e-3\r\n",
                     2, expected);
    assert_distances("DIMENSION 2\nEDGE_WEIGHT_TYPE EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 5 0", 2, expected);
    assert_distances(
        HEAD("EXPLICIT", "2") "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nDISPLAY_DATA_TYPE: TWOD_DISPLAY\n"
                              "EDGE_WEIGHT_SECTION\n0\n5.0 5e0\n\n0 DISPLAY_DATA_SECTION\n1 7 7\n2 8 8\nEOF\nrest",
        2, expected);
}

static void reads_one_and_two_cities(void **state)
{
    (void)state;
    assert_distances(HEAD("EUC_2D", "1") "NODE_COORD_SECTION\n1 7 7\nEOF\n", 1, (const int32_t[]){0});
    assert_distances(HEAD("EUC_2D", "2") "NODE_COORD_SECTION\n1 7 7\n2 7 9\nEOF\n", 2, (const int32_t[]){0, 2, 2, 0});
    assert_distances(HEAD("EXPLICIT", "1") "EDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\nEOF\n", 1,
                     (const int32_t[]){0});
}

static void names_an_instance_as_its_file(void **state)
{
    (void)state;
    static const char text[] = "NAME: other.tsp\n" HEAD("EUC_2D", "1") "NODE_COORD_SECTION\n1 7 7\n";
    tsp_instance instance = read_text(text);
    char digest[65];
    sha256_hex(text, sizeof text - 1, digest);
    assert_string_equal(instance.name, "t");
    assert_string_equal(instance.path, "t.tsp");
    assert_string_equal(instance.edge_weight_type, "EUC_2D");
    assert_string_equal(instance.sha256, digest);
    assert_false(instance.stand_in);
    assert_int_equal(instance.optimum, 0);
    tsp_free(&instance);
}

/* ---- Errors ---- */

static void explains_broken_headers(void **state)
{
    (void)state;
    assert_error("", "t.tsp:1: the file is empty");
    assert_error("\n \n", "t.tsp:1: the file ends without DIMENSION");
    assert_error("\x7f\x45\x4c\x46\x02", "t.tsp:1: unknown keyword \"?ELF?\"");
    assert_error("NAME: t\n\nDIMENSON: 3\n", "t.tsp:3: unknown keyword \"DIMENSON\"");
    assert_error("TYPE: ATSP\n", "t.tsp:1: TYPE must be TSP, not \"ATSP\"");
    assert_error("TYPE:\n", "t.tsp:1: TYPE must be TSP, not \"\"");
    assert_error("DIMENSION: 0\n", "t.tsp:1: DIMENSION must be a whole number from 1 to 32767, not 0");
    assert_error("DIMENSION: 99999999999\n",
                 "t.tsp:1: DIMENSION must be a whole number from 1 to 32767, not 99999999999");
    assert_error("DIMENSION: 2.5\n", "t.tsp:1: DIMENSION must be a whole number from 1 to 32767, not 2.5");
    assert_error("DIMENSION: 3 4\n", "t.tsp:1: expected a number, got \"3 4\"");
    assert_error("DIMENSION:\n", "t.tsp:1: expected a number, got \"\"");
    assert_error("DIMENSION: 3\nDIMENSION: 4\n", "t.tsp:2: DIMENSION appears twice");
    assert_error("DIMENSION: 3\nEOF\n", "t.tsp:2: the file ends without EDGE_WEIGHT_TYPE");
    assert_error(HEAD("EUC_2D", "3"), "t.tsp:4: the file ends without NODE_COORD_SECTION");
    assert_error(HEAD("EXPLICIT", "3"), "t.tsp:4: the file ends without EDGE_WEIGHT_SECTION");
    assert_error(
        HEAD("MAN_3D", "3"),
        "t.tsp:4: EDGE_WEIGHT_TYPE must be EUC_2D, CEIL_2D, MAN_2D, MAX_2D, GEO, ATT or EXPLICIT, not \"MAN_3D\"");
    assert_error(HEAD("EUC_2D", "1") "NODE_COORD_SECTION\n1 0 0\nFIXED_EDGES_SECTION\n",
                 "t.tsp:7: unknown keyword \"FIXED_EDGES_SECTION\"");
}

static void explains_broken_nodes(void **state)
{
    (void)state;
#define NODES HEAD("EUC_2D", "3") "NODE_COORD_SECTION\n"
    assert_error(NODES "1 2 3\n2 1.0\n3 1 1\n", "t.tsp:7: expected 3 numbers \"id x y\", got 2");
    assert_error(NODES "1 2 3 4\n", "t.tsp:6: expected 3 numbers \"id x y\", got 4");
    assert_error(NODES "1 2 3\n2 1.0 O\n3 1 1\n", "t.tsp:7: expected a number, got \"O\"");
    assert_error(NODES "1 2 0x10\n", "t.tsp:6: expected a number, got \"0x10\"");
    assert_error(NODES "1 2 nan\n", "t.tsp:6: expected a number, got \"nan\"");
    assert_error(NODES "1 2 1,5\n", "t.tsp:6: expected a number, got \"1,5\"");
    assert_error(NODES "1 2 1e999\n", "t.tsp:6: 1e999 is too large");
    assert_error(NODES "0 2 3\n", "t.tsp:6: the node's id must be a whole number from 1 to 3, not 0");
    assert_error(NODES "1 2 3\n1 3 4\n", "t.tsp:7: node 1 appears twice");
    assert_error(NODES "3 2 3\n1 3 4\n", "t.tsp:7: expected 3 nodes, found 2: node 2 is missing");
    assert_error(NODES "1 2 3\n2 3 4\n3 4 5\n4 5 6\n",
                 "t.tsp:9: the node's id must be a whole number from 1 to 3, not 4");
    assert_error("NODE_COORD_SECTION\n1 2 3\n", "t.tsp:1: DIMENSION must come before NODE_COORD_SECTION");
    assert_error(NODES "1 0 0\n2 3e9 0\n3 0 0\n",
                 "t.tsp: the distance between nodes 1 and 2 is 3e+09, which does not fit in 32 bits");
    assert_error(NODES "1 1e308 0\n2 -1e308 0\n3 0 0\n",
                 "t.tsp: the distance between nodes 1 and 2 is inf, which does not fit in 32 bits");
    assert_error(HEAD("GEO", "1") "NODE_COORD_SECTION\n1 2 1e300\n",
                 "t.tsp: node 1: GEO coordinates are at most 180, not 2 1e+300");
#undef NODES
}

static void explains_broken_matrices(void **state)
{
    (void)state;
#define MATRIX(form) HEAD("EXPLICIT", "3") "EDGE_WEIGHT_FORMAT: " form "\nEDGE_WEIGHT_SECTION\n"
    assert_error(MATRIX("FULL_MATRIX") "0 1 2\n1 0 3\n2 4 0\n", "t.tsp:9: not symmetric: 2 to 3 is 3, but 3 to 2 is 4");
    assert_error(MATRIX("UPPER_ROW") "1 -2\n3\n",
                 "t.tsp:7: a weight must be a whole number from 0 to 2147483647, not -2");
    assert_error(MATRIX("UPPER_ROW") "1 2\n1.5\n",
                 "t.tsp:8: a weight must be a whole number from 0 to 2147483647, not 1.5");
    assert_error(MATRIX("UPPER_ROW") "1 2\n2147483648\n",
                 "t.tsp:8: a weight must be a whole number from 0 to 2147483647, not 2147483648");
    assert_error(MATRIX("UPPER_ROW") "1 2\n", "t.tsp:7: expected 3 weights, found 2 before the end of the file");
    assert_error(MATRIX("UPPER_ROW") "1 2\nx 3\n", "t.tsp:8: expected 3 weights, found 2 before x");
    assert_error(MATRIX("UPPER_ROW") "1 2 3 4\nEOF\n", "t.tsp:8: expected 3 weights, found 4 before EOF");
    assert_error(MATRIX("UPPER_ROW") "1 2\n3x\n", "t.tsp:8: expected a number, got \"3x\"");
    assert_error(MATRIX("MIDDLE_ROW"), "t.tsp:5: EDGE_WEIGHT_FORMAT \"MIDDLE_ROW\" is not a matrix form of TSPLIB");
    assert_error(HEAD("EXPLICIT", "3") "EDGE_WEIGHT_SECTION\n1 2 3\n",
                 "t.tsp:5: EDGE_WEIGHT_SECTION needs DIMENSION, EDGE_WEIGHT_TYPE: EXPLICIT and a matrix form as "
                 "EDGE_WEIGHT_FORMAT before it");
#undef MATRIX
}

static void explains_unreadable_files(void **state)
{
    (void)state;
    tsp_instance instance;
    ab_status status = tsp_read("absent.tsp", &instance);
    assert_int_equal(status.code, AB_FAILED);
    assert_string_equal(status.reason, "absent.tsp: No such file or directory");
    status = tsp_read(".", &instance);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_string_equal(status.reason, ".: not a regular file");
    assert_error("x", "t.tsp:1: unknown keyword \"x\"");
    assert_int_equal(truncate("t.tsp", (1L << 30) + 1), 0); /* a hole, which takes no room on the disk */
    status = tsp_read("t.tsp", &instance);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_string_equal(status.reason, "t.tsp: more than 1073741824 bytes, which is the most");

    char long_path[2000] = "";
    while (strlen(long_path) < sizeof long_path - 16) strcat(long_path, "./");
    strcat(long_path, "t.tsp");
    status = tsp_read(long_path, &instance);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_non_null(strstr(status.reason, "t.tsp: the name is too long (at most 63 bytes, a path 1023)"));
}

/* ---- Damaged files: always a status, and never an instance that breaks its contract ---- */

static ab_code read_damaged(const char *bytes, size_t length)
{
    tsp_instance instance;
    write_bytes("t.tsp", bytes, length);
    ab_status status = tsp_read("t.tsp", &instance);
    if (status.code != AB_OK) {
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_memory_equal(status.reason, "t.tsp:", 6);
        assert_null(strpbrk(status.reason, "\n\r\x1b"));
        return status.code;
    }
    for (size_t i = 0, n = (size_t)instance.n; i < n; i++) {
        assert_int_equal(instance.dist[i * n + i], 0);
        for (size_t j = 0; j < i; j++) {
            assert_true(instance.dist[i * n + j] >= 0);
            assert_int_equal(instance.dist[i * n + j], instance.dist[j * n + i]);
        }
    }
    tsp_free(&instance);
    return AB_OK;
}

static const char *const whole_files[] = {
    HEAD("EUC_2D",
         "5") "NODE_COORD_SECTION\r\n1 0.5 1e2\r\n2 5.51200e+02 9.96400e+02\r\n 3 7 -8\r\n5 1 2\r\n4 11 12\r\nEOF\r\n",
    HEAD("GEO", "3") "NODE_COORD_SECTION\n1 16.47 96.10\n2 -16.47 94.44\n3 20.09 92.54\nEOF\n",
    HEAD("EXPLICIT", "3") "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2\n1 0 3\n2 3\n0\n"
                          "DISPLAY_DATA_SECTION\n1 1.0 2.0\n2 1 2\n3 1 2\nEOF\n",
};

/* Cut in the last line of the data or after it, a file may still be whole; cut before, it must be refused. */
static void survives_truncation_at_every_byte(void **state)
{
    (void)state;
    static const char *const last_lines[] = {"4 11", "3 20", "\n0\nDISPLAY"};
    for (size_t i = 0; i < sizeof whole_files / sizeof whole_files[0]; i++) {
        const char *text = whole_files[i];
        const size_t last = (size_t)(strstr(text, last_lines[i]) - text);
        for (size_t length = 0; length < strlen(text); length++) {
            const ab_code code = read_damaged(text, length);
            if (length <= last) assert_int_equal(code, AB_BAD_INPUT);
        }
        assert_int_equal(read_damaged(text, strlen(text)), AB_OK);
    }
}

static void survives_every_flipped_bit(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof whole_files / sizeof whole_files[0]; i++) {
        char text[512];
        const size_t length = strlen(whole_files[i]);
        memcpy(text, whole_files[i], length);
        for (size_t bit = 0; bit < 8 * length; bit++) {
            text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
            read_damaged(text, length);
            text[bit / 8] = (char)(text[bit / 8] ^ (1 << bit % 8));
        }
    }
}

/* ---- Stand-ins and names ---- */

#define DIGEST "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define CATALOGUE                                                                                                      \
    "name,n,edge_weight_type,optimum,url,sha256\ntwo,2,EUC_2D,2,http://x/two.tsp," DIGEST                              \
    "\nd198,198,EUC_2D,15780,http://x/d198.tsp," DIGEST "\na280,280,EUC_2D,2579,http://x/a280.tsp," DIGEST "\n"
#define ONE_CITY HEAD("EUC_2D", "1") "NODE_COORD_SECTION\n1 7 7\n"

static tsp_instance load(const char *name)
{
    tsp_instance instance;
    ab_status status = tsp_load(name, &instance);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    return instance;
}

/* The digests were computed by another program from the description of the generator. */
static void generates_the_same_instance_everywhere(void **state)
{
    (void)state;
    tsp_instance uniform = load("u198"), clustered = load("c1002");
    assert_string_equal(uniform.sha256, "745cb934f4f61fb8a9106cf9cdedd7220e9d7d02ba12f77d74456946d5931fb5");
    assert_string_equal(clustered.sha256, "0ea99f81390a77cb3ee4176086d0526a750e028eed75a17639f46ee99c47b0e4");
    assert_string_equal(clustered.edge_weight_type, "EUC_2D");
    tsp_free(&uniform);
    tsp_free(&clustered);
}

static double mean_nearest_distance(const tsp_instance *instance)
{
    const size_t n = (size_t)instance->n;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t nearest = INT32_MAX;
        for (size_t j = 0; j < n; j++)
            if (j != i && instance->dist[i * n + j] < nearest) nearest = instance->dist[i * n + j];
        sum += nearest;
    }
    return sum / (double)n;
}

/* At density rho the nearest neighbour is at 1/(2 sqrt(rho)) on average. That is side/(2 sqrt(n)) for uniform cities,
 * and half as much, averaged over a normal cluster of 100 cities and deviation side/sqrt(n); less where clusters
 * overlap. */
static void generates_uniform_and_clustered_cities(void **state)
{
    (void)state;
    tsp_instance uniform, clustered;
    assert_int_equal(tsp_generate(TSP_UNIFORM, 2000, 7, &uniform).code, AB_OK);
    assert_int_equal(tsp_generate(TSP_CLUSTERED, 2000, 7, &clustered).code, AB_OK);
    const double expected = 1e6 / (2 * sqrt(2000));
    assert_true(fabs(mean_nearest_distance(&uniform) / expected - 1) < 0.1);
    assert_true(fabs(mean_nearest_distance(&clustered) / (expected / 2) - 1) < 0.2);
    tsp_free(&uniform);
    tsp_free(&clustered);
}

static void generates_by_seed_and_size(void **state)
{
    (void)state;
    tsp_instance a, b;
    assert_int_equal(tsp_generate(TSP_UNIFORM, 10, 1, &a).code, AB_OK);
    assert_int_equal(tsp_generate(TSP_UNIFORM, 10, 2, &b).code, AB_OK);
    assert_string_not_equal(a.sha256, b.sha256);
    tsp_free(&a);
    tsp_free(&b);
    assert_int_equal(tsp_generate(TSP_CLUSTERED, 1, 1, &a).code, AB_OK);
    assert_string_equal(a.name, "c1");
    tsp_free(&a);
    assert_int_equal(tsp_generate(TSP_UNIFORM, 0, 1, &a).code, AB_BAD_INPUT);
    assert_int_equal(tsp_generate(TSP_UNIFORM, TSP_MAX_CITIES + 1, 1, &a).code, AB_BAD_INPUT);
    assert_null(a.dist);
}

static void loads_a_stand_in_without_files(void **state)
{
    (void)state;
    unsetenv("TSPLIB_DIR");
    tsp_instance instance = load("d198");
    assert_string_equal(instance.name, "u198");
    assert_string_equal(instance.path, "");
    assert_int_equal(instance.n, 198);
    assert_int_equal(instance.optimum, 0);
    assert_true(instance.stand_in);
    tsp_free(&instance);
}

static void enter_project(void)
{
    assert_int_equal(system("mkdir -p project/instances/tsplib mine"), 0);
    write_text("project/instances/catalogue.csv", CATALOGUE);
    setenv("ANTBENCH_ROOT", "project", 1);
}

static void leave_project(void)
{
    unsetenv("ANTBENCH_ROOT");
    unsetenv("TSPLIB_DIR");
    assert_int_equal(system("rm -r project mine"), 0);
}

/* $TSPLIB_DIR comes before instances/tsplib of the project, which comes before a stand-in. */
static void loads_files_in_order(void **state)
{
    (void)state;
    enter_project();
    write_text("project/instances/tsplib/d198.tsp", ONE_CITY);
    write_text("project/instances/tsplib/u198.tsp", ONE_CITY);
    write_text("mine/d198.tsp", HEAD("EUC_2D", "2") "NODE_COORD_SECTION\n1 7 7\n2 7 8\n");
    static const struct {
        const char *directory, *name, *path;
    } cases[] = {
        {"mine", "d198", "mine/d198.tsp"},
        {"mine", "u198", "project/instances/tsplib/u198.tsp"},
        {"project", "d198", "project/instances/tsplib/d198.tsp"},
        {"", "mine/d198.tsp", "mine/d198.tsp"},
        {"project", "a280", ""},
        {"project", "here.txt", "here.txt"}, /* in the current folder, */
        {"project", "u77", ""},              /* ... for what nothing else is called */
    };
    write_text("here.txt", ONE_CITY);
    write_text("u77", ONE_CITY);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        setenv("TSPLIB_DIR", cases[i].directory, 1);
        tsp_instance instance = load(cases[i].name);
        assert_string_equal(instance.path, cases[i].path);
        assert_int_equal(instance.stand_in, cases[i].path[0] == '\0');
        assert_int_equal(instance.optimum, 0); /* d198.tsp does not hold d198 here */
        tsp_free(&instance);
    }
    assert_int_equal(remove("here.txt"), 0);
    assert_int_equal(remove("u77"), 0);
    assert_int_equal(tsp_check_name("mine").code, AB_BAD_INPUT); /* a folder */
    static const char *const no_folders[] = {"nowhere", "mine/d198.tsp"};
    for (size_t i = 0; i < sizeof no_folders / sizeof no_folders[0]; i++) {
        char expected[100];
        snprintf(expected, sizeof expected, "TSPLIB_DIR=%s: no such folder; name one, or unset TSPLIB_DIR",
                 no_folders[i]);
        setenv("TSPLIB_DIR", no_folders[i], 1);
        assert_int_equal(tsp_check_name("mine/d198.tsp").code, AB_OK);
        const ab_status status = tsp_check_name("d198");
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, expected);
    }
    leave_project();
}

/* Names of TSPLIB that no stand-in may have, and names that are in no catalogue, are good where there is a file. */
static void knows_the_names_of_files(void **state)
{
    (void)state;
    enter_project();
    setenv("TSPLIB_DIR", "mine", 1);
    static const char *const names[] = {"u1060", "my own", "third"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_false(tsp_may_load(names[i]));
        assert_int_equal(tsp_check_name(names[i]).code, AB_BAD_INPUT);
    }
    write_text("mine/u1060.tsp", ONE_CITY);
    write_text("mine/my own.tsp", ONE_CITY);
    write_text("project/instances/tsplib/third.tsp", ONE_CITY);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(tsp_may_load(names[i]));
        assert_int_equal(tsp_check_name(names[i]).code, AB_OK);
        tsp_instance instance = load(names[i]);
        assert_string_equal(instance.name, names[i]);
        assert_false(instance.stand_in);
        tsp_free(&instance);
    }
    static const char *const others[] = {"d198", "a280", "u77", "c5", "mine/u1060.tsp"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_true(tsp_may_load(others[i]));
        assert_int_equal(tsp_check_name(others[i]).code, AB_OK);
    }
    leave_project();
}

/* Candidates are the names of the catalogue and of files, wherever they lie. */
static void suggests_what_there_is(void **state)
{
    (void)state;
    enter_project();
    setenv("TSPLIB_DIR", "mine", 1);
    write_text("mine/hallway.tsp", ONE_CITY);
    write_text("mine/hall\nways.tsp", ONE_CITY); /* never in a message */
    write_text("mine/airport.txt", ONE_CITY);
    write_text("project/instances/tsplib/garden.tsp", ONE_CITY);
    static const char *const cases[][2] = {
        {"hallways", "; did you mean \"hallway\"?"},
        {"gardn", "; did you mean \"garden\"?"},
        {"a281", "; did you mean \"a280\"?"},
        {"airports", ""},
        {"zebra", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[200];
        snprintf(expected, sizeof expected,
                 "instance \"%s\": not in the catalogue, and no such file here, in $TSPLIB_DIR or instances/tsplib%s",
                 cases[i][0], cases[i][1]);
        const ab_status status = tsp_check_name(cases[i][0]);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, expected);
        assert_false(tsp_may_load(cases[i][0]));
    }
    leave_project();
}

/* A file that is called so is not even looked at. */
static void refuses_control_characters(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"=HYPERLINK(x)",
         "instance \"=HYPERLINK(x)\": a spreadsheet that reads the results would run a name that begins with ="},
        {"a/-x.tsp", "instance \"a/-x.tsp\": a spreadsheet that reads the results would run a name that begins with -"},
        {"d198\n", "instance \"d198?\": a name is UTF-8 without control characters"},
        {"./a\tb\x7f.tsp", "instance \"./a?b?.tsp\": a name is UTF-8 without control characters"},
        {"\033[31md198", "instance \"?[31md198\": a name is UTF-8 without control characters"},
    };
    write_text("a\tb\x7f.tsp", ONE_CITY);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tsp_instance instance;
        assert_string_equal(tsp_check_name(cases[i][0]).reason, cases[i][1]);
        assert_string_equal(tsp_describe(cases[i][0], &instance).reason, cases[i][1]);
        const ab_status status = tsp_load(cases[i][0], &instance);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, cases[i][1]);
    }
    char many[300];
    memset(many, '\r', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    assert_null(strchr(tsp_check_name(many).reason, '\r'));
}

/* ---- Describing ---- */

/* The most memory that this process ever had, in KiB. */
static long peak_kib(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* First of all tests, because a peak never falls. The distances of either would take 4 GiB. */
static void describing_takes_no_distances(void **state)
{
    (void)state;
    FILE *file = fopen("large.tsp", "w");
    assert_non_null(file);
    fprintf(file, "%s", HEAD("EUC_2D", "32767") "NODE_COORD_SECTION\n");
    for (int i = 1; i <= 32767; i++) fprintf(file, "%d %d %d\n", i, i % 181 * 1000, i / 181 * 1000);
    assert_int_equal(fclose(file), 0);
    const long before = peak_kib();
    tsp_instance instance;
    assert_int_equal(tsp_describe("large.tsp", &instance).code, AB_OK);
    assert_int_equal(instance.n, 32767);
    assert_null(instance.dist);
    tsp_free(&instance);
    assert_int_equal(tsp_describe("c32767", &instance).code, AB_OK);
    assert_int_equal(instance.n, 32767);
    assert_null(instance.dist);
    assert_true(peak_kib() - before < 10000);
    assert_int_equal(remove("large.tsp"), 0);
}

/* What is described is what is loaded, but for the distances and what needs them. */
static void describes_what_would_be_loaded(void **state)
{
    (void)state;
    enter_project();
    setenv("TSPLIB_DIR", "mine", 1);
    write_text("mine/points.tsp", HEAD("ATT", "2") "NODE_COORD_SECTION\n1 7 7\n2 7 8\n");
    write_text("mine/globe.tsp", HEAD("GEO", "2") "NODE_COORD_SECTION\n1 -90.0 180.0\n2 7 -179.59\n");
    write_text("mine/matrix.tsp",
               HEAD("EXPLICIT", "3") "EDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2 3\nEOF\n");
    write_text("mine/two.tsp", HEAD("EUC_2D", "2") "NODE_COORD_SECTION\n1 7 7\n2 7 8\n");
    static const char *const names[] = {"points", "globe", "matrix", "two", "d198", "u300", "c300", "mine/points.tsp"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tsp_instance described, loaded = load(names[i]);
        assert_int_equal(tsp_describe(names[i], &described).code, AB_OK);
        assert_null(described.dist);
        if (described.stand_in) {
            assert_string_equal(described.sha256, "");
            memcpy(described.sha256, loaded.sha256, sizeof described.sha256);
        }
        free(loaded.dist);
        loaded.dist = NULL;
        assert_memory_equal(&described, &loaded, sizeof described);
    }
    tsp_instance two;
    assert_int_equal(tsp_describe("two", &two).code, AB_OK);
    assert_int_equal(two.optimum, 2); /* the catalogue's */
    leave_project();
}

/* Points and rule give the distances that loading does; a matrix is one. */
static void locates_what_would_be_loaded(void **state)
{
    (void)state;
    write_text("globe.tsp", HEAD("GEO", "2") "NODE_COORD_SECTION\n1 -90.0 180.0\n2 7 -179.59\n");
    write_text("matrix.tsp", HEAD("EXPLICIT", "3") "EDGE_WEIGHT_FORMAT: UPPER_ROW\nEDGE_WEIGHT_SECTION\n1 2 3\nEOF\n");
    write_text("table.csv", "1,2\n30,40\n500,6\n");
    static const char *const names[] = {"u300", "c300", "globe.tsp", "matrix.tsp", "table.csv"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tsp_instance located, loaded = load(names[i]);
        assert_int_equal(tsp_locate(names[i], &located).code, AB_OK);
        const size_t n = (size_t)loaded.n;
        assert_int_equal(located.n, loaded.n);
        assert_string_equal(located.name, loaded.name);
        assert_null(loaded.points);
        for (size_t j = 0; located.points && j < n * n; j++)
            if (j / n != j % n)
                assert_int_equal(located.rule->distance(located.points[j / n], located.points[j % n]), loaded.dist[j]);
        if (!located.points) assert_memory_equal(located.dist, loaded.dist, n * n * sizeof *loaded.dist);
        assert_true(!located.points == !strcmp(located.edge_weight_type, "EXPLICIT"));
        tsp_free(&located);
        tsp_free(&loaded);
    }
}

/* More cities than an instance with all its distances has, and errors that only such files have. */
static void locates_many_cities(void **state)
{
    (void)state;
    tsp_instance instance;
    assert_int_equal(tsp_locate("c40000", &instance).code, AB_OK);
    assert_int_equal(instance.n, 40000);
    assert_null(instance.dist);
    assert_non_null(instance.points);
    tsp_free(&instance);
    static const char *const cases[][2] = {
        {HEAD("EUC_2D", "10000001") "NODE_COORD_SECTION\n1 2 3\n",
         "t.tsp:3: DIMENSION must be a whole number from 1 to 10000000, not 10000001"},
        {HEAD("EUC_2D", "9999999") "NODE_COORD_SECTION\n1 2 3\n",
         "t.tsp:5: expected 9999999 nodes, which so short a file cannot have"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_text("t.tsp", cases[i][0]);
        const ab_status status = tsp_locate("t.tsp", &instance);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, cases[i][1]);
    }
    FILE *file = fopen("far.csv", "w");
    assert_non_null(file);
    for (int i = 0; i < 32768; i++) fprintf(file, "%d,%d\n", i * 65536, i * 65536);
    assert_int_equal(fclose(file), 0);
    const ab_status status = tsp_locate("far.csv", &instance);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_string_equal(status.reason, "far.csv: nodes are so far apart that distances may not fit in 32 bits");
    assert_int_equal(tsp_load("far.csv", &instance).code, AB_BAD_INPUT);
}

static void describing_finds_what_is_wrong(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "t.tsp:1: the file is empty"},
        {HEAD("EUC_2D", "2") "NODE_COORD_SECTION\n1 2 3\n", "t.tsp:6: expected 2 nodes, found 1: node 2 is missing"},
        {HEAD("EUC_2D", "2") "NODE_COORD_SECTION\n1 2 3\n2 1.0\n", "t.tsp:7: expected 3 numbers \"id x y\", got 2"},
        {HEAD("EUC_2D", "3") "NODE_COORD_SECTION\n1 0 0\n2 3e9 0\n3 0 0\n",
         "t.tsp: the distance between nodes 1 and 2 is 3e+09, which does not fit in 32 bits"},
        {HEAD("EUC_2D", "2") "NODE_COORD_SECTION\n1 -1e308 0\n2 1e308 0\n",
         "t.tsp: the distance between nodes 1 and 2 is inf, which does not fit in 32 bits"},
        {HEAD("GEO", "1") "NODE_COORD_SECTION\n1 2 1e300\n",
         "t.tsp: node 1: GEO coordinates are at most 180, not 2 1e+300"},
        {HEAD("EXPLICIT", "2") "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1\n2 0\n",
         "t.tsp:8: not symmetric: 1 to 2 is 1, but 2 to 1 is 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tsp_instance instance;
        assert_error(cases[i][0], cases[i][1]);
        const ab_status status = tsp_describe("t.tsp", &instance);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, cases[i][1]);
        assert_int_equal(instance.n, 0);
    }
    /* The box around these is too large, but no two of them are too far apart. */
    write_text("t.tsp", HEAD("EUC_2D", "3") "NODE_COORD_SECTION\n1 0 1e9\n2 2e9 1e9\n3 1e9 0\n");
    tsp_instance instance;
    assert_int_equal(tsp_describe("t.tsp", &instance).code, AB_OK);
    assert_int_equal(tsp_describe("c99999", &instance).code, AB_BAD_INPUT);
}

/* A broken file is never replaced by a stand-in. */
static void reports_names_that_cannot_be_loaded(void **state)
{
    (void)state;
    write_text("a280.tsp", HEAD("EUC_2D", "280") "NODE_COORD_SECTION\n1 7 7\n");
    setenv("TSPLIB_DIR", ".", 1);
    static const char *const cases[][2] = {
        {"a280", "./a280.tsp:6: expected 280 nodes, found 1: node 2 is missing"},
        {"d199",
         "instance \"d199\": not in the catalogue, and no such file here, in $TSPLIB_DIR or instances/tsplib; did you "
         "mean \"d198\"?"},
        {"u159", "instance \"u159\": not in the catalogue, and no such file here, in $TSPLIB_DIR or instances/tsplib"},
        {"u0198",
         "instance \"u0198\": not in the catalogue, and no such file here, in $TSPLIB_DIR or instances/tsplib; did you "
         "mean \"d198\"?"},
        {"", "instance \"\": not in the catalogue, and no such file here, in $TSPLIB_DIR or instances/tsplib"},
        {"absent.tsp", "absent.tsp: no such file"},
        {"c99999", "a generated instance has 1 to 32767 cities, not 99999"},
        {"u99999999999999999999", "a generated instance has 1 to 32767 cities, not 2147483647"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tsp_instance instance;
        const ab_status status = tsp_load(cases[i][0], &instance);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, cases[i][1]);
        assert_null(instance.dist);
    }
    unsetenv("TSPLIB_DIR");
}

/* ---- Checksums and the catalogue ---- */

static void computes_sha256(void **state)
{
    (void)state;
    static const char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; /* FIPS 180-4 */
    char digest[65];
    sha256_hex("abc", 3, digest);
    assert_string_equal(digest, abc);
    write_text("abc", "abc");
    assert_int_equal(sha256_file("abc", digest).code, AB_OK);
    assert_string_equal(digest, abc);
    assert_int_equal(sha256_file("absent", digest).code, AB_FAILED);
    assert_int_equal(sha256_file(".", digest).code, AB_FAILED);
    assert_string_equal(digest, "");
}

static void keeps_an_ordered_catalogue(void **state)
{
    (void)state;
    tsp_catalogue_entry *entries, found;
    int count;
    assert_int_equal(tsp_catalogue(&entries, &count).code, AB_OK);
    assert_true(count >= 21);
    for (int i = 0; i < count; i++) {
        assert_int_equal(tsp_find_in_catalogue(entries[i].name, &found).code, AB_OK);
        assert_memory_equal(&found, &entries[i], sizeof found);
        if (i > 0) assert_true(entries[i - 1].n < entries[i].n);
    }
    free(entries);
    assert_int_equal(tsp_find_in_catalogue("u198", &found).code, AB_OK);
    assert_true(found.n == 0 && found.name[0] == '\0');
}

/* Columns are found by name, and those that are for instances/fetch alone may be anything. */
static void reads_a_catalogue_of_any_order(void **state)
{
    (void)state;
    enter_project();
    write_text("project/instances/catalogue.csv",
               "url,sha256,optimum,name,n,edge_weight_type\n,\"" DIGEST "\",9007199254740992,\"a,b\",7,EUC_2D\n");
    tsp_catalogue_entry found;
    assert_int_equal(tsp_find_in_catalogue("a,b", &found).code, AB_OK);
    assert_string_equal(found.name, "a,b");
    assert_string_equal(found.edge_weight_type, "EUC_2D");
    assert_string_equal(found.sha256, DIGEST);
    assert_true(found.n == 7 && found.optimum == INT64_C(9007199254740992));
    leave_project();
}

static void explains_broken_catalogues(void **state)
{
    (void)state;
#define HEADER "name,n,edge_weight_type,optimum,sha256\n"
    static const char *const cases[][2] = {
        {"", "1: the file is empty"},
        {"name,n,edge_weight_type,sha256\n", "1: there is no column optimum"},
        {HEADER "a,5,EUC_2D,7\n", "2: expected 5 cells, got 4"},
        {HEADER "a,5,EUC_2D,7," DIGEST "\nb,5,EUC_2D,7," DIGEST ",more\n", "3: expected 5 cells, got 6"},
        {HEADER ",5,EUC_2D,7," DIGEST "\n", "2: column 1 (name) is empty"},
        {HEADER "a,,EUC_2D,7," DIGEST "\n", "2: column 2 (n) is empty"},
        {HEADER "a,five,EUC_2D,7," DIGEST "\n", "2: column 2: expected a number, got \"five\""},
        {HEADER "a,2.5,EUC_2D,7," DIGEST "\n", "2: column 2: expected a whole number from 1 to 32767, got 2.5"},
        {HEADER "a,40000,EUC_2D,7," DIGEST "\n", "2: column 2: expected a whole number from 1 to 32767, got 40000"},
        {HEADER "a,5,EUCLIDEAN_DISTANCE,7," DIGEST "\n", "2: column 3: more than 15 characters"},
        {HEADER "a,5,EUC_2D,7,abc\n", "2: column 5: expected 64 hexadecimal digits"},
        {HEADER "a,5,EUC_2D,7," DIGEST "\na,6,EUC_2D,7," DIGEST "\n", "3: a stands twice"},
        {HEADER "\"a,5,EUC_2D\n", "2: a quotation mark is never closed"},
    };
#undef HEADER
    enter_project();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[200];
        snprintf(expected, sizeof expected, "project/instances/catalogue.csv:%s", cases[i][1]);
        write_text("project/instances/catalogue.csv", cases[i][0]);
        tsp_catalogue_entry *entries;
        tsp_instance instance;
        int count;
        const ab_status status = tsp_catalogue(&entries, &count);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, expected);
        assert_true(entries == NULL && count == 0);
        assert_string_equal(tsp_load("d198", &instance).reason, expected);
        assert_string_equal(tsp_check_name("zebra").reason, expected);
        assert_true(tsp_may_load("zebra")); /* tsp_load says what is wrong */
    }
    assert_int_equal(remove("project/instances/catalogue.csv"), 0);
    tsp_instance instance;
    const ab_status status = tsp_load("d198", &instance);
    assert_int_equal(status.code, AB_FAILED);
    assert_string_equal(status.reason, "project/instances/catalogue.csv: No such file or directory ($ANTBENCH_ROOT may "
                                       "name the folder of antbench)");
    leave_project();
}

/* ---- The project's folder ---- */

/* These tests run in a directory of their own; their program lies in the project's. */
static void finds_the_project_from_anywhere(void **state)
{
    (void)state;
    char here[1024], path[1024], found[1024];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s", ab_root());
    assert_int_equal(path[0], '/');
    assert_int_equal(ab_root_path(found, sizeof found, "instances/catalogue.csv").code, AB_OK);
    assert_int_equal(access(found, R_OK), 0);
    assert_int_equal(chdir("/"), 0);
    assert_string_equal(ab_root(), path);
    assert_int_equal(tsp_check_name("pr2392").code, AB_OK);
    /* In the project's folder itself paths are short. */
    assert_int_equal(chdir(path), 0);
    assert_string_equal(ab_root(), ".");
    assert_int_equal(ab_root_path(found, sizeof found, "instances/catalogue.csv").code, AB_OK);
    assert_string_equal(found, "instances/catalogue.csv");
    assert_int_equal(chdir(here), 0);

    setenv("ANTBENCH_ROOT", "other/", 1);
    assert_string_equal(ab_root(), "other/");
    setenv("ANTBENCH_ROOT", "", 1);
    assert_string_equal(ab_root(), path);
    unsetenv("ANTBENCH_ROOT");
    const ab_status status = ab_root_path(found, 8, "instances");
    assert_int_equal(status.code, AB_FAILED);
    assert_non_null(strstr(status.reason, ": the path is too long"));
}

/* ---- TSPLIB itself ---- */

/* The shortest tour by dynamic programming over subsets (Held & Karp), for n <= 17. */
static int64_t shortest_tour(const tsp_instance *instance)
{
    const size_t m = (size_t)instance->n - 1, n = m + 1;
    int64_t *length = malloc((m << m) * sizeof *length); /* [subset of cities 1..m][last]: from city 0 through it */
    assert_non_null(length);
    for (size_t set = 1; set < (size_t)1 << m; set++) {
        for (size_t last = 0; last < m; last++) {
            const size_t before = set & ~((size_t)1 << last);
            int64_t best = before == 0 ? instance->dist[last + 1] : INT64_MAX / 2;
            for (size_t k = 0; k < m && before != set; k++)
                if (before >> k & 1 && length[before * m + k] + instance->dist[(k + 1) * n + last + 1] < best)
                    best = length[before * m + k] + instance->dist[(k + 1) * n + last + 1];
            length[set * m + last] = before == set ? INT64_MAX / 2 : best;
        }
    }
    int64_t shortest = INT64_MAX;
    for (size_t last = 0; last < m; last++) {
        const int64_t closed = length[(((size_t)1 << m) - 1) * m + last] + instance->dist[last + 1];
        if (closed < shortest) shortest = closed;
    }
    free(length);
    return shortest;
}

static void check_catalogued_files(const char *directory)
{
    tsp_catalogue_entry *entries;
    int count;
    assert_int_equal(tsp_catalogue(&entries, &count).code, AB_OK);
    for (int i = 0; i < count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.tsp", directory, entries[i].name);
        if (access(path, F_OK) != 0) continue;
        tsp_instance instance = load(path);
        assert_string_equal(instance.sha256, entries[i].sha256);
        assert_int_equal(instance.optimum, entries[i].optimum);
        tsp_free(&instance);
    }
    free(entries);
}

static void check_optimal_tour(const char *directory, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.tsp", directory, name);
    tsp_instance instance = load(path);
    int32_t *tour = malloc((size_t)instance.n * sizeof *tour);
    assert_non_null(tour);
    snprintf(path, sizeof path, "%s/%s.opt.tour", directory, name);
    read_tour(path, instance.n, tour);
    assert_true(instance.optimum > 0);
    assert_int_equal(tour_length(&instance, tour), instance.optimum);
    free(tour);
    tsp_free(&instance);
}

static void reproduces_published_optima(void **state)
{
    (void)state;
    static const char *const with_tour[] = {"a280",    "att48",  "bays29", "berlin52", "ch130", "eil51",
                                            "kroA100", "pcb442", "pr1002", "pr2392",   "st70",  "ulysses22"};
    static const char *const small[] = {"burma14", "gr17"};
    const char *directory = getenv("TSPLIB_DIR");
    if (directory == NULL || access(directory, R_OK | X_OK) != 0) {
        print_message("$TSPLIB_DIR is not a directory of TSPLIB files\n");
        skip();
    }
    check_catalogued_files(directory);
    for (size_t i = 0; i < sizeof with_tour / sizeof with_tour[0]; i++) check_optimal_tour(directory, with_tour[i]);
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.tsp", directory, small[i]);
        tsp_instance instance = load(path);
        assert_int_equal(shortest_tour(&instance), instance.optimum);
        tsp_free(&instance);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describing_takes_no_distances), /* first: see there */
        cmocka_unit_test(reproduces_published_optima),   /* before others change TSPLIB_DIR */
        cmocka_unit_test(rounds_euc_2d_to_nearest),
        cmocka_unit_test(rounds_ceil_2d_up),
        cmocka_unit_test(adds_man_2d_and_takes_the_larger_of_max_2d),
        cmocka_unit_test(reads_coordinates),
        cmocka_unit_test(explains_broken_coordinates),
        cmocka_unit_test(rounds_att_up_after_dividing_by_ten),
        cmocka_unit_test(computes_geo_from_degrees_and_minutes),
        cmocka_unit_test(reads_every_matrix_form),
        cmocka_unit_test(accepts_free_spelling),
        cmocka_unit_test(reads_one_and_two_cities),
        cmocka_unit_test(names_an_instance_as_its_file),
        cmocka_unit_test(explains_broken_headers),
        cmocka_unit_test(explains_broken_nodes),
        cmocka_unit_test(explains_broken_matrices),
        cmocka_unit_test(explains_unreadable_files),
        cmocka_unit_test(survives_truncation_at_every_byte),
        cmocka_unit_test(survives_every_flipped_bit),
        cmocka_unit_test(generates_the_same_instance_everywhere),
        cmocka_unit_test(generates_uniform_and_clustered_cities),
        cmocka_unit_test(generates_by_seed_and_size),
        cmocka_unit_test(loads_a_stand_in_without_files),
        cmocka_unit_test(loads_files_in_order),
        cmocka_unit_test(knows_the_names_of_files),
        cmocka_unit_test(suggests_what_there_is),
        cmocka_unit_test(refuses_control_characters),
        cmocka_unit_test(reports_names_that_cannot_be_loaded),
        cmocka_unit_test(describes_what_would_be_loaded),
        cmocka_unit_test(locates_what_would_be_loaded),
        cmocka_unit_test(locates_many_cities),
        cmocka_unit_test(describing_finds_what_is_wrong),
        cmocka_unit_test(computes_sha256),
        cmocka_unit_test(keeps_an_ordered_catalogue),
        cmocka_unit_test(reads_a_catalogue_of_any_order),
        cmocka_unit_test(explains_broken_catalogues),
        cmocka_unit_test(finds_the_project_from_anywhere),
    };
    return cmocka_run_group_tests(tests, find_inputs, remove_directory);
}
