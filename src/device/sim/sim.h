/* Backend `sim`: the model under a virtual clock. It moves and computes nothing; walls are exact to the ns and the same
   on every machine. Unsupported: the data check (no bytes), faults that stall an engine (no thread). */
#ifndef CF_DEVICE_SIM_SIM_H
#define CF_DEVICE_SIM_SIM_H

#include "device/device.h"

extern const cf_device_ops cf_device_sim;

#endif
