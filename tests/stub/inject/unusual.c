/* Programs that do to their own process what few do, before or between their steps; of events they know as much as
   program.c. What they print does not depend on who looks.
     usage: unusual MODE STEPS
   MODE: plain, or
     file-size    files may have 4 KiB
     descriptors  no further file can be opened
     no-variables the environment is emptied
     elsewhere    the working directory is another one
     again        some steps, then the program replaces itself
     background   a child does the steps, and goes on when the program has ended
     forks        children make events while threads do
     ignored      which signals are ignored */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define DRIVER(X)                                                                                                      \
    X(cuStreamCreate, (void **ret, unsigned flags))                                                                    \
    X(cuLaunchKernel,                                                                                                  \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))        \
    X(cuCtxSynchronize, (void))                                                                                        \
    X(cuEventCreate, (void **ret, unsigned flags))                                                                     \
    X(cuEventDestroy_v2, (void *event))                                                                                \
    X(cuEventRecord, (void *event, void *stream))                                                                      \
    X(cuEventElapsedTime, (float *ret_ms, void *begin, void *end))

#define KERNEL_NS   UINT64_C(300000)
#define AGAIN_STEPS 20
#define CHILDREN    100
#define THREADS     4

#define X(name, parameters) static int(*name##_at) parameters;
DRIVER(X)
#undef X

static void find_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        exit(77);
#define X(name, parameters)                                                                                            \
    if (!(*(void **)&name##_at = dlsym(library, #name)))                                                               \
        exit(76);
    DRIVER(X)
#undef X
}

static int run_steps(int count)
{
    void *stream = NULL, *begin = NULL, *end = NULL, *kernel = (void *)(uintptr_t)KERNEL_NS;
    int faults = cuStreamCreate_at(&stream, 0) || cuEventCreate_at(&begin, 0) || cuEventCreate_at(&end, 0);
    for (int i = 0; i < count; i++) {
        float ms = -1;
        faults += cuEventRecord_at(begin, stream) ||
                  cuLaunchKernel_at(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL) || cuEventRecord_at(end, stream) ||
                  cuCtxSynchronize_at() || cuEventElapsedTime_at(&ms, begin, end);
        faults += ms <= 0;
    }
    printf("%d steps, %d faults\n", count, faults);
    (void)fflush(stdout);
    return faults != 0;
}

static void check(int result)
{
    if (result != 0)
        exit(75);
}

static void *make_events(void *user)
{
    for (void *event = NULL;; cuEventDestroy_v2_at(event))
        cuEventCreate_at(&event, 0);
    return user;
}

/* A child that waits for a lock which nobody holds in it is ended by its alarm. */
static int fork_beside_threads(void)
{
    int hung = 0;
    pthread_t thread;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, make_events, NULL);
    for (int i = 0; i < CHILDREN && hung == 0; i++) {
        int status = 0;
        void *event = NULL;
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            _exit(cuEventCreate_at(&event, 0) || cuEventDestroy_v2_at(event));
        }
        waitpid(child, &status, 0);
        hung += status != 0;
    }
    printf("%d children failed\n", hung);
    (void)fflush(stdout);
    _exit(hung != 0);
}

static int leave_behind(int steps)
{
    char done = 0;
    int ends[2];
    if (pipe(ends) != 0)
        return 75;
    if (fork() != 0)
        return read(ends[0], &done, 1) == 1 ? done : 75;
    done = (char)run_steps(steps);
    const bool said = write(ends[1], &done, 1) == 1;
    (void)sleep(2);
    _exit(!said);
}

static void say_ignored(void)
{
    struct sigaction action;
    for (int number = 1; number < SIGRTMIN; number++)
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            printf("signal %d is ignored\n", number);
}

int main(int count, char **arguments)
{
    const char *mode = count > 2 ? arguments[1] : "";
    const int steps = count > 2 ? atoi(arguments[2]) : 0;
    if (steps <= 0)
        return 64;
    find_driver();
    if (strcmp(mode, "file-size") == 0)
        check(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096}));
    else if (strcmp(mode, "descriptors") == 0)
        check(setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3}));
    else if (strcmp(mode, "no-variables") == 0)
        check(clearenv());
    else if (strcmp(mode, "elsewhere") == 0)
        check(chdir("/"));
    else if (strcmp(mode, "again") == 0) {
        if (run_steps(AGAIN_STEPS))
            return 1;
        execl("/proc/self/exe", arguments[0], "plain", arguments[2], (char *)NULL);
        return 75;
    } else if (strcmp(mode, "background") == 0)
        return leave_behind(steps);
    else if (strcmp(mode, "forks") == 0)
        return fork_beside_threads();
    else if (strcmp(mode, "ignored") == 0)
        say_ignored();
    return run_steps(steps);
}
