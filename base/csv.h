/* CSV as in RFC 4180: reads it through libcsv, one record at a time, and writes cells. */
#ifndef ANTBENCH_CSV_H
#define ANTBENCH_CSV_H

#include <stdio.h>

#include "base/status.h"

enum { AB_CSV_MAX_CELLS = 64 };

typedef struct ab_csv_record {
    const char *path; /* path of the file, for messages */
    int line;         /* number of the record's last line, from 1 */
    long end;         /* byte offset just after the record */
    int n_cells;
    const char *cells[AB_CSV_MAX_CELLS];
} ab_csv_record;

/* Called for each record, including the header. A status other than AB_OK ends the reading and is returned. */
typedef ab_status ab_csv_visit(void *context, const ab_csv_record *record);

/* Reads a file. Returns AB_FAILED if it cannot be read, AB_BAD_INPUT with "file:line: ..." if it is not CSV. */
ab_status ab_csv_read(const char *path, ab_csv_visit *visit, void *context);

/* Reads a text of `size` bytes that comes from the file at `path`. */
ab_status ab_csv_parse(const char *path, const char *text, size_t size, ab_csv_visit *visit, void *context);

/* Returns AB_BAD_INPUT unless the record's cells equal `header` ("id,source,..."; names without quotes). */
ab_status ab_csv_expect_header(const ab_csv_record *record, const char *header);

/* Reads the number in cell `column`; NAN if it is empty. Returns AB_BAD_INPUT unless the whole cell is a finite number.
 */
ab_status ab_csv_number(const ab_csv_record *record, int column, double *value);

/* Copies the text in cell `column` to text[size]. Returns AB_BAD_INPUT if it is too long. */
ab_status ab_csv_text(const ab_csv_record *record, int column, char *text, size_t size);

/* Writes a cell, quoted if necessary. A line break becomes a space. So a record is always one line, and a torn one
 * lacks its newline. */
void ab_csv_write_text(FILE *file, const char *text);

/* Writes `digits` significant digits, or nothing if the value is not finite. */
void ab_csv_write_number(FILE *file, double value, int digits);

#endif
