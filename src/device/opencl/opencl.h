/* The device `opencl`: any driver behind the installed OpenCL loader. A stream is an in-order queue of its own for
   every variant; events are an operation's own. */
#ifndef CF_DEVICE_OPENCL_OPENCL_H
#define CF_DEVICE_OPENCL_OPENCL_H

#include "device/device.h"

extern const cf_device_ops cf_device_opencl;

#endif
