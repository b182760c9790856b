/* The overlap that an instrument's own timestamps show. */
#ifndef CF_INSTRUMENT_SEEN_H
#define CF_INSTRUMENT_SEEN_H

#include <stddef.h>
#include <stdint.h>

typedef struct cf_seen_interval {
    int64_t begin_ns, end_ns;
} cf_seen_interval;

/* Sorts each lane's intervals by begin and merges them in place; returns how many are left. Those that end before they
   begin (a clock that wrapped) are dropped. */
size_t cf_seen_merge(cf_seen_interval *intervals, size_t count);
int64_t cf_seen_busy_ns(const cf_seen_interval *merged, size_t count);
int64_t cf_seen_both_ns(const cf_seen_interval *a, size_t a_count, const cf_seen_interval *b, size_t b_count);

#endif
