/* Tables of cities (instances/table.h): which columns are coordinates, what is wrong with broken ones, that rows come back
 * as they are, and that whole numbers of a search are real distances but for the last digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "instances/tsplib.h"
#include "tests/support/directory.h"
#include "tours/neighbours.h"
#include "tours/solve.h"
#include "tours/tour.h"

static void write_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static tsp_instance locate(const char *text, tsp_metric metric)
{
    tsp_instance instance;
    write_bytes("t.csv", text, strlen(text));
    const ab_status status = tsp_locate_real("t.csv", metric, &instance);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    assert_non_null(instance.table);
    assert_int_equal(instance.optimum, 0);
    return instance;
}

/* ---- Columns ---- */

static void finds_the_coordinates(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tsp_metric metric;
        bool geo;
        double x, y; /* of the first city; geo: latitude and longitude */
    } cases[] = {
        {"3,4\n5,6\n", TSP_BY_HEADER, false, 3, 4},
        {"x,y\n3,4\n", TSP_BY_HEADER, false, 3, 4},
        {"name,Y,X\na,3,4\n", TSP_BY_HEADER, false, 4, 3},
        {"east,north\n3,4\n", TSP_BY_HEADER, false, 3, 4},
        {"east,north,name\n3,4,a\n", TSP_BY_HEADER, false, 3, 4},
        {"lat,lon\n3,4\n", TSP_BY_HEADER, true, 3, 4},
        {"LNG,Lat\n3,4\n", TSP_BY_HEADER, true, 4, 3},
        {"city,longitude,people,LATITUDE\nBonn,3,9,4\n", TSP_BY_HEADER, true, 4, 3},
        {"\"long\" , \"lat\"\r\n3,4\r\n", TSP_BY_HEADER, true, 4, 3},
        {"\xef\xbb\xbflat,lon\n3,4\n", TSP_BY_HEADER, true, 3, 4},
        {"lat,lon,x,y\n3,4,5,6\n", TSP_BY_HEADER, true, 3, 4},
        {"lat,lon,x,y\n3,4,5,6\n", TSP_PLANE, false, 5, 6},
        {"lat,lon\n3,4\n", TSP_PLANE, false, 3, 4},
        {"lat,lon\n300,4\n", TSP_PLANE, false, 300, 4},
        {"3,4\n", TSP_GEO, true, 3, 4},
        {"x,y\n3,4\n", TSP_GEO, true, 4, 3}, /* x is the longitude */
        {"breite,laenge\n3,4\n", TSP_GEO, true, 3, 4},
        {"\n\n3,4\n\n", TSP_BY_HEADER, false, 3, 4},
        {"-90,180\n90,-180\n", TSP_GEO, true, -90, 180},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsp_instance instance = locate(cases[i].text, cases[i].metric);
        if (instance.table->geo != cases[i].geo || instance.table->points[0].x != cases[i].x ||
            instance.table->points[0].y != cases[i].y)
            fail_msg("%s: %d, %g %g", cases[i].text, instance.table->geo, instance.table->points[0].x,
                     instance.table->points[0].y);
        assert_int_equal(!instance.sphere, !cases[i].geo);
        assert_int_equal(!instance.points, cases[i].geo);
        tsp_free(&instance);
    }
}

