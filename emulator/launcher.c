#include "emulator/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "emulator/translate.h"

#define OBJECT "libconfound-emulator.so"

static char directory[CF_EMU_PATH]; /* "" = none */
static volatile sig_atomic_t child; /* a pid_t; 0 = none */

static cf_status fail(cf_error *err, const char *what, const char *path)
{
    return cf_error_set(err, CF_IO, "%s %s: %s", what, path, strerror(errno));
}

static cf_status make_directory(cf_error *err)
{
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/' || strlen(base) > CF_EMU_PATH / 2)
        base = "/tmp";
    cf_emu_tree_reclaim(base);
    snprintf(directory, sizeof directory, "%s/" CF_EMU_SESSION_PREFIX "XXXXXX", base);
    if (mkdtemp(directory)) {
        cf_emu_tree_hold(directory);
        return CF_OK;
    }
    const cf_status status = fail(err, "cannot make", directory);
    directory[0] = 0;
    return status;
}

/* The object lies beside this program, or where it is installed. */
static cf_status find_object(char ret[CF_EMU_PATH], cf_error *err)
{
    static const char *const places[] = {OBJECT, "../lib/confound/" OBJECT, "../lib/x86_64-linux-gnu/confound/" OBJECT,
                                         "../lib64/confound/" OBJECT};
    char self[CF_EMU_PATH];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const int wrote = snprintf(ret, CF_EMU_PATH, "%s/%s", self, places[i]);
        if (wrote > 0 && wrote < CF_EMU_PATH && cf_file_exists(ret))
            return CF_OK;
    }
    return cf_error_set(err, CF_IO, "no " OBJECT " beside confound-emulate or in ../lib/confound");
}

/* A pipe or a device is not opened to see whether it can be: its reader would notice. */
static bool can_write(const char *path)
{
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        return access(path, W_OK) == 0;
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    return fd >= 0 && close(fd) == 0;
}

/* Where an option's output goes, for processes with other working folders. What cannot be written is refused before
   the program has run for nothing. */
static cf_status output(char ret[CF_EMU_PATH], const char *option, const char *path, cf_error *err)
{
    char folder[CF_EMU_PATH] = "";
    ret[0] = 0;
    if (!path)
        return CF_OK;
    const bool standard = strcmp(path, "-") == 0, relative = path[0] && path[0] != '/' && !standard;
    if (relative && !getcwd(folder, sizeof folder))
        return cf_error_set(err, CF_INPUT, "%s %s: the working folder: %s", option, path, strerror(errno));
    if (snprintf(ret, CF_EMU_PATH, "%s%s%s", folder, relative ? "/" : "", path) >= CF_EMU_PATH)
        return cf_error_set(err, CF_INPUT, "%s: a path of less than %d bytes is accepted", option, CF_EMU_PATH);
    if (!standard && !can_write(ret))
        return cf_error_set(err, CF_INPUT, "%s %s: %s; a file that can be written is accepted, or - for standard error",
                            option, path, strerror(errno));
    return CF_OK;
}

static cf_status find_outputs(const cf_emu_options *options, cf_emu_session *ret, cf_error *err)
{
    const struct {
        const char *option, *path;
        char *place;
    } all[] = {{"--timeline", options->timeline, ret->timeline},
               {"--spans", options->spans, ret->spans},
               {"--log", options->log, ret->log},
               {"--trace", options->trace, ret->trace}};
    cf_status status = CF_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == CF_OK; i++)
        status = output(all[i].place, all[i].option, all[i].path, err);
    return status;
}

static cf_status write_vendor(const cf_emu_drivers *drivers, cf_error *err)
{
    char path[CF_EMU_PATH + 32], text[CF_EMU_PATH + 1];
    snprintf(path, sizeof path, "%s/icd", directory);
    if (mkdir(path, 0700) != 0)
        return fail(err, "cannot make", path);
    snprintf(path, sizeof path, "%s/icd/intel.icd", directory);
    const int length = snprintf(text, sizeof text, "%s\n", drivers->opencl);
    return cf_file_write_atomic(path, text, (size_t)length, err);
}

/* What a program that was started by another one needs too is in the environment or in the session. */
static cf_status write_session(const cf_emu_options *options, const cf_emu_model *model, const cf_emu_drivers *drivers,
                               cf_emu_session *ret_session, cf_error *err)
{
    const char *path = getenv("LD_LIBRARY_PATH");
    char made[CF_EMU_PATH];
    memset(ret_session, 0, sizeof *ret_session);
    ret_session->model = *model;
    snprintf(ret_session->loader, sizeof ret_session->loader, "%s", drivers->loader);
    const int wrote = snprintf(ret_session->libraries, sizeof ret_session->libraries, "%s%s%s", drivers->libraries,
                               path && *path ? ":" : "", path ? path : "");
    if (wrote >= (int)sizeof ret_session->libraries)
        return cf_error_set(err, CF_INPUT, "LD_LIBRARY_PATH has more than %zu bytes", sizeof ret_session->libraries);
    cf_status status = find_outputs(options, ret_session, err);
    if (status == CF_OK)
        status = find_object(ret_session->object, err);
    if (status != CF_OK)
        return status;
    if (!cf_emu_tree_make(directory, model, made))
        return fail(err, "cannot make", made);
    if (!cf_emu_session_write(directory, ret_session))
        return fail(err, "cannot write the session in", directory);
    return drivers->opencl[0] ? write_vendor(drivers, err) : CF_OK;
}

