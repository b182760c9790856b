/* Futexes, gates, and the engine threads' place among others. */
#include "device/soft/state.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define POLL_NS 20000

void cf_soft_futex_wait(_Atomic uint32_t *word, uint32_t value)
{
    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

void cf_soft_futex_wait_until(_Atomic uint32_t *word, uint32_t value, uint64_t at_ns)
{
    const struct timespec at = {.tv_sec = (time_t)(at_ns / CF_NS_PER_S), .tv_nsec = (long)(at_ns % CF_NS_PER_S)};
    (void)syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, &at, NULL, FUTEX_BITSET_MATCH_ANY);
}

void cf_soft_futex_wake(_Atomic uint32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void cf_soft_wakes_add(cf_soft_wakes *wakes, _Atomic uint32_t *word)
{
    if (wakes->count == sizeof wakes->words / sizeof wakes->words[0])
        cf_soft_futex_wake(word); /* only slower: it wakes to a lock that is held */
    else
        wakes->words[wakes->count++] = word;
}

void cf_soft_wakes_send(cf_soft_wakes *wakes)
{
    for (uint32_t i = 0; i < wakes->count; i++)
        cf_soft_futex_wake(wakes->words[i]);
    wakes->count = 0;
}

/* The host writes `wanted` before it reads `count` again, we write `count` before we read `wanted`: all four in one
   total order, so that one of the two sees the other. */
void cf_soft_gate_down(cf_soft_gate *gate, cf_soft_wakes *wakes)
{
    uint32_t left = atomic_fetch_sub(&gate->count, 1) - 1;
    if (left < atomic_load(&gate->wanted))
        cf_soft_wakes_add(wakes, &gate->count);
}

static void wait_blocked(cf_soft_gate *gate, uint32_t at_most)
{
    uint32_t count = atomic_load(&gate->count);
    while (count > at_most) {
        atomic_store(&gate->wanted, at_most + 1);
        count = atomic_load(&gate->count);
        if (count > at_most)
            cf_soft_futex_wait(&gate->count, count);
        count = atomic_load(&gate->count);
    }
    atomic_store(&gate->wanted, 0);
}

static void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

void cf_soft_gate_wait(cf_soft_gate *gate, uint32_t at_most, cf_wait how)
{
    if (how == CF_WAIT_BLOCK) {
        wait_blocked(gate, at_most);
        return;
    }
    while (atomic_load_explicit(&gate->count, memory_order_acquire) > at_most) {
        if (how == CF_WAIT_SPIN)
            pause_core();
        else
            nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
}

void cf_soft_worker_ring(cf_soft_worker *worker)
{
    atomic_fetch_add(&worker->bell, 1);
    cf_soft_futex_wake(&worker->bell);
}

/* A short time slice lets a thread that sleeps nearly always run soon after it wakes, beside those that never sleep.
   It is a hint that Linux takes since 6.12, and it needs no privilege: it trades the length of a turn for its nearness.
   The layout is the kernel's struct sched_attr, version 0. */
static void ask_for_short_slice(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns, deadline_ns, period_ns;
    } attr = {.size = sizeof attr};
    if (syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0) != 0 || attr.policy != SCHED_OTHER)
        return;
    attr.size = sizeof attr;
    attr.runtime_ns = 100000;
    (void)syscall(SYS_sched_setattr, 0, &attr, 0);
}

void cf_soft_thread_prepare(const char *engine_name)
{
    char name[16]; /* the kernel's limit */
    snprintf(name, sizeof name, "soft:%.10s", engine_name);
    (void)prctl(PR_SET_NAME, name);
    (void)prctl(PR_SET_TIMERSLACK, 1ul);
    ask_for_short_slice();
}
