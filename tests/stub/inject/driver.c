/* A CUDA driver for the tests of the preloaded library: streams are threads, a kernel sleeps, and events obey the rules
   of the real one to the letter, with its error where they are broken. A record of an event that takes times is a
   barrier for everything that is submitted after it, to whichever stream, as with one hardware connection, where
   FAKE_CUDA_CONNECTIONS is 1. A kernel's handle is how long it runs, in ns. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ENTRY      __attribute__((visibility("default")))
#define OK         0
#define INVALID    1
#define BAD_HANDLE 400
#define NOT_FOUND  500
#define NOT_READY  600
#define NO_TIMING  2u
#define MAGIC      0xe7e47u

typedef enum op_kind { KERNEL, RECORD, WAIT } op_kind;

typedef struct ticket { /* of one record; freed with the process */
    bool done;
    uint64_t at_ns;
    struct ticket *made_before;
} ticket;

typedef struct event {
    unsigned magic, flags;
    ticket *ticket; /* of the last record */
    bool captured;
} event;

typedef struct op {
    op_kind kind;
    uint64_t ns;
    ticket *done;  /* completed by it */
    ticket *first; /* waited for before it */
    struct op *next;
} op;

typedef struct stream {
    unsigned magic;
    pthread_t thread;
    op *head, **tail;
    bool busy, ends, captures;
    struct stream *next;
} stream;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static stream *streams;
static stream *default_stream;
static ticket *barrier, *tickets;
static long unknown_calls;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_ns(uint64_t ns)
{
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        ;
}

static void *serve(void *user)
{
    stream *s = user;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!s->head && !s->ends)
            pthread_cond_wait(&changed, &lock);
        if (!s->head)
            break;
        op *o = s->head;
        s->head = o->next;
        if (!s->head)
            s->tail = &s->head;
        s->busy = true;
        while (o->first && !o->first->done)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        if (o->kind == KERNEL)
            sleep_ns(o->ns);
        pthread_mutex_lock(&lock);
        if (o->done) {
            o->done->at_ns = now_ns();
            o->done->done = true;
        }
        s->busy = false;
        free(o);
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static stream *new_stream(void)
{
    stream *s = calloc(1, sizeof *s);
    s->magic = MAGIC;
    s->tail = &s->head;
    pthread_create(&s->thread, NULL, serve, s);
    s->next = streams;
    streams = s;
    return s;
}

static stream *stream_of(void *handle)
{
    if (handle && handle != (void *)1 && handle != (void *)2)
        return ((stream *)handle)->magic == MAGIC ? handle : NULL;
    if (!default_stream)
        default_stream = new_stream();
    return default_stream;
}

static event *event_of(void *handle)
{
    return handle && ((event *)handle)->magic == MAGIC ? handle : NULL;
}

static ticket *new_ticket(void)
{
    ticket *t = calloc(1, sizeof *t);
    t->made_before = tickets;
    tickets = t;
    return t;
}

/* Under the lock. Two that have to be waited for: the barrier comes as an operation of its own. */
static void push(stream *s, op_kind kind, uint64_t ns, ticket *done, ticket *first)
{
    if (first && barrier && !barrier->done)
        push(s, WAIT, 0, NULL, NULL);
    op *o = calloc(1, sizeof *o);
    *o = (op){.kind = kind, .ns = ns, .done = done, .first = first ? first : barrier};
    *s->tail = o;
    s->tail = &o->next;
    pthread_cond_broadcast(&changed);
}

static bool idle(const stream *s)
{
    return !s->head && !s->busy;
}

static int take_record(event *e, stream *s)
{
    if (!e || !s)
        return BAD_HANDLE;
    const char *connections = getenv("FAKE_CUDA_CONNECTIONS");
    e->captured = s->captures;
    if (s->captures)
        return OK;
    e->ticket = new_ticket();
    push(s, RECORD, 0, e->ticket, NULL);
    if (!(e->flags & NO_TIMING) && connections && strcmp(connections, "1") == 0)
        barrier = e->ticket;
    return OK;
}

