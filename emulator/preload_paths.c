/* The C library's functions that take a path. Those with a 64, a leading __ or _chk are what programs call that were
   built with large files, for older C libraries, or with checks. */
#undef _FORTIFY_SOURCE /* with it, clang knows several functions of each of these names */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator/preload.h"

/* Not declared by the headers of every C library that this builds on.
   NOLINTBEGIN(cert-dcl51-cpp, bugprone-reserved-identifier): these are the C library's names */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
int __xstat(int version, const char *path, struct stat *ret);
int __lxstat(int version, const char *path, struct stat *ret);
int __xstat64(int version, const char *path, struct stat64 *ret);
int __lxstat64(int version, const char *path, struct stat64 *ret);
char *__realpath_chk(const char *path, char *buf, size_t bytes);
ssize_t __readlink_chk(const char *path, char *buf, size_t size, size_t bytes);
/* NOLINTEND(cert-dcl51-cpp, bugprone-reserved-identifier) */

static bool is_self(const char *path)
{
    return path && cf_emu_program() && strcmp(path, "/proc/self/exe") == 0;
}

/* Where path leads: the tree, or the program where it asks for itself. */
static const char *lead(const char *path, char buf[CF_EMU_PATH])
{
    return is_self(path) ? cf_emu_program() : cf_emu_redirect(path, buf);
}

/* ---- open ---- */

#define MODE_OF(flags, mode)                                                                                           \
    mode_t mode = 0;                                                                                                   \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                           \
        va_list args;                                                                                                  \
        va_start(args, flags);                                                                                         \
        mode = va_arg(args, mode_t);                                                                                   \
        va_end(args);                                                                                                  \
    }

CF_EMU_SLOT(open);
CF_EMU_SLOT(open64);
CF_EMU_SLOT(openat);
CF_EMU_SLOT(openat64);
CF_EMU_SLOT(__open_2);
CF_EMU_SLOT(__open64_2);
CF_EMU_SLOT(__openat_2);
CF_EMU_SLOT(__openat64_2);

CF_EMU_EXPORT int open(const char *path, int flags, ...)
{
    char buf[CF_EMU_PATH];
    MODE_OF(flags, mode)
    return cf_emu_is_node(path) ? cf_emu_open_node(flags) : CF_EMU_REAL(open)(lead(path, buf), flags, mode);
}

CF_EMU_EXPORT int open64(const char *path, int flags, ...)
{
    char buf[CF_EMU_PATH];
    MODE_OF(flags, mode)
    return cf_emu_is_node(path) ? cf_emu_open_node(flags) : CF_EMU_REAL(open64)(lead(path, buf), flags, mode);
}

CF_EMU_EXPORT int openat(int folder, const char *path, int flags, ...)
{
    char buf[CF_EMU_PATH];
    MODE_OF(flags, mode)
    return cf_emu_is_node(path) ? cf_emu_open_node(flags) : CF_EMU_REAL(openat)(folder, lead(path, buf), flags, mode);
}

CF_EMU_EXPORT int openat64(int folder, const char *path, int flags, ...)
{
    char buf[CF_EMU_PATH];
    MODE_OF(flags, mode)
    return cf_emu_is_node(path) ? cf_emu_open_node(flags) : CF_EMU_REAL(openat64)(folder, lead(path, buf), flags, mode);
}

CF_EMU_EXPORT int __open_2(const char *path, int flags)
{
    char buf[CF_EMU_PATH];
    return cf_emu_is_node(path) ? cf_emu_open_node(flags) : CF_EMU_REAL(__open_2)(lead(path, buf), flags);
}

CF_EMU_EXPORT int __open64_2(const char *path, int flags)
{
    char buf[CF_EMU_PATH];
    return cf_emu_is_node(path) ? cf_emu_open_node(flags) : CF_EMU_REAL(__open64_2)(lead(path, buf), flags);
}

CF_EMU_EXPORT int __openat_2(int folder, const char *path, int flags)
{
    char buf[CF_EMU_PATH];
    return cf_emu_is_node(path) ? cf_emu_open_node(flags) : CF_EMU_REAL(__openat_2)(folder, lead(path, buf), flags);
}

CF_EMU_EXPORT int __openat64_2(int folder, const char *path, int flags)
{
    char buf[CF_EMU_PATH];
    return cf_emu_is_node(path) ? cf_emu_open_node(flags) : CF_EMU_REAL(__openat64_2)(folder, lead(path, buf), flags);
}

CF_EMU_SLOT(fopen);
CF_EMU_SLOT(fopen64);
CF_EMU_SLOT(opendir);

CF_EMU_EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(fopen)(lead(path, buf), mode);
}

CF_EMU_EXPORT FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(fopen64)(lead(path, buf), mode);
}

CF_EMU_EXPORT DIR *opendir(const char *path)
{
    char buf[CF_EMU_PATH];
    /* cppcheck-suppress CastIntegerToAddressAtReturn ; it returns a DIR * */
    return CF_EMU_REAL(opendir)(cf_emu_redirect(path, buf));
}

/* ---- stat and access ---- */

CF_EMU_SLOT(stat);
CF_EMU_SLOT(stat64);
CF_EMU_SLOT(lstat);
CF_EMU_SLOT(lstat64);
CF_EMU_SLOT(fstatat);
CF_EMU_SLOT(fstatat64);
CF_EMU_SLOT(statx);
CF_EMU_SLOT(__xstat);
CF_EMU_SLOT(__lxstat);
CF_EMU_SLOT(__xstat64);
CF_EMU_SLOT(__lxstat64);
CF_EMU_SLOT(access);
CF_EMU_SLOT(euidaccess);
CF_EMU_SLOT(faccessat);