static void explains_broken_tables(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tsp_metric metric;
        const char *reason;
    } cases[] = {
        {"lat,lon\n1,2\n91,0\n", TSP_BY_HEADER, "t.csv:3: column 1: a latitude is from -90 to 90, not 91"},
        {"lon,lat\n1,2\n-180.5,0\n", TSP_BY_HEADER, "t.csv:3: column 1: a longitude is from -180 to 180, not -180.5"},
        {"1,2\n113,0\n", TSP_GEO, "t.csv:2: column 1: a latitude is from -90 to 90, not 113"},
        {"lat,name\n1,2\n", TSP_BY_HEADER, "t.csv:1: a column lat, but none of longitudes (lon, long, lng, longitude)"},
        {"Long,name\n1,2\n", TSP_GEO, "t.csv:1: a column Long, but none of latitudes (lat, latitude)"},
        {"1,0x10\n", TSP_BY_HEADER, "t.csv:1: column 2: expected a number, got \"0x10\""},
        {"1,2\ninf,1\n", TSP_BY_HEADER, "t.csv:2: column 1: expected a number, got \"inf\""},
        {"1,2\n1,-Infinity\n", TSP_BY_HEADER, "t.csv:2: column 2: expected a number, got \"-Infinity\""},
        {"1,nan\n", TSP_BY_HEADER, "t.csv:1: column 2: expected a number, got \"nan\""},
        {"1,1e999\n", TSP_BY_HEADER, "t.csv:1: column 2: expected a number, got \"1e999\""},
        {"1,\" 2\"\n", TSP_BY_HEADER, "t.csv:1: column 2: expected a number, got \" 2\""},
        {"1,2e151\n", TSP_BY_HEADER, "t.csv:1: column 2: coordinates are at most 1e+150, not 2e151"},
        {"x,y\n1,\n", TSP_BY_HEADER, "t.csv:2: column 2 is empty"},
        {"Bonn,1,2\n", TSP_BY_HEADER,
         "t.csv:1: column 1: expected a number, got \"Bonn\" (a header says which columns are the coordinates: x,y or "
         "lat,lon)"},
        {"name,x,y\na,1,2\nb,1\n", TSP_BY_HEADER, "t.csv:3: expected 3 cells, as above, got 2"},
        {"1,2\r3,4\r", TSP_BY_HEADER, "t.csv:1: a carriage return within the line"},
        {"x,y\n", TSP_BY_HEADER, "t.csv: no cities"},
        {"x;y\n1;2\n", TSP_BY_HEADER, "t.csv:1: expected \"x,y\", got 1 cell"},
        {"1,\"2\n", TSP_BY_HEADER, "t.csv:1: a quotation mark is never closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsp_instance instance;
        write_bytes("t.csv", cases[i].text, strlen(cases[i].text));
        const ab_status status = tsp_locate_real("t.csv", cases[i].metric, &instance);
        assert_string_equal(status.reason, cases[i].reason);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_null(instance.table);
    }
}

/* A NUL would end a cell without a word: "3,4\0007" is at 3,4. */
static void refuses_a_nul(void **state)
{
    (void)state;
    static const char text[] = "1,2\n3,4\0007\n9,9\n", utf16[] = "1\0,\0002\0\n";
    static const char reason[] = "a NUL, which no text has (UTF-16? save it as UTF-8)";
    char expected[96];
    tsp_instance instance;
    write_bytes("t.csv", text, sizeof text - 1);
    snprintf(expected, sizeof expected, "t.csv:2: %s", reason);
    assert_string_equal(tsp_locate_real("t.csv", TSP_BY_HEADER, &instance).reason, expected);
    assert_string_equal(tsp_load("t.csv", &instance).reason, expected);
    write_bytes("t.csv", utf16, sizeof utf16 - 1);
    snprintf(expected, sizeof expected, "t.csv:1: %s", reason);
    assert_string_equal(tsp_locate_real("t.csv", TSP_BY_HEADER, &instance).reason, expected);
}

/* A file of another name is a table where it begins with no keyword of TSPLIB's. */
static void tells_tables_by_their_text(void **state)
{
    (void)state;
    static const char tsplib[] = "DIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 4\n";
    tsp_instance instance;
    write_bytes("mine.txt", "0,0\n3,4\n", 8);
    assert_int_equal(tsp_locate_real("mine.txt", TSP_BY_HEADER, &instance).code, AB_OK);
    assert_non_null(instance.table);
    assert_string_equal(instance.name, "mine.txt");
    tsp_free(&instance);
    write_bytes("mine.txt", tsplib, sizeof tsplib - 1);
    assert_int_equal(tsp_locate_real("mine.txt", TSP_BY_HEADER, &instance).code, AB_OK);
    assert_null(instance.table);
    assert_string_equal(instance.edge_weight_type, "EUC_2D");
    tsp_free(&instance);
    assert_string_equal(tsp_locate_real("mine.txt", TSP_GEO, &instance).reason,
                        "mine.txt: --metric is for a table of coordinates, and this is TSPLIB's");
    assert_string_equal(tsp_locate_real("u50", TSP_PLANE, &instance).reason,
                        "u50: --metric is for a table of coordinates, and this is generated");
}

/* ---- Rows ---- */

static void assert_row(const tsp_table *table, int city, const char *expected)
{
    const tsp_row row = tsp_table_row(table, city);
    assert_int_equal(row.length, strlen(expected));
    assert_memory_equal(row.start, expected, row.length);
}

