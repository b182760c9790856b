#include "inject/table.h"

#include "inject/inject.h"

#define FIRST_PLACES 1024u

static cf_table_place *place_of(cf_table_places *places, uintptr_t key)
{
    size_t i = cf_table_hash(key) & (places->count - 1);
    for (;; i = (i + 1) & (places->count - 1)) {
        uintptr_t there = atomic_load_explicit(&places->at[i].key, memory_order_relaxed);
        if (there == key || there == 0)
            return &places->at[i];
    }
}

static void put(cf_table_places *places, uintptr_t key, void *value)
{
    cf_table_place *place = place_of(places, key);
    atomic_store_explicit(&place->value, value, memory_order_relaxed);
    atomic_store_explicit(&place->key, key, memory_order_release);
}

/* What was taken away is left behind. */
static bool grow(cf_table *table)
{
    cf_table_places *old = atomic_load_explicit(&table->places, memory_order_relaxed);
    size_t alive = 0;
    for (size_t i = 0; old && i < old->count; i++)
        alive += atomic_load_explicit(&old->at[i].value, memory_order_relaxed) != NULL;
    size_t count = FIRST_PLACES;
    while (count < 4 * (alive + 1))
        count *= 2;
    cf_table_places *fresh = cf_inject_alloc(sizeof *fresh + count * sizeof fresh->at[0]);
    if (!fresh)
        return false;
    fresh->count = count;
    for (size_t i = 0; old && i < old->count; i++) {
        void *value = atomic_load_explicit(&old->at[i].value, memory_order_relaxed);
        if (value)
            put(fresh, atomic_load_explicit(&old->at[i].key, memory_order_relaxed), value);
    }
    table->used = alive;
    atomic_store_explicit(&table->places, fresh, memory_order_release);
    return true;
}

bool cf_table_set(cf_table *table, const void *handle, void *value)
{
    uintptr_t key = (uintptr_t)handle;
    cf_table_places *places = atomic_load_explicit(&table->places, memory_order_relaxed);
    if (key == 0)
        return false;
    if (!places && (!value || !grow(table)))
        return !value;
    places = atomic_load_explicit(&table->places, memory_order_relaxed);
    cf_table_place *place = place_of(places, key);
    if (atomic_load_explicit(&place->key, memory_order_relaxed) == key) {
        atomic_store_explicit(&place->value, value, memory_order_release);
        return true;
    }
    if (!value)
        return true;
    if (2 * (table->used + 1) > places->count) {
        if (!grow(table))
            return false;
        places = atomic_load_explicit(&table->places, memory_order_relaxed);
    }
    put(places, key, value);
    table->used++;
    return true;
}

void cf_table_each(cf_table *table, void (*each)(void *user, const void *handle, void *value), void *user)
{
    cf_table_places *places = atomic_load_explicit(&table->places, memory_order_relaxed);
    for (size_t i = 0; places && i < places->count; i++) {
        void *value = atomic_load_explicit(&places->at[i].value, memory_order_relaxed);
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): it was one */
        const void *handle = (const void *)atomic_load_explicit(&places->at[i].key, memory_order_relaxed);
        if (value)
            each(user, handle, value);
    }
}
