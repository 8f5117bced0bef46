/* Images: every form of PNG, JPEG and PNM, what is wrong with broken files, drawn images and their promises, noise, and which
 * image a name means. Files are written to a temporary directory; the standard images are checked where $IMAGES_DIR has
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <math.h>
#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include <jpeglib.h>

#include "images/image.h"
#include "tests/support/directory.h"

/* ---- Files of a test ---- */

static void write_bytes(const char *path, const void *bytes, size_t length)
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

/* Of a file that is written, nothing is there beside it. */
static void assert_nothing_left(const char *path)
{
    char pattern[64];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s?*", path);
    assert_int_equal(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
}

static size_t read_bytes(const char *path, uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t length = fread(bytes, 1, size, file);
    fclose(file);
    return length;
}

/* All tests run in a fresh directory of their own. The user's images are kept out of it; their directory is remembered
 * in ALL_IMAGES for the one test that is about them. */
static int find_inputs(void **state)
{
    const char *images = getenv("IMAGES_DIR");
    char *absolute = images != NULL ? realpath(images, NULL) : NULL;
    if (absolute != NULL) setenv("ALL_IMAGES", absolute, 1);
    free(absolute);
    unsetenv("IMAGES_DIR");
    return enter_directory(state);
}

static void assert_pixels(const char *path, int width, int height, int channels, const uint8_t *expected)
{
    ab_image image;
    const ab_status status = image_read(path, &image);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    if (image.width != width || image.height != height || image.channels != channels)
        fail_msg("%s: %d x %d, %d channels", path, image.width, image.height, image.channels);
    for (int i = 0; i < width * height * channels; i++)
        if (image.pixels[i] != expected[i])
            fail_msg("%s: byte %d is %d, not %d", path, i, image.pixels[i], expected[i]);
    image_free(&image);
}

static void assert_bad(const char *path, const char *reason)
{
    ab_image image;
    const ab_status status = image_read(path, &image);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_string_equal(status.reason, reason);
    assert_null(image.pixels);
}

static ab_image drawn(image_kind kind, int width, int height, uint64_t seed)
{
    ab_image image;
    const ab_status status = image_draw(kind, width, height, seed, &image);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    return image;
}

/* ---- PNG ---- */

/* A PNG as the test wants it: `rows` are its packed bytes. */
typedef struct png_case {
    int width, height, depth, type;
    const char *rows;
    size_t stride;            /* bytes in a row */
    const png_color *palette; /* with its colours, or NULL */
    int n_palette;            /* colours */
    const uint8_t *alpha;     /* of the palette's first colours, or NULL */
    int n_alpha;              /* of them */
    int transparent_grey;     /* the grey that is transparent, or -1 */
    int interlace;            /* PNG_INTERLACE_NONE or _ADAM7 */
    int channels;             /* expected */
    const char *pixels;       /* expected, [height][width][channels] */
} png_case;

static void write_case(const char *path, const png_case *c)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)c->width, (png_uint_32)c->height, c->depth, c->type, c->interlace,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (c->palette) png_set_PLTE(png, info, c->palette, c->n_palette);
    if (c->alpha) png_set_tRNS(png, info, c->alpha, c->n_alpha, NULL);
    const png_color_16 key = {.gray = (png_uint_16)c->transparent_grey};
    if (c->transparent_grey >= 0) png_set_tRNS(png, info, NULL, 0, &key);
    png_write_info(png, info);
    png_bytep rows[8];
    for (int y = 0; y < c->height; y++) rows[y] = (png_bytep)(uintptr_t)(c->rows + (size_t)y * c->stride);
    png_write_image(png, rows);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(file);
}

/* 16 bit are rounded, not cut off: 0x0080 is 0.498 of a step of 257 and goes down, 0x0081 goes up, 0xfe7f to 0xfe.
 * Fewer bits are spread over 0 .. 255. Colour times alpha is what a black background leaves. */
