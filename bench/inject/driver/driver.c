/* A CUDA driver in which a call costs next to nothing, to see what standing in front of it costs. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define ENTRY __attribute__((visibility("default"), noinline))

static volatile uint64_t calls;

ENTRY int cuCtxGetCurrent(void **ret)
{
    static char context;
    *ret = &context;
    return 0;
}

ENTRY int cuEventCreate(void **ret, unsigned flags)
{
    (void)flags;
    *ret = malloc(64);
    return *ret == NULL;
}

ENTRY int cuEventDestroy_v2(void *event)
{
    free(event);
    return 0;
}

/* NOLINTBEGIN(misc-unused-parameters): it does nothing */
#define NEXT_TO_NOTHING(name, parameters)                                                                              \
    ENTRY int name parameters                                                                                          \
    {                                                                                                                  \
        calls = calls + 1;                                                                                             \
        return 0;                                                                                                      \
    }
NEXT_TO_NOTHING(cuEventRecord, (void *event, void *stream))
NEXT_TO_NOTHING(cuEventQuery, (void *event))
NEXT_TO_NOTHING(cuEventSynchronize, (void *event))
NEXT_TO_NOTHING(cuStreamWaitEvent, (void *stream, void *event, unsigned flags))
NEXT_TO_NOTHING(cuCtxSynchronize, (void))
/* NOLINTEND(misc-unused-parameters) */

ENTRY int cuEventElapsedTime(float *ret_ms, void *begin, void *end)
{
    (void)begin, (void)end;
    calls = calls + 1;
    *ret_ms = 1;
    return 0;
}
