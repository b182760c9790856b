/* Instruments: what observes. Each is a device that wraps another device, so that the workload cannot tell which
   variant it runs in; they stack. An instrument object lives only while its own cells run: opened before the clock,
   closed after it, so that the control can prove that none is alive. */
#ifndef CF_INSTRUMENT_INSTRUMENT_H
#define CF_INSTRUMENT_INSTRUMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "device/device.h"

#define CF_WHERE_BEFORE 1u
#define CF_WHERE_AFTER  2u
#define CF_ON_A         1u
#define CF_ON_B         2u

/* What an instrument is told when it is opened: where it records, and the most operations of each lane in a window. */
typedef struct cf_instrument_config {
    unsigned where, on;
    uint32_t capacity[2];
    bool on_operations; /* its events are the operations' own: `where` says nothing there */
} cf_instrument_config;

/* What it can prove after a window, and what it saw. */
typedef struct cf_instrument_reading {
    uint64_t proofs;    /* completed event handles, timestamps that moved, waits that took place, … */
    int64_t overlap_ns; /* by its own timestamps: both lanes busy */
    int64_t shorter_ns; /* busy time of the less busy lane; 0 = it saw nothing */
} cf_instrument_reading;

/* Where an instrument's events go: as the device has it, or always to one of the two. */
typedef enum cf_manner { CF_MANNER_DEVICE, CF_MANNER_OWN, CF_MANNER_BESIDE } cf_manner;

typedef struct cf_instrument_type {
    const char *name;  /* the variant's name */
    const char *about; /* one line */
    cf_role role;
    bool records;             /* takes `where` and `on` */
    cf_manner manner;         /* of its events, where it records */
    bool sync;                /* they are sync events */
    bool by_default;          /* in a job that names none */
    const char *backend;      /* the only one that offers it; NULL = all */
    const char *process_only; /* why one process gives no answer; NULL = it does */
    const char *proof;        /* what `proofs` counts; NULL = nothing to prove */
    /* Owner of ret_device: the caller, by cf_instrument_close. NULL: nothing is wrapped. Outside the clock. */
    cf_status (*open)(const cf_instrument_config *config, cf_device *next, cf_device **ret_device, cf_error *err);
    /* Outside the clock, device idle, once after each window. NULL with `open`. */
    cf_status (*collect)(cf_device *device, cf_instrument_reading *ret_reading, cf_error *err);
    /* How many proofs a window owes that submitted that many operations of each lane: from the job alone, never from
       what the instrument did. NULL: one. */
    uint64_t (*owed)(const cf_instrument_config *config, const uint64_t submitted[2]);
    /* Optional. Outside the clock, after a collect: sends the operations of the window that was collected to sink, by
       the instrument's own timestamps, from the first one on. UNSUPPORTED where it has none. */
    cf_status (*spans)(cf_device *device, cf_span_sink *sink, void *user, cf_error *err);
} cf_instrument_type;

/* Listed by hand, NULL-terminated: controls first. */
extern const cf_instrument_type *const cf_instruments[];
const cf_instrument_type *cf_instrument_find(const char *name); /* NULL if unknown */

/* Are its events the operations' own on that device? Then `where` says nothing. */
bool cf_instrument_on_operations(const cf_instrument_type *type, const cf_device_info *info);

cf_status cf_instrument_open(const cf_instrument_type *type, const cf_instrument_config *config, cf_device *next,
                             cf_device **ret_device, cf_error *err) CF_MUST_CHECK;
cf_status cf_instrument_collect(const cf_instrument_type *type, cf_device *device, cf_instrument_reading *ret_reading,
                                cf_error *err) CF_MUST_CHECK;
void cf_instrument_close(const cf_instrument_type *type, cf_device *device); /* takes a NULL device */
/* Objects open now in this process; another way to wait is a control, and does not count. */
int cf_instrument_alive(void);

#endif
