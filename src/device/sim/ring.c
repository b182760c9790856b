#include "device/sim/ring.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64

bool cf_ring_grow(cf_ring *ring, size_t item_bytes)
{
    const uint64_t capacity = ring->capacity ? 2 * ring->capacity : FIRST_CAPACITY;
    if (capacity > SIZE_MAX / item_bytes)
        return false;
    char *items = malloc((size_t)capacity * item_bytes);
    if (!items)
        return false;
    for (uint64_t i = ring->head; i < ring->tail; i++)
        memcpy(items + (i & (capacity - 1)) * item_bytes, (const char *)ring->items + cf_ring_at(ring, i) * item_bytes,
               item_bytes);
    free(ring->items);
    ring->items = items;
    ring->capacity = capacity;
    return true;
}

void cf_ring_done(cf_ring *ring)
{
    free(ring->items);
    *ring = (cf_ring){0};
}