static void rows_come_back_as_they_are(void **state)
{
    (void)state;
    tsp_instance some = locate("\n name , x,y\r\n\r\n\"a, \"\"b\"\"\nc\",1 , 2\r\n\n\"d\",3,4", TSP_BY_HEADER);
    assert_row(some.table, -1, " name , x,y");
    assert_row(some.table, 0, "\"a, \"\"b\"\"\nc\",1 , 2");
    assert_row(some.table, 1, "\"d\",3,4");
    assert_int_equal(tour_write_rows("rows.csv", some.table, (const int32_t[]){1, 0}, 2).code, AB_OK);
    tsp_free(&some);
    char text[64] = "";
    FILE *file = fopen("rows.csv", "r");
    assert_true(file && fread(text, 1, sizeof text - 1, file) > 0 && fclose(file) == 0);
    assert_string_equal(text, " name , x,y\n\"a, \"\"b\"\"\nc\",1 , 2\n\"d\",3,4\n");
    tsp_instance bare = locate("1,2\n3,4\n", TSP_BY_HEADER);
    assert_row(bare.table, -1, "");
    assert_row(bare.table, 0, "1,2");
    tsp_free(&bare);
}

/* ---- Distances ---- */

enum { MOST = 60 };

/* Cities in a square of this side around some place, some of them in one place. */
static tsp_instance draw(bool geo, int n, double side, double x, double y, uint64_t seed)
{
    char text[MOST * 64] = "", *end = text;
    double a = x, b = y;
    for (int i = 0; i < n; i++) {
        if (i % 5) a = x + side * random_unit(&seed), b = y + side * random_unit(&seed);
        end += sprintf(end, "%.17g,%.17g\n", a, b);
    }
    return locate(text, geo ? TSP_GEO : TSP_PLANE);
}

/* Haversine's formula in long double. */
static double km_between(tsp_point a, tsp_point b)
{
    const long double radian = acosl(-1.0L) / 180.0L;
    const long double up = sinl(((long double)a.x - b.x) * radian / 2),
                      along = sinl(((long double)a.y - b.y) * radian / 2);
    const long double h = up * up + cosl(a.x * radian) * cosl(b.x * radian) * along * along;
    return (double)(2.0L * 6371.0088L * asinl(h < 1.0L ? sqrtl(h) : 1.0L));
}

/* Each distance in whole numbers is the real one but for a 10^9th of the longest. */
static void check_distances(const tsp_instance *cities)
{
    const tsp_table *table = cities->table;
    double longest = 0.0, farthest_off = 0.0;
    for (int a = 0; a < cities->n; a++)
        for (int b = 0; b < cities->n; b++) {
            const tsp_point from = table->points[a], to = table->points[b];
            const double real = table->geo ? km_between(from, to) : hypot(from.x - to.x, from.y - to.y);
            const int64_t whole = a == b ? 0 : tour_distance(cities, a, b);
            assert_in_range(whole, 0, INT32_MAX);
            assert_true(fabs(tsp_table_distance(table, a, b) - real) <=
                        1e-12 * real + (table->geo ? 1e-9 * longest : 0.0));
            longest = fmax(longest, real);
            farthest_off = fmax(farthest_off, fabs((double)whole / table->scale - real));
        }
    assert_true(farthest_off <= 2e-9 * longest);
}

static void whole_numbers_are_real_distances(void **state)
{
    (void)state;
    static const double sides[] = {1e-280, 1e-6, 1e-3, 1, 7.3, 1000, 1e6, 1e9, 1e149};
    static const double degrees[] = {1e-4, 0.01, 1, 30, 89};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int n = 1; n <= MOST; n += n < 5 ? 1 : 55) {
            tsp_instance cities = draw(false, n, sides[i], i % 2 ? 0.0 : -sides[i] / 3, 0.0, i);
            check_distances(&cities);
            tsp_free(&cities);
        }
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
        for (int n = 1; n <= MOST; n += n < 5 ? 1 : 55) {
            tsp_instance cities = draw(true, n, degrees[i], i % 2 ? 0.5 : -89.5, i % 2 ? -179.0 : 90.0, i);
            check_distances(&cities);
            tsp_free(&cities);
        }
}

