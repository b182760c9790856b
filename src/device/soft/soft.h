/* The device `soft`: the model of docs/model.md executed in real time. Engines are threads, copies move real bytes and
   kernels do real arithmetic, both paced by the clock at a small part of what a core can do.

   It shares with `sim` the description of a model and nothing else. Its lengths are ns: a copy moves its bytes and a
   kernel does its trips spread over that time. An engine wider than CF_SOFT_MAX_WIDTH is UNSUPPORTED. */
#ifndef CF_DEVICE_SOFT_SOFT_H
#define CF_DEVICE_SOFT_SOFT_H

#include <stdint.h>

#include "device/device.h"

#define CF_SOFT_MAX_WIDTH        8u  /* commands that an engine runs at once: each is a thread */
#define CF_SOFT_MAX_STREAMS      64u /* different stream numbers */
#define CF_SOFT_TRIPS_PER_US     10u /* arithmetic of a kernel given in ns, per paced us: about 1.5 % of a core */
#define CF_SOFT_ALLOWANCE_NS     UINT64_C(400000) /* lateness that is caught up; what is beyond moves the schedule */
#define CF_SOFT_IDLE_LATENESS_NS UINT64_C(150000) /* a step's end this late is more than a thread's usual wake-up */
#define CF_SOFT_COMMANDS         16384u           /* commands in flight; then the host blocks */

extern const cf_device_ops cf_device_soft;

/* One 8-byte word of a block, also while a copy writes it: a test looks at a transfer half done. Any thread.
   word < size of the block in bytes / 8. */
uint64_t cf_soft_block_peek(const cf_block *block, uint64_t word);

#endif
