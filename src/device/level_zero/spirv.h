/* The kernels, embedded from kernels.spvasm at build time by spirv-as. Without spirv-tools there are none. */
#ifndef CF_DEVICE_LEVEL_ZERO_SPIRV_H
#define CF_DEVICE_LEVEL_ZERO_SPIRV_H

#include <stddef.h>
#include <stdint.h>

extern const uint32_t cf_level_zero_spirv[];
extern const size_t cf_level_zero_spirv_bytes; /* 0 = none */

#endif
