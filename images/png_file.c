/* PNG through libpng. Its low-level interface: the simplified one would take 16-bit samples for linear light and change
 * them by gamma. */
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "images/formats.h"

/* What libpng's callbacks get to see: the file and, after an error, its message. */
typedef struct png_stream {
    FILE *file;        /* read from or written to */
    char message[128]; /* text of the error that ended the work */
} png_stream;

static _Noreturn void fail(png_structp png, png_const_charp message)
{
    png_stream *stream = png_get_error_ptr(png);
    snprintf(stream->message, sizeof stream->message, "%s", message);
    png_longjmp(png, 1);
}

/* A warning is about what does not matter for the pixels, such as a text that cannot be read. */
static void ignore(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* ---- Reading ---- */

static void read_bytes(png_structp png, png_bytep bytes, size_t count)
{
    png_stream *stream = png_get_io_ptr(png);
    if (fread(bytes, 1, count, stream->file) == count) return;
    png_error(png, ferror(stream->file) ? strerror(errno) : "the file ends too early");
}

/* Has libpng make grey, grey + alpha, RGB or RGBA of 8 bit of whatever there is. Returns the number of channels. */
static int expand(png_structp png, png_infop info)
{
    png_set_expand(png);   /* palettes, fewer than 8 bit, transparent colours */
    png_set_scale_16(png); /* rounds, where png_set_strip_16 would cut off */
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return png_get_channels(png, info);
}

/* Puts rows of colour and alpha onto black, without the alpha. In place: what is written never overtakes what is
 * read. */
static void composite(uint8_t *pixels, size_t count, size_t channels)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned alpha = pixels[i * (channels + 1) + channels];
        for (size_t c = 0; c < channels; c++)
            pixels[i * channels + c] = (uint8_t)((pixels[i * (channels + 1) + c] * alpha + 127) / 255);
    }
}

/* Reads what comes after the header, of whose size the image is, alpha being one of its channels. */
static ab_status read_rows(png_structp png, png_infop info, ab_image *image)
{
    AB_TRY(image_allocate(image));
    const size_t height = (size_t)image->height, stride = (size_t)image->width * (size_t)image->channels;
    const int passes = png_get_interlace_type(png, info) == PNG_INTERLACE_ADAM7 ? 7 : 1;
    for (int pass = 0; pass < passes; pass++)
        for (size_t y = 0; y < height; y++) png_read_row(png, image->pixels + y * stride, NULL);
    png_read_end(png, NULL);
    return ab_ok();
}

/* libpng's errors do not return. The image is the caller's, who frees its pixels then. */
static ab_status read_with(png_structp png, png_infop info, image_extent extent, ab_image *image)
{
    png_read_info(png, info);
    /* Too large an image is refused here, before there is memory for it: expand() takes some for a row. */
    const png_uint_32 width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    AB_TRY(image_set_size(width, height, image));
    image->channels = expand(png, info);
    if (extent == IMAGE_WHOLE) AB_TRY(read_rows(png, info, image));
    const bool has_alpha = image->channels % 2 == 0;
    image->channels -= has_alpha;
    if (has_alpha && extent == IMAGE_WHOLE) composite(image->pixels, (size_t)width * height, (size_t)image->channels);
    return ab_ok();
}

/* read_with, with libpng's errors made a status. A function of its own, as its locals do not survive the jump. */
static ab_status read_or_fail(png_structp png, png_infop info, const png_stream *stream, image_extent extent,
                              ab_image *image)
{
    if (setjmp(png_jmpbuf(png)) != 0) return ab_bad_input("broken PNG: %s", stream->message);
    return read_with(png, info, extent, image);
}

ab_status image_read_png(FILE *file, image_extent extent, ab_image *image)
{
    png_stream stream = {.file = file};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &stream, fail, ignore);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    ab_status status = ab_failed("no memory for libpng");
    if (info != NULL) {
        png_set_read_fn(png, &stream, read_bytes);
        png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* ours are clearer */
        status = read_or_fail(png, info, &stream, extent, image);
    }
    png_destroy_read_struct(&png, &info, NULL);
    if (status.code != AB_OK) {
        free(image->pixels);
        image->pixels = NULL;
    }
    return status;
}

/* ---- Writing ---- */

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    png_stream *stream = png_get_io_ptr(png);
    if (fwrite(bytes, 1, count, stream->file) != count) png_error(png, strerror(errno));
}

static void flush(png_structp png)
{
    png_stream *stream = png_get_io_ptr(png);
    if (fflush(stream->file) != 0) png_error(png, strerror(errno));
}

/* What is written. */
typedef struct contents {
    int width, height, channels, depth; /* depth: bits per value; 1 is a map, white where it is not 0 */
    const uint8_t *pixels;              /* a byte per value */
} contents;

/* Writes all; an error leaves its message in the stream. */
static bool write_or_fail(png_structp png, png_infop info, const contents *c)
{
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_IHDR(png, info, (png_uint_32)c->width, (png_uint_32)c->height, c->depth,
                 c->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (c->depth == 1) png_set_packing(png);
    const size_t stride = (size_t)c->width * (size_t)c->channels;
    for (size_t y = 0; y < (size_t)c->height; y++) png_write_row(png, c->pixels + y * stride);
    png_write_end(png, info);
    return true;
}

/* Takes *fd, which is -1 then. */
static ab_status write_file(const char *path, int *fd, const contents *c)
{
    png_stream stream = {.file = fdopen(*fd, "wb"), .message = "no memory for libpng"};
    if (stream.file == NULL) return ab_failed("%.200s: %s", path, strerror(errno));
    *fd = -1;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &stream, fail, ignore);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    bool written = false;
    if (info != NULL) {
        png_set_write_fn(png, &stream, write_bytes, flush);
        written = write_or_fail(png, info, c);
    }
    png_destroy_write_struct(&png, &info);
    if (fclose(stream.file) != 0 && written) return ab_failed("%.200s: %s", path, strerror(errno));
    return written ? ab_ok() : ab_failed("%.200s: %s", path, stream.message);
}

static ab_status replace_file(const char *path, const contents *c)
{
    ab_replacement file;
    AB_TRY(ab_replacement_open(path, &file));
    return ab_replacement_close(&file, write_file(path, &file.fd, c));
}

ab_status image_write_png(const char *path, int width, int height, int channels, const uint8_t *pixels)
{
    return replace_file(path, &(contents){width, height, channels, 8, pixels});
}

ab_status image_write_map(const char *path, int width, int height, const uint8_t *map)
{
    return replace_file(path, &(contents){width, height, 1, 1, map});
}
