#include "plan/git.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ARGUMENTS 16
#define MAX_SAID      4096

typedef struct child {
    pid_t pid;
    int in, out, said; /* our ends of the pipes; -1 = closed */
} child;

static char settings[][24] = {"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"};
#define SETTING_COUNT (sizeof settings / sizeof settings[0])

static bool is_set_by_us(const char *assignment)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (!strncmp(assignment, settings[i], strcspn(settings[i], "=") + 1))
            return true;
    }
    return false;
}

/* The caller's environment, with ours. Caller frees the array alone; NULL out of memory. */
static char **environment(void)
{
    size_t count = 0;
    while (environ && environ[count])
        count++;
    char **all = calloc(count + SETTING_COUNT + 1, sizeof(char *));
    size_t used = 0;
    for (size_t i = 0; all && i < count; i++) {
        if (!is_set_by_us(environ[i]))
            all[used++] = environ[i];
    }
    for (size_t i = 0; all && i < SETTING_COUNT; i++)
        all[used++] = settings[i];
    return all;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_pipes(int pipes[3][2])
{
    for (int i = 0; i < 3; i++) {
        close_one(&pipes[i][0]);
        close_one(&pipes[i][1]);
    }
}

static int spawn(char *const *argv, char *const *env, int pipes[3][2], pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    if (posix_spawn_file_actions_init(&actions))
        return ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_adddup2(&actions, pipes[0][0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes[1][1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipes[2][1], STDERR_FILENO);
    int failure = posix_spawnp(ret_pid, "git", &actions, &attributes, argv, env);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static cf_status start(char *const *argv, child *ret_child, cf_error *err)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    for (int i = 0; i < 3; i++) {
        if (pipe2(pipes[i], O_CLOEXEC) != 0) {
            int number = errno;
            close_pipes(pipes);
            return cf_error_set(err, CF_IO, "git: %s", strerror(number));
        }
    }
    char **env = environment();
    pid_t pid = -1;
    int failure = env ? spawn(argv, env, pipes, &pid) : ENOMEM;
    free(env);
    if (failure) {
        close_pipes(pipes);
        if (failure == ENOENT)
            return cf_error_set(err, CF_UNSUPPORTED, "git was not found in PATH");
        return cf_error_set(err, CF_IO, "git: %s", strerror(failure));
    }
    *ret_child = (child){.pid = pid, .in = pipes[0][1], .out = pipes[1][0], .said = pipes[2][0]};
    pipes[0][1] = pipes[1][0] = pipes[2][0] = -1;
    close_pipes(pipes);
    fcntl(ret_child->in, F_SETFL, O_NONBLOCK);
    return CF_OK;
}

/* Closes fd at its end. False: more than max_bytes. */
static bool take(int *fd, cf_text *text, size_t max_bytes)
{
    char buffer[16384];
    ssize_t got = read(*fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0) {
        close_one(fd);
        return true;
    }
    if (text->size_bytes + (size_t)got > max_bytes)
        return false;
    cf_text_add_bytes(text, buffer, (size_t)got);
    return true;
}

static void give(int *fd, const cf_text *input, size_t *done)
{
    size_t left = input ? input->size_bytes - *done : 0;
    if (left) {
        ssize_t put = write(*fd, input->data + *done, left);
        if (put < 0 && (errno == EINTR || errno == EAGAIN))
            return;
        if (put > 0)
            *done += (size_t)put;
        if (put > 0 && (size_t)put < left)
            return;
    }
    close_one(fd);
}

/* Feeds and reads until git has closed both of its outputs. False: it printed too much. */
static bool converse(child *git, const cf_text *input, size_t max_bytes, cf_text *out, cf_text *said)
{
    size_t done = 0;
    bool fits = true;
    while (fits && (git->out >= 0 || git->said >= 0)) {
        struct pollfd polled[] = {{.fd = git->in, .events = POLLOUT},
                                  {.fd = git->out, .events = POLLIN},
                                  {.fd = git->said, .events = POLLIN}};
        if (poll(polled, 3, -1) < 0 && errno != EINTR)
            break;
        if (git->in >= 0 && polled[0].revents)
            give(&git->in, input, &done);
        if (git->out >= 0 && polled[1].revents)
            fits = take(&git->out, out, max_bytes);
        if (git->said >= 0 && polled[2].revents && !take(&git->said, said, MAX_SAID))
            close_one(&git->said);
    }
    return fits;
}

static int finish(child *git, bool stop)
{
    int state = 0;
    close_one(&git->in);
    close_one(&git->out);
    close_one(&git->said);
    if (stop)
        kill(git->pid, SIGTERM);
    while (waitpid(git->pid, &state, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

/* The first line of what git said. */
static void keep_said(cf_text *said, cf_error *err)
{
    if (said->data)
        said->data[strcspn(said->data, "\n")] = '\0';
    cf_error_set(err, CF_OK, "git: %s", said->data ? said->data : "it failed without a word");
}

cf_status cf_plan_git(const cf_plan_place *place, const char *const *arguments, const cf_text *input, size_t max_bytes,
                      cf_text *ret_out, int *ret_exit, cf_error *err)
{
    const char *words[MAX_ARGUMENTS + 8] = {"git", "-C", place->root, "--no-pager", "--literal-pathspecs"};
    char *argv[MAX_ARGUMENTS + 8]; /* as posix_spawn takes them; it changes none */
    size_t count = 5;
    for (size_t i = 0; arguments[i] && i < MAX_ARGUMENTS; i++)
        words[count++] = arguments[i];
    memcpy(argv, words, sizeof argv);
    child git = {.pid = -1, .in = -1, .out = -1, .said = -1};
    *ret_out = (cf_text){0};
    cf_status status = start(argv, &git, err);
    if (status)
        return status;
    cf_text said = {0};
    bool fits = converse(&git, input, max_bytes, ret_out, &said);
    *ret_exit = finish(&git, !fits);
    if (!fits)
        status = cf_error_set(err, CF_INPUT, "git %s: more than %zu bytes", arguments[0], max_bytes);
    else if (ret_out->failed)
        status = cf_error_set(err, CF_MEMORY, "out of memory");
    else if (*ret_exit)
        keep_said(&said, err);
    cf_text_done(&said);
    if (status)
        cf_text_done(ret_out);
    return status;
}