CF_EMU_EXPORT int stat(const char *restrict path, struct stat *restrict ret)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(stat)(lead(path, buf), ret);
}

CF_EMU_EXPORT int stat64(const char *restrict path, struct stat64 *restrict ret)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(stat64)(lead(path, buf), ret);
}

CF_EMU_EXPORT int lstat(const char *restrict path, struct stat *restrict ret)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(lstat)(cf_emu_redirect(path, buf), ret);
}

CF_EMU_EXPORT int lstat64(const char *restrict path, struct stat64 *restrict ret)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(lstat64)(cf_emu_redirect(path, buf), ret);
}

CF_EMU_EXPORT int fstatat(int folder, const char *restrict path, struct stat *restrict ret, int flags)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(fstatat)(folder, cf_emu_redirect(path, buf), ret, flags);
}

CF_EMU_EXPORT int fstatat64(int folder, const char *restrict path, struct stat64 *restrict ret, int flags)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(fstatat64)(folder, cf_emu_redirect(path, buf), ret, flags);
}

CF_EMU_EXPORT int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict ret)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(statx)(folder, cf_emu_redirect(path, buf), flags, mask, ret);
}

CF_EMU_EXPORT int __xstat(int version, const char *path, struct stat *ret)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(__xstat)(version, lead(path, buf), ret);
}

CF_EMU_EXPORT int __lxstat(int version, const char *path, struct stat *ret)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(__lxstat)(version, cf_emu_redirect(path, buf), ret);
}

CF_EMU_EXPORT int __xstat64(int version, const char *path, struct stat64 *ret)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(__xstat64)(version, lead(path, buf), ret);
}

CF_EMU_EXPORT int __lxstat64(int version, const char *path, struct stat64 *ret)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(__lxstat64)(version, cf_emu_redirect(path, buf), ret);
}

CF_EMU_EXPORT int access(const char *path, int mode)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(access)(lead(path, buf), mode);
}

CF_EMU_EXPORT int euidaccess(const char *path, int mode)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(euidaccess)(lead(path, buf), mode);
}

CF_EMU_EXPORT int faccessat(int folder, const char *path, int mode, int flags)
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(faccessat)(folder, lead(path, buf), mode, flags);
}

/* ---- links ---- */

static ssize_t self_link(char *buf, size_t size)
{
    const char *program = cf_emu_program();
    const size_t length = strlen(program) < size ? strlen(program) : size;
    for (size_t i = 0; i < length; i++) /* as readlink: no NUL behind it */
        buf[i] = program[i];
    return (ssize_t)length;
}

/* A path in the tree is told as the program knows it. */
static char *without_tree(char *path)
{
    const char *mark = "/" CF_EMU_SESSION_TREE "/";
    const char *directory = getenv(CF_EMU_SESSION_VARIABLE);
    const size_t length = directory ? strlen(directory) : 0;
    if (path && length && strncmp(path, directory, length) == 0 && strncmp(path + length, mark, strlen(mark)) == 0) {
        const char *rest = path + length + strlen(mark) - 1;
        memmove(path, rest, strlen(rest) + 1);
    }
    return path;
}

CF_EMU_SLOT(readlink);
CF_EMU_SLOT(readlinkat);
CF_EMU_SLOT(__readlink_chk);
CF_EMU_SLOT(realpath);
CF_EMU_SLOT(__realpath_chk);
CF_EMU_SLOT(canonicalize_file_name);

CF_EMU_EXPORT ssize_t readlink(const char *restrict path, char *restrict ret, size_t size)
{
    char buf[CF_EMU_PATH];
    return is_self(path) ? self_link(ret, size) : CF_EMU_REAL(readlink)(cf_emu_redirect(path, buf), ret, size);
}

CF_EMU_EXPORT ssize_t readlinkat(int folder, const char *restrict path, char *restrict ret, size_t size)
{
    char buf[CF_EMU_PATH];
    return is_self(path) ? self_link(ret, size)
                         : CF_EMU_REAL(readlinkat)(folder, cf_emu_redirect(path, buf), ret, size);
}

CF_EMU_EXPORT ssize_t __readlink_chk(const char *path, char *ret, size_t size, size_t bytes)
{
    char buf[CF_EMU_PATH];
    return is_self(path) ? self_link(ret, size < bytes ? size : bytes)
                         : CF_EMU_REAL(__readlink_chk)(cf_emu_redirect(path, buf), ret, size, bytes);
}

CF_EMU_EXPORT char *realpath(const char *restrict path, char *restrict ret)
{
    char buf[CF_EMU_PATH];
    return without_tree(CF_EMU_REAL(realpath)(lead(path, buf), ret));
}

CF_EMU_EXPORT char *__realpath_chk(const char *path, char *ret, size_t bytes)
{
    char buf[CF_EMU_PATH];
    return without_tree(CF_EMU_REAL(__realpath_chk)(lead(path, buf), ret, bytes));
}

CF_EMU_EXPORT char *canonicalize_file_name(const char *path)
{
    char buf[CF_EMU_PATH];
    return without_tree(CF_EMU_REAL(canonicalize_file_name)(lead(path, buf)));
}

CF_EMU_SLOT(scandir);
CF_EMU_SLOT(scandir64);

CF_EMU_EXPORT int scandir(const char *restrict path, struct dirent ***restrict ret, int (*take)(const struct dirent *),
                          int (*compare)(const struct dirent **, const struct dirent **))
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(scandir)(cf_emu_redirect(path, buf), ret, take, compare);
}

CF_EMU_EXPORT int scandir64(const char *restrict path, struct dirent64 ***restrict ret,
                            int (*take)(const struct dirent64 *),
                            int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
    char buf[CF_EMU_PATH];
    return CF_EMU_REAL(scandir64)(cf_emu_redirect(path, buf), ret, take, compare);
}
