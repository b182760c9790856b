/* The kernels' text, embedded from kernels.ptx at build time: one entry, and one with NULLs. */
#ifndef CF_DEVICE_CUDA_PTX_H
#define CF_DEVICE_CUDA_PTX_H

#include <stddef.h>

typedef struct cf_cuda_ptx {
    const char *name, *text;
} cf_cuda_ptx;
extern const cf_cuda_ptx cf_cuda_ptx_texts[];

#endif
