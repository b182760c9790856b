/* One round of a record. */
#ifndef CF_RECORD_ROUND_IN_H
#define CF_RECORD_ROUND_IN_H

#include "record/node.h"

/* Reads node into round, which cf_rounds_add made for variant_count variants. */
cf_status cf_round_read(const cf_node *node, int variant_count, cf_round *round) CF_MUST_CHECK;

/* The fast way, for lines exactly as cf_write_round makes them: takes the round that begins at text and moves *at
   behind it. False where anything is other than expected (the round may be half filled): read it with jansson then,
   which also knows what to say about it. */
bool cf_round_scan(cf_json_text json, size_t *at, int variant_count, cf_round *round);

/* True where order holds each of 0 .. count-1 once. */
bool cf_round_is_permutation(const int *order, int count);

#endif
