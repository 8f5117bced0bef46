/* JPEG through libjpeg-turbo: baseline and progressive, grey and colour, 8 bit a channel. Pixels are in the order of the
 * file: a camera's note that the picture is to be turned (EXIF) is not followed. */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "images/formats.h"

/* The most memory that decoding may take, and the most scans of a file. A progressive file has about ten; each one costs
 * a pass over the whole image, however few bytes it has. */
enum { MOST_BYTES = 300000000, MOST_SCANS = 100 };

/* What libjpeg's callbacks get to see, and what an error leaves. */
typedef struct jpeg_reader {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf begin;    /* place that an error returns to */
    ab_status status; /* status of the error */
} jpeg_reader;

static _Noreturn void fail(j_common_ptr jpeg)
{
    jpeg_reader *reader = jpeg->client_data;
    char message[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, message);
    const bool memory = jpeg->err->msg_code == JERR_OUT_OF_MEMORY;
    reader->status = memory ? ab_failed("no memory for libjpeg") : ab_bad_input("broken JPEG: %s", message);
    longjmp(reader->begin, 1);
}

/* A warning (level -1) means that pixels are guessed, so it is an error, but for these two. */
static void hear(j_common_ptr jpeg, int level)
{
    const int code = jpeg->err->msg_code;
    if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_ADOBE_XFORM) fail(jpeg);
}

static void count_scans(j_common_ptr jpeg)
{
    jpeg_reader *reader = jpeg->client_data;
    if (reader->jpeg.input_scan_number <= MOST_SCANS) return;
    reader->status = ab_bad_input("broken JPEG: more than %d scans", MOST_SCANS);
    longjmp(reader->begin, 1);
}

/* Bytes of the pixels, and of the coefficients that libjpeg keeps where a file has several scans. */
static double bytes_to_decode(struct jpeg_decompress_struct *jpeg, int channels)
{
    double bytes = (double)jpeg->image_width * jpeg->image_height * channels;
    for (int c = 0; jpeg_has_multiple_scans(jpeg) && c < jpeg->num_components; c++)
        bytes += (double)jpeg->comp_info[c].width_in_blocks * jpeg->comp_info[c].height_in_blocks * sizeof(JBLOCK);
    return bytes;
}

static ab_status read_header(struct jpeg_decompress_struct *jpeg, ab_image *image)
{
    jpeg_read_header(jpeg, TRUE);
    AB_TRY(image_set_size(jpeg->image_width, jpeg->image_height, image));
    if (jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK)
        return ab_bad_input("a JPEG in CMYK; convert it to RGB or grey");
    image->channels = jpeg->jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
    const double bytes = bytes_to_decode(jpeg, image->channels);
    if (bytes <= MOST_BYTES) return ab_ok();
    return ab_bad_input("decoding takes %.0f MB, and %d at most are allowed", bytes / 1e6, MOST_BYTES / 1000000);
}

static ab_status read_rows(struct jpeg_decompress_struct *jpeg, ab_image *image)
{
    jpeg->out_color_space = image->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg->dct_method = JDCT_ISLOW; /* the exact one, which is the same on every machine */
    AB_TRY(image_allocate(image));
    jpeg_start_decompress(jpeg);
    const size_t stride = (size_t)image->width * (size_t)image->channels;
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW row = image->pixels + jpeg->output_scanline * stride;
        jpeg_read_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_decompress(jpeg);
    return ab_ok();
}

/* libjpeg's errors return to the begin. A function of its own, as its locals do not survive the jump. */
static ab_status read_or_fail(jpeg_reader *reader, FILE *file, image_extent extent, ab_image *image)
{
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    if (setjmp(reader->begin) != 0) return reader->status;
    jpeg_create_decompress(jpeg);
    jpeg->progress = &reader->progress;
    jpeg_stdio_src(jpeg, file);
    AB_TRY(read_header(jpeg, image));
    return extent == IMAGE_WHOLE ? read_rows(jpeg, image) : ab_ok();
}

ab_status image_read_jpeg(FILE *file, image_extent extent, ab_image *image)
{
    jpeg_reader reader = {.progress.progress_monitor = count_scans};
    reader.jpeg.client_data = &reader;
    reader.jpeg.err = jpeg_std_error(&reader.errors);
    reader.errors.error_exit = fail;
    reader.errors.emit_message = hear;
    ab_status status = read_or_fail(&reader, file, extent, image);
    if (ferror(file)) status = ab_failed("%s", strerror(errno));
    jpeg_destroy_decompress(&reader.jpeg);
    if (status.code != AB_OK) {
        free(image->pixels);
        image->pixels = NULL;
    }
    return status;
}
