/* A device outside the tree, as a backend: the public table behind an internal one. */
#ifndef CF_API_DEVICE_H
#define CF_API_DEVICE_H

#include "confound/device.h"
#include "device/device.h"

typedef struct cf_custom {
    cf_device_ops ops; /* what the rooms below call; an open device points here. First, so that it leads to the rest */
    confound_device_ops outside;
    void *user;
    char name[16];
} cf_custom;

/* Copies the table. INPUT: as confound_options_set_custom_device. ret_custom: stays where it is while a device is open.
 */
cf_status cf_custom_init(const confound_device_ops *outside, void *user, cf_custom *ret_custom,
                         cf_error *err) CF_MUST_CHECK;

#endif
