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

/* The version of a C library, from its file's text: "GNU C Library (…) stable release version 2.43." 0.0 = not found.
 */
static void library_version(const char *path, unsigned *ret_major, unsigned *ret_minor)
{
    static const char mark[] = "release version ";
    char *bytes;
    size_t count;
    cf_error ignored;
    *ret_major = *ret_minor = 0;
    if (cf_file_read(path, 64u << 20, &bytes, &count, &ignored) != CF_OK)
        return;
    const char *found = memmem(bytes, count, mark, sizeof mark - 1);
    if (!found || sscanf(found + sizeof mark - 1, "%u.%u", ret_major, ret_minor) != 2)
        *ret_major = *ret_minor = 0;
    free(bytes);
}

/* The drivers may need any function of the C library that came with them. */
static bool system_is_older(const char *folder)
{
    char path[CF_EMU_PATH];
    unsigned major, minor, our_major = 0, our_minor = 0;
    if (!there(path, folder, "libc.so.6"))
        return false;
    library_version(path, &major, &minor);
    if (sscanf(gnu_get_libc_version(), "%u.%u", &our_major, &our_minor) != 2)
        return true;
    return our_major < major || (our_major == major && our_minor < minor);
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
        snprintf(ret->libraries, sizeof ret->libraries, "%s", real);
        if (!system_is_older(real) || !there(ret->loader, real, "ld-linux-x86-64.so.2"))
            ret->loader[0] = 0;
        return true;
    }
    return false;
}

static bool look_beside_program(cf_emu_drivers *ret)
{
    char path[CF_EMU_PATH];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
    if (length <= 0)
        return false;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (!slash)
        return false;
    strcpy(slash, "/../intel"); /* build/release/confound-emulate, build/intel */
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
                            "no Intel driver (libze_intel_gpu.so.1 or intel-opencl/libigdrcl.so) in %s; ./dev intel "
                            "fetches it into build/intel",
                            wanted);
    }
    if (look_beside_program(ret_drivers) || look_at_home(ret_drivers) || look_in("/usr/lib/" TRIPLET, ret_drivers))
        return CF_OK;
    return cf_error_set(err, CF_NO_DEVICE,
                        "no Intel driver here (libze_intel_gpu.so.1); ./dev intel fetches it into build/intel, or "
                        "--drivers names its folder");
}
