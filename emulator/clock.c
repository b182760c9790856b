#include "emulator/clock.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

uint64_t cf_emu_clock_now(cf_emu_clock *clock)
{
    return clock->virtual_time ? clock->virtual_ns : cf_clock_now_ns();
}

unsigned cf_emu_clock_seen(cf_emu_clock *clock)
{
    return atomic_load(&clock->changes);
}

void cf_emu_clock_wait(cf_emu_clock *clock, unsigned seen, uint64_t at_ns)
{
    if (clock->virtual_time) {
        if (clock->virtual_ns < at_ns)
            clock->virtual_ns = at_ns;
        return;
    }
    const struct timespec at = {.tv_sec = (time_t)(at_ns / CF_NS_PER_S), .tv_nsec = (long)(at_ns % CF_NS_PER_S)};
    atomic_fetch_add(&clock->waiting, 1);
    /* FUTEX_WAIT_BITSET, because its timeout is absolute. */
    syscall(SYS_futex, &clock->changes, FUTEX_WAIT_BITSET_PRIVATE, seen, &at, NULL, FUTEX_BITSET_MATCH_ANY);
    atomic_fetch_sub(&clock->waiting, 1);
}

void cf_emu_clock_changed(cf_emu_clock *clock)
{
    atomic_fetch_add(&clock->changes, 1);
    if (atomic_load(&clock->waiting))
        syscall(SYS_futex, &clock->changes, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* The host's writes are plain stores, so they have to be looked for. Work comes soon after work or not for long: an
   eighth of the wait so far keeps the error small beside the wait, and an idle queue cheap. */
uint64_t cf_emu_clock_pause_ns(uint64_t waited_ns)
{
    const uint64_t pause_ns = waited_ns / 8;
    return pause_ns < 20000 ? 20000 : pause_ns > 250000 ? 250000 : pause_ns;
}