static void reads_every_form_of_png(void **state)
{
    (void)state;
    static const png_color colours[] = {{10, 20, 30}, {40, 50, 60}, {255, 0, 1}, {7, 8, 9}};
    static const uint8_t alpha[] = {255, 0, 128};
    const png_case cases[] = {
        {4, 2, 1, PNG_COLOR_TYPE_GRAY, "\xa0\x50", 1, NULL, 0, NULL, 0, -1, 0, 1, "\xff\0\xff\0\0\xff\0\xff"},
        {4, 1, 2, PNG_COLOR_TYPE_GRAY, "\x1b", 1, NULL, 0, NULL, 0, -1, 0, 1, "\0\x55\xaa\xff"},
        {2, 1, 4, PNG_COLOR_TYPE_GRAY, "\x2f", 1, NULL, 0, NULL, 0, -1, 0, 1, "\x22\xff"},
        {2, 2, 8, PNG_COLOR_TYPE_GRAY, "\1\2\3\4", 2, NULL, 0, NULL, 0, -1, 0, 1, "\1\2\3\4"},
        {4, 1, 16, PNG_COLOR_TYPE_GRAY, "\0\x80\0\x81\xfe\x7f\xff\xff", 8, NULL, 0, NULL, 0, -1, 0, 1, "\0\1\xfe\xff"},
        {2, 1, 8, PNG_COLOR_TYPE_RGB, "\1\2\3\4\5\6", 6, NULL, 0, NULL, 0, -1, 0, 3, "\1\2\3\4\5\6"},
        {1, 1, 16, PNG_COLOR_TYPE_RGB, "\1\1\2\2\0\x81", 6, NULL, 0, NULL, 0, -1, 0, 3, "\1\2\1"},
        {4, 1, 2, PNG_COLOR_TYPE_PALETTE, "\x1b", 1, colours, 4, NULL, 0, -1, 0, 3,
         "\12\24\36\50\62\74\xff\0\1\7\10\11"},
        {3, 1, 8, PNG_COLOR_TYPE_PALETTE, "\2\1\0", 3, colours, 3, alpha, 3, -1, 0, 3, "\x80\0\1\0\0\0\12\24\36"},
        {3, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, "\xc8\xff\xc8\0\xc8\x80", 6, NULL, 0, NULL, 0, -1, 0, 1, "\xc8\0\x64"},
        {1, 2, 16, PNG_COLOR_TYPE_GRAY_ALPHA, "\xc8\xc8\x80\x80\xff\xff\1\1", 4, NULL, 0, NULL, 0, -1, 0, 1, "\x64\1"},
        {2, 1, 8, PNG_COLOR_TYPE_RGBA, "\1\2\3\xff\xff\xc8\x64\x80", 8, NULL, 0, NULL, 0, -1, 0, 3,
         "\1\2\3\x80\x64\x32"},
        {1, 1, 16, PNG_COLOR_TYPE_RGBA, "\1\1\2\2\3\3\0\0", 8, NULL, 0, NULL, 0, -1, 0, 3, "\0\0\0"},
        {3, 1, 8, PNG_COLOR_TYPE_GRAY, "\7\x80\7", 3, NULL, 0, NULL, 0, 7, 0, 1, "\0\x80\0"},
        {3, 3, 8, PNG_COLOR_TYPE_GRAY, "\1\2\3\4\5\6\7\10\11", 3, NULL, 0, NULL, 0, -1, PNG_INTERLACE_ADAM7, 1,
         "\1\2\3\4\5\6\7\10\11"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[32]; /* numbered, for the message of a failure */
        snprintf(path, sizeof path, "form-%zu.png", i);
        write_case(path, &cases[i]);
        assert_pixels(path, cases[i].width, cases[i].height, cases[i].channels, (const uint8_t *)cases[i].pixels);
    }
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    static const int sizes[][3] = {{1, 1, 1}, {1, 1, 3}, {5, 3, 1}, {1, 40, 3}, {511, 13, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t pixels[511 * 13 * 3];
        for (size_t k = 0; k < sizeof pixels; k++) pixels[k] = (uint8_t)(k * 37 >> 2);
        assert_int_equal(image_write_png("t.png", sizes[i][0], sizes[i][1], sizes[i][2], pixels).code, AB_OK);
        assert_pixels("t.png", sizes[i][0], sizes[i][1], sizes[i][2], pixels);
        assert_nothing_left("t.png");
    }
}

/* A map of a width that is no multiple of 8, in a bit per pixel: any value but 0 is white. */
static void a_map_is_read_again_as_black_and_white(void **state)
{
    (void)state;
    enum { WIDTH = 13, HEIGHT = 3 };
    uint8_t map[WIDTH * HEIGHT], expected[WIDTH * HEIGHT], bytes[8192];
    for (int k = 0; k < WIDTH * HEIGHT; k++) {
        map[k] = (uint8_t)(k % 3);
        expected[k] = map[k] ? 255 : 0;
    }
    assert_int_equal(image_write_map("map.png", WIDTH, HEIGHT, map).code, AB_OK);
    assert_pixels("map.png", WIDTH, HEIGHT, 1, expected);
    assert_true(read_bytes("map.png", bytes, sizeof bytes) > 24 && bytes[24] == 1); /* IHDR's bit depth */
}

/* A valid PNG of 64 x 64 pixels that hardly compresses, in `bytes`; returns its length. */
static size_t sample_png(uint8_t bytes[8192])
{
    uint8_t pixels[64 * 64];
    for (uint32_t i = 0, random = 1; i < sizeof pixels; i++) {
        random = random * 1664525u + 1013904223u;
        pixels[i] = (uint8_t)(random >> 24);
    }
    assert_int_equal(image_write_png("sample.png", 64, 64, 1, pixels).code, AB_OK);
    return read_bytes("sample.png", bytes, 8192);
}

/* A length short of the whole is an error, and none reads what is not there (AddressSanitizer watches). */
static void a_truncated_png_is_refused(void **state)
{
    (void)state;
    uint8_t bytes[8192];
    const size_t length = sample_png(bytes);
    for (size_t cut = 8; cut < length; cut++) {
        if (cut > 100 && cut + 30 < length && cut % 97 > 0) continue; /* in the data few will do */
        write_bytes("t.png", bytes, cut);
        assert_bad("t.png", "t.png: broken PNG: the file ends too early");
    }
}

static void a_changed_png_is_refused(void **state)
{
    (void)state;
    uint8_t bytes[8192];
    const size_t length = sample_png(bytes);
    bytes[length / 2] ^= 1;
    write_bytes("t.png", bytes, length);
    ab_image image;
    const ab_status status = image_read("t.png", &image);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_memory_equal(status.reason, "t.png: broken PNG: ", 19);
    assert_null(strchr(status.reason, '\n'));
    bytes[length / 2] ^= 1;
    bytes[length - 13] ^= 1; /* the checksum of the data, which are right */
    write_bytes("t.png", bytes, length);
    assert_bad("t.png", "t.png: broken PNG: IDAT: CRC error");
}

/* The sample with another size in its header, whose checksum is right. */
static void write_png_of_size(uint32_t width, uint32_t height)
{
    uint8_t bytes[8192];
    const size_t length = sample_png(bytes);
    png_save_uint_32(bytes + 16, width);
    png_save_uint_32(bytes + 20, height);
    png_save_uint_32(bytes + 29, (png_uint_32)crc32(0, bytes + 12, 17));
    write_bytes("t.png", bytes, length);
}

/* Refused for its size, before anything is made of the data, which would be another error. */
static void a_png_that_is_too_large_is_refused(void **state)
{
    (void)state;
    write_png_of_size(16385, 1);
    assert_bad("t.png", "t.png: 16385 x 1 pixels, an image has 1 to 16384 a side");
    write_png_of_size(0x7fffffff, 0x7fffffff);
    assert_bad("t.png", "t.png: 2147483647 x 2147483647 pixels, an image has 1 to 16384 a side");
    write_png_of_size(64, 16384);
    assert_bad("t.png", "t.png: broken PNG: Not enough image data");
    write_png_of_size(0, 5);
    assert_bad("t.png", "t.png: broken PNG: Invalid IHDR data");
}

static void what_is_no_image_is_refused(void **state)
{
    (void)state;
    write_text("empty.png", "");
    assert_bad("empty.png", "empty.png: the file is empty");
    write_text("text.png", "hello");
    assert_bad("text.png", "text.png: neither PNG nor JPEG nor PGM nor PPM");
    write_text("short", "P");
    assert_bad("short", "short: neither PNG nor JPEG nor PGM nor PPM");
    write_text("bitmap.pbm", "P1 1 1 0");
    assert_bad("bitmap.pbm", "bitmap.pbm: neither PNG nor JPEG nor PGM nor PPM");
    assert_int_equal(mkdir("directory.png", 0777), 0);
    assert_bad("directory.png", "directory.png: not a regular file");
    assert_bad("/dev/null", "/dev/null: not a regular file");

    ab_image image;
    ab_status status = image_read("absent.png", &image);
    assert_int_equal(status.code, AB_FAILED);
    assert_string_equal(status.reason, "absent.png: No such file or directory");
    char path[2000];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    status = image_read(path, &image);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_non_null(strstr(status.reason, ": the path is too long"));
}

/* A write that fails is reported, and neither half a file nor the one that was there is lost. */
static void a_failed_write_leaves_what_was_there(void **state)
{
    (void)state;
    static uint8_t pixels[200 * 200];
    for (uint32_t i = 0, random = 1; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)((random = random * 69069u + 1u) >> 24);
    assert_int_equal(image_write_png("kept.png", 2, 1, 1, (const uint8_t *)"\3\4").code, AB_OK);

    struct rlimit before, small = {1000, 1000};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const ab_status status = image_write_png("kept.png", 200, 200, 1, pixels);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status.code, AB_FAILED);
    assert_string_equal(status.reason, "kept.png: File too large");
    assert_nothing_left("kept.png");
    assert_pixels("kept.png", 2, 1, 1, (const uint8_t *)"\3\4");

    const ab_status nowhere = image_write_png("no/such/t.png", 200, 200, 1, pixels);
    assert_int_equal(nowhere.code, AB_FAILED);
    assert_string_equal(nowhere.reason, "no/such/t.png: No such file or directory");
}

/* ---- JPEG ---- */

typedef struct jpeg_case {
    int width, height; /* pixels */
    int channels;      /* 1 grey, 3 RGB, 4 CMYK */
    bool progressive, restarts;
    int sampling;                /* of luminance, 1 or 2 times that of colour */
    const jpeg_scan_info *scans; /* script of the scans; NULL: the default */
    int n_scans;
} jpeg_case;

enum { JPEG_SIDE = 40 };

/* A smooth picture: what JPEG keeps to a few levels. */
static uint8_t smooth(int x, int y, int c)
{
    return (uint8_t)(10 + 3 * x * (c != 1) + 3 * y * (c != 2));
}

static void write_jpeg(const char *path, const jpeg_case *j)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = (JDIMENSION)j->width;
    jpeg.image_height = (JDIMENSION)j->height;
    jpeg.input_components = j->channels;
    jpeg.in_color_space = j->channels == 1 ? JCS_GRAYSCALE : j->channels == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, 98, TRUE);
    jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = j->sampling;
    if (j->progressive) jpeg_simple_progression(&jpeg);
    if (j->scans) jpeg.scan_info = j->scans, jpeg.num_scans = j->n_scans;
    if (j->restarts) jpeg.restart_in_rows = 1;
    jpeg_start_compress(&jpeg, TRUE);
    for (int y = 0; y < j->height; y++) {
        uint8_t row[4 * JPEG_SIDE];
        for (int i = 0; i < j->width * j->channels; i++) row[i] = smooth(i / j->channels, y, i % j->channels);
        JSAMPROW rows[] = {row};
        jpeg_write_scanlines(&jpeg, rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    assert_int_equal(fclose(file), 0);
}

static void reads_every_form_of_jpeg(void **state)
{
    (void)state;
    const jpeg_case cases[] = {
        {JPEG_SIDE, JPEG_SIDE, 1, .sampling = 1},    {JPEG_SIDE, JPEG_SIDE, 1, .progressive = true, .sampling = 1},
        {JPEG_SIDE, JPEG_SIDE, 3, .sampling = 1},    {JPEG_SIDE, JPEG_SIDE, 3, .progressive = true, .sampling = 2},
        {JPEG_SIDE, 17, 3, .sampling = 2},           {1, 1, 3, .sampling = 2},
        {33, 9, 3, .sampling = 1, .restarts = true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const jpeg_case *j = &cases[i];
        ab_image image;
        write_jpeg("t.jpg", j);
        const ab_status status = image_read("t.jpg", &image);
        if (status.code != AB_OK) fail_msg("case %zu: %s", i, status.reason);
        if (image.width != j->width || image.height != j->height || image.channels != j->channels)
            fail_msg("case %zu: %d x %d, %d channels", i, image.width, image.height, image.channels);
        for (int k = 0; k < j->width * j->height * j->channels; k++) {
            const int at = k / j->channels, expected = smooth(at % j->width, at / j->width, k % j->channels);
            if (abs(image.pixels[k] - expected) > 6)
                fail_msg("case %zu: byte %d is %d, not %d", i, k, image.pixels[k], expected);
        }
        image_free(&image);
        assert_int_equal(image_describe("t.jpg", &image).code, AB_OK);
        assert_int_equal(image.width, j->width);
        assert_int_equal(image.channels, j->channels);
        assert_null(image.pixels);
        image_free(&image);
    }
}

/* Wherever it is cut. */
static void a_truncated_jpeg_is_refused(void **state)
{
    (void)state;
    for (int progressive = 0; progressive < 2; progressive++) {
        static uint8_t bytes[8192];
        write_jpeg("whole.jpg", &(jpeg_case){24, 24, 3, .progressive = progressive, .sampling = 2});
        const size_t length = read_bytes("whole.jpg", bytes, sizeof bytes);
        assert_in_range(length, 200, sizeof bytes - 1);
        for (size_t cut = 3; cut < length; cut++) {
            write_bytes("t.jpg", bytes, cut);
            ab_image image;
            const ab_status status = image_read("t.jpg", &image);
            assert_int_equal(status.code, AB_BAD_INPUT);
            assert_memory_equal(status.reason, "t.jpg: broken JPEG: ", 20);
            assert_null(image.pixels);
        }
    }
}

/* Sets the size in the header of a file, whose data is that of a smaller image. */
static void write_jpeg_of_size(bool progressive, int width, int height)
{
    static uint8_t bytes[8192];
    write_jpeg("t.jpg", &(jpeg_case){24, 24, 3, .progressive = progressive, .sampling = 1});
    const size_t length = read_bytes("t.jpg", bytes, sizeof bytes);
    for (size_t i = 0; i + 9 < length; i++)
        if (bytes[i] == 0xff && (bytes[i + 1] == 0xc0 || bytes[i + 1] == 0xc2)) {
            bytes[i + 5] = (uint8_t)(height >> 8), bytes[i + 6] = (uint8_t)height;
            bytes[i + 7] = (uint8_t)(width >> 8), bytes[i + 8] = (uint8_t)width;
            break;
        }
    write_bytes("t.jpg", bytes, length);
}

static void a_jpeg_that_decodes_to_too_much_is_refused(void **state)
{
    (void)state;
    write_jpeg_of_size(false, 65500, 65500);
    assert_bad("t.jpg", "t.jpg: 65500 x 65500 pixels, an image has 1 to 16384 a side");
    write_jpeg_of_size(false, 16384, 4097);
    assert_bad("t.jpg", "t.jpg: 16384 x 4097 pixels, an image has 67108864 at most");
    write_jpeg_of_size(true, 8192, 8192);
    assert_bad("t.jpg", "t.jpg: decoding takes 604 MB, and 300 at most are allowed");
    write_jpeg_of_size(false, 0, 24);
    assert_bad("t.jpg", "t.jpg: broken JPEG: Empty JPEG image (DNL not supported)");
    write_jpeg_of_size(false, 2400, 2400);
    assert_bad("t.jpg", "t.jpg: broken JPEG: Corrupt JPEG data: premature end of data segment");
}

/* Two scans a coefficient. */
static void write_jpeg_of_many_scans(void)
{
    static jpeg_scan_info scans[127] = {{.comps_in_scan = 1}};
    for (int k = 1; k < 64; k++) {
        scans[2 * k - 1] = (jpeg_scan_info){.comps_in_scan = 1, .Ss = k, .Se = k, .Al = 1};
        scans[2 * k] = (jpeg_scan_info){.comps_in_scan = 1, .Ss = k, .Se = k, .Ah = 1};
    }
    write_jpeg("t.jpg", &(jpeg_case){24, 24, 1, .scans = scans, .n_scans = 127, .sampling = 1});
}

static void other_jpegs_are_refused(void **state)
{
    (void)state;
    write_jpeg("t.jpg", &(jpeg_case){24, 24, 4, .sampling = 1});
    assert_bad("t.jpg", "t.jpg: a JPEG in CMYK; convert it to RGB or grey");
    write_bytes("t.jpg", "\xff\xd8\xff\xd9", 4);
    assert_bad("t.jpg", "t.jpg: broken JPEG: JPEG datastream contains no image");
    write_jpeg_of_many_scans();
    assert_bad("t.jpg", "t.jpg: broken JPEG: more than 100 scans");
}

/* By name, and with the edges in a PNG, which a JPEG would blur. */
static void a_jpeg_has_its_edges_as_png(void **state)
{
    (void)state;
    const uint8_t edges[] = {0, 51, 255};
    ab_image image;
    assert_int_equal(mkdir("photographs", 0777), 0);
    write_jpeg("photographs/cat.jpg", &(jpeg_case){3, 1, 3, .sampling = 1});
    assert_int_equal(image_write_png("photographs/cat.gt.png", 3, 1, 1, edges).code, AB_OK);
    setenv("IMAGES_DIR", "photographs", 1);
    const ab_status status = image_load("cat", &image);
    unsetenv("IMAGES_DIR");
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    assert_string_equal(image.path, "photographs/cat.jpg");
    assert_true(image.known_edges);
    assert_memory_equal(image.edges, "\0\1\1", 3);
    image_free(&image);
}

/* ---- PGM and PPM ---- */

static void reads_every_form_of_pnm(void **state)
{
    (void)state;
    const uint8_t grey[] = {0, 1, 2, 253, 254, 255}, colour[] = {1, 2, 3, 4, 5, 6}, sixths[] = {0, 51, 128, 255};
    write_text("t.pgm", "P2\n# made by hand\n3 2 # so wide\n255\n0 1\n2 # not 7\n253\t254\r\n255");
    assert_pixels("t.pgm", 3, 2, 1, grey);
    write_bytes("t.pgm", "P5 3 2 255\n\0\1\2\xfd\xfe\xff", 17);
    assert_pixels("t.pgm", 3, 2, 1, grey);
    write_bytes("t.pgm", "P5\n3 2\n255#\n\0\1\2\xfd\xfe\xff", 18);
    assert_pixels("t.pgm", 3, 2, 1, grey);
    write_text("t.ppm", "P3 2 1 255 1 2 3 4 5 6");
    assert_pixels("t.ppm", 2, 1, 3, colour);
    write_bytes("t.ppm", "P6 2 1 255 \1\2\3\4\5\6", 17);
    assert_pixels("t.ppm", 2, 1, 3, colour);
    /* Other maxvals are scaled and rounded: 1/5, 2.5/5 (5/10) .. */
    write_text("t.pgm", "P2 4 1 10 0 2 5 10");
    assert_pixels("t.pgm", 4, 1, 1, sixths);
    write_text("t.pgm", "P2 2 1 1 0 1");
    assert_pixels("t.pgm", 2, 1, 1, (const uint8_t *)"\0\xff");
    /* 16 bit, the high byte first; as for PNG, 0x80 rounds down and 0x81 up. */
    write_bytes("t.pgm", "P5 3 1 65535\n\0\x80\0\x81\xff\xff", 19);
    assert_pixels("t.pgm", 3, 1, 1, (const uint8_t *)"\0\1\xff");
    /* Of two images the first. */
    write_bytes("t.pgm", "P5 1 1 9 \x09P5 1 1 9 \0", 20);
    assert_pixels("t.pgm", 1, 1, 1, (const uint8_t *)"\xff");
}

static void broken_pnm_is_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"P5", "t.pgm: the header is not \"P5 width height maxval\""},
        {"P2 3", "t.pgm: the header is not \"P2 width height maxval\""},
        {"P2 3 -2 255 1", "t.pgm: the header is not \"P2 width height maxval\""},
        {"P6 3 2 25.5 1", "t.pgm: the header is not \"P6 width height maxval\""},
        {"P2 0 2 255", "t.pgm: 0 x 2 pixels, an image has 1 to 16384 a side"},
        {"P2 16385 2 255", "t.pgm: 16385 x 2 pixels, an image has 1 to 16384 a side"},
        {"P2 99999999999999999999 2 255", "t.pgm: 99999999 x 2 pixels, an image has 1 to 16384 a side"},
        {"P2 1 1 0 0", "t.pgm: maxval is 1 .. 65535"},
        {"P2 1 1 65536 0", "t.pgm: maxval is 1 .. 65535"},
        {"P2 3 1 9 1 10 2", "t.pgm: sample 2 is above maxval 9"},
        {"P2 3 2 9 1 2 3 4 5", "t.pgm: the file ends after 5 of 6 samples"},
        {"P3 1 1 9 1 2 x", "t.pgm: not a number after 2 of 3 samples"},
        {"P5 3 2 255\n12345", "t.pgm: the file ends after 5 of 6 samples"},
        {"P5 2 1 65535\n123", "t.pgm: the file ends after 1 of 2 samples"},
        {"P5 2 1 9\n\x9\xa", "t.pgm: sample 2 is above maxval 9"},
        {"P6 16384 4096 65535\n", "t.pgm: the file ends after 0 of 201326592 samples"},
        {"P6 16384 4097 65535\n", "t.pgm: 16384 x 4097 pixels, an image has 67108864 at most"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_text("t.pgm", cases[i][0]);
        assert_bad("t.pgm", cases[i][1]);
    }
}

