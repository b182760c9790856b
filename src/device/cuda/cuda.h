/* The device `cuda`: a GPU through the CUDA driver, loaded at run time.

   Streams. Each number is one CUDA stream from its first opening to the device's closing, so that every variant runs on
   the same two hardware queues. Settings of [device]: `memory` of the host, kind of `streams`, `priority_a` and
   `priority_b`.

   Lengths are bytes and trips. A kernel's block has 1024 threads, and all of them do the work; share 1 is as many
   blocks as the device holds at once, and a small share is a few of them. h2d, d2h, d2d are cuMemcpy…Async; kernel-copy
   is a kernel that reads mapped host memory; batch-copy is one cuMemcpyBatchAsync where the driver has it, else a loop,
   and a fact says which.

   Waits: block = cuCtxSynchronize or cuStreamSynchronize in a context that blocks; poll = cuStreamQuery and a short
   sleep; spin = cuStreamQuery alone.

   CONFOUND_CUDA_LIBRARY names a library to load instead of libcuda.so.1, CONFOUND_NVML_LIBRARY one instead of
   libnvidia-ml.so.1. */
#ifndef CF_DEVICE_CUDA_CUDA_H
#define CF_DEVICE_CUDA_CUDA_H

#include "device/device.h"

extern const cf_device_ops cf_device_cuda;

/* The driver's own handles, for instruments that ask the driver's tools about them. device: the bottom one, of this
   backend. Borrowed. The default stream is NULL. */
void *cf_cuda_context_handle(const cf_device *device);
void *cf_cuda_stream_handle(const cf_stream *stream);
int cf_cuda_driver_version(const cf_device *device); /* 13000 = CUDA 13.0 */

#endif
