/* The overlap that an instrument's own timestamps show. */
#ifndef CF_INSTRUMENT_SEEN_H
#define CF_INSTRUMENT_SEEN_H

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

typedef struct cf_seen_interval {
    int64_t begin_ns, end_ns;
} cf_seen_interval;

/* Sorts each lane's intervals by begin and merges them in place; returns how many are left. Those that end before they
   begin (a clock that wrapped) are dropped. */
size_t cf_seen_merge(cf_seen_interval *intervals, size_t count);
/* Sends an operation as an instrument saw it to sink, from first_ns on; its track is its lane's, since no timestamp
   tells which engine it was. */
void cf_seen_tell(cf_span_sink *sink, void *user, const cf_seen_interval *interval, int64_t first_ns, int lane,
                  int64_t index, cf_op_kind kind);
int64_t cf_seen_busy_ns(const cf_seen_interval *merged, size_t count);
int64_t cf_seen_both_ns(const cf_seen_interval *a, size_t a_count, const cf_seen_interval *b, size_t b_count);

#endif