/* ---- Conversions ---- */

/* White is 253: three shifts cut off, which is the thesis's. */
static void grey_is_the_thesis_s(void **state)
{
    (void)state;
    uint8_t pixels[] = {255, 255, 255, 0, 0, 0, 3, 1, 3, 4, 2, 4, 200, 100, 50}, grey[5];
    const ab_image colour = {.width = 5, .height = 1, .channels = 3, .pixels = pixels};
    image_grey(&colour, grey);
    assert_memory_equal(grey, ((const uint8_t[]){253, 0, 0, 3, 112}), 5);
    const ab_image already = {.width = 5, .height = 3, .channels = 1, .pixels = pixels};
    uint8_t copy[15];
    image_grey(&already, copy);
    assert_memory_equal(copy, pixels, 15);
}

static void rgba_has_three_channels_and_255(void **state)
{
    (void)state;
    uint8_t pixels[] = {1, 2, 3, 4, 5, 6}, rgba[8];
    image_rgba(&(ab_image){.width = 1, .height = 2, .channels = 3, .pixels = pixels}, rgba);
    assert_memory_equal(rgba, ((const uint8_t[]){1, 2, 3, 255, 4, 5, 6, 255}), 8);
    image_rgba(&(ab_image){.width = 2, .height = 1, .channels = 1, .pixels = pixels}, rgba);
    assert_memory_equal(rgba, ((const uint8_t[]){1, 1, 1, 255, 2, 2, 2, 255}), 8);
}

