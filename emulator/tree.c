/* The files of /dev/dri and /sys that the driver looks at, for one device at a fixed place on the bus. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator/session.h"

#define PLACE "0000:03:00.0"
#define SYS   "sys/bus/pci/devices/" PLACE

typedef struct entry {
    const char *path; /* below tree/; its folders are made too */
    const char *text;
} entry;

static const entry files[] = {
    {"dev/dri/card0", ""},
    {"dev/dri/renderD128", ""},
    {"dev/dri/by-path/pci-" PLACE "-card", ""},
    {"dev/dri/by-path/pci-" PLACE "-render", ""},
    {SYS "/vendor", "0x8086\n"},
    {SYS "/class", "0x030000\n"},
    {SYS "/uevent", "DRIVER=xe\nPCI_SLOT_NAME=" PLACE "\n"},
    {SYS "/drm/renderD128/dev", "226:128\n"},
    {SYS "/drm/card0/dev", "226:0\n"},
    {SYS "/drm/card0/device/tile0/gt0/freq0/max_freq", "2850\n"},
    {SYS "/drm/card0/device/tile0/gt0/freq0/min_freq", "400\n"},
    {SYS "/tile0/gt0/freq0/max_freq", "2850\n"},
    {SYS "/tile0/gt0/freq0/min_freq", "400\n"},
    {"sys/class/drm/version", "drm 1.1.0 20060810\n"},
    {NULL, NULL},
};

/* Folders on the way to path. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        const bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

static bool make_file(const char *directory, const char *path, const char *text, char ret_path[CF_EMU_PATH])
{
    if (snprintf(ret_path, CF_EMU_PATH, "%s/" CF_EMU_SESSION_TREE "/%s", directory, path) >= CF_EMU_PATH) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!make_folders(ret_path))
        return false;
    const int fd = open(ret_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    const bool whole = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    return close(fd) == 0 && whole;
}

bool cf_emu_tree_make(const char *directory, const cf_emu_model *model, char ret_path[CF_EMU_PATH])
{
    char id[32];
    for (const entry *one = files; one->path; one++)
        if (!make_file(directory, one->path, one->text, ret_path))
            return false;
    snprintf(id, sizeof id, "0x%04x\n", (unsigned)model->device_id);
    return make_file(directory, SYS "/device", id, ret_path);
}

static void remove_at(int parent, const char *name, int depth)
{
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 && depth < 32 ? fdopendir(fd) : NULL;
    if (!folder) {
        if (fd >= 0)
            close(fd);
        unlinkat(parent, name, 0);
        return;
    }
    /* cppcheck-suppress readdirCalled ; no two threads share a DIR */
    for (const struct dirent *one = readdir(folder); one; one = readdir(folder))
        if (strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0)
            remove_at(dirfd(folder), one->d_name, depth + 1);
    closedir(folder);
    unlinkat(parent, name, AT_REMOVEDIR);
}

void cf_emu_tree_remove(const char *directory)
{
    remove_at(AT_FDCWD, directory, 0);
}

/* ---- what a killed launcher left ---- */

/* Never closed: the lock goes with the process, however it ends. Where the file system has no locks nothing is
   reclaimed either. */
void cf_emu_tree_hold(const char *directory)
{
    const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
        (void)flock(fd, LOCK_EX | LOCK_NB);
    /* cppcheck-suppress resourceLeak ; it is held for as long as the process lives */
}

static bool is_name(const char *name)
{
    const size_t prefix = sizeof CF_EMU_SESSION_PREFIX - 1;
    return strncmp(name, CF_EMU_SESSION_PREFIX, prefix) == 0 && strlen(name) == prefix + 6;
}

/* A folder without a session may be one that is only just being made. What stands at name is still what was locked:
   another launcher may have removed it meanwhile. */
static bool is_stale(int parent, const char *name, int fd)
{
    struct stat folder, session, now;
    return fstat(fd, &folder) == 0 && folder.st_uid == geteuid() &&
           fstatat(fd, CF_EMU_SESSION_FILE, &session, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(session.st_mode) &&
           flock(fd, LOCK_EX | LOCK_NB) == 0 && fstatat(parent, name, &now, AT_SYMLINK_NOFOLLOW) == 0 &&
           now.st_dev == folder.st_dev && now.st_ino == folder.st_ino;
}

static void reclaim(int parent, const char *name)
{
    const int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (is_stale(parent, name, fd))
        remove_at(parent, name, 0);
    close(fd);
}

void cf_emu_tree_reclaim(const char *base)
{
    DIR *folder = opendir(base);
    if (!folder)
        return;
    /* cppcheck-suppress readdirCalled ; no two threads share a DIR */
    for (const struct dirent *one = readdir(folder); one; one = readdir(folder))
        if (is_name(one->d_name))
            reclaim(dirfd(folder), one->d_name);
    closedir(folder);
}
