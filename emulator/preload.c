#include "emulator/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/emulated.h"

#define POOL_BYTES (64ull << 30) /* sparse: room for buffers, not memory */

static struct {
    bool active;
    char directory[CF_EMU_PATH];
    cf_emu_session session;
    char program[PATH_MAX]; /* "" = /proc/self/exe is right */
    pthread_mutex_t mutex;  /* starts the kernel */
    cf_emu_kernel kernel;
    cf_emu_kernels *kernels; /* NULL = not counted */
    atomic_bool started;
    dev_t node_device;
    ino_t node_inode;
    int log_fd, trace_fd; /* -1 = none */
} here = {.mutex = PTHREAD_MUTEX_INITIALIZER, .log_fd = -1, .trace_fd = -1};

cf_emu_function *cf_emu_real(const char *name, _Atomic(cf_emu_function *) *slot)
{
    union {
        void *object;
        cf_emu_function *function;
    } found = {.function = atomic_load(slot)};
    if (!found.function) {
        found.object = dlsym(RTLD_NEXT, name);
        atomic_store(slot, found.function);
    }
    return found.function;
}

const cf_emu_session *cf_emu_session_here(void)
{
    return here.active ? &here.session : NULL;
}

const char *cf_emu_program(void)
{
    return here.program[0] ? here.program : NULL;
}

/* ---- messages ---- */