/* ---- Drawn images ---- */

static bool differ(const ab_image *image, int a, int b)
{
    return memcmp(image->pixels + 3 * a, image->pixels + 3 * b, 3) != 0;
}

/* Where regions have one colour each, edges are where the right or lower neighbour has another: no more and no less. */
static void edges_are_exact(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 60}, {60, 1}, {3, 5}, {64, 64}, {200, 130}, {130, 200}};
    for (uint64_t seed = 1; seed <= 5; seed++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
            for (int hue = 0; hue < 2; hue++) {
                const int w = sizes[k][0], h = sizes[k][1];
                ab_image image = drawn(hue ? IMAGE_HUE : IMAGE_SHAPES, w, h, seed);
                for (int i = 0; i < w * h; i++) {
                    const bool edge =
                        (i % w + 1 < w && differ(&image, i, i + 1)) || (i / w + 1 < h && differ(&image, i, i + w));
                    assert_int_equal(image.edges[i], edge);
                }
                image_free(&image);
            }
}

/* A ramp is the shapes of the same seed, darker; textures have edges of their own. Both are neither empty nor full. */
static void every_kind_has_edges(void **state)
{
    (void)state;
    ab_image shapes = drawn(IMAGE_SHAPES, 256, 256, 3), ramp = drawn(IMAGE_RAMP, 256, 256, 3);
    assert_memory_equal(shapes.edges, ramp.edges, 256 * 256);
    for (int i = 0; i < 3 * 256 * 256; i++) assert_true(ramp.pixels[i] <= shapes.pixels[i]);
    assert_true(3 * ramp.pixels[0] < shapes.pixels[0]);
    image_free(&shapes);
    image_free(&ramp);
    for (int kind = 0; kind < IMAGE_RANDOM; kind++) {
        ab_image image = drawn((image_kind)kind, 256, 256, 4);
        int edges = 0;
        for (int i = 0; i < 256 * 256; i++) edges += image.edges[i];
        assert_in_range(edges, 256 * 256 / 100, 256 * 256 / 10);
        image_free(&image);
    }
}

