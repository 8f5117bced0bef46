/* Catalogues: CSV files of this project that are read when a program asks for them. Each record is an entry with a
 * unique name. Columns are found by the names in the header. Columns that no field names are for other readers.
 *
 * A look-up reads the whole file, which has some tens of lines. Nothing is kept in memory. */
#ifndef ANTBENCH_CATALOGUE_H
#define ANTBENCH_CATALOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum ab_field_kind {
    AB_FIELD_TEXT,   /* char[size] */
    AB_FIELD_SHA256, /* char[65]: 64 hexadecimal digits, lower case */
    AB_FIELD_NUMBER  /* whole number from lo to hi: int or int64_t, by size */
} ab_field_kind;

/* Which column goes to which member of an entry. */
typedef struct ab_field {
    const char *column;
    ab_field_kind kind;
    size_t offset, size; /* offset and size of the entry's member, in bytes */
    int64_t lo, hi;      /* limits of a number; magnitudes at most 2^53 */
} ab_field;

/* Fields for a member of the same name as its column. */
#define AB_MEMBER(type, member) offsetof(type, member), sizeof(((type *)NULL)->member)
#define AB_TEXT(type, member)                                                                                          \
    {                                                                                                                  \
#member, AB_FIELD_TEXT, AB_MEMBER(type, member), 0, 0                                                          \
    }
#define AB_SHA256(type, member)                                                                                        \
    {                                                                                                                  \
#member, AB_FIELD_SHA256, AB_MEMBER(type, member), 0, 0                                                        \
    }
#define AB_NUMBER(type, member, lo, hi)                                                                                \
    {                                                                                                                  \
#member, AB_FIELD_NUMBER, AB_MEMBER(type, member), lo, hi                                                      \
    }

typedef struct ab_catalogue {
    const char *below;      /* path of the file below ab_root(): "instances/catalogue.csv" */
    const ab_field *fields; /* fields; the first is the entry's name, a text */
    int n_fields;
    size_t entry_size;                  /* size of an entry in bytes */
    const char *(*fault)(const void *); /* returns what else is wrong with an entry, or NULL; may be NULL */
} ab_catalogue;

/* Reads all entries, in the order of the file, into *entries, an array of *count that the caller frees; NULL and 0
 * after an error. Returns AB_FAILED if the file cannot be read. Returns AB_BAD_INPUT with "file:line: ..." for a
 * missing column, an empty or invalid cell, or a duplicate name. */
ab_status ab_catalogue_read(const ab_catalogue *catalogue, void **entries, int *count);

/* Reads the entry called `name`, or zeros if it does not exist. Errors are the same as in ab_catalogue_read, for the
 * whole file. */
ab_status ab_catalogue_find(const ab_catalogue *catalogue, const char *name, void *entry);

/* Returns the name of entry i. */
const char *ab_catalogue_name(const ab_catalogue *catalogue, const void *entries, int i);

#endif
