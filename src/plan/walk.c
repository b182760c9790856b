#include "plan/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IS_LINK "it is a link, or lies behind one"

/* One step down; closes folder. */
static int step(int folder, const char *name, int flags, const char **ret_why)
{
    struct stat facts;
    int fd = -1;
    *ret_why = NULL;
    if (fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(facts.st_mode)) {
        *ret_why = IS_LINK;
    } else {
        fd = openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (fd < 0 && errno != ENOENT)
            *ret_why = errno == ELOOP ? IS_LINK : strerror(errno);
    }
    close(folder);
    return fd;
}

int cf_plan_walk_parent(const cf_plan_place *place, const char *path, const char **ret_name, const char **ret_why)
{
    *ret_why = cf_plan_place_why_not(path);
    if (*ret_why)
        return -1;
    int folder = fcntl(place->root_fd, F_DUPFD_CLOEXEC, 0);
    if (folder < 0) {
        *ret_why = strerror(errno);
        return -1;
    }
    for (const char *slash = strchr(path, '/'); folder >= 0 && slash; slash = strchr(path, '/')) {
        char name[CF_PLAN_MAX_PATH + 1];
        memcpy(name, path, (size_t)(slash - path));
        name[slash - path] = '\0';
        folder = step(folder, name, O_RDONLY | O_DIRECTORY, ret_why);
        path = slash + 1;
    }
    *ret_name = path;
    return folder;
}

int cf_plan_walk_open(const cf_plan_place *place, const char *path, int flags, const char **ret_why)
{
    const char *name = NULL;
    int folder = cf_plan_walk_parent(place, path, &name, ret_why);
    return folder < 0 ? -1 : step(folder, name, flags, ret_why);
}
