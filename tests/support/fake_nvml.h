/* The fake NVML of tests/fake_nvml in the place of a driver's. */
#ifndef ANTBENCH_TESTS_FAKE_NVML_H
#define ANTBENCH_TESTS_FAKE_NVML_H

int load_fake_nvml(void **state); /* from here on in this process and its children; a setup of cmocka: 0, or -1 */

#endif
