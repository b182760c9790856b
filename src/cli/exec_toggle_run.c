/* The program that is toggled: our streams, our process group, our environment and the library. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/exec_toggle.h"
#include "toggle/needed.h"

#define LIBRARY       "libconfound-inject.so"
#define SLICE_NS      UINT64_C(200000000)
#define GRACE_NS      UINT64_C(2000000000)
#define PRELOAD_LIMIT 1024u /* bytes of a path in the loader's list, its end among them (glibc: SECURE_PATH_LIMIT) */
#define FILE_FLAGS    (O_WRONLY | O_CREAT | O_TRUNC)

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

/* ---- the library ---- */

/* Beside the program, as it is built and carried, or where it is installed. */
cf_status cf_toggle_library(char **ret_path, cf_error *err)
{
    static const char *const places[] = {"", CONFOUND_INJECT_FROM_BIN "/"};
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
        char *path = cf_text_format("%.*s/%s%s", (int)(slash - self), self, places[i], LIBRARY);
        if (!path)
            return no_memory(err);
        if (access(path, R_OK) == 0) {
            *ret_path = path;
            return CF_OK;
        }
        free(path);
    }
    return cf_error_set(err, CF_UNSUPPORTED,
                        "%s is neither beside the program nor where it is installed: nothing can be toggled", LIBRARY);
}

bool cf_toggle_can_preload(const char *folder)
{
    return strpbrk(folder, " :") == NULL && strlen(folder) + strlen("/" LIBRARY) < PRELOAD_LIMIT;
}

static cf_status speakable(const char *library, const char *links, char **ret, cf_error *err)
{
    char *folder = strndup(library, (size_t)(strrchr(library, '/') - library));
    bool plain = folder && cf_toggle_can_preload(folder);
    free(folder);
    *ret = plain ? cf_text_dup(library) : cf_text_format("%s/%s", links, LIBRARY);
    if (!*ret)
        return no_memory(err);
    if (!plain && !cf_toggle_can_preload(links))
        return cf_error_set(
            err, CF_INPUT,
            "a path with a blank or a colon, or of %u bytes or more, cannot be preloaded; set TMPDIR to "
            "another one than %s",
            PRELOAD_LIMIT, links);
    if (!plain && symlink(library, *ret) != 0)
        return cf_error_set(err, CF_IO, "%s: no link can be made there: %s", *ret, strerror(errno));
    return CF_OK;
}

/* ---- the environment ---- */

typedef struct settings {
    char *items[16];
    size_t count;
} settings;

static void set(settings *s, char *assignment)
{
    s->items[s->count++] = assignment ? assignment : NULL;
}

static bool is_set(const settings *s, const char *variable)
{
    size_t length = strcspn(variable, "=");
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i] && strncmp(s->items[i], variable, length + 1) == 0)
            return true;
    return false;
}

/* What the user preloads comes first, as AddressSanitizer's library has to. */
static char *preload(const char *library, const char *program)
{
    char found[4096], sanitizer[64];
    const char *old = getenv("LD_PRELOAD");
    cf_needed_sanitizer(cf_needed_find(program, found, sizeof found), sanitizer, sizeof sanitizer);
    return cf_text_format("LD_PRELOAD=%s%s%s%s%s", sanitizer, sanitizer[0] ? ":" : "", old ? old : "",
                          old && *old ? ":" : "", library);
}

static cf_status make_settings(const cf_options *o, const cf_toggle_start *start, settings *ret, cf_error *err)
{
    char *path = NULL;
    const char *layers = getenv("OPENCL_LAYERS");
    cf_status status = speakable(start->library, start->links, &path, err);
    if (!status) {
        set(ret, preload(path, o->program.items[0]));
        set(ret, cf_text_format("OPENCL_LAYERS=%s%s%s", layers ? layers : "", layers && *layers ? ":" : "", path));
        set(ret, cf_text_format("%s=%s", CF_WIRE_ENV_FOLDER, start->folder));
        set(ret, cf_text_format("%s=%s", CF_WIRE_ENV_STEP, o->step ? o->step : "sync"));
        set(ret, cf_text_format("%s=%llu", CF_WIRE_ENV_SEED, (unsigned long long)start->seed));
        set(ret, cf_text_format("%s=%lu", CF_WIRE_ENV_ROUNDS, (unsigned long)start->rounds));
        if (o->after_s.set)
            set(ret, cf_text_format("%s=%llu", CF_WIRE_ENV_AFTER, (unsigned long long)(o->after_s.value * 1e9)));
    }
    free(path);
    for (size_t i = 0; i < ret->count; i++)
        if (!ret->items[i])
            return no_memory(err);
    return status;
}

static char **make_environment(const settings *s)
{
    size_t count = 0, n = 0;
    while (environ[count])
        count++;
    char **made = calloc(count + s->count + 1, sizeof *made);
    for (size_t i = 0; made && i < count; i++)
        if (!is_set(s, environ[i]))
            made[n++] = environ[i];
    for (size_t i = 0; made && i < s->count; i++)
        made[n++] = s->items[i];
    return made;
}

/* ---- signals ---- */

static volatile sig_atomic_t child, stops;

/* A key reaches the whole group; what was sent to us alone is passed on. */
static void stop(int number, siginfo_t *info, void *context)
{
    (void)context;
    stops++;
    if (child > 0 && info->si_code <= 0)
        (void)kill((pid_t)child, number);
}

typedef struct signals {
    struct sigaction old_int, old_term, old_child;
    sigset_t old_mask;
} signals;

