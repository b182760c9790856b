/* What the parts share that need nothing else. */
#include <pthread.h>
#include <sys/mman.h>

#include "inject/inject.h"

#define ARENA_BYTES ((size_t)1 << 18)

_Atomic unsigned cf_inject_arm_now = CF_ARM_SHIPPED;
cf_inject_counters cf_inject_counted;

static uint64_t commands(int timed, int turned)
{
    return atomic_load_explicit(&cf_inject_counted.commands[timed][turned], memory_order_relaxed);
}

cf_wire_counts cf_inject_counts(void)
{
    uint64_t timed = commands(1, 0), timed_turned = commands(1, 1), plain = commands(0, 0),
             plain_turned = commands(0, 1);
    cf_wire_counts counts = {
        .timing = timed + timed_turned,
        .plain = plain + plain_turned,
        .toggled = timed_turned + plain_turned,
        .answered = atomic_load_explicit(&cf_inject_counted.answered, memory_order_relaxed),
    };
    counts.calls = counts.timing + counts.plain + atomic_load_explicit(&cf_inject_counted.calls, memory_order_relaxed);
    return counts;
}

static struct {
    char *free;
    size_t left;
} arena;

void *cf_inject_alloc(size_t bytes)
{
    static pthread_mutex_t arena_lock = PTHREAD_MUTEX_INITIALIZER;
    bytes = (bytes + 63) / 64 * 64;
    size_t fresh = bytes > ARENA_BYTES ? bytes : ARENA_BYTES;
    pthread_mutex_lock(&arena_lock);
    if (bytes > arena.left) {
        /* cppcheck-suppress invalidFunctionArg ; no file: -1, as mmap wants it */
        void *map = mmap(NULL, fresh, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (map == MAP_FAILED) {
            pthread_mutex_unlock(&arena_lock);
            return NULL;
        }
        arena.free = map;
        arena.left = fresh;
    }
    void *part = arena.free;
    arena.free += bytes;
    arena.left -= bytes;
    pthread_mutex_unlock(&arena_lock);
    return part;
}
