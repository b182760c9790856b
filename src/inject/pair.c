#include "inject/pair.h"

#include "inject/cuda_api.h"

#define TWINS_MAX 4096u

typedef struct idle_twin {
    void *twin, *context;
    unsigned flags;
} idle_twin;

cf_table cf_pairs;
static cf_pair *free_pairs;
static idle_twin idle[TWINS_MAX];
static size_t idle_count;

static void release(cf_pair *pair)
{
    pair->next = free_pairs;
    free_pairs = pair;
}

/* Under the lock. */
static void *take_twin(void *context, unsigned flags)
{
    for (size_t i = idle_count; i-- > 0;) {
        if (idle[i].context != context || idle[i].flags != flags)
            continue;
        void *twin = idle[i].twin;
        idle[i] = idle[--idle_count];
        return twin;
    }
    return NULL;
}

static void begin_pair(cf_pair *pair, void *own, void *twin, void *context, unsigned flags)
{
    pair->own = own;
    pair->twin = twin;
    pair->context = context;
    pair->flags = flags;
    pair->timing = (flags & CF_CU_NO_TIMING) == 0;
    atomic_store_explicit(&pair->last, NULL, memory_order_relaxed);
    atomic_store_explicit(&pair->pinned, false, memory_order_relaxed);
    atomic_store_explicit(&pair->ms, 0.0f, memory_order_relaxed);
}

static cf_pair *take_pair(void)
{
    cf_pair *pair = free_pairs;
    if (!pair)
        return cf_inject_alloc(sizeof *pair);
    free_pairs = pair->next;
    return pair;
}

cf_pair *cf_pair_add(void *own, void *context, unsigned flags, bool may_turn)
{
    cf_inject_lock_take(CF_LOCK_PAIRS);
    cf_pair *pair = cf_table_get(&cf_pairs, own);
    bool fresh = pair == NULL;
    if (fresh)
        pair = take_pair();
    if (pair)
        begin_pair(pair, own, may_turn ? take_twin(context, flags ^ CF_CU_NO_TIMING) : NULL, context, flags);
    if (pair && fresh && !cf_table_set(&cf_pairs, own, pair)) {
        release(pair);
        pair = NULL;
    }
    cf_inject_lock_give(CF_LOCK_PAIRS);
    return pair;
}

void *cf_pair_remove(void *own)
{
    cf_inject_lock_take(CF_LOCK_PAIRS);
    cf_pair *pair = cf_table_get(&cf_pairs, own);
    void *twin = pair ? pair->twin : NULL;
    if (pair) {
        cf_table_set(&cf_pairs, own, NULL);
        release(pair);
    }
    if (twin && idle_count < TWINS_MAX) {
        idle[idle_count++] = (idle_twin){twin, pair->context, pair->flags ^ CF_CU_NO_TIMING};
        twin = NULL;
    }
    cf_inject_lock_give(CF_LOCK_PAIRS);
    return twin;
}

static void forget(void *user, const void *handle, void *value)
{
    const void *context = user;
    cf_pair *pair = value;
    if (context && pair->context != context)
        return;
    cf_table_set(&cf_pairs, handle, NULL);
    release(pair);
}

void cf_pairs_forget(const void *context)
{
    cf_inject_lock_take(CF_LOCK_PAIRS);
    for (size_t i = idle_count; i-- > 0;)
        if (!context || idle[i].context == context)
            idle[i] = idle[--idle_count];
    if (context)
        cf_table_each(&cf_pairs, forget, (void *)(uintptr_t)context); /* NOLINT(performance-no-int-to-ptr) */
    cf_inject_lock_give(CF_LOCK_PAIRS);
}