/* Who ignores a signal, as a job in the background of a script does, passes that on to the program. */
static void take(int number, const struct sigaction *ours, struct sigaction *old)
{
    sigaction(number, ours, old);
    if (old->sa_handler == SIG_IGN)
        sigaction(number, old, NULL);
}

static void signals_begin(signals *s)
{
    sigset_t ended;
    struct sigaction ours = {.sa_sigaction = stop, .sa_flags = SA_SIGINFO | SA_RESTART};
    const struct sigaction plain = {.sa_handler = SIG_DFL};
    child = stops = 0;
    sigemptyset(&ours.sa_mask);
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, &s->old_mask);
    take(SIGINT, &ours, &s->old_int);
    take(SIGTERM, &ours, &s->old_term);
    sigaction(SIGCHLD, &plain, &s->old_child);
}

static void signals_end(const signals *s)
{
    sigaction(SIGINT, &s->old_int, NULL);
    sigaction(SIGTERM, &s->old_term, NULL);
    sigaction(SIGCHLD, &s->old_child, NULL);
    sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
}

/* ---- the terminal ---- */

typedef struct terminal {
    int file; /* -1: there is none */
    struct termios as_found;
} terminal;

static void terminal_begin(terminal *t)
{
    t->file = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (t->file >= 0 && tcgetattr(t->file, &t->as_found) != 0) {
        (void)close(t->file);
        t->file = -1;
    }
}

/* A shell gives its terminal back where a program was ended by a signal and could not do it itself; the shell sees us
   end. Who is in the background may not. */
static void terminal_end(const terminal *t, const cf_toggle_end *end)
{
    if (t->file < 0)
        return;
    if (end->signal && tcgetpgrp(t->file) == getpgrp()) {
        (void)tcsetattr(t->file, TCSANOW, &t->as_found);
        if (end->signal == SIGINT && isatty(STDOUT_FILENO) && write(t->file, "\n", 1) < 0)
            errno = 0; /* ^C stands where the report would begin */
    }
    (void)close(t->file);
}

/* ---- the program ---- */

static bool has_ended(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == pid;
}

static bool wait_until(pid_t pid, uint64_t until_ns)
{
    sigset_t ended;
    const struct timespec slice = {.tv_nsec = (long)SLICE_NS};
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    while (!has_ended(pid)) {
        if (cf_clock_now_ns() >= until_ns)
            return false;
        (void)sigtimedwait(&ended, NULL, &slice);
    }
    return true;
}

static void wait_for(pid_t pid, const cf_options *o, cf_toggle_end *ret)
{
    int status = 0;
    uint64_t limit_ns = o->timeout_s.set ? cf_clock_now_ns() + (uint64_t)(o->timeout_s.value * 1e9) : UINT64_MAX;
    if (!wait_until(pid, limit_ns)) {
        ret->timed_out = true;
        (void)kill(pid, SIGTERM);
        if (!wait_until(pid, cf_clock_now_ns() + GRACE_NS))
            (void)kill(pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    ret->interrupted = stops > 0;
    ret->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    ret->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* A document on standard output stands there alone: --json -, or a --format that something reads. */
static bool stdout_is_ours(const cf_options *o)
{
    return (o->json && cf_cli_is_stdout(o->json)) || (o->format.set && o->format.value != CF_FORMAT_TEXT);
}

static cf_status redirect(posix_spawn_file_actions_t *actions, const cf_options *o, cf_error *err)
{
    static const char *const names[] = {[1] = "out", [2] = "err"};
    const char *keep = o->keep;
    if (!keep && stdout_is_ours(o) && posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO))
        return no_memory(err);
    for (int stream = 1; keep && stream <= 2; stream++) {
        char *path = cf_text_format("%s/%s", keep, names[stream]);
        int code = path ? posix_spawn_file_actions_addopen(actions, stream, path, FILE_FLAGS, 0666) : ENOMEM;
        free(path);
        if (code)
            return cf_error_set(err, CF_IO, "--keep %s: %s", keep, strerror(code));
    }
    return CF_OK;
}

static cf_status begin(const cf_options *o, char **environment, const sigset_t *mask, pid_t *ret_pid, cf_error *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    char **arguments = calloc(o->program.count + 1, sizeof *arguments);
    if (!environment || !arguments) {
        free(arguments);
        return no_memory(err);
    }
    memcpy(arguments, o->program.items, o->program.count * sizeof *arguments);
    cf_cli_signals_passed_on(&defaults);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    cf_status status = redirect(&actions, o, err);
    int code = status ? 0 : posix_spawnp(ret_pid, arguments[0], &actions, &attributes, arguments, environment);
    if (code)
        status = cf_error_set(err, CF_INPUT, "%s cannot be started: %s", arguments[0], strerror(code));
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(arguments);
    return status;
}

cf_status cf_toggle_run(const cf_options *options, const cf_toggle_start *start, cf_toggle_end *ret, cf_error *err)
{
    settings s = {.count = 0};
    signals kept;
    terminal found;
    pid_t pid = 0;
    *ret = (cf_toggle_end){.interrupted = false};
    cf_status status = make_settings(options, start, &s, err);
    char **environment = status ? NULL : make_environment(&s);
    if (!status) {
        signals_begin(&kept);
        terminal_begin(&found);
        ret->began_ns = cf_clock_now_ns();
        status = begin(options, environment, &kept.old_mask, &pid, err);
        child = pid;
        if (!status && start->started)
            start->started(start->user, pid);
        if (!status)
            wait_for(pid, options, ret);
        ret->ended_ns = cf_clock_now_ns();
        child = 0;
        terminal_end(&found, ret);
        signals_end(&kept);
    }
    free(environment);
    for (size_t i = 0; i < s.count; i++)
        free(s.items[i]);
    return status;
}
