/* What archives of Debian 12 take from a glibc after 2.31. The program of a release is linked to 2.31
 * (scripts/dist), so it brings these itself. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

char __libc_single_threaded; /* true if there is one thread: libstdc++ then counts references without atomics */
uint32_t arc4random(void);

/* A random number, for std::random_device. */
uint32_t arc4random(void)
{
    uint32_t random;
    if (getentropy(&random, sizeof random) != 0) abort();
    return random;
}
