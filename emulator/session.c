#include "emulator/session.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int open_file(const char *directory, const char *name, int flags)
{
    char path[CF_EMU_PATH + 32];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return -1;
    /* By its number, because `open` may be the preloaded object's. */
    return openat(AT_FDCWD, path, flags | O_CLOEXEC, 0600);
}

bool cf_emu_session_write(const char *directory, const cf_emu_session *session)
{
    const int fd = open_file(directory, CF_EMU_SESSION_FILE, O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0)
        return false;
    const bool whole = write(fd, session, sizeof *session) == (ssize_t)sizeof *session;
    return close(fd) == 0 && whole;
}

static bool ends(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (!text[i])
            return true;
    return false;
}

bool cf_emu_session_read(const char *directory, cf_emu_session *ret_session)
{
    const int fd = open_file(directory, CF_EMU_SESSION_FILE, O_RDONLY);
    if (fd < 0)
        return false;
    const ssize_t got = read(fd, ret_session, sizeof *ret_session);
    close(fd);
    const cf_emu_session *s = ret_session;
    return got == (ssize_t)sizeof *ret_session && cf_emu_model_valid(&s->model, sizeof s->model) &&
           ends(s->loader, sizeof s->loader) && ends(s->libraries, sizeof s->libraries) &&
           ends(s->object, sizeof s->object) && ends(s->timeline, sizeof s->timeline) &&
           ends(s->spans, sizeof s->spans) && ends(s->log, sizeof s->log) && ends(s->trace, sizeof s->trace);
}

cf_emu_kernels *cf_emu_session_kernels(const char *directory)
{
    const int fd = open_file(directory, CF_EMU_SESSION_KERNELS, O_RDWR | O_CREAT);
    if (fd < 0)
        return NULL;
    void *mapped = ftruncate(fd, (off_t)sizeof(cf_emu_kernels)) == 0
                       ? mmap(NULL, sizeof(cf_emu_kernels), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                       : MAP_FAILED;
    close(fd);
    return mapped == MAP_FAILED ? NULL : mapped;
}
