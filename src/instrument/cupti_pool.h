/* Buffers for CUPTI's activity records, made before the clock runs. CUPTI asks for them and gives them back from
   threads of its own, so they belong to the process, and are never freed. */
#ifndef CF_INSTRUMENT_CUPTI_POOL_H
#define CF_INSTRUMENT_CUPTI_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Room for that many records in one window, as far as 64 MiB go; what finds no room CUPTI drops, and is missing from
   the proof. Outside the clock. */
cf_status cf_cupti_pool_reserve(uint64_t records, cf_error *err) CF_MUST_CHECK;
/* CUPTI's two callbacks. Any thread; no lock. */
void cf_cupti_pool_request(uint8_t **ret_buffer, size_t *ret_bytes, size_t *ret_most_records);
void cf_cupti_pool_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes);
/* Gives every buffer that came back to visit (NULL: to nobody), and makes it free again. */
typedef void cf_cupti_pool_visitor(void *user, uint8_t *buffer, size_t valid_bytes);
void cf_cupti_pool_drain(cf_cupti_pool_visitor *visit, void *user);

#endif
