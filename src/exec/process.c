#include "exec/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

#define SLICE_NS   UINT64_C(200000000) /* how long a wish to stop may go unnoticed */
#define GRACE_NS   UINT64_C(2000000000)
#define NS_PER_MS  UINT64_C(1000000)
#define FILE_FLAGS (O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)

/* ---- the environment ---- */

static bool is_same_variable(const char *one, const char *other)
{
    const size_t length = strcspn(one, "=");
    return strncmp(one, other, length) == 0 && other[length] == '=';
}

static bool is_replaced(const char *variable, const cf_strings *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        if (is_same_variable(sets->items[i], variable))
            return true;
    return false;
}

/* The strings are borrowed. A later VAR=value of the same name wins, as with env. */
static char **make_environment(const cf_strings *sets)
{
    size_t count = 0, n = 0;
    while (environ && environ[count])
        count++;
    char **made = calloc(count + sets->count + 1, sizeof *made);
    for (size_t i = 0; made && i < count; i++)
        if (!is_replaced(environ[i], sets))
            made[n++] = environ[i];
    for (size_t i = 0; made && i < sets->count; i++) {
        const cf_strings later = {.items = sets->items + i + 1, .count = sets->count - i - 1};
        if (!is_replaced(sets->items[i], &later))
            made[n++] = sets->items[i];
    }
    return made;
}

/* ---- start ---- */

typedef struct start {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int fds[3];
    char **environment, **arguments;
    sigset_t old_mask;
    struct sigaction old_child;
} start;

static cf_status open_file(const char *path, int flags, int *ret_fd, cf_error *err)
{
    *ret_fd = open(path, flags, 0666);
    return *ret_fd >= 0 ? CF_OK : cf_error_set(err, CF_IO, "%s: %s", path, strerror(errno));
}

static cf_status open_files(const cf_process_spec *spec, start *s, cf_error *err)
{
    cf_status status = open_file("/dev/null", O_RDONLY | O_CLOEXEC, &s->fds[0], err);
    if (!status)
        status = open_file(spec->out_path, FILE_FLAGS, &s->fds[1], err);
    return status ? status : open_file(spec->err_path, FILE_FLAGS, &s->fds[2], err);
}

/* What a signal does and whether it is blocked is inherited: the program gets what we got, but for what we changed. */
static void set_signals(start *s)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGXFSZ);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    posix_spawnattr_setsigdefault(&s->attributes, &ours);
    posix_spawnattr_setsigmask(&s->attributes, &s->old_mask);
    posix_spawnattr_setpgroup(&s->attributes, 0);
    posix_spawnattr_setflags(&s->attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
}

static void start_done(start *s)
{
    for (int i = 0; i < 3; i++)
        if (s->fds[i] >= 0)
            (void)close(s->fds[i]);
    posix_spawn_file_actions_destroy(&s->actions);
    posix_spawnattr_destroy(&s->attributes);
    free(s->environment);
    free(s->arguments);
    sigaction(SIGCHLD, &s->old_child, NULL);
    sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

static cf_status start_init(const cf_process_spec *spec, start *s, cf_error *err)
{
    sigset_t child;
    *s = (start){.fds = {-1, -1, -1}};
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &s->old_mask);
    const struct sigaction plain = {.sa_handler = SIG_DFL}; /* ignored, there would be nothing to wait for */
    sigaction(SIGCHLD, &plain, &s->old_child);
    posix_spawn_file_actions_init(&s->actions);
    posix_spawnattr_init(&s->attributes);
    set_signals(s);
    const cf_status status = open_files(spec, s, err);
    if (status)
        return status;
    for (int i = 0; i < 3; i++)
        posix_spawn_file_actions_adddup2(&s->actions, s->fds[i], i);
    s->environment = make_environment(spec->sets);
    s->arguments = calloc(spec->command->count + 1, sizeof *s->arguments);
    if (!s->environment || !s->arguments)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    memcpy(s->arguments, spec->command->items, spec->command->count * sizeof *s->arguments);
    return CF_OK;
}

/* ---- end ---- */

static int64_t ns_of(const struct timeval *time)
{
    return (int64_t)time->tv_sec * INT64_C(1000000000) + (int64_t)time->tv_usec * 1000;
}

/* Of its main thread, while it is ended and not yet waited for; -1 where the kernel has none. */
static int64_t delay_of(pid_t pid)
{
    char path[64], *text = NULL;
    size_t size_bytes;
    snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
    if (cf_file_read(path, 4096, &text, &size_bytes, NULL) != CF_OK)
        return -1;
    char *at = text, *end = text;
    const long long ran = strtoll(at, &end, 10);
    at = end;
    const long long waited = strtoll(at, &end, 10);
    const bool known = end > at && ran > 0 && waited >= 0; /* all 0: the kernel's accounting is off */
    free(text);
    return known ? (int64_t)waited : -1;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == pid;
}