static void knows_some_distances(void **state)
{
    (void)state;
    static const double quarter = 6371.0088 * 3.14159265358979323846 / 2.0;
    tsp_instance globe = locate("lat,lon\n0,0\n90,0\n-90,77\n0,90\n0,-90\n0,180\n0,-180\n", TSP_BY_HEADER);
    static const double expected[] = {0, 1, 1, 1, 1, 2, 2}; /* quarters from the first */
    for (int i = 0; i < 7; i++) assert_true(fabs(tsp_table_distance(globe.table, 0, i) - expected[i] * quarter) < 1e-6);
    assert_true(tsp_table_distance(globe.table, 5, 6) < 1e-6);
    tsp_free(&globe);
    tsp_instance same = locate("7,7\n7,7\n7,7\n", TSP_BY_HEADER);
    assert_int_equal(tour_measure(&same, (const int32_t[]){0, 1, 2}), 0);
    assert_true(tour_measure_real(same.table, (const int32_t[]){0, 1, 2}, 3) == 0.0);
    tsp_free(&same);
    tsp_instance square = locate("0,0\n0.3,0\n0.3,0.4\n0,0.4\n", TSP_BY_HEADER);
    assert_true(fabs(tour_measure_real(square.table, (const int32_t[]){2, 3, 0, 1}, 4) - 1.4) < 1e-15);
    tsp_free(&square);
}

/* Near on the globe across the 180th meridian and around a pole too. */
static void near_cities_lie_on_the_sphere(void **state)
{
    (void)state;
    char text[1024] = "lat,lon\n", *end = text + strlen(text);
    for (int i = 0; i < 10; i++) end += sprintf(end, "10,%g\n", i % 2 ? 179.0 + i / 20.0 : -179.0 - i / 20.0);
    for (int i = 0; i < 10; i++) end += sprintf(end, "89.9,%d\n", -180 + 36 * i);
    tsp_instance cities = locate(text, TSP_BY_HEADER);
    neighbours near;
    ab_memory memory = {0};
    assert_int_equal(neighbours_find(&cities, 1, &near, &memory).code, AB_OK);
    int across = 0;
    for (int i = 0; i < 20; i++)
        for (int k = 0; k < near.count; k++) {
            const int other = near.city[i * near.count + k];
            assert_int_equal(i < 10, other < 10);
            across += i < 10 && (i + other) % 2;
        }
    assert_true(across > 20);
    int32_t order[20];
    assert_int_equal(order_along_curve(&cities, order).code, AB_OK);
    assert_true(tour_measure(&cities, order) > 0);
    ab_memory_free(&memory);
    tsp_free(&cities);
}

static bool stops_after(void *context)
{
    return --*(int *)context < 0;
}

/* A search on the globe counts what its tour measures, with parts of a tour and without. */
static void solves_on_the_sphere(void **state)
{
    (void)state;
    static char text[12000 * 32];
    static int32_t tour[12000];
    static bool visited[12000];
    for (int n = 4; n <= 12000; n = n == 4 ? 300 : n + 11700) {
        uint64_t seed = 7;
        char *end = text;
        for (int i = 0; i < n; i++)
            end += sprintf(end, "%.6f,%.6f\n", 180 * random_unit(&seed) - 90, 360 * random_unit(&seed) - 180);
        tsp_instance cities = locate(text, TSP_GEO);
        int left = 3000;
        solve_result result;
        const solve_options options = {
            .moves = SEARCH_THREE_OPT, .seconds = 100, .threads = 2, .stops = stops_after, .context = &left};
        assert_int_equal(solve(&cities, &options, tour, &result).code, AB_OK);
        assert_int_equal(tour_measure(&cities, tour), result.length);
        const double real = tour_measure_real(cities.table, tour, n);
        assert_true(fabs(real * cities.table->scale - (double)result.length) <= n);
        memset(visited, 0, sizeof visited);
        for (int i = 0; i < n; i++) visited[tour[i]] = true;
        for (int i = 0; i < n; i++) assert_true(visited[i]);
        if (n > 4) assert_true(real < 1.3 * 0.7124 * sqrt(n * 4.0 * 3.14159265358979) * TSP_EARTH_KM);
        tsp_free(&cities);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_coordinates),
        cmocka_unit_test(explains_broken_tables),
        cmocka_unit_test(refuses_a_nul),
        cmocka_unit_test(tells_tables_by_their_text),
        cmocka_unit_test(rows_come_back_as_they_are),
        cmocka_unit_test(whole_numbers_are_real_distances),
        cmocka_unit_test(knows_some_distances),
        cmocka_unit_test(near_cities_lie_on_the_sphere),
        cmocka_unit_test(solves_on_the_sphere),
    };
    return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
