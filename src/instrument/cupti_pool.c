#include "instrument/cupti_pool.h"

#include <stdatomic.h>
#include <stdlib.h>

#define SLOTS        256
#define SLOT_BYTES   ((size_t)256 << 10)
#define RECORD_BYTES 256u /* no record that is asked for is larger */

enum { FREE, OUT, FULL };

typedef struct slot {
    uint8_t *data;
    size_t valid_bytes;
    _Atomic int state;
} slot;

static slot slots[SLOTS];
static _Atomic size_t slot_count;

cf_status cf_cupti_pool_reserve(uint64_t records, cf_error *err)
{
    uint64_t wanted = records / (SLOT_BYTES / RECORD_BYTES) + 3; /* one is being filled, one is on its way back */
    size_t count = atomic_load(&slot_count);
    for (; count < wanted && count < SLOTS; count++) {
        slots[count].data = malloc(SLOT_BYTES);
        if (slots[count].data == NULL)
            return cf_error_set(err, CF_MEMORY, "out of memory");
        atomic_store(&slot_count, count + 1);
    }
    return CF_OK;
}

void cf_cupti_pool_request(uint8_t **ret_buffer, size_t *ret_bytes, size_t *ret_most_records)
{
    *ret_buffer = NULL;
    *ret_bytes = 0;
    *ret_most_records = 0;
    size_t count = atomic_load(&slot_count);
    for (size_t i = 0; i < count; i++) {
        int expected = FREE;
        if (atomic_compare_exchange_strong(&slots[i].state, &expected, OUT)) {
            *ret_buffer = slots[i].data;
            *ret_bytes = SLOT_BYTES;
            return;
        }
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): CUPTI's signature */
void cf_cupti_pool_complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes)
{
    (void)context;
    (void)stream;
    (void)bytes;
    size_t count = atomic_load(&slot_count);
    for (size_t i = 0; i < count; i++)
        if (slots[i].data == buffer) {
            slots[i].valid_bytes = valid_bytes;
            atomic_store(&slots[i].state, FULL);
            return;
        }
}

void cf_cupti_pool_drain(cf_cupti_pool_visitor *visit, void *user)
{
    size_t count = atomic_load(&slot_count);
    for (size_t i = 0; i < count; i++) {
        if (atomic_load(&slots[i].state) != FULL)
            continue;
        if (visit != NULL)
            visit(user, slots[i].data, slots[i].valid_bytes);
        atomic_store(&slots[i].state, FREE);
    }
}
