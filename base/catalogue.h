/* Catalogues: CSV files of ours that are read when a program asks for them. A record is an entry with a name of its
 * own; columns are found by the names in the header, and those that no field names are for other readers.
 *
 * Nothing is kept: a look-up reads the file, which has some tens of lines. */
#ifndef ANTBENCH_CATALOGUE_H
#define ANTBENCH_CATALOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum ab_field_kind {
    AB_FIELD_TEXT,   /* char[size] */
    AB_FIELD_SHA256, /* char[65]: 64 hexadecimal digits, lower case */
    AB_FIELD_NUMBER  /* a whole number from lo to hi: int or int64_t, by size */
} ab_field_kind;

/* Which column goes where in an entry. */
typedef struct ab_field {
    const char *column;
    ab_field_kind kind;
    size_t offset, size; /* of the entry's member, bytes */
    int64_t lo, hi;      /* of a number; magnitudes at most 2^53 */
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
    const char *below;      /* the file below ab_root(): "instances/catalogue.csv" */
    const ab_field *fields; /* the first is the entry's name, a text */
    int n_fields;
    size_t entry_size;                  /* bytes */
    const char *(*fault)(const void *); /* what else is wrong with an entry, or NULL where nothing is; may be NULL */
} ab_catalogue;

/* Reads all entries, in the order of the file, into *entries, an array of *count that the caller frees; NULL and 0
 * after an error. AB_BAD_INPUT "file:line: ..." for a column that is missing, a cell that is empty or not what its
 * field says, or a name that stands twice; AB_FAILED when the file cannot be read. */
ab_status ab_catalogue_read(const ab_catalogue *catalogue, void **entries, int *count);

/* The entry called `name`, or zeros where there is none. Errors as above, for the whole file. */
ab_status ab_catalogue_find(const ab_catalogue *catalogue, const char *name, void *entry);

/* The name of entry i of those that were read. */
const char *ab_catalogue_name(const ab_catalogue *catalogue, const void *entries, int i);

#endif
