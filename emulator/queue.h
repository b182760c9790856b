/* Exec queues: each has an engine, an address space, and a thread that runs its batches one after another. Any thread.
 */
#ifndef CF_EMULATOR_QUEUE_H
#define CF_EMULATOR_QUEUE_H

#include "emulator/stream.h"

typedef struct cf_emu_fence {
    uint64_t address, value; /* GPU address, 8 bytes */
} cf_emu_fence;
#define CF_EMU_FENCES 8u

typedef struct cf_emu_job {
    uint64_t address, at_ns;
    cf_emu_fence fences[CF_EMU_FENCES];
    size_t fence_count;
    struct cf_emu_job *next;
} cf_emu_job;

typedef struct cf_emu_queue {
    cf_emu_stream stream;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t arrived;
    cf_emu_job *first, **last;
    atomic_bool banned; /* a batch could not be run: as the kernel does after a hang, nothing more is */
} cf_emu_queue;

/* Both outlive the queue. 0 or a positive errno. */
int cf_emu_queue_new(cf_emu_device *device, cf_emu_space *space, cf_emu_engine *engine, uint32_t id,
                     cf_emu_queue **ret_queue);
/* Stops what runs, waits for the thread, frees. */
void cf_emu_queue_free(cf_emu_queue *queue);
/* 0, ENOMEM, or ECANCELED on a banned queue. */
int cf_emu_queue_submit(cf_emu_queue *queue, const cf_emu_job *job);

#endif