/* As many of each grey as there should be, and no edges. */
static void random_images_are_random(void **state)
{
    (void)state;
    ab_image image = drawn(IMAGE_RANDOM, 256, 256, 4);
    int count[256] = {0};
    assert_true(!image.known_edges && image.edges == NULL);
    for (int i = 0; i < 256 * 256; i++) {
        const uint8_t *p = image.pixels + 3 * i;
        assert_true(p[0] == p[1] && p[0] == p[2]);
        count[p[0]]++;
    }
    for (int grey = 0; grey < 256; grey++) assert_in_range(count[grey], 256 - 6 * 16, 256 + 6 * 16);
    image_free(&image);
}

/* Hue in degrees, of HSV as well as of HSI at these colours' precision of a few degrees. */
static double hue_of(const uint8_t *p)
{
    const double r = p[0], g = p[1], b = p[2];
    const double degrees = atan2(sqrt(3.0) * (g - b), 2.0 * r - g - b) * 180.0 / acos(-1.0);
    return degrees < 0 ? degrees + 360.0 : degrees;
}

/* Grey by Fig. 5.2, R + G + B and the least of the three are one number for all; hue at an edge differs by 60
 * degrees. */
static void hue_images_differ_in_hue_alone(void **state)
{
    (void)state;
    enum { SIDE = 300 };
    static uint8_t grey[SIDE * SIDE];
    int edges = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        ab_image image = drawn(IMAGE_HUE, SIDE, SIDE, seed);
        image_grey(&image, grey);
        const uint8_t *first = image.pixels;
        for (int i = 0; i < SIDE * SIDE; i++) {
            const uint8_t *p = image.pixels + 3 * i;
            assert_int_equal(grey[i], grey[0]);
            assert_int_equal(p[0] + p[1] + p[2], first[0] + first[1] + first[2]);
            assert_true(p[1] <= p[0] && p[1] <= p[2] && p[1] == first[1]);
            if (!image.edges[i] || i % SIDE == SIDE - 1 || !differ(&image, i, i + 1)) continue;
            const double apart = fabs(hue_of(p) - hue_of(p + 3));
            assert_true(apart > 59.0 && apart < 301.0);
            edges++;
        }
        image_free(&image);
    }
    assert_true(edges > 1000);
}

/* One seed, one image, on every machine: these are the SHA-256 of their pixels. Changing one changes results. */
static void drawn_images_are_the_same_everywhere(void **state)
{
    (void)state;
    static const char *const known[][2] = {
        {"shapes-512", "efb54b7e84bf22b06f61b000c5d8bb654957ee8d9b84448ff669015578ce47e0"},
        {"hue-512", "70f3106579df727dafec37d623cc5dfc71a5f76c6deb8eb38d9371f537780d93"},
        {"ramp-512", "a773ee2a367f603b0ffd26c8439c4d161155c30d967a00c7745a526e7c28689a"},
        {"texture-512", "0403061a1489a7d386af9246360682b4f79d3549024b065a340f9cc3099d084f"},
        {"random-256", "b66efab33cd228be50fcc16791facf247474a4768cb6bfb739e21bd15966c361"}, /* kth-8 */
        {"texture-37x101-9", "c67505588fc38045d3452c71418821141cec4615ce677ba00948d33d36001353"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        ab_image image;
        assert_int_equal(image_load(known[i][0], &image).code, AB_OK);
        assert_string_equal(image.name, known[i][0]);
        assert_true(image.stand_in && !image.catalogued && image.path[0] == '\0' && image.channels == 3);
        assert_string_equal(image.sha256, known[i][1]);
        image_free(&image);
    }
}

static void seeds_and_sizes_make_names(void **state)
{
    (void)state;
    ab_image one = drawn(IMAGE_SHAPES, 64, 48, 1), seven = drawn(IMAGE_SHAPES, 64, 48, 7);
    assert_string_equal(one.name, "shapes-64x48");
    assert_string_equal(seven.name, "shapes-64x48-7");
    assert_memory_not_equal(one.pixels, seven.pixels, 3 * 64 * 48);
    image_free(&one);
    image_free(&seven);
    ab_image image;
    const ab_status status = image_draw(IMAGE_HUE, 0, 5, 1, &image);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_string_equal(status.reason, "a drawn image has sides of 1 to 16384 pixels, not 0 x 5");
}

/* ---- Noise ---- */

enum { NOISY_SIDE = 400, NOISY = NOISY_SIDE * NOISY_SIDE };

static ab_image flat(uint8_t value, int channels)
{
    ab_image image = {.width = NOISY_SIDE, .height = NOISY_SIDE, .channels = channels};
    image.pixels = malloc((size_t)(NOISY * channels));
    assert_non_null(image.pixels);
    memset(image.pixels, value, (size_t)(NOISY * channels));
    return image;
}

/* Black, white and untouched pixels are as many as they should be, within five standard deviations of a binomial. */
static void salt_and_pepper_has_its_level(void **state)
{
    (void)state;
    static const double levels[] = {0.0, 0.1, 0.4, 1.0};
    for (size_t k = 0; k < sizeof levels / sizeof levels[0]; k++) {
        ab_image image = flat(90, 3);
        image_add_noise(&image, IMAGE_SALT_AND_PEPPER, levels[k], 5);
        int black = 0, white = 0;
        for (int i = 0; i < NOISY; i++) {
            const uint8_t *p = image.pixels + 3 * i;
            assert_true(p[0] == p[1] && p[1] == p[2] && (p[0] == 90 || p[0] == 0 || p[0] == 255));
            black += p[0] == 0;
            white += p[0] == 255;
        }
        const double share = levels[k] / 2, five_sigma = 5 * sqrt(NOISY * share * (1 - share));
        assert_true(fabs(black - NOISY * share) <= five_sigma);
        assert_true(fabs(white - NOISY * share) <= five_sigma);
        if (levels[k] == 1.0) assert_int_equal(black + white, NOISY);
        image_free(&image);
    }
}

/* Mean, standard deviation and the shares within one and two of them are a normal distribution's, channel by
 * channel. */
static void gaussian_noise_has_its_deviation(void **state)
{
    (void)state;
    ab_image image = flat(128, 3);
    image_add_noise(&image, IMAGE_GAUSSIAN, 0.1, 6);
    double sum = 0, squares = 0, together = 0;
    int within_one = 0, within_two = 0;
    for (int i = 0; i < 3 * NOISY; i++) {
        const double d = image.pixels[i] - 128.0;
        sum += d;
        squares += d * d;
        within_one += fabs(d) < 25.5;
        within_two += fabs(d) < 51.0;
        if (i % 3 == 0) together += d * (image.pixels[i + 1] - 128.0);
    }
    image_free(&image);
    const double n = 3.0 * NOISY;
    assert_true(fabs(sum / n) < 0.2);                   /* 25.5 / sqrt(480000) = 0.037 */
    assert_true(fabs(sqrt(squares / n) - 25.5) < 0.15); /* 0.026 */
    assert_true(fabs(within_one / n - 0.6827) < 0.01);  /* the sum of 12 uniform numbers: 0.679 */
    assert_true(fabs(within_two / n - 0.9537) < 0.005);
    assert_true(fabs(together / NOISY / 650.25) < 0.0125); /* channels apart: five standard deviations */
}

static void noise_is_clamped_and_seeded(void **state)
{
    (void)state;
    ab_image a = flat(250, 1), b = flat(250, 1), c = flat(250, 1);
    image_add_noise(&a, IMAGE_GAUSSIAN, 0.4, 1);
    image_add_noise(&b, IMAGE_GAUSSIAN, 0.4, 1);
    image_add_noise(&c, IMAGE_GAUSSIAN, 0.4, 2);
    assert_memory_equal(a.pixels, b.pixels, NOISY);
    assert_memory_not_equal(a.pixels, c.pixels, NOISY);
    int white = 0;
    for (int i = 0; i < NOISY; i++) white += a.pixels[i] == 255;
    assert_in_range(white, NOISY * 45 / 100, NOISY * 50 / 100); /* what would be above 254.5, not wrapped around */
    image_add_noise(&b, IMAGE_GAUSSIAN, 0.0, 3);
    assert_memory_equal(a.pixels, b.pixels, NOISY);
    image_free(&a);
    image_free(&b);
    image_free(&c);
}

/* ---- Names ---- */

#define DIGEST "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define CATALOGUE                                                                                                      \
    "name,width,height,channels,stand_in,pixels_sha256,url,sha256\nlena,512,512,3,shapes-512," DIGEST                  \
    ",https://x/lena.tiff," DIGEST "\nhouse,60,40,1,ramp-60x40," DIGEST ",https://x/house.tiff," DIGEST "\n"

static void write_catalogue(const char *path, const image_catalogue_entry *entries, int count)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "name,width,height,channels,stand_in,pixels_sha256\n");
    for (const image_catalogue_entry *e = entries; e < entries + count; e++)
        fprintf(file, "%s,%d,%d,%d,%s,%s\n", e->name, e->width, e->height, e->channels, e->stand_in, e->pixels_sha256);
    assert_int_equal(fclose(file), 0);
}

