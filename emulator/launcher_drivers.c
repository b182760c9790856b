#include <gnu/libc-version.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "emulator/launcher.h"

#define TRIPLET "x86_64-linux-gnu"

static bool there(char ret[CF_EMU_PATH], const char *folder, const char *name)
{
    const int wrote = snprintf(ret, CF_EMU_PATH, "%s/%s", folder, name);
    if (wrote > 0 && wrote < CF_EMU_PATH && cf_file_exists(ret))
        return true;
    ret[0] = 0;
    return false;
}

/* "2.43" as 2043; 0 = it is no version. */
static unsigned long version_of(const char *text)
{
    char *rest;
    const unsigned long major = strtoul(text, &rest, 10);
    return *rest == '.' && rest[1] >= '0' && rest[1] <= '9' ? major * 1000 + strtoul(rest + 1, NULL, 10) : 0;
}

/* Of a C library, from its file's text: "GNU C Library (…) stable release version 2.43." */
static unsigned long library_version(const char *path)
{
    static const char mark[] = "release version ";
    char *bytes;
    size_t count;
    cf_error ignored;
    if (cf_file_read(path, 64u << 20, &bytes, &count, &ignored) != CF_OK)
        return 0;
    const char *found = memmem(bytes, count, mark, sizeof mark - 1);
    const unsigned long version = found ? version_of(found + sizeof mark - 1) : 0;
    free(bytes);
    return version;
}

/* The drivers may need any function of the C library that came with them. */
static bool system_is_older(const char *folder)
{
    char path[CF_EMU_PATH];
    return there(path, folder, "libc.so.6") && version_of(gnu_get_libc_version()) < library_version(path);
}

static bool look_in(const char *folder, cf_emu_drivers *ret)
{
    static const char *const below[] = {"", "/root/usr/lib/" TRIPLET, "/usr/lib/" TRIPLET, NULL};
    char here[CF_EMU_PATH], real[PATH_MAX];
    for (size_t i = 0; below[i]; i++) {
        if (snprintf(here, sizeof here, "%s%s", folder, below[i]) >= (int)sizeof here || !realpath(here, real) ||
            strlen(real) >= CF_EMU_PATH)
            continue;
        const bool level_zero = there(ret->level_zero, real, "libze_intel_gpu.so.1");
        const bool opencl = there(ret->opencl, real, "intel-opencl/libigdrcl.so");
        if (!level_zero && !opencl)
            continue;
        memcpy(ret->libraries, real, strlen(real) + 1); /* shorter than CF_EMU_PATH, see above */
        if (!system_is_older(real) || !there(ret->loader, real, "ld-linux-x86-64.so.2"))
            ret->loader[0] = 0;
        return true;
    }
    return false;
}

static bool look_beside_program(cf_emu_drivers *ret)
{
    char self[CF_EMU_PATH - 16], path[CF_EMU_PATH];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    char *slash = strrchr(self, '/');
    if (!slash)
        return false;
    *slash = 0;
    snprintf(path, sizeof path, "%s/../intel", self); /* build/release/confound-emulate, build/intel */
    return look_in(path, ret);
}

static bool look_at_home(cf_emu_drivers *ret)
{
    char path[CF_EMU_PATH];
    const char *home = getenv("HOME");
    return home && snprintf(path, sizeof path, "%s/.local/share/confound/intel", home) < (int)sizeof path &&
           look_in(path, ret);
}

cf_status cf_emu_drivers_find(const char *wanted, cf_emu_drivers *ret_drivers, cf_error *err)
{
    *ret_drivers = (cf_emu_drivers){.libraries = ""};
    if (wanted) {
        if (look_in(wanted, ret_drivers))
            return CF_OK;
        return cf_error_set(err, CF_NO_DEVICE,
                            "no Intel driver (libze_intel_gpu.so.1 or intel-opencl/libigdrcl.so) in %s; "
                            "confound-emulate-fetch DIR (from the source: ./dev intel) fetches it",
                            wanted);
    }
    if (look_beside_program(ret_drivers) || look_at_home(ret_drivers) || look_in("/usr/lib/" TRIPLET, ret_drivers))
        return CF_OK;
    return cf_error_set(err, CF_NO_DEVICE,
                        "no Intel driver here (libze_intel_gpu.so.1); confound-emulate-fetch (from the source: ./dev "
                        "intel) fetches it, or --drivers names its folder");
}
