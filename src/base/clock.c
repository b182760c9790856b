#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

uint64_t cf_clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * CF_NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t cf_clock_resolution_ns(void)
{
    uint64_t least_ns = UINT64_MAX;
    uint64_t last_ns = cf_clock_now_ns();
    for (int i = 0; i < 4096; i++) {
        const uint64_t now_ns = cf_clock_now_ns();
        if (now_ns > last_ns && now_ns - last_ns < least_ns)
            least_ns = now_ns - last_ns;
        last_ns = now_ns;
    }
    if (least_ns != UINT64_MAX)
        return least_ns;
    /* A clock so coarse that it stood still for all readings: what the system says. */
    struct timespec step;
    if (clock_getres(CLOCK_MONOTONIC, &step) != 0)
        return 1;
    const uint64_t step_ns = (uint64_t)step.tv_sec * CF_NS_PER_S + (uint64_t)step.tv_nsec;
    return step_ns ? step_ns : 1;
}

void cf_clock_sleep_until_ns(uint64_t at_ns)
{
    const struct timespec at = {.tv_sec = (time_t)(at_ns / CF_NS_PER_S), .tv_nsec = (long)(at_ns % CF_NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

static int64_t delay_ns(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    char buf[96];
    const ssize_t length = read(fd, buf, sizeof buf - 1);
    close(fd);
    if (length <= 0)
        return -1;
    buf[length] = 0;
    /* "RAN_NS DELAY_NS SLICES" */
    char *at = buf;
    long long fields[3];
    for (int i = 0; i < 3; i++) {
        char *end;
        fields[i] = strtoll(at, &end, 10);
        if (end == at || fields[i] < 0)
            return -1;
        at = end;
    }
    /* The file reads "0 0 0" where the kernel's accounting is switched off: this thread has run, so that is no fact. */
    return fields[0] == 0 && fields[2] == 0 ? -1 : fields[1];
}

int64_t cf_clock_delay_ns(void)
{
    return delay_ns("/proc/thread-self/schedstat");
}

int64_t cf_clock_thread_delay_ns(int64_t thread)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%lld/schedstat", (long long)thread);
    return delay_ns(path);
}

const char *cf_clock_utc(char *buf, size_t buf_bytes)
{
    const time_t now = time(NULL);
    struct tm parts;
    if (!buf_bytes)
        return buf;
    if (!gmtime_r(&now, &parts) || strftime(buf, buf_bytes, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        buf[0] = 0;
    return buf;
}