static void assert_load_error(const char *name, const char *reason)
{
    ab_image image;
    const ab_status status = image_load(name, &image);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_string_equal(status.reason, reason);
}

static void enter_project(void)
{
    assert_int_equal(system("mkdir -p project/images/standard mine/bsds"), 0);
    write_text("project/images/catalogue.csv", CATALOGUE);
    setenv("ANTBENCH_ROOT", "project", 1);
}

static void leave_project(void)
{
    unsetenv("ANTBENCH_ROOT");
    unsetenv("IMAGES_DIR");
    assert_int_equal(system("rm -r project mine"), 0);
}

static void finds_files_in_order(void **state)
{
    (void)state;
    enter_project();
    write_text("project/images/standard/lena.pgm", "P2 1 1 255 1");
    write_text("project/images/standard/own.pgm", "P2 1 1 255 2");
    write_text("mine/bsds/14085.ppm", "P3 1 1 255 3 3 3");
    write_text("mine/lena.pgm", "P2 1 1 255 4");
    ab_image image;
    assert_int_equal(image_load("lena", &image).code, AB_OK);
    assert_string_equal(image.path, "project/images/standard/lena.pgm");
    assert_string_equal(image.name, "lena");
    assert_true(image.in_catalogue);
    assert_false(image.catalogued || image.stand_in);
    image_free(&image);
    setenv("IMAGES_DIR", "mine", 1);
    static const char *const found[][2] = {
        {"lena", "mine/lena.pgm"},
        {"own", "project/images/standard/own.pgm"},
        {"14085", "mine/bsds/14085.ppm"},
        {"mine/lena.pgm", "mine/lena.pgm"},
    };
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
        assert_true(image_may_load(found[i][0]));
        assert_int_equal(image_check_name(found[i][0]).code, AB_OK);
        assert_int_equal(image_load(found[i][0], &image).code, AB_OK);
        assert_string_equal(image.path, found[i][1]);
        assert_int_equal(strlen(image.sha256), 64);
        assert_int_equal(image.in_catalogue, i == 0);
        image_free(&image);
    }
    leave_project();
}

/* Every image of the catalogue that is not there has a stand-in, and no two have the same. */
static void what_is_not_there_is_drawn(void **state)
{
    (void)state;
    image_catalogue_entry *entries, found;
    int count;
    assert_int_equal(image_catalogue(&entries, &count).code, AB_OK);
    assert_true(count >= 5);
    setenv("ANTBENCH_ROOT", "no-files", 1);
    assert_int_equal(system("mkdir -p no-files/images"), 0);
    write_catalogue("no-files/images/catalogue.csv", entries, count);
    for (int i = 0; i < count; i++) {
        ab_image image;
        assert_true(image_may_load(entries[i].name));
        assert_int_equal(image_load(entries[i].name, &image).code, AB_OK);
        assert_true(image.stand_in && image.in_catalogue && image.known_edges && image.edges != NULL);
        assert_string_equal(image.name, entries[i].stand_in);
        assert_int_equal(image.width, entries[i].width);
        assert_int_equal(image.height, entries[i].height);
        for (int j = 0; j < i; j++) assert_string_not_equal(entries[i].stand_in, entries[j].stand_in);
        assert_int_equal(image_find_in_catalogue(entries[i].name, &found).code, AB_OK);
        assert_memory_equal(&found, &entries[i], sizeof found);
        image_free(&image);
    }
    free(entries);
    unsetenv("ANTBENCH_ROOT");
    assert_int_equal(image_find_in_catalogue("Lena", &found).code, AB_OK);
    assert_true(found.width == 0 && found.name[0] == '\0');
}

static void broken_catalogues_are_explained(void **state)
{
    (void)state;
#define HEADER "name,width,height,channels,stand_in,pixels_sha256\n"
    static const char *const cases[][2] = {
        {"name,width,height,stand_in,pixels_sha256\n", "1: there is no column channels"},
        {HEADER "a,5,5,3,shapes-5\n", "2: expected 6 cells, got 5"},
        {HEADER "a,5,16385,3,shapes-5," DIGEST "\n", "2: column 3: expected a whole number from 1 to 16384, got 16385"},
        {HEADER "a,5,5,2,shapes-5," DIGEST "\n", "2: channels: an image has 1 or 3"},
        {HEADER "a,5,5,1,shape-5," DIGEST "\n", "2: stand_in: not the name of a drawn image"},
        {HEADER "a,5,5,1,shapes-5,12\n", "2: column 6: expected 64 hexadecimal digits"},
        {HEADER "a,5,5,1,shapes-5," DIGEST "\na,5,5,1,shapes-5," DIGEST "\n", "3: a stands twice"},
    };
#undef HEADER
    enter_project();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[200];
        snprintf(expected, sizeof expected, "project/images/catalogue.csv:%s", cases[i][1]);
        write_text("project/images/catalogue.csv", cases[i][0]);
        assert_load_error("lena", expected);
        assert_string_equal(image_check_name("lena").reason, expected);
        assert_true(image_may_load("lena")); /* image_load says what is wrong */
    }
    leave_project();
}