#define LOCKED(expression)                                                                                             \
    do {                                                                                                               \
        pthread_mutex_lock(&lock);                                                                                     \
        int result_ = (expression);                                                                                    \
        pthread_mutex_unlock(&lock);                                                                                   \
        return result_;                                                                                                \
    } while (0)

ENTRY int cuInit(unsigned flags)
{
    return flags == 0 ? OK : INVALID;
}

ENTRY int cuCtxGetCurrent(void **ret)
{
    static char context;
    *ret = &context;
    return OK;
}

ENTRY int cuStreamCreate(void **ret, unsigned flags)
{
    (void)flags;
    pthread_mutex_lock(&lock);
    *ret = new_stream();
    pthread_mutex_unlock(&lock);
    return OK;
}

/* What was submitted still runs. */
ENTRY int cuStreamDestroy_v2(void *handle)
{
    pthread_mutex_lock(&lock);
    stream *s = handle ? stream_of(handle) : NULL;
    if (s)
        s->ends = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return s ? OK : BAD_HANDLE;
}

/* NOLINTNEXTLINE(readability-function-size): the driver's own parameters */
ENTRY int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                         unsigned shared, void *handle, void **parameters, void **extra)
{
    (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)parameters, (void)extra;
    pthread_mutex_lock(&lock);
    stream *s = stream_of(handle);
    if (s && !s->captures)
        push(s, KERNEL, (uint64_t)(uintptr_t)function, NULL, NULL);
    pthread_mutex_unlock(&lock);
    return s ? OK : BAD_HANDLE;
}

static int wait_stream(void *handle)
{
    stream *s = stream_of(handle);
    while (s && !idle(s))
        pthread_cond_wait(&changed, &lock);
    return s ? OK : BAD_HANDLE;
}

ENTRY int cuStreamSynchronize(void *handle)
{
    LOCKED(wait_stream(handle));
}

ENTRY int cuStreamSynchronize_ptsz(void *handle)
{
    LOCKED(wait_stream(handle));
}

ENTRY int cuCtxSynchronize(void)
{
    pthread_mutex_lock(&lock);
    for (stream *s = streams; s; s = s->next)
        while (!idle(s))
            pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return OK;
}

ENTRY int cuEventCreate(void **ret, unsigned flags)
{
    event *e = calloc(1, sizeof *e);
    e->magic = MAGIC;
    e->flags = flags;
    *ret = e;
    return flags <= 7 ? OK : INVALID;
}

ENTRY int cuEventDestroy_v2(void *handle)
{
    event *e = event_of(handle);
    if (!e)
        return BAD_HANDLE;
    e->magic = 0;
    free(e);
    return OK;
}

ENTRY int cuEventRecord(void *handle, void *on)
{
    LOCKED(take_record(event_of(handle), stream_of(on)));
}

ENTRY int cuEventRecord_ptsz(void *handle, void *on)
{
    LOCKED(take_record(event_of(handle), stream_of(on)));
}

ENTRY int cuEventRecordWithFlags(void *handle, void *on, unsigned flags)
{
    (void)flags;
    LOCKED(take_record(event_of(handle), stream_of(on)));
}

static int query(void *handle)
{
    event *e = event_of(handle);
    return !e ? BAD_HANDLE : e->captured ? INVALID : e->ticket && !e->ticket->done ? NOT_READY : OK;
}

ENTRY int cuEventQuery(void *handle)
{
    LOCKED(query(handle));
}

static int wait_event(void *handle)
{
    int result = query(handle);
    for (; result == NOT_READY; result = query(handle))
        pthread_cond_wait(&changed, &lock);
    return result;
}

ENTRY int cuEventSynchronize(void *handle)
{
    LOCKED(wait_event(handle));
}

static int stream_wait(void *on, void *handle)
{
    event *e = event_of(handle);
    stream *s = stream_of(on);
    if (!e || !s)
        return BAD_HANDLE;
    if (e->captured)
        s->captures = true;
    else if (e->ticket)
        push(s, WAIT, 0, NULL, e->ticket);
    return OK;
}

