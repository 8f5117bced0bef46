/* convolution/registers: our own, for any filter; what it does and what its floor is stands in registers.h. Source:
 * this project. */
#include "kernels/convolution/registers.h"

AB_RUNG(convolution_rung, convolution_registers) = {.convolve = registers_convolve<false>, .check = registers_check};
