/* Programs that the program starts (emulator/translate.h). */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulator/preload.h"
#include "emulator/translate.h"

static bool translates(const char *path)
{
    const cf_emu_session *session = cf_emu_session_here();
    return session && session->loader[0] && path && strcmp(path, session->loader) != 0;
}

static const char *itself(const char *path)
{
    const char *program = cf_emu_program();
    return program && path && strcmp(path, "/proc/self/exe") == 0 ? program : path;
}

CF_EMU_SLOT(execve);
CF_EMU_SLOT(execvpe);
CF_EMU_SLOT(posix_spawn);
CF_EMU_SLOT(posix_spawnp);

CF_EMU_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
    cf_emu_head file;
    path = itself(path);
    if (!translates(path) || access(path, X_OK) != 0 || !cf_emu_head_read(path, &file))
        return CF_EMU_REAL(execve)(path, argv, envp);
    char **words = alloca((cf_emu_words_count(argv) + CF_EMU_WORDS_MORE) * sizeof *words);
    const char *run = cf_emu_translate(cf_emu_session_here(), path, argv, &file, words);
    return run ? CF_EMU_REAL(execve)(run, words, envp) : CF_EMU_REAL(execve)(path, argv, envp);
}

CF_EMU_EXPORT int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

CF_EMU_EXPORT int execvpe(const char *name, char *const argv[], char *const envp[])
{
    char buf[PATH_MAX];
    const char *path = translates(name) ? cf_emu_find_program(name, buf) : NULL;
    return path ? execve(path, argv, envp) : CF_EMU_REAL(execvpe)(name, argv, envp);
}

CF_EMU_EXPORT int execvp(const char *name, char *const argv[])
{
    return execvpe(name, argv, environ);
}

