/* Which device a run uses: the one that was named, or the best one that is there, and why. */
#ifndef CF_CLI_PICK_H
#define CF_CLI_PICK_H

#include "base/error.h"
#include "device/device.h"

typedef struct cf_pick {
    const cf_device_ops *backend;
    int index;
    bool by_name;  /* the user named it */
    char name[32]; /* "soft", "cuda:0" */
    char why[512]; /* a line that says which device was chosen and why; "" where it was named */
} cf_pick;

/* wanted: "sim", "cuda", "cuda:1", "auto" or NULL (= auto): a GPU first, then OpenCL on a processor, then soft.
   NO_DEVICE: no such backend, with the nearest one; whether the device itself is there shows when it is opened. */
cf_status cf_pick_device(const char *wanted, cf_pick *ret_pick, cf_error *err) CF_MUST_CHECK;

#endif