ENTRY int cuStreamWaitEvent(void *on, void *handle, unsigned flags)
{
    (void)flags;
    LOCKED(stream_wait(on, handle));
}

ENTRY int cuStreamWaitEvent_ptsz(void *on, void *handle, unsigned flags)
{
    (void)flags;
    LOCKED(stream_wait(on, handle));
}

static int elapsed(float *ret_ms, void *begin, void *end)
{
    event *a = event_of(begin), *b = event_of(end);
    if (!a || !b || ((a->flags | b->flags) & NO_TIMING) || !a->ticket || !b->ticket)
        return BAD_HANDLE;
    if (!a->ticket->done || !b->ticket->done)
        return NOT_READY;
    *ret_ms = (float)((double)b->ticket->at_ns - (double)a->ticket->at_ns) / 1e6f;
    return OK;
}

ENTRY int cuEventElapsedTime(float *ret_ms, void *begin, void *end)
{
    LOCKED(elapsed(ret_ms, begin, end));
}

/* A graph is one event that is recorded, or waited for, when it is launched. */
typedef struct graph {
    void *record, *wait;
} graph;

ENTRY int cuGraphCreate(void **ret, unsigned flags)
{
    (void)flags;
    *ret = calloc(1, sizeof(graph));
    return OK;
}

ENTRY int cuGraphAddEventRecordNode(void **ret_node, void *to, const void *nodes, size_t count, void *handle)
{
    (void)nodes, (void)count;
    ((graph *)to)->record = handle;
    *ret_node = to;
    return event_of(handle) ? OK : BAD_HANDLE;
}

ENTRY int cuGraphAddEventWaitNode(void **ret_node, void *to, const void *nodes, size_t count, void *handle)
{
    (void)nodes, (void)count;
    ((graph *)to)->wait = handle;
    *ret_node = to;
    return event_of(handle) ? OK : BAD_HANDLE;
}

ENTRY int cuGraphLaunch(void *handle, void *on)
{
    const graph *g = handle;
    pthread_mutex_lock(&lock);
    int result = g->wait ? stream_wait(on, g->wait) : OK;
    if (result == OK && g->record)
        result = take_record(event_of(g->record), stream_of(on));
    pthread_mutex_unlock(&lock);
    return result;
}

ENTRY int cuGraphDestroy(void *handle)
{
    free(handle);
    return OK;
}

ENTRY int cuStreamBeginCapture_v2(void *on, int mode)
{
    (void)mode;
    pthread_mutex_lock(&lock);
    stream_of(on)->captures = true;
    pthread_mutex_unlock(&lock);
    return OK;
}

ENTRY int cuStreamEndCapture(void *on, void **ret_graph)
{
    (void)on;
    pthread_mutex_lock(&lock);
    for (stream *s = streams; s; s = s->next)
        s->captures = false;
    pthread_mutex_unlock(&lock);
    *ret_graph = calloc(1, sizeof(graph));
    return OK;
}

/* One that nobody has heard of. */
ENTRY int cuFutureCall(void *handle, long *ret_calls)
{
    *ret_calls = ++unknown_calls;
    return event_of(handle) ? OK : BAD_HANDLE;
}

ENTRY int cuGetProcAddress_v2(const char *name, void **ret, int version, uint64_t flags, int *ret_status)
{
    static const char *const endings[2][3] = {{"", "_v2", NULL}, {"_ptsz", "_v2_ptsz", ""}};
    char full[128];
    Dl_info self;
    (void)version;
    *ret = NULL;
    dladdr(&streams, &self);
    void *library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    for (int newest = 1; newest >= 0 && !*ret; newest--) {
        snprintf(full, sizeof full, "%s%s", name, endings[(flags & 2) != 0][newest]);
        *ret = library ? dlsym(library, full) : NULL;
    }
    if (!*ret && library)
        *ret = dlsym(library, name);
    if (library)
        dlclose(library);
    if (ret_status)
        *ret_status = *ret ? 0 : 1;
    return *ret ? OK : NOT_FOUND;
}
