#include "emulator/queue.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

/* The next batch, or NULL when the queue goes away. While work is under way it is published meanwhile. */
static cf_emu_job *next_job(cf_emu_queue *queue)
{
    cf_emu_stream *stream = &queue->stream;
    cf_emu_job *job = NULL;
    pthread_mutex_lock(&queue->mutex);
    while (!queue->first && !atomic_load(&stream->stop)) {
        if (!stream->work_count) {
            pthread_cond_wait(&queue->arrived, &queue->mutex);
            continue;
        }
        const unsigned seen = cf_emu_clock_seen(&stream->device->clock);
        pthread_mutex_unlock(&queue->mutex);
        if (cf_emu_stream_publish(stream, seen) == CF_EMU_FAILED) {
            atomic_store(&queue->banned, true);
            cf_emu_device_fail(stream->device, stream->failure);
            stream->work_count = 0;
        }
        pthread_mutex_lock(&queue->mutex);
    }
    if (!atomic_load(&stream->stop)) {
        job = queue->first;
        queue->first = job->next;
        if (!queue->first)
            queue->last = &queue->first;
    }
    pthread_mutex_unlock(&queue->mutex);
    return job;
}

/* A fence is written when all that the batch started has ended. */
static void write_fences(cf_emu_stream *stream, const cf_emu_job *job)
{
    for (size_t i = 0; i < job->fence_count; i++) {
        cf_emu_work work = {.span = cf_emu_stream_span(stream, "fence", CF_EMULATOR_OTHER),
                            .post = CF_EMU_POST_VALUE,
                            .address = job->fences[i].address,
                            .value = job->fences[i].value};
        work.span.writes = work.address;
        work.span.writes_bytes = 8;
        if (cf_emu_stream_after(stream, &work) != CF_EMU_NEXT)
            return;
    }
}

static void *run(void *argument)
{
    cf_emu_queue *queue = argument;
    cf_emu_stream *stream = &queue->stream;
    cf_emu_job *job;
    char name[16];
    snprintf(name, sizeof name, "emulated-%.6s", stream->engine->name);
    prctl(PR_SET_NAME, name);
    prctl(PR_SET_TIMERSLACK, 1ul);
    while ((job = next_job(queue)) != NULL) {
        const cf_emu_step step =
            atomic_load(&queue->banned) ? CF_EMU_FAILED : cf_emu_stream_run(stream, job->address, job->at_ns);
        if (step == CF_EMU_FAILED) {
            atomic_store(&queue->banned, true);
            cf_emu_clock_changed(&stream->device->clock); /* who waits for its fences looks again */
        } else if (step == CF_EMU_ENDED) {
            write_fences(stream, job);
        }
        free(job);
    }
    return NULL;
}

/* Signals are for the program's own threads. */
static int start_thread(cf_emu_queue *queue)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failure = pthread_create(&queue->thread, NULL, run, queue);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

int cf_emu_queue_new(cf_emu_device *device, cf_emu_space *space, cf_emu_engine *engine, uint32_t id,
                     cf_emu_queue **ret_queue)
{
    cf_emu_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return ENOMEM;
    cf_emu_stream_open(&queue->stream, device, space, engine, id);
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->arrived, NULL);
    queue->last = &queue->first;
    const int failure = start_thread(queue);
    if (failure) {
        pthread_cond_destroy(&queue->arrived);
        pthread_mutex_destroy(&queue->mutex);
        free(queue);
        return failure;
    }
    *ret_queue = queue;
    return 0;
}

void cf_emu_queue_free(cf_emu_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    atomic_store(&queue->stream.stop, true);
    pthread_cond_broadcast(&queue->arrived);
    pthread_mutex_unlock(&queue->mutex);
    cf_emu_clock_changed(&queue->stream.device->clock);
    pthread_join(queue->thread, NULL);
    while (queue->first) {
        cf_emu_job *job = queue->first;
        queue->first = job->next;
        free(job);
    }
    pthread_cond_destroy(&queue->arrived);
    pthread_mutex_destroy(&queue->mutex);
    free(queue);
}

int cf_emu_queue_submit(cf_emu_queue *queue, const cf_emu_job *job)
{
    if (atomic_load(&queue->banned))
        return ECANCELED;
    cf_emu_job *own = malloc(sizeof *own);
    if (!own)
        return ENOMEM;
    *own = *job;
    own->next = NULL;
    pthread_mutex_lock(&queue->mutex);
    *queue->last = own;
    queue->last = &own->next;
    pthread_cond_signal(&queue->arrived);
    pthread_mutex_unlock(&queue->mutex);
    cf_emu_clock_changed(&queue->stream.device->clock);
    return 0;
}