/* The terminal is the user's: a process in the background that wants it is stopped, and would stay so for ever. */
static bool wants_terminal(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT | WNOHANG) == 0 && info.si_pid == pid &&
           (info.si_status == SIGTTIN || info.si_status == SIGTTOU);
}

/* Until it ends or `until_ns` is there. */
static bool wait_until(pid_t pid, uint64_t until_ns)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    while (!has_ended(pid)) {
        const uint64_t now_ns = cf_clock_now_ns();
        if (now_ns >= until_ns)
            return false;
        const uint64_t left_ns = until_ns - now_ns;
        const struct timespec slice = {.tv_sec = (time_t)(left_ns / CF_NS_PER_S),
                                       .tv_nsec = (long)(left_ns % CF_NS_PER_S)};
        (void)sigtimedwait(&child, NULL, &slice);
    }
    return true;
}

/* Returns until when the others of its group have time to end. */
static uint64_t end_leader(pid_t pid)
{
    const uint64_t until_ns = cf_clock_now_ns() + GRACE_NS;
    (void)kill(-pid, SIGTERM);
    (void)kill(-pid, SIGCONT); /* what is stopped hears nothing else */
    if (!wait_until(pid, until_ns))
        (void)kill(-pid, SIGKILL);
    (void)wait_until(pid, UINT64_MAX);
    return until_ns;
}

/* The leader is waited for: before, the group has a member in any case. */
static void end_group(pid_t pid, uint64_t until_ns)
{
    const struct timespec look = {.tv_nsec = 10000000};
    while (kill(-pid, 0) == 0 && cf_clock_now_ns() < until_ns)
        (void)nanosleep(&look, NULL);
    (void)kill(-pid, SIGKILL);
}

/* Returns 0 where it ended by itself, else until when the others of its group have time to end. */
static uint64_t watch(const cf_process_spec *spec, pid_t pid, uint64_t begin_ns, cf_process_end *ret)
{
    const uint64_t timeout_ns = spec->timeout_ms > 0 ? begin_ns + (uint64_t)spec->timeout_ms * NS_PER_MS : UINT64_MAX;
    for (;;) {
        const uint64_t slice_ns = cf_clock_now_ns() + SLICE_NS;
        if (wait_until(pid, slice_ns < timeout_ns ? slice_ns : timeout_ns))
            return 0;
        ret->timed_out = cf_clock_now_ns() >= timeout_ns;
        ret->cancelled = !ret->timed_out && spec->cancelled && spec->cancelled(spec->user);
        ret->wants_terminal = !ret->timed_out && !ret->cancelled && wants_terminal(pid);
        if (ret->timed_out || ret->cancelled || ret->wants_terminal)
            return end_leader(pid);
    }
}

static void reap(pid_t pid, uint64_t begin_ns, cf_process_end *ret)
{
    struct rusage usage;
    int status = 0;
    const uint64_t end_ns = cf_clock_now_ns();
    const int64_t delay_ns = delay_of(pid);
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    ret->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    ret->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ret->facts = (cf_process_facts){.known = true,
                                    .wall_ns = (int64_t)(end_ns - begin_ns),
                                    .user_ns = ns_of(&usage.ru_utime),
                                    .system_ns = ns_of(&usage.ru_stime),
                                    .max_rss_bytes = (int64_t)usage.ru_maxrss * 1024,
                                    .delay_ns = delay_ns};
}

cf_status cf_process_run(const cf_process_spec *spec, cf_process_end *ret, cf_error *err)
{
    start s;
    pid_t pid = 0;
    *ret = (cf_process_end){.exit_status = 0};
    const cf_status status = start_init(spec, &s, err);
    if (status) {
        start_done(&s);
        return status;
    }
    const uint64_t begin_ns = cf_clock_now_ns();
    const int code = posix_spawnp(&pid, s.arguments[0], &s.actions, &s.attributes, s.arguments, s.environment);
    if (code == 0) {
        if (spec->running)
            spec->running(spec->user, pid);
        const uint64_t until_ns = watch(spec, pid, begin_ns, ret);
        reap(pid, begin_ns, ret);
        if (until_ns)
            end_group(pid, until_ns);
        ret->left_behind = kill(-pid, 0) == 0;
        if (spec->running)
            spec->running(spec->user, 0);
    }
    ret->not_started = code != 0;
    start_done(&s);
    return code == 0 ? CF_OK
                     : cf_error_set(err, CF_GATE, "%s cannot be started: %s", spec->command->items[0], strerror(code));
}

const char *cf_process_fault(const cf_process_end *end, char *buf, size_t buf_bytes)
{
    buf[0] = '\0';
    if (end->signal)
        snprintf(buf, buf_bytes, "ended by signal %d (%s)", end->signal, strsignal(end->signal));
    else if (end->exit_status)
        snprintf(buf, buf_bytes, "exit status %d", end->exit_status);
    return buf;
}
