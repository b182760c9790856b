/* The device `level-zero`: an Intel GPU through the installed Level Zero loader, loaded at run time.

   Streams. Each number is one stream from its first opening to the device's closing, so that every variant runs on the
   same queues. [device] streams says what one is:
     offload      an in-order immediate command list on the compute ordinal, with the copy offload hint: what PyTorch's
                  XPU streams are (SYCL's v2 adapter)
     no-offload   the same without the hint
     split        an in-order immediate list on the compute ordinal for kernels, one on a copy ordinal for copies
     queues       the same two ordinals with regular command queues: each command is recorded into a list of its own,
                  closed and executed
   A stream that both lanes share (one-queue) is always one immediate list, with the hint unless it is no-offload.

   Paths. The loader may be 1.8.12 or newer, and the driver older or newer than it: what is used of order in a list, the
   offload hint, counter-based events and the wait for a list is what both offer, and facts say which.

   Events. A sync event is an operation's own signal event where an instrument asks for that (`sync`), or an appended
   signal (`sync-signal`). A timing event is a global timestamp appended with a sync event (`timing`: what SYCL's
   profiling tag, and so a timing event of PyTorch XPU, becomes). A stamped event is signalled with the device's
   timestamps, as an operation's own (`timing-event`) or appended (`timing-signal`).

   Emulated. Under Intel's own driver on an emulated GPU everything is simulated: it is said in the driver's name and in
   facts; kernels are not computed.

   CONFOUND_ZE_LIBRARY names a library to load instead of libze_loader.so.1. */
#ifndef CF_DEVICE_LEVEL_ZERO_LEVEL_ZERO_H
#define CF_DEVICE_LEVEL_ZERO_LEVEL_ZERO_H

#include "base/dl.h"
#include "device/device.h"

extern const cf_device_ops cf_device_level_zero;

/* The loader of an open device of this backend, for an instrument that asks it for its tools. Borrowed until close. */
const cf_dl *cf_level_zero_loader(const cf_device *device);

#endif
