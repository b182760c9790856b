#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inject/inject.h"

enum { UNKNOWN, ON, OFF };

static _Atomic int at_work = UNKNOWN;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

cf_step_kind cf_inject_step_kind(void)
{
    const char *step = getenv(CF_WIRE_ENV_STEP);
    if (!step)
        return CF_STEP_SYNC;
    return strcmp(step, "mark") == 0                                   ? CF_STEP_MARK
           : strncmp(step, CF_WIRE_CALL, sizeof CF_WIRE_CALL - 1) == 0 ? CF_STEP_CALL
                                                                       : CF_STEP_SYNC;
}

const char *cf_inject_step_call(void)
{
    const char *step = getenv(CF_WIRE_ENV_STEP);
    if (!step || !getenv(CF_WIRE_ENV_FOLDER) || strncmp(step, CF_WIRE_CALL, sizeof CF_WIRE_CALL - 1) != 0)
        return NULL;
    return step + sizeof CF_WIRE_CALL - 1;
}

static uint64_t number_of(const char *variable, uint64_t fallback)
{
    const char *text = getenv(variable);
    char *end = NULL;
    uint64_t value = text ? strtoull(text, &end, 10) : 0;
    return text && end != text && *end == '\0' ? value : fallback;
}

/* The kernel's own words, with blanks for the zeros between arguments. */
static void copy_command(char *to, size_t bytes)
{
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t got = read(file, to, bytes - 1);
    close(file);
    for (ssize_t i = 0; i + 1 < got; i++)
        if (to[i] == '\0')
            to[i] = ' ';
}

/* All of it is given room at once: a full disk is an error here, and not a SIGBUS in the middle of the program. */
static cf_wire *map_file(const char *folder)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%ld%s", folder, (long)getpid(), CF_WIRE_SUFFIX);
    if (length < 0 || (size_t)length >= sizeof path)
        return NULL;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return NULL;
    void *map = MAP_FAILED;
    if (posix_fallocate(file, 0, (off_t)sizeof(cf_wire)) == 0)
        map = mmap(NULL, sizeof(cf_wire), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (map == MAP_FAILED) {
        unlink(path);
        return NULL;
    }
    return map;
}

static bool open_file(void)
{
    const char *folder = getenv(CF_WIRE_ENV_FOLDER);
    cf_wire *wire = folder && *folder ? map_file(folder) : NULL;
    if (!wire)
        return false;
    wire->bytes = sizeof *wire;
    wire->pid = (uint32_t)getpid();
    wire->seed = number_of(CF_WIRE_ENV_SEED, 1);
    wire->rounds_wanted = (uint32_t)number_of(CF_WIRE_ENV_ROUNDS, 24);
    if (wire->rounds_wanted > CF_WIRE_ROUNDS_MAX)
        wire->rounds_wanted = CF_WIRE_ROUNDS_MAX;
    copy_command(wire->command, sizeof wire->command);
    cf_inject_cost_ps(wire->call_ps);
    cf_inject_step_begin(wire, cf_inject_step_kind(), wire->seed);
    __atomic_store_n(&wire->magic, CF_WIRE_MAGIC, __ATOMIC_RELEASE);
    atomic_store(&cf_inject_file, wire);
    return true;
}

bool cf_inject_begin(void)
{
    int now = atomic_load_explicit(&at_work, memory_order_acquire);
    if (now != UNKNOWN)
        return now == ON;
    int saved = errno;
    pthread_mutex_lock(&lock);
    now = atomic_load(&at_work);
    if (now == UNKNOWN) {
        now = open_file() ? ON : OFF;
        atomic_store_explicit(&at_work, now, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
    return now == ON;
}

void cf_inject_seen(int api)
{
    cf_wire *wire = atomic_load_explicit(&cf_inject_file, memory_order_acquire);
    if (wire)
        __atomic_store_n(api == CF_INJECT_CUDA     ? &wire->cuda
                         : api == CF_INJECT_OPENCL ? &wire->opencl
                                                   : &wire->level_zero,
                         1, __ATOMIC_RELAXED);
}

/* A child that uses a device itself is a process of its own: with a file of its own, and as shipped until it has. */
static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    if (atomic_load(&at_work) != ON)
        return;
    munmap(atomic_exchange(&cf_inject_file, NULL), sizeof(cf_wire));
    atomic_store(&cf_inject_arm_now, CF_ARM_SHIPPED);
    cf_inject_step_forked();
    atomic_store(&at_work, UNKNOWN);
}

__attribute__((constructor)) static void loaded(void)
{
    pthread_atfork(NULL, NULL, in_child);
    if (cf_inject_step_call())
        cf_inject_call_patch();
}
