#include "cli/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "cli/spec.h"

#define SELF    "/proc/self/exe"
#define TICK_MS 500
#define PREFIX  "confound: "

static volatile sig_atomic_t stops;
static volatile sig_atomic_t running; /* a pid_t; 0 = none */
static struct sigaction old_int, old_term;

static void on_signal(int number)
{
    int saved = errno;
    if (stops++ > 1)
        _exit(130);
    if (running > 0)
        (void)kill((pid_t)running, number);
    errno = saved;
}

void cf_spawn_begin(void)
{
    stops = 0;
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
}

void cf_spawn_end(void)
{
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
}

int cf_spawn_stops(void)
{
    return (int)stops;
}

/* ---- what the process gets ---- */

static bool is_variable(const char *assignment, const char *name)
{
    size_t length = name != NULL ? strlen(name) : 0;
    return length > 0 && strncmp(assignment, name, length) == 0 && assignment[length] == '=';
}

/* What our own variables say is in the arguments already. Returned strings are borrowed, but for *ret_own. */
static char **make_environment(const char *name, const char *value, char **ret_own)
{
    size_t count = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    char **made = calloc(count + 2, sizeof *made);
    bool set = name != NULL && value != NULL && value[0] != '\0';
    *ret_own = set ? cf_text_format("%s=%s", name, value) : NULL;
    if (made == NULL || (set && *ret_own == NULL)) {
        free(made);
        return NULL;
    }
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], CF_ENV_PREFIX, strlen(CF_ENV_PREFIX)) != 0 && !is_variable(environ[i], name))
            made[n++] = environ[i];
    if (set)
        made[n++] = *ret_own;
    return made;
}

static char **make_arguments(const cf_set_strings *argv)
{
    char **made = calloc(argv->count + 1, sizeof *made);
    for (size_t i = 0; made != NULL && i < argv->count; i++)
        made[i] = argv->items[i];
    return made;
}

static void reset_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ};
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        (void)sigaction(numbers[i], &action, NULL);
}

/* The new process, before it is the program. A driver that listed devices may have left threads, so that only what is
   safe in a signal handler may be called here. In a group of its own, since a Ctrl-C of the terminal is for us, who
   pass it on once; and it ends after its round when we are gone, lest it write where a later --resume writes. */
static void become(char **arguments, char **environment, int err_fd, int fail_fd)
{
    int nothing = open("/dev/null", O_RDWR);
    bool ready = nothing >= 0 && setpgid(0, 0) == 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
                 dup2(nothing, STDOUT_FILENO) >= 0 && dup2(err_fd, STDERR_FILENO) >= 0 &&
                 prctl(PR_SET_PDEATHSIG, SIGTERM) == 0;
    reset_signals();
    if (ready)
        (void)execve(SELF, arguments, environment);
    int code = errno;
    (void)!write(fail_fd, &code, sizeof code);
    _exit(127);
}

/* Returns 0, or the errno of what could not be done. */
static int start(char **arguments, char **environment, int err_fd, pid_t *ret_pid)
{
    int ends[2], code = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    pid_t pid = fork();
    if (pid == 0)
        become(arguments, environment, err_fd, ends[1]);
    code = pid < 0 ? errno : 0;
    (void)close(ends[1]);
    int failed = 0;
    ssize_t taken = 0;
    while (pid > 0 && (taken = read(ends[0], &failed, sizeof failed)) < 0 && errno == EINTR)
        continue;
    (void)close(ends[0]);
    if (taken == (ssize_t)sizeof failed) {
        (void)waitpid(pid, NULL, 0);
        return failed;
    }
    *ret_pid = pid;
    return code;
}

/* ---- what it says ---- */

typedef struct listener {
    char line[sizeof((cf_spawned *)0)->said];
    size_t used;
    cf_spawned *spawned;
} listener;

static void end_line(listener *l)
{
    l->line[l->used] = '\0';
    const char *text = strncmp(l->line, PREFIX, strlen(PREFIX)) == 0 ? l->line + strlen(PREFIX) : l->line;
    if (*text != '\0')
        (void)cf_text_safe(text, l->spawned->said, sizeof l->spawned->said);
    l->used = 0;
}

static void hear(listener *l, const char *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++) {
        if (bytes[i] == '\n')
            end_line(l);
        else if (l->used + 1 < sizeof l->line)
            l->line[l->used++] = bytes[i];
    }
}

/* Until the process has closed its standard error. */
static void listen_to(int fd, cf_spawn_tick *tick, void *user, cf_spawned *spawned)
{
    listener l = {.spawned = spawned};
    uint64_t begin_ns = cf_clock_now_ns();
    for (;;) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        char bytes[1024];
        int code = poll(&ready, 1, TICK_MS);
        if (tick != NULL)
            tick(user, (double)(cf_clock_now_ns() - begin_ns) / (double)CF_NS_PER_S);
        if (code <= 0)
            continue; /* a tick, or a signal */
        ssize_t taken = read(fd, bytes, sizeof bytes);
        if (taken < 0 && errno == EINTR)
            continue;
        if (taken <= 0)
            break;
        hear(&l, bytes, (size_t)taken);
    }
    end_line(&l);
}

static void wait_for(pid_t pid, cf_spawned *ret)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    running = 0;
    ret->by_signal = WIFSIGNALED(status);
    ret->exit_status = ret->by_signal ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static cf_status run(char **arguments, char **environment, cf_spawn_tick *tick, void *user, cf_spawned *ret,
                     cf_error *err)
{
    int ends[2];
    pid_t pid = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return cf_error_set(err, CF_IO, "no pipe to a process of our own: %s", strerror(errno));
    int code = start(arguments, environment, ends[1], &pid);
    (void)close(ends[1]);
    if (code != 0) {
        (void)close(ends[0]);
        return cf_error_set(err, CF_IO, "no process of our own could be started (%s): %s", SELF, strerror(code));
    }
    running = (sig_atomic_t)pid;
    if (stops > 0)
        (void)kill(pid, SIGINT); /* it came before there was anybody to pass it on to */
    listen_to(ends[0], tick, user, ret);
    (void)close(ends[0]);
    wait_for(pid, ret);
    return CF_OK;
}

cf_status cf_spawn_run(const cf_set_strings *argv, const char *name, const char *value, cf_spawn_tick *tick, void *user,
                       cf_spawned *ret, cf_error *err)
{
    char *own = NULL;
    char **environment = make_environment(name, value, &own);
    char **arguments = make_arguments(argv);
    *ret = (cf_spawned){0};
    cf_status status = environment != NULL && arguments != NULL ? run(arguments, environment, tick, user, ret, err)
                                                                : cf_error_set(err, CF_MEMORY, "out of memory");
    free(arguments);
    free(environment);
    free(own);
    return status;
}
