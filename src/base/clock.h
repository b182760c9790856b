/* The host's monotonic clock. */
#ifndef CF_BASE_CLOCK_H
#define CF_BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define CF_NS_PER_S 1000000000ull

uint64_t cf_clock_now_ns(void);        /* CLOCK_MONOTONIC; any thread; takes no lock */
uint64_t cf_clock_resolution_ns(void); /* smallest step seen over a few thousand readings, at least 1 */
void cf_clock_sleep_until_ns(uint64_t at_ns);
/* Run-queue delay of the calling thread so far (second field of /proc/thread-self/schedstat), or -1 where the kernel
   has none. */
int64_t cf_clock_delay_ns(void);
/* The same of a thread of this process, by the kernel's number; -1 also where there is no such thread. */
int64_t cf_clock_thread_delay_ns(int64_t thread);
/* UTC, "2026-11-29T22:49:14Z". At least 24 bytes. Returns buf. */
const char *cf_clock_utc(char *buf, size_t buf_bytes);

#endif