/* The words of execl and its like: first, and what follows up to NULL. */
#define COLLECT(first, args, words)                                                                                    \
    va_list args;                                                                                                      \
    size_t count_##words = 1;                                                                                          \
    va_start(args, first);                                                                                             \
    while (va_arg(args, char *))                                                                                       \
        count_##words++;                                                                                               \
    va_end(args);                                                                                                      \
    char **words = alloca((count_##words + 1) * sizeof *words);                                                        \
    union {                                                                                                            \
        const char *constant;                                                                                          \
        char *text;                                                                                                    \
    } first_##words = {.constant = first};                                                                             \
    words[0] = first_##words.text;                                                                                     \
    va_start(args, first);                                                                                             \
    for (size_t i_##words = 1; i_##words <= count_##words; i_##words++)                                                \
        words[i_##words] = va_arg(args, char *);

CF_EMU_EXPORT int execl(const char *path, const char *first, ...)
{
    COLLECT(first, args, words)
    va_end(args);
    return execve(path, words, environ);
}

CF_EMU_EXPORT int execlp(const char *name, const char *first, ...)
{
    COLLECT(first, args, words)
    va_end(args);
    return execvpe(name, words, environ);
}

CF_EMU_EXPORT int execle(const char *path, const char *first, ...)
{
    COLLECT(first, args, words)
    char *const *envp = va_arg(args, char *const *);
    va_end(args);
    return execve(path, words, envp);
}

CF_EMU_EXPORT int posix_spawn(pid_t *restrict ret_pid, const char *restrict path,
                              const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *restrict attributes,
                              char *const argv[restrict], char *const envp[restrict])
{
    cf_emu_head file;
    const char *real = itself(path);
    if (!translates(real) || access(real, X_OK) != 0 || !cf_emu_head_read(real, &file))
        return CF_EMU_REAL(posix_spawn)(ret_pid, real, actions, attributes, argv, envp);
    char **words = alloca((cf_emu_words_count(argv) + CF_EMU_WORDS_MORE) * sizeof *words);
    const char *run = cf_emu_translate(cf_emu_session_here(), real, argv, &file, words);
    return run ? CF_EMU_REAL(posix_spawn)(ret_pid, run, actions, attributes, words, envp)
               : CF_EMU_REAL(posix_spawn)(ret_pid, real, actions, attributes, argv, envp);
}

CF_EMU_EXPORT int posix_spawnp(pid_t *restrict ret_pid, const char *restrict name,
                               const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *restrict attributes,
                               char *const argv[restrict], char *const envp[restrict])
{
    char buf[PATH_MAX];
    const char *path = translates(name) ? cf_emu_find_program(name, buf) : NULL;
    return path ? posix_spawn(ret_pid, path, actions, attributes, argv, envp)
                : CF_EMU_REAL(posix_spawnp)(ret_pid, name, actions, attributes, argv, envp);
}

/* ---- shells: the C library starts these by itself, out of our sight ---- */

static int spawn_shell(const char *command, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, pid_t *ret_pid)
{
    static char shell[] = "sh", option[] = "-c";
    union {
        const char *constant;
        char *text;
    } line = {.constant = command};
    char *words[] = {shell, option, line.text, NULL};
    return posix_spawn(ret_pid, "/bin/sh", actions, attributes, words, environ);
}

CF_EMU_SLOT(system);

/* As POSIX has it: the caller ignores the keyboard's signals meanwhile, the shell does not. */
CF_EMU_EXPORT int system(const char *command)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old_int, old_quit;
    sigset_t block, before, defaults;
    posix_spawnattr_t attributes;
    pid_t pid;
    int status = -1;
    if (!command || !translates("/bin/sh"))
        return CF_EMU_REAL(system)(command);
    if (posix_spawnattr_init(&attributes) != 0)
        return -1;
    sigemptyset(&block);
    sigaddset(&block, SIGCHLD);
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &ignore, &old_int);
    sigaction(SIGQUIT, &ignore, &old_quit);
    pthread_sigmask(SIG_BLOCK, &block, &before);
    sigemptyset(&defaults);
    if (old_int.sa_handler != SIG_IGN)
        sigaddset(&defaults, SIGINT);
    if (old_quit.sa_handler != SIG_IGN)
        sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setsigmask(&attributes, &before);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    if (spawn_shell(command, NULL, &attributes, &pid) == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            continue;
    else
        status = 127 << 8;
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGQUIT, &old_quit, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    posix_spawnattr_destroy(&attributes);
    return status;
}

#define PIPES 64
static struct {
    FILE *stream;
    pid_t pid;
} pipes[PIPES];
static pthread_mutex_t pipes_mutex = PTHREAD_MUTEX_INITIALIZER;

CF_EMU_SLOT(popen);
CF_EMU_SLOT(pclose);

/* The shell's end becomes its standard input or output; ours is closed in it. */
static FILE *open_pipe(const char *command, bool reads, bool close_on_exec, pid_t *ret_pid)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    const int ours = reads ? ends[0] : ends[1], theirs = reads ? ends[1] : ends[0];
    int failure = posix_spawn_file_actions_init(&actions);
    if (!failure) {
        failure = posix_spawn_file_actions_adddup2(&actions, theirs, reads ? STDOUT_FILENO : STDIN_FILENO);
        if (!failure)
            failure = spawn_shell(command, &actions, NULL, ret_pid);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(theirs);
    if (!failure && !close_on_exec)
        (void)fcntl(ours, F_SETFD, 0);
    FILE *stream = failure ? NULL : fdopen(ours, reads ? "r" : "w");
    if (!stream) {
        close(ours);
        errno = failure ? failure : errno;
    }
    return stream;
}

CF_EMU_EXPORT FILE *popen(const char *command, const char *mode)
{
    pid_t pid;
    if (!translates("/bin/sh") || (mode[0] != 'r' && mode[0] != 'w'))
        return CF_EMU_REAL(popen)(command, mode);
    FILE *stream = open_pipe(command, mode[0] == 'r', strchr(mode, 'e') != NULL, &pid);
    pthread_mutex_lock(&pipes_mutex);
    for (size_t i = 0; stream && i < PIPES; i++)
        if (!pipes[i].stream) {
            pipes[i].stream = stream;
            pipes[i].pid = pid;
            break;
        }
    pthread_mutex_unlock(&pipes_mutex);
    return stream;
}

CF_EMU_EXPORT int pclose(FILE *stream)
{
    pid_t pid = 0;
    int status = -1;
    pthread_mutex_lock(&pipes_mutex);
    for (size_t i = 0; i < PIPES; i++)
        if (pipes[i].stream == stream) {
            pid = pipes[i].pid;
            pipes[i].stream = NULL;
        }
    pthread_mutex_unlock(&pipes_mutex);
    if (!pid)
        return CF_EMU_REAL(pclose)(stream);
    fclose(stream);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}
