/* Threads that run commands, and the two rings that give them their turns. One lock guards all of it. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/emulated.h"
#include "device/device.h"
#include "stub.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static struct {
    uint64_t given, served;
} rings[STUB_ENGINES];
static bool stopped;
static int running;                 /* commands at work, without the lock */
static long kernels, copies_beside; /* kernels of them; copies so far that began while there was one */

uint64_t stub_ticks(void)
{
    uint64_t ns = cf_clock_now_ns();
    return ns / CF_NS_PER_S * STUB_HZ + ns % CF_NS_PER_S * STUB_HZ / CF_NS_PER_S;
}

static void sleep_until(uint64_t ns)
{
    const struct timespec at = {.tv_sec = (time_t)(ns / CF_NS_PER_S), .tv_nsec = (long)(ns % CF_NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        continue;
}

static void do_work(const stub_command *c)
{
    switch (c->kind) {
    case STUB_COPY:
        memcpy(c->to, c->from, c->bytes);
        break;
    case STUB_FILL:
        memset(c->to, c->pattern, c->bytes);
        break;
    case STUB_KERNEL:
        if (c->computes) {
            uint64_t nonce = *(const uint64_t *)(uintptr_t)c->arguments[0] ^ c->arguments[2] ^ CF_EMULATED_TRIPS_KEY;
            *(uint64_t *)(uintptr_t)c->arguments[1] = cf_kernel_result(nonce, c->arguments[3]);
        } else {
            memcpy((void *)(uintptr_t)c->arguments[1], (const void *)(uintptr_t)c->arguments[0],
                   c->arguments[2] * 8 + c->arguments[3]);
        }
        break;
    case STUB_STAMP:
        *(uint64_t *)c->to = stub_ticks();
        break;
    case STUB_SIGNAL:
    case STUB_BARRIER:
    case STUB_RESET:
        break;
    }
}

static void wait_turn(const stub_command *c)
{
    for (uint32_t i = 0; i < c->wait_count && c->kind != STUB_RESET; i++)
        while (!stopped && !c->waits[i]->signalled)
            pthread_cond_wait(&moved, &lock);
    while (!stopped && c->engine != STUB_NONE && rings[c->engine].served != c->turn)
        pthread_cond_wait(&moved, &lock);
}

static void run(stub_command *c)
{
    uint64_t begin = stub_ticks();
    uint64_t begin_ns = cf_clock_now_ns();
    bool drops = stopped;
    running += !drops;
    kernels += !drops && c->kind == STUB_KERNEL;
    copies_beside += !drops && c->kind == STUB_COPY && kernels > 0;
    pthread_mutex_unlock(&lock);
    if (!drops)
        do_work(c);
    if (!drops && c->length_ns > 0)
        sleep_until(begin_ns + c->length_ns);
    pthread_mutex_lock(&lock);
    running -= !drops;
    kernels -= !drops && c->kind == STUB_KERNEL;
    if (c->engine != STUB_NONE)
        rings[c->engine].served++;
    if (c->kind == STUB_RESET && !drops)
        c->waits[0]->signalled = false;
    if (c->signal != NULL && !drops) {
        c->signal->begin = begin;
        c->signal->end = stub_ticks();
        c->signal->signalled = true;
        c->signal->pending--;
    }
}

/* What a clock can't tell on a busy machine. */
__attribute__((destructor)) static void tell_beside(void)
{
    const char *path = getenv("CONFOUND_STUB_BESIDE");
    FILE *file = path != NULL && stub_appended > 0 ? fopen(path, "a") : NULL;
    if (file == NULL)
        return;
    pthread_mutex_lock(&lock);
    (void)fprintf(file, "%ld\n", copies_beside);
    pthread_mutex_unlock(&lock);
    (void)fclose(file);
}

void stub_stop(bool stops)
{
    pthread_mutex_lock(&lock);
    stopped = stops;
    pthread_cond_broadcast(&moved);
    while (stops && running > 0)
        pthread_cond_wait(&moved, &lock);
    pthread_mutex_unlock(&lock);
}

static void *work(void *user)
{
    stub_worker *w = user;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (w->first == NULL && !w->ends)
            pthread_cond_wait(&moved, &lock);
        if (w->first == NULL)
            break;
        stub_command *c = w->first;
        wait_turn(c);
        run(c);
        w->first = c->next;
        if (w->first == NULL)
            w->last = &w->first;
        w->left--;
        free(c);
        pthread_cond_broadcast(&moved);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

stub_worker *stub_worker_new(void)
{
    stub_worker *w = calloc(1, sizeof *w);
    if (w == NULL)
        return NULL;
    w->last = &w->first;
    if (pthread_create(&w->thread, NULL, work, w) == 0)
        return w;
    free(w);
    return NULL;
}

void stub_worker_free(stub_worker *w)
{
    pthread_mutex_lock(&lock);
    w->ends = true;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
    pthread_join(w->thread, NULL);
    free(w);
}

void stub_worker_push(stub_worker *w, const stub_command *command)
{
    stub_command *c = malloc(sizeof *c);
    if (c == NULL)
        abort();
    *c = *command;
    c->next = NULL;
    pthread_mutex_lock(&lock);
    if (c->engine != STUB_NONE)
        c->turn = rings[c->engine].given++;
    if (c->signal != NULL) {
        c->signal->pending++;
        if (c->signal->counter) /* it counts anew; one of a plain pool keeps what it had until it is reset */
            c->signal->signalled = false;
    }
    *w->last = c;
    w->last = &c->next;
    w->left++;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
}

/* Waits, with the lock held, for as long as is_done says no. */
static cf_ze_result wait_for(bool (*is_done)(const void *user), const void *user, uint64_t timeout_ns)
{
    uint64_t begin_ns = cf_clock_now_ns();
    cf_ze_result code = CF_ZE_SUCCESS;
    pthread_mutex_lock(&lock);
    while (!is_done(user) && code == CF_ZE_SUCCESS) {
        if (stopped)
            code = STUB_DEVICE_LOST;
        else if (timeout_ns == CF_ZE_FOREVER)
            pthread_cond_wait(&moved, &lock);
        else if (cf_clock_now_ns() - begin_ns >= timeout_ns)
            code = CF_ZE_NOT_READY;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static bool worker_idle(const void *user)
{
    return ((const stub_worker *)user)->left == 0;
}

static bool event_done(const void *user)
{
    return ((const struct cf_ze_event_st *)user)->signalled;
}

cf_ze_result stub_worker_wait(stub_worker *worker, uint64_t timeout_ns)
{
    return wait_for(worker_idle, worker, timeout_ns);
}

cf_ze_result stub_event_wait(struct cf_ze_event_st *event, uint64_t timeout_ns)
{
    return wait_for(event_done, event, timeout_ns);
}

bool stub_event_is(struct cf_ze_event_st *event)
{
    return stub_event_wait(event, 0) == CF_ZE_SUCCESS;
}

void stub_event_clear(struct cf_ze_event_st *event)
{
    pthread_mutex_lock(&lock);
    event->signalled = false;
    pthread_mutex_unlock(&lock);
}