/* Candidates are the names of the catalogue, of the kinds and of files; a ground truth is no image. */
static void suggestions_are_what_there_is(void **state)
{
    (void)state;
    enter_project();
    setenv("IMAGES_DIR", "mine", 1);
    write_text("mine/bridge.pgm", "P2 1 1 255 1");
    write_text("mine/bsds/penguin.ppm", "P3 1 1 255 1 1 1");
    write_text("mine/bsds/walrus.gt.pgm", "P2 1 1 255 1");
    static const char *const cases[][2] = {
        {"brigde", "; did you mean \"bridge\"?"},
        {"penguins", "; did you mean \"penguin\"?"},
        {"hue512", "; did you mean \"hue-512\"?"},
        {"walrus.gtt", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[200];
        snprintf(expected, sizeof expected,
                 "image \"%s\": not in the catalogue, and no such file here, in $IMAGES_DIR or images/standard%s",
                 cases[i][0], cases[i][1]);
        const ab_status status = image_check_name(cases[i][0]);
        assert_int_equal(status.code, AB_BAD_INPUT);
        assert_string_equal(status.reason, expected);
        assert_false(image_may_load(cases[i][0]));
    }
    leave_project();
}

static void names_have_no_control_characters(void **state)
{
    (void)state;
    write_text("a\nb.pgm", "P2 1 1 255 1");
    assert_load_error("a\nb.pgm", "image \"a?b.pgm\": a name is UTF-8 without control characters");
    assert_load_error("lena\033[0m", "image \"lena?[0m\": a name is UTF-8 without control characters");
    assert_load_error("a\342\200\256b", "image \"a?b\": a name is UTF-8 without control characters"); /* U+202E */
    assert_load_error("a\342\200\250b", "image \"a?b\": a name is UTF-8 without control characters"); /* U+2028 */
    assert_load_error("a\342\200\213b", "image \"a?b\": a name is UTF-8 without control characters"); /* U+200B */
    assert_load_error("\357\273\277a", "image \"?a\": a name is UTF-8 without control characters");   /* U+FEFF */
    assert_load_error("a\302\233mb", "image \"a?mb\": a name is UTF-8 without control characters");   /* U+009B */
    assert_int_equal(image_check_name("le\tna").code, AB_BAD_INPUT);
    assert_int_equal(image_check_name("pictures/\303\251t\303\251").code, AB_BAD_INPUT);
    assert_load_error("lena\303", "image \"lena\303\": a name is UTF-8 without control characters");
    assert_load_error("\355\240\200.png", "image \"\355\240\200.png\": a name is UTF-8 without control characters");
    write_text("\303\251t\303\251.pgm", "P2 1 1 255 1"); /* UTF-8 is no control character */
    assert_int_equal(image_check_name("\303\251t\303\251.pgm").code, AB_OK);
}

static void unknown_names_get_a_suggestion(void **state)
{
    (void)state;
    assert_load_error(
        "lenna", "image \"lenna\": not in the catalogue, and no such file here, in $IMAGES_DIR or images/standard; "
                 "did you mean \"lena\"?");
    assert_load_error("shape-512",
                      "image \"shape-512\": not in the catalogue, and no such file here, in $IMAGES_DIR or "
                      "images/standard; did you mean \"shapes-512\"?");
    static const char *const wrong[] = {
        "shapes",      "shapes-",       "shapes-0", "shapes-08", "shapes-5x",    "shapes-5x5x5", "shapes-5-0",
        "shapes-5x5-", "shapes-512abc", "hue--5",   "",          "shapes-5-1-1", "texture-x512", "shapes-512.png"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ab_image image;
        assert_int_equal(image_load(wrong[i], &image).code, AB_BAD_INPUT);
    }
    assert_load_error("x/y", "x/y: no such file");
    assert_load_error("absent.ppm", "absent.ppm: no such file");
    assert_load_error("shapes-99999999999",
                      "a drawn image has sides of 1 to 16384 pixels, not 2147483647 x 2147483647");
}

/* Any annotator's edge is one; a ground truth that does not fit is an error, not ignored. */
static void ground_truth_becomes_edges(void **state)
{
    (void)state;
    ab_image image;
    write_text("x.pgm", "P2 3 1 255 9 9 9");
    assert_int_equal(image_load("x.pgm", &image).code, AB_OK);
    assert_true(image.edges == NULL && !image.known_edges);
    image_free(&image);
    write_text("x.gt.pgm", "P2 3 1 255 0 51 255");
    assert_int_equal(image_load("./x.pgm", &image).code, AB_OK);
    assert_true(image.known_edges);
    assert_memory_equal(image.edges, ((const uint8_t[]){0, 1, 1}), 3);
    assert_memory_equal(image.pixels, ((const uint8_t[]){9, 9, 9}), 3);
    image_free(&image);
    write_text("x.gt.pgm", "P2 1 3 255 0 51 255");
    assert_load_error("x.pgm", "x.gt.pgm: not a grey image of the size of what it belongs to");
    write_text("x.gt.pgm", "P2 3 1 255 0 51");
    assert_load_error("x.pgm", "x.gt.pgm: the file ends after 2 of 3 samples");
}

/* The user's standard images are the catalogue's, and a picture that is changed in one bit is not. */
static void the_catalogue_knows_its_pixels(void **state)
{
    (void)state;
    const char *directory = getenv("ALL_IMAGES");
    image_catalogue_entry *entries;
    int count, found = 0;
    assert_int_equal(image_catalogue(&entries, &count).code, AB_OK);
    for (int i = 0; directory != NULL && i < count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.png", directory, entries[i].name);
        ab_image image;
        if (access(path, F_OK) != 0) continue;
        found++;
        assert_int_equal(image_load(path, &image).code, AB_OK);
        assert_true(image.catalogued);
        image.pixels[1000] ^= 1;
        snprintf(path, sizeof path, "%s.png", entries[i].name);
        assert_int_equal(image_write_png(path, image.width, image.height, image.channels, image.pixels).code, AB_OK);
        image_free(&image);
        assert_int_equal(image_load(path, &image).code, AB_OK);
        assert_false(image.catalogued);
        image_free(&image);
    }
    free(entries);
    if (found == 0) skip();
}

/* ---- Describing ---- */

/* The most memory that this process ever had, in KiB. */
static long peak_kib(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* First of all tests, because a peak never falls. The pixels of the largest alone would take 192 MiB. */
static void describing_takes_no_pixels(void **state)
{
    (void)state;
    static const char *const names[] = {
        "lena",     "mandrill",    "peppers",     "house",         "cameraman",    "shapes-512",  "hue-512",
        "ramp-512", "texture-512", "shapes-1024", "shapes-2048-7", "texture-4096", "shapes-8192", "shapes-16384x4096"};
    ab_image image;
    assert_int_equal(image_describe("hue-8", &image).code, AB_OK); /* what a first call needs */
    const long before = peak_kib();
    const double begin = now_s();
    write_png_of_size(0x7fffffff, 1); /* libpng would clear two rows of it */
    assert_int_equal(image_describe("t.png", &image).code, AB_BAD_INPUT);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(image_describe(names[i], &image).code, AB_OK);
        assert_true(image.pixels == NULL && image.edges == NULL && image.width >= 512);
    }
    assert_int_equal(image.width, 16384);
    assert_true(now_s() - begin < 1.0); /* milliseconds, without sanitizers and others on this machine */
    assert_true(peak_kib() - before < 5000);
}

/* What is described is what is loaded, but for pixels, edges, and what needs them. */
static void assert_described(const char *name)
{
    ab_image described, loaded;
    const ab_status status = image_load(name, &loaded);
    if (status.code != AB_OK) fail_msg("%s", status.reason);
    assert_int_equal(image_describe(name, &described).code, AB_OK);
    assert_true(described.pixels == NULL && described.edges == NULL && described.sha256[0] == '\0');
    assert_int_equal(described.known_edges, loaded.edges != NULL);
    free(loaded.pixels);
    free(loaded.edges);
    loaded.pixels = loaded.edges = NULL;
    loaded.sha256[0] = '\0';
    assert_string_equal(described.name, loaded.name);
    assert_string_equal(described.path, loaded.path);
    assert_true(described.width == loaded.width && described.height == loaded.height);
    assert_true(described.channels == loaded.channels && described.known_edges == loaded.known_edges);
    assert_true(described.stand_in == loaded.stand_in && described.in_catalogue == loaded.in_catalogue);
}

static void describes_what_would_be_loaded(void **state)
{
    (void)state;
    static const uint8_t pixels[12] = {1, 2, 3};
    enter_project();
    setenv("IMAGES_DIR", "mine", 1);
    write_text("mine/plain.ppm", "P3 2 1 255 1 2 3 4 5 6");
    write_text("mine/plain.gt.ppm", "P2 2 1 255 1 2");
    write_bytes("mine/raw.pgm", "P5\n3 2\n255\n\0\1\2\xfd\xfe\xff", 17);
    assert_int_equal(image_write_png("mine/lena.png", 2, 2, 3, pixels).code, AB_OK);
    static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_GRAY_ALPHA,
                                PNG_COLOR_TYPE_RGBA};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const png_case c = {2, 1, 8, types[i], "\1\2\3\4\5\6\7\10", 8, NULL, 0, NULL, 0, -1, 0, 0, NULL};
        write_case("mine/typed.png", &c);
        assert_described("typed");
    }
    static const char *const names[] = {"plain", "raw",   "lena",         "mine/lena.png",
                                        "house", "hue-9", "ramp-30x20-5", "mine/raw.pgm"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) assert_described(names[i]);
    leave_project();
}