static int open_output(const char *name)
{
    if (strcmp(name, "-") == 0)
        return STDERR_FILENO;
    return (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

static void put_line(int fd, const char *prefix, const char *text)
{
    char line[560];
    const int length = snprintf(line, sizeof line, "%s%s\n", prefix, text);
    if (length > 0)
        (void)!write(fd, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

static void log_line(const char *text)
{
    if (here.log_fd >= 0)
        put_line(here.log_fd, "confound-emulate: ", text);
}

static void trace_line(const char *text)
{
    put_line(here.trace_fd, "", text);
}

/* A submission that could not be run must not pass for a slow one: it is said at once, and by the launcher at the end.
 */
static void on_failure(const char *text)
{
    char path[CF_EMU_PATH + 32];
    put_line(STDERR_FILENO, "confound-emulate: the device stops: ", text);
    snprintf(path, sizeof path, "%s/" CF_EMU_SESSION_FAILURES, here.directory);
    const int fd = open_output(path);
    if (fd >= 0) {
        put_line(fd, "", text);
        close(fd);
    }
}

static void on_kernel(void)
{
    atomic_fetch_add(&here.kernels->count, 1);
}

/* ---- the device ---- */

static int start(void)
{
    const int failure = cf_emu_kernel_open(&here.kernel, &here.session.model, POOL_BYTES);
    struct stat node;
    if (failure)
        return failure;
    here.kernel.log = log_line;
    here.kernel.device.on_failure = on_failure;
    here.kernels = cf_emu_session_kernels(here.directory);
    if (here.kernels)
        here.kernel.device.on_kernel = on_kernel;
    if (here.trace_fd >= 0)
        here.kernel.device.on_command = trace_line;
    if (fstat(here.kernel.device.memory.fd, &node) != 0)
        return errno;
    here.node_device = node.st_dev;
    here.node_inode = node.st_ino;
    if (here.session.timeline[0] || here.session.spans[0])
        cf_emu_spans_begin(&here.kernel.device.spans);
    atomic_store(&here.started, true);
    return 0;
}

int cf_emu_open_node(int flags)
{
    pthread_mutex_lock(&here.mutex);
    const int failure = atomic_load(&here.started) ? 0 : start();
    pthread_mutex_unlock(&here.mutex);
    if (failure) {
        errno = failure;
        return -1;
    }
    return fcntl(here.kernel.device.memory.fd, (flags & O_CLOEXEC) ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
}

cf_emu_kernel *cf_emu_kernel_of(int fd)
{
    struct stat node;
    const int before = errno;
    const bool ours = atomic_load(&here.started) && fd >= 0 && fstat(fd, &node) == 0 &&
                      node.st_dev == here.node_device && node.st_ino == here.node_inode;
    errno = before;
    return ours ? &here.kernel : NULL;
}

CF_EMU_SLOT(ioctl);

CF_EMU_EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    va_start(args, request);
    void *argument = va_arg(args, void *);
    va_end(args);
    cf_emu_kernel *kernel = _IOC_TYPE(request) == 'd' ? cf_emu_kernel_of(fd) : NULL;
    return kernel ? cf_emu_kernel_ioctl(kernel, request, argument) : CF_EMU_REAL(ioctl)(fd, request, argument);
}

/* ---- what the program may ask (base/emulated.h, base/emulator_spans.h) ---- */

static const char *assumptions[32], *taken_away[16];
static char about_device[64];

static uint64_t failures(char *text, size_t text_bytes)
{
    cf_emu_device *device = &here.kernel.device;
    if (text_bytes)
        text[0] = 0;
    if (!atomic_load(&here.started))
        return 0;
    pthread_mutex_lock(&device->failure_mutex);
    const uint64_t count = device->failure_count;
    if (text_bytes)
        snprintf(text, text_bytes, "%s", device->failure);
    pthread_mutex_unlock(&device->failure_mutex);
    return count;
}

static uint64_t late_ns(void)
{
    return atomic_load(&here.started) ? atomic_load(&here.kernel.device.late_ns) : 0;
}

CF_EMU_EXPORT extern cf_emulated confound_emulated;
cf_emulated confound_emulated = {.version = 0, /* until there is a session: then nobody finds it */
                                 .assumptions = assumptions,
                                 .taken_away = taken_away,
                                 .device = about_device,
                                 .failures = failures,
                                 .late_ns = late_ns};

static void describe(void)
{
    const cf_emu_model *model = &here.session.model;
    size_t count = 0, taken = 0;
    for (const cf_emu_key *key = cf_emu_keys; key->name; key++) {
        uint64_t value;
        memcpy(&value, (const char *)model + key->offset, sizeof value);
        const bool away = key->unit == CF_EMU_FLAG && value != key->standard; /* or planted */
        if (away && taken + 1 < sizeof taken_away / sizeof *taken_away)
            taken_away[taken++] = key->name;
        else if (key->assumption && count + 1 < sizeof assumptions / sizeof *assumptions)
            assumptions[count++] = key->assumption;
    }
    for (size_t i = 0; cf_emu_assumptions[i] && count + 1 < sizeof assumptions / sizeof *assumptions; i++)
        assumptions[count++] = cf_emu_assumptions[i];
    snprintf(about_device, sizeof about_device, "emulated Intel GPU, device id 0x%04x", (unsigned)model->device_id);
    confound_emulated.model = model->name;
    confound_emulated.version = CF_EMULATED_VERSION;
}

CF_EMU_EXPORT cf_emulator_spans_version confound_emulator_spans_version;
CF_EMU_EXPORT cf_emulator_spans_begin confound_emulator_spans_begin;
CF_EMU_EXPORT cf_emulator_spans_read confound_emulator_spans_read;
CF_EMU_EXPORT cf_emulator_spans_lost confound_emulator_spans_lost;
CF_EMU_EXPORT cf_emulator_spans_end confound_emulator_spans_end;

uint32_t confound_emulator_spans_version(void)
{
    return CF_EMULATOR_SPANS_VERSION;
}

int confound_emulator_spans_begin(void)
{
    return atomic_load(&here.started) ? cf_emu_spans_begin(&here.kernel.device.spans) : -ENODEV;
}

size_t confound_emulator_spans_read(cf_emulator_span *spans, size_t count)
{
    return atomic_load(&here.started) ? cf_emu_spans_read(&here.kernel.device.spans, spans, count) : 0;
}

uint64_t confound_emulator_spans_lost(void)
{
    cf_emu_spans *spans = &here.kernel.device.spans;
    pthread_mutex_lock(&spans->mutex);
    const uint64_t lost = spans->lost;
    pthread_mutex_unlock(&spans->mutex);
    return lost;
}

void confound_emulator_spans_end(void)
{
    if (atomic_load(&here.started))
        cf_emu_spans_end(&here.kernel.device.spans);
}

/* ---- the process's begin ---- */

/* The arguments are those that the launcher or preload_exec.c made: LOADER --library-path L --preload O --argv0 A
   PROGRAM …; /proc/self/exe is the loader then. */
#define PROGRAM_AT 7

static void find_program(void)
{
    static char words[64 * 1024];
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return;
    const ssize_t length = read(fd, words, sizeof words - 1);
    close(fd);
    const char *word = words;
    for (int i = 0; i < PROGRAM_AT && length > 0 && word < words + length; i++) {
        if (i == 1 && strcmp(word, "--library-path") != 0)
            return;
        word += strlen(word) + 1;
    }
    CF_EMU_SLOT(realpath);
    if (length > 0 && word < words + length && !CF_EMU_REAL(realpath)(word, here.program))
        here.program[0] = 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *directory = getenv(CF_EMU_SESSION_VARIABLE);
    if (!directory || strlen(directory) >= sizeof here.directory || !cf_emu_session_read(directory, &here.session))
        return;
    snprintf(here.directory, sizeof here.directory, "%s", directory);
    if (here.session.log[0])
        here.log_fd = open_output(here.session.log);
    if (here.session.trace[0])
        here.trace_fd = open_output(here.session.trace);
    describe();
    if (here.session.loader[0])
        find_program();
    here.active = true;
}

__attribute__((destructor)) static void end(void)
{
    if (here.active && atomic_load(&here.started))
        cf_emu_tell(&here.kernel.device, &here.session);
}

const char *cf_emu_redirect(const char *path, char buf[CF_EMU_PATH])
{
    static const char *const places[] = {"/dev/dri",      "/sys/bus/pci/devices", "/sys/class/drm",
                                         "/sys/dev/char", "/sys/devices/pci",     "/sys/kernel/debug/dri"};
    if (!here.active || !path || path[0] != '/')
        return path;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const size_t length = strlen(places[i]);
        if (strncmp(path, places[i], length) != 0)
            continue;
        const char next = path[length];
        if (next && next != '/' && strcmp(places[i], "/sys/devices/pci") != 0)
            continue;
        const int wrote = snprintf(buf, CF_EMU_PATH, "%s/" CF_EMU_SESSION_TREE "%s", here.directory, path);
        return wrote > 0 && wrote < CF_EMU_PATH ? buf : path;
    }
    return path;
}

bool cf_emu_is_node(const char *path)
{
    if (!here.active || !path || strncmp(path, "/dev/dri/", 9) != 0)
        return false;
    const char *name = strrchr(path, '/') + 1;
    return strncmp(name, "renderD", 7) == 0 || strncmp(name, "card", 4) == 0 ||
           (strncmp(name, "pci-", 4) == 0 && (strstr(name, "-render") || strstr(name, "-card")));
}
