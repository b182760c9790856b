/* What the parts share that need nothing else. */
#include <pthread.h>
#include <sys/mman.h>

#include "inject/inject.h"

#define ARENA_BYTES ((size_t)1 << 18)

_Atomic unsigned cf_inject_arm_now = CF_ARM_SHIPPED;
cf_wire *_Atomic cf_inject_file;
_Thread_local cf_inject_counters *cf_inject_mine;

static cf_inject_counters *_Atomic all_counters;
static cf_inject_counters without_memory; /* of all threads that could not have their own: some additions are lost */
static pthread_key_t at_thread_end;
static bool has_key; /* else a thread's are never used again */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void give_back(void *counters)
{
    cf_inject_counters *mine = counters;
    cf_inject_mine = NULL;
    atomic_store_explicit(&mine->used, false, memory_order_release);
}

static void make_key(void)
{
    has_key = pthread_key_create(&at_thread_end, give_back) == 0;
}

static cf_inject_counters *take_unused(void)
{
    cf_inject_counters *each = atomic_load_explicit(&all_counters, memory_order_acquire);
    for (; each; each = each->next) {
        bool used = false;
        if (atomic_compare_exchange_strong(&each->used, &used, true))
            return each;
    }
    return NULL;
}

static cf_inject_counters *make_counters(void)
{
    cf_inject_counters *fresh = cf_inject_alloc(sizeof *fresh);
    if (!fresh)
        return NULL;
    atomic_store(&fresh->used, true);
    fresh->next = atomic_load(&all_counters);
    while (!atomic_compare_exchange_weak(&all_counters, &fresh->next, fresh))
        ;
    return fresh;
}

cf_inject_counters *cf_inject_counters_take(void)
{
    pthread_once(&once, make_key);
    cf_inject_counters *mine = take_unused();
    if (!mine)
        mine = make_counters();
    if (!mine)
        return &without_memory;
    cf_inject_mine = mine;
    if (has_key)
        pthread_setspecific(at_thread_end, mine);
    return mine;
}

static void add_counters(cf_wire_counts *sum, const cf_inject_counters *of)
{
    uint64_t commands[2][2];
    for (int timed = 0; timed < 2; timed++)
        for (int turned = 0; turned < 2; turned++)
            commands[timed][turned] = atomic_load_explicit(&of->commands[timed][turned], memory_order_relaxed);
    sum->timing += commands[1][0] + commands[1][1];
    sum->plain += commands[0][0] + commands[0][1];
    sum->toggled += commands[0][1] + commands[1][1];
    sum->answered += atomic_load_explicit(&of->answered, memory_order_relaxed);
    sum->calls += atomic_load_explicit(&of->calls, memory_order_relaxed);
}

cf_wire_counts cf_inject_counts(void)
{
    cf_wire_counts sum = {0};
    const cf_inject_counters *each = atomic_load_explicit(&all_counters, memory_order_acquire);
    for (; each; each = each->next)
        add_counters(&sum, each);
    add_counters(&sum, &without_memory);
    sum.calls += sum.timing + sum.plain;
    return sum;
}

#define X PTHREAD_MUTEX_INITIALIZER
static pthread_mutex_t locks[CF_LOCK_COUNT] = {X, X, X, X, X, X, X, X};
#undef X

void cf_inject_lock_take(cf_inject_lock lock)
{
    pthread_mutex_lock(&locks[lock]);
}

void cf_inject_lock_give(cf_inject_lock lock)
{
    pthread_mutex_unlock(&locks[lock]);
}

static struct {
    char *free;
    size_t left;
} arena;

void *cf_inject_alloc(size_t bytes)
{
    bytes = (bytes + 63) / 64 * 64;
    size_t fresh = bytes > ARENA_BYTES ? bytes : ARENA_BYTES;
    cf_inject_lock_take(CF_LOCK_MEMORY);
    if (bytes > arena.left) {
        /* cppcheck-suppress invalidFunctionArg ; no file: -1, as mmap wants it */
        void *map = mmap(NULL, fresh, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED) {
            cf_inject_lock_give(CF_LOCK_MEMORY);
            return NULL;
        }
        arena.free = map;
        arena.left = fresh;
    }
    void *part = arena.free;
    arena.free += bytes;
    arena.left -= bytes;
    cf_inject_lock_give(CF_LOCK_MEMORY);
    return part;
}
