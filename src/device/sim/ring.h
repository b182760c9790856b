/* A growing FIFO's arithmetic: a power-of-two array addressed by two counts that only rise. */
#ifndef CF_DEVICE_SIM_RING_H
#define CF_DEVICE_SIM_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cf_ring {
    void *items;
    uint64_t capacity; /* items that fit: 0 or a power of two */
    uint64_t head;     /* count of items taken out so far */
    uint64_t tail;     /* count of items put in so far */
} cf_ring;

/* Makes room for one item more, of item_bytes. False: out of memory, and the ring is as it was. */
bool cf_ring_grow(cf_ring *ring, size_t item_bytes);
void cf_ring_done(cf_ring *ring);

static inline bool cf_ring_room(cf_ring *ring, size_t item_bytes)
{
    return ring->tail - ring->head < ring->capacity || cf_ring_grow(ring, item_bytes);
}

static inline uint64_t cf_ring_count(const cf_ring *ring)
{
    return ring->tail - ring->head;
}

/* Where the item of that count lies in items. */
static inline uint64_t cf_ring_at(const cf_ring *ring, uint64_t count)
{
    return count & (ring->capacity - 1);
}

#endif