static void set_environment(const cf_emu_session *session, const cf_emu_drivers *drivers)
{
    char text[CF_EMU_PATH + 32];
    setenv(CF_EMU_SESSION_VARIABLE, directory, 1);
    setenv("NEO_CACHE_PERSISTENT", "0", 0); /* else the driver writes a cache of kernels into the home folder */
    if (drivers->level_zero[0])
        setenv("ZE_ENABLE_ALT_DRIVERS", drivers->level_zero, 0);
    if (drivers->opencl[0]) {
        snprintf(text, sizeof text, "%s/icd", directory);
        setenv("OCL_ICD_VENDORS", text, 1);
    }
    if (!session->loader[0]) {
        setenv("LD_PRELOAD", session->object, 1);
        setenv("LD_LIBRARY_PATH", session->libraries, 1);
    }
}

static void pass_on(int number)
{
    const int before = errno;
    if (child > 0)
        (void)kill((pid_t)child, number);
    errno = before;
}

/* The keyboard's signals reach the program by themselves. */
static void watch_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    sigemptyset(&ignore.sa_mask);
    sigemptyset(&pass.sa_mask);
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGQUIT, &ignore, NULL);
    sigaction(SIGTERM, &pass, NULL);
    sigaction(SIGHUP, &pass, NULL);
    sigaction(SIGUSR1, &pass, NULL);
    sigaction(SIGUSR2, &pass, NULL);
}

static void run_program(const cf_emu_options *options, const cf_emu_session *session)
{
    char buf[PATH_MAX];
    cf_emu_head file;
    const char *path = cf_emu_find_program(options->program[0], buf);
    char **words = calloc(cf_emu_words_count(options->program) + CF_EMU_WORDS_MORE, sizeof *words);
    if (!path || !words) {
        fprintf(stderr, "confound-emulate: %s: %s\n", options->program[0], path ? "out of memory" : "not found");
        _exit(127);
    }
    const char *run = session->loader[0] && access(path, X_OK) == 0 && cf_emu_head_read(path, &file)
                          ? cf_emu_translate(session, path, options->program, &file, words)
                          : NULL;
    if (run)
        execv(run, words);
    else
        execv(path, options->program);
    fprintf(stderr, "confound-emulate: %s: %s\n", path, strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

static int status_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A program may end well though the device stopped: that must not be overlooked. */
static void tell_failures(void)
{
    char path[CF_EMU_PATH + 32], *text;
    size_t bytes, lines = 0;
    cf_error ignored;
    snprintf(path, sizeof path, "%s/" CF_EMU_SESSION_FAILURES, directory);
    if (!cf_file_exists(path) || cf_file_read(path, 1u << 20, &text, &bytes, &ignored) != CF_OK)
        return;
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    fprintf(stderr, "confound-emulate: %zu submission%s ended at something that is not known; results are void\n",
            lines, lines == 1 ? "" : "s");
    free(text);
}

/* Which of them are the driver's own copies and fills cannot be told here: to the device a kernel is an address. */
static void tell_kernels(const cf_emu_kernels *kernels)
{
    const uint64_t count = atomic_load(&kernels->count);
    if (count > 0)
        fprintf(stderr,
                "confound-emulate: %" PRIu64 " kernel%s %s not executed: what %s would have written is missing, and a "
                "copy or fill that the driver makes with a kernel moved nothing\n",
                count, count == 1 ? "" : "s", count == 1 ? "was" : "were", count == 1 ? "it" : "they");
}

static cf_status start_and_wait(const cf_emu_options *options, const cf_emu_session *session,
                                const cf_emu_drivers *drivers, int *ret_exit, cf_error *err)
{
    const pid_t self = getpid();
    const cf_emu_kernels *kernels = cf_emu_session_kernels(directory);
    int status;
    if (!kernels)
        return fail(err, "cannot map a file in", directory);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0)
        return fail(err, "cannot start", options->program[0]);
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != self)
            _exit(126);
        set_environment(session, drivers);
        run_program(options, session);
    }
    child = pid;
    watch_signals();
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return fail(err, "cannot wait for", options->program[0]);
    child = 0;
    *ret_exit = status_of(status);
    if (!options->quiet)
        tell_kernels(kernels);
    tell_failures();
    return CF_OK;
}

cf_status cf_emu_launch(const cf_emu_options *options, const cf_emu_model *model, const cf_emu_drivers *drivers,
                        int *ret_exit, cf_error *err)
{
    cf_emu_session session;
    cf_status status = make_directory(err);
    if (status != CF_OK)
        return status;
    status = write_session(options, model, drivers, &session, err);
    if (status == CF_OK)
        status = start_and_wait(options, &session, drivers, ret_exit, err);
    cf_emu_tree_remove(directory);
    return status;
}
