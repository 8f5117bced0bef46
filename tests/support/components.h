/* Connected components of edge maps. */
#ifndef ANTBENCH_TEST_COMPONENTS_H
#define ANTBENCH_TEST_COMPONENTS_H

#include <stdint.h>

/* The number of 8-connected components of the 1 pixels of map[height][width]. */
int edge_map_components(int width, int height, const uint8_t *map);

#endif
