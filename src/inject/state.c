#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "inject/inject.h"
#include "inject/queue.h"

#define PATH_BYTES 4096
#define STEP_BYTES 8192
#define IMAGES_MAX 1000 /* of one process number */

enum { UNKNOWN, ON, OFF };

static _Atomic int at_work = UNKNOWN;

static uint64_t number_of(const char *variable, uint64_t fallback)
{
    const char *text = getenv(variable);
    char *end = NULL;
    uint64_t value = text ? strtoull(text, &end, 10) : 0;
    return text && end != text && *end == '\0' ? value : fallback;
}

/* What was asked, as it stood in the environment when the process began: the program may empty that, or change it in
   one thread while another calls us. Before our constructor runs it is the environment itself, and nothing more: a
   sanitizer looks up names before it can stand a lock or an allocation. */
static struct {
    bool kept;
    char folder[PATH_BYTES], step[STEP_BYTES];
    uint64_t seed, began_ns, after_ns;
    uint32_t rounds;
} asked;

static bool keep_variable(const char *variable, char *to, size_t bytes)
{
    const char *text = getenv(variable);
    size_t length = text ? strlen(text) : 0;
    if (length >= bytes)
        return false;
    memcpy(to, text ? text : "", length + 1);
    return true;
}

static void keep_asked(void)
{
    const uint64_t rounds = number_of(CF_WIRE_ENV_ROUNDS, 24);
    asked.began_ns = cf_clock_now_ns();
    asked.after_ns = number_of(CF_WIRE_ENV_AFTER, 0);
    asked.seed = number_of(CF_WIRE_ENV_SEED, 1);
    asked.rounds = rounds < CF_WIRE_ROUNDS_MAX ? (uint32_t)rounds : CF_WIRE_ROUNDS_MAX;
    if (!keep_variable(CF_WIRE_ENV_FOLDER, asked.folder, sizeof asked.folder) ||
        !keep_variable(CF_WIRE_ENV_STEP, asked.step, sizeof asked.step))
        asked.folder[0] = '\0'; /* off: what is cut off is another thing than what was asked */
    asked.kept = true;
}

static const char *asked_for(const char *variable, const char *kept)
{
    const char *text = asked.kept ? kept : getenv(variable);
    return text && *text ? text : NULL;
}

cf_step_kind cf_inject_step_kind(void)
{
    const char *step = asked_for(CF_WIRE_ENV_STEP, asked.step);
    if (!step)
        return CF_STEP_SYNC;
    return strcmp(step, "mark") == 0                                   ? CF_STEP_MARK
           : strncmp(step, CF_WIRE_CALL, sizeof CF_WIRE_CALL - 1) == 0 ? CF_STEP_CALL
                                                                       : CF_STEP_SYNC;
}

const char *cf_inject_step_call(void)
{
    const char *step = asked_for(CF_WIRE_ENV_STEP, asked.step);
    if (!step || !asked_for(CF_WIRE_ENV_FOLDER, asked.folder) ||
        strncmp(step, CF_WIRE_CALL, sizeof CF_WIRE_CALL - 1) != 0)
        return NULL;
    return step + sizeof CF_WIRE_CALL - 1;
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

/* A larger one would be answered by a signal that ends the program. */
static bool may_be_made(size_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes;
}

/* A program that replaces itself by another keeps its number, and has a file already. Returns -1 where none is made. */
static int make_file(const char *folder, char path[PATH_BYTES])
{
    for (int image = 0; image < IMAGES_MAX; image++) {
        char which[16] = "";
        if (image > 0)
            snprintf(which, sizeof which, ".%d", image);
        int length = snprintf(path, PATH_BYTES, "%s/%ld%s%s", folder, (long)getpid(), which, CF_WIRE_SUFFIX);
        if (length < 0 || length >= PATH_BYTES)
            return -1;
        int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/* All of it is given room at once: a full disk is an error here, and not a SIGBUS in the middle of the program. */
static cf_wire *map_file(const char *folder)
{
    char path[PATH_BYTES];
    int file = may_be_made(sizeof(cf_wire)) ? make_file(folder, path) : -1;
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
    if (!asked.kept)
        keep_asked();
    cf_wire *wire = asked.folder[0] ? map_file(asked.folder) : NULL;
    if (!wire)
        return false;
    wire->bytes = sizeof *wire;
    wire->pid = (uint32_t)getpid();
    wire->seed = asked.seed;
    wire->rounds_wanted = asked.rounds;
    wire->after_ns = asked.after_ns;
    wire->made_ns = cf_clock_now_ns();
    copy_command(wire->command, sizeof wire->command);
    cf_inject_cost_ps(wire->call_ps);
    cf_inject_step_begin(wire, cf_inject_step_kind(), wire->seed, asked.after_ns ? asked.began_ns + asked.after_ns : 0);
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
    cf_inject_lock_take(CF_LOCK_STATE);
    now = atomic_load(&at_work);
    if (now == UNKNOWN) {
        now = open_file() ? ON : OFF;
        atomic_store_explicit(&at_work, now, memory_order_release);
    }
    cf_inject_lock_give(CF_LOCK_STATE);
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

static void before_fork(void)
{
    for (int i = 0; i < CF_LOCK_COUNT; i++)
        cf_inject_lock_take((cf_inject_lock)i);
}

static void after_fork(void)
{
    for (int i = CF_LOCK_COUNT; i-- > 0;)
        cf_inject_lock_give((cf_inject_lock)i);
}

/* A child that uses a device itself is a process of its own: with a file of its own, and as shipped until it has. */
static void in_child(void)
{
    cf_queues_forked();
    after_fork();
    if (atomic_load(&at_work) != ON)
        return;
    munmap(atomic_exchange(&cf_inject_file, NULL), sizeof(cf_wire));
    atomic_store(&cf_inject_arm_now, CF_ARM_SHIPPED);
    cf_inject_step_forked();
    atomic_store(&at_work, UNKNOWN);
}

__attribute__((constructor)) static void loaded(void)
{
    if (!asked.kept)
        keep_asked();
    pthread_atfork(before_fork, after_fork, in_child);
    if (cf_inject_step_call())
        cf_inject_call_patch();
}