static void assert_describe_error(const char *name, const char *reason)
{
    ab_image image;
    const ab_status status = image_describe(name, &image);
    assert_int_equal(status.code, AB_BAD_INPUT);
    assert_string_equal(status.reason, reason);
    assert_int_equal(image.width, 0);
}

static void describing_finds_what_the_header_says(void **state)
{
    (void)state;
    uint8_t bytes[8192];
    sample_png(bytes);
    write_bytes("t.png", bytes, 30);
    assert_describe_error("t.png", "t.png: broken PNG: the file ends too early");
    write_png_of_size(16385, 1);
    assert_describe_error("t.png", "t.png: 16385 x 1 pixels, an image has 1 to 16384 a side");
    write_text("t.pgm", "P5 3");
    assert_describe_error("t.pgm", "t.pgm: the header is not \"P5 width height maxval\"");
    write_text("t.pgm", "hello");
    assert_describe_error("t.pgm", "t.pgm: neither PNG nor JPEG nor PGM nor PPM");
    write_text("t.pgm", "P2 3 1 255 1 2 3");
    write_text("t.gt.pgm", "P2 1 3 255 0 51 255");
    assert_describe_error("t.pgm", "t.gt.pgm: not a grey image of the size of what it belongs to");
    assert_describe_error("absent.png", "absent.png: no such file");
    assert_describe_error("shapes-16384", "16384 x 16384 pixels, an image has 67108864 at most");
    assert_describe_error("shapes-20000", "a drawn image has sides of 1 to 16384 pixels, not 20000 x 20000");
}

/* The program lies in the project's folder, which is not where these tests run. */
static void the_catalogue_is_found_from_anywhere(void **state)
{
    (void)state;
    char here[1024];
    ab_image image;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(image_describe("cameraman", &image).code, AB_OK);
    assert_true(image.in_catalogue && image.width == 512);
    assert_int_equal(chdir(here), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describing_takes_no_pixels), /* first: see there */
        cmocka_unit_test(reads_every_form_of_png),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_map_is_read_again_as_black_and_white),
        cmocka_unit_test(a_truncated_png_is_refused),
        cmocka_unit_test(a_changed_png_is_refused),
        cmocka_unit_test(a_png_that_is_too_large_is_refused),
        cmocka_unit_test(what_is_no_image_is_refused),
        cmocka_unit_test(a_failed_write_leaves_what_was_there),
        cmocka_unit_test(reads_every_form_of_jpeg),
        cmocka_unit_test(a_truncated_jpeg_is_refused),
        cmocka_unit_test(a_jpeg_that_decodes_to_too_much_is_refused),
        cmocka_unit_test(other_jpegs_are_refused),
        cmocka_unit_test(a_jpeg_has_its_edges_as_png),
        cmocka_unit_test(reads_every_form_of_pnm),
        cmocka_unit_test(broken_pnm_is_refused),
        cmocka_unit_test(grey_is_the_thesis_s),
        cmocka_unit_test(rgba_has_three_channels_and_255),
        cmocka_unit_test(edges_are_exact),
        cmocka_unit_test(every_kind_has_edges),
        cmocka_unit_test(random_images_are_random),
        cmocka_unit_test(hue_images_differ_in_hue_alone),
        cmocka_unit_test(drawn_images_are_the_same_everywhere),
        cmocka_unit_test(seeds_and_sizes_make_names),
        cmocka_unit_test(salt_and_pepper_has_its_level),
        cmocka_unit_test(gaussian_noise_has_its_deviation),
        cmocka_unit_test(noise_is_clamped_and_seeded),
        cmocka_unit_test(finds_files_in_order),
        cmocka_unit_test(what_is_not_there_is_drawn),
        cmocka_unit_test(unknown_names_get_a_suggestion),
        cmocka_unit_test(broken_catalogues_are_explained),
        cmocka_unit_test(suggestions_are_what_there_is),
        cmocka_unit_test(names_have_no_control_characters),
        cmocka_unit_test(ground_truth_becomes_edges),
        cmocka_unit_test(the_catalogue_knows_its_pixels),
        cmocka_unit_test(describes_what_would_be_loaded),
        cmocka_unit_test(describing_finds_what_the_header_says),
        cmocka_unit_test(the_catalogue_is_found_from_anywhere),
    };
    return cmocka_run_group_tests(tests, find_inputs, remove_directory);
}
