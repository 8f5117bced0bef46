/* CSV as RFC 4180 has it: reading through libcsv, one record at a time, and writing cells. */
#ifndef ANTBENCH_CSV_H
#define ANTBENCH_CSV_H

#include <stdio.h>

#include "base/status.h"

enum { AB_CSV_MAX_CELLS = 64 };

typedef struct ab_csv_record {
    const char *path; /* of the file, for messages */
    int line;         /* the line in which the record ends, from 1 */
    long end;         /* byte offset just behind it */
    int n_cells;
    const char *cells[AB_CSV_MAX_CELLS];
} ab_csv_record;

/* Called for each record, the header included; a status other than AB_OK ends the reading and is returned. */
typedef ab_status ab_csv_visit(void *context, const ab_csv_record *record);

/* AB_FAILED when the file cannot be read, AB_BAD_INPUT "file:line: ..." when it is not CSV. */
ab_status ab_csv_read(const char *path, ab_csv_visit *visit, void *context);

/* The same of a text, size bytes, that has been read from the file at `path`. */
ab_status ab_csv_parse(const char *path, const char *text, size_t size, ab_csv_visit *visit, void *context);

/* AB_BAD_INPUT unless the record's cells are those of `header` ("id,source,..."; names without quotes). */
ab_status ab_csv_expect_header(const ab_csv_record *record, const char *header);

/* The number in cell `column`, NAN when empty; AB_BAD_INPUT unless all of it is a finite number. */
ab_status ab_csv_number(const ab_csv_record *record, int column, double *value);

/* The text in cell `column` into text[size]; AB_BAD_INPUT when it is too long. */
ab_status ab_csv_text(const ab_csv_record *record, int column, char *text, size_t size);

/* Writes a cell, quoted where needed. A line break becomes a space, so that a record is always one line and a torn one
 * can be told by its missing newline. */
void ab_csv_write_text(FILE *file, const char *text);

/* Writes `digits` significant digits, or nothing for what is not finite. */
void ab_csv_write_number(FILE *file, double value, int digits);

#endif
