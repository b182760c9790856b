/* The time that the emulated engines run by: CLOCK_MONOTONIC, or in tests a clock that jumps. Engines keep the schedule
   of the model in absolute ns and publish a result when its time has come; a thread that wakes late makes nothing after
   it late. Any thread. */
#ifndef CF_EMULATOR_CLOCK_H
#define CF_EMULATOR_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct cf_emu_clock {
    bool virtual_time; /* now_ns moves only when somebody waits; one thread */
    uint64_t virtual_ns;
    atomic_uint changes; /* futex: rises with every write of the device and with every stop */
    atomic_uint waiting;
} cf_emu_clock;

uint64_t cf_emu_clock_now(cf_emu_clock *clock);
/* Returns at at_ns, or earlier if changes is no longer `seen`. */
void cf_emu_clock_wait(cf_emu_clock *clock, unsigned seen, uint64_t at_ns);
unsigned cf_emu_clock_seen(cf_emu_clock *clock);
void cf_emu_clock_changed(cf_emu_clock *clock); /* wakes all that wait */
/* How long to sleep before looking again at memory that the host may have written, after waiting for waited_ns. */
uint64_t cf_emu_clock_pause_ns(uint64_t waited_ns);

#endif
