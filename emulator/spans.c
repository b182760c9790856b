/* The commands as they were executed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/device.h"

#define KEPT 131072u

int cf_emu_spans_begin(cf_emu_spans *spans)
{
    pthread_mutex_lock(&spans->mutex);
    if (!spans->items)
        spans->items = malloc(KEPT * sizeof *spans->items);
    const int result = spans->items ? 0 : -ENOMEM;
    spans->count = 0;
    spans->lost = 0;
    atomic_store(&spans->keeping, result == 0);
    pthread_mutex_unlock(&spans->mutex);
    return result;
}

void cf_emu_spans_add(cf_emu_spans *spans, const cf_emulator_span *span)
{
    if (!atomic_load(&spans->keeping))
        return;
    pthread_mutex_lock(&spans->mutex);
    if (spans->items && spans->count < KEPT)
        spans->items[spans->count++] = *span;
    else
        spans->lost++;
    pthread_mutex_unlock(&spans->mutex);
}

static int by_id(const void *a, const void *b)
{
    const uint64_t x = ((const cf_emulator_span *)a)->id, y = ((const cf_emulator_span *)b)->id;
    return (x > y) - (x < y);
}

size_t cf_emu_spans_read(cf_emu_spans *spans, cf_emulator_span *ret_spans, size_t count)
{
    pthread_mutex_lock(&spans->mutex);
    const size_t kept = spans->count;
    if (kept && count) {
        qsort(spans->items, kept, sizeof *spans->items, by_id);
        memcpy(ret_spans, spans->items, (count < kept ? count : kept) * sizeof *ret_spans);
    }
    pthread_mutex_unlock(&spans->mutex);
    return kept;
}

void cf_emu_spans_end(cf_emu_spans *spans)
{
    pthread_mutex_lock(&spans->mutex);
    atomic_store(&spans->keeping, false);
    free(spans->items);
    spans->items = NULL;
    spans->count = 0;
    pthread_mutex_unlock(&spans->mutex);
}
