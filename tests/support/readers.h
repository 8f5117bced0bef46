/* Every reader of files, fed with bytes: for the fuzzer (tests/fuzz) and for the test that replays what it found. */
#ifndef ANTBENCH_TESTS_READERS_H
#define ANTBENCH_TESTS_READERS_H

#include <stddef.h>
#include <stdint.h>

/* The names of the readers, NULL-terminated; tests/corpus/<name> has inputs for each.
 *
 *   tsplib, cnf, published, meta   a file of that kind
 *   coordinates cities as CSV
 *   image       a PNG, JPEG, PGM or PPM
 *   png         what is in a PNG: 7 bytes of its header, then its rows; packed and with right checksums
 *   catalogue   either catalogue
 *   run         a table and, behind a byte 0x1e, its samples; their headers are put before them
 */
extern const char *const reader_names[];

/* Reads the bytes as a file of reader `i`, and frees what was read. Aborts where something could not be prepared, or
 * where an error is not one clean line. */
void read_as(int i, const uint8_t *bytes, size_t size);

#endif
