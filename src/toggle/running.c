#include "toggle/running.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "toggle/wire.h"

#define BOOT        "/proc/sys/kernel/random/boot_id"
#define START_FIELD 22 /* of /proc/PID/stat, proc(5) */

const char *cf_running_host(char *buf, size_t buf_bytes)
{
    struct utsname name;
    snprintf(buf, buf_bytes, "%s", uname(&name) == 0 ? name.nodename : "");
    return buf;
}

static size_t read_small(const char *path, char *buf, size_t buf_bytes)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? 0 : read(file, buf, buf_bytes - 1);
    if (file >= 0)
        close(file);
    buf[got > 0 ? got : 0] = '\0';
    return got > 0 ? (size_t)got : 0;
}

const char *cf_running_boot(char *buf, size_t buf_bytes)
{
    read_small(BOOT, buf, buf_bytes);
    buf[strcspn(buf, "\n")] = '\0';
    return buf;
}

/* The name stands in parentheses, and may hold any of them. */
int64_t cf_running_since(pid_t pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    read_small(path, text, sizeof text);
    const char *at = strrchr(text, ')');
    if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
        return 0;
    at++;
    for (int field = 3; at && field < START_FIELD; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoll(at, NULL, 10) : 0;
}

/* Of a process that cannot be looked into, its folder's owner says nothing, and this does. */
static bool is_of_this_user(pid_t pid)
{
    static const char field[] = "\nUid:";
    char path[64], text[2048];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    read_small(path, text, sizeof text);
    const char *line = strstr(text, field);
    return line && strtoul(line + sizeof field - 1, NULL, 10) == getuid();
}

/* tail: the file and its folder, whose name no other one has. Devices and inodes are no use: some file systems show
   others here than to fstat. */
static bool maps(pid_t pid, const char *tail)
{
    char path[64], *line = NULL;
    size_t bytes = 0;
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)pid);
    FILE *map = fopen(path, "re");
    if (!map)
        return errno != ENOENT && cf_running_since(pid) != 0 && is_of_this_user(pid);
    bool found = false;
    while (!found && getline(&line, &bytes, map) > 0)
        found = strstr(line, tail) != NULL;
    free(line);
    (void)fclose(map);
    return found;
}

/* Its own number stands in the file. */
static pid_t writer_of(const char *path, const char *tail)
{
    struct stat what;
    struct {
        uint64_t magic;
        uint32_t bytes, pid;
    } head;
    static_assert(offsetof(cf_wire, pid) == offsetof(__typeof__(head), pid), "it is a wire's beginning");
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool known = file >= 0 && fstat(file, &what) == 0 && S_ISREG(what.st_mode) &&
                 read(file, &head, sizeof head) == (ssize_t)sizeof head && head.pid > 0 && head.pid <= INT32_MAX;
    if (file >= 0)
        close(file);
    return known && maps((pid_t)head.pid, tail) ? (pid_t)head.pid : 0;
}

pid_t cf_running_writer(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    size_t parent = slash ? (size_t)(slash + 1 - folder) : 0;
    DIR *entries = opendir(folder);
    pid_t found = 0;
    const struct dirent *entry;
    /* cppcheck-suppress readdirCalled ; no two threads share a DIR */
    while (entries && !found && (entry = readdir(entries))) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strstr(entry->d_name, CF_WIRE_SUFFIX))
            found = writer_of(path, path + parent);
    }
    if (entries)
        (void)closedir(entries);
    return found;
}
