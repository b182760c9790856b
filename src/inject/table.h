/* From a handle to what is kept of it: read without a lock, written under the caller's. A handle whose entry was taken
   away keeps its place, so that one that is made and destroyed in every step costs no room. */
#ifndef CF_INJECT_TABLE_H
#define CF_INJECT_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cf_table_place {
    _Atomic uintptr_t key; /* 0 = free */
    void *_Atomic value;   /* NULL = taken away */
} cf_table_place;

typedef struct cf_table_places {
    size_t count; /* a power of two */
    cf_table_place at[];
} cf_table_places;

typedef struct cf_table {
    cf_table_places *_Atomic places; /* those before stay in memory: somebody may be reading them */
    size_t used;                     /* keys, taken away or not */
} cf_table;

static inline size_t cf_table_hash(uintptr_t key)
{
    return (size_t)((key >> 4) * 0x9e3779b97f4a7c15ull >> 20);
}

/* NULL = it is not there. Any thread, at any time. */
static inline void *cf_table_get(cf_table *table, const void *handle)
{
    cf_table_places *places = atomic_load_explicit(&table->places, memory_order_acquire);
    uintptr_t key = (uintptr_t)handle;
    if (!places || key == 0)
        return NULL;
    for (size_t i = cf_table_hash(key) & (places->count - 1);; i = (i + 1) & (places->count - 1)) {
        uintptr_t there = atomic_load_explicit(&places->at[i].key, memory_order_acquire);
        if (there == key)
            return atomic_load_explicit(&places->at[i].value, memory_order_acquire);
        if (there == 0)
            return NULL;
    }
}

/* Value NULL takes it away. Under the caller's lock. False: no memory. */
bool cf_table_set(cf_table *table, const void *handle, void *value);
/* Calls each for every entry. Under the caller's lock; each may set entries to NULL. */
void cf_table_each(cf_table *table, void (*each)(void *user, const void *handle, void *value), void *user);

#endif
