/* Whether a process still writes steps, and folders that outlive a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch_folder.h"
#include "toggle/folder.h"
#include "toggle/running.h"
#include "toggle/wire.h"

static cf_wire *map_steps(const char *folder, uint32_t pid)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%lu" CF_WIRE_SUFFIX, folder, (unsigned long)pid);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)sizeof(cf_wire)), 0);
    cf_wire *wire = mmap(NULL, sizeof(cf_wire), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_ptr_not_equal(wire, MAP_FAILED);
    close(file);
    wire->pid = pid;
    return wire;
}

static void who_maps_a_file_of_steps_writes_it(void **state)
{
    (void)state;
    char *folder = NULL;
    assert_int_equal(cf_toggled_make_beside("r.json", "steps-", &folder, NULL), CF_OK);
    assert_int_equal(cf_running_writer(folder), 0);
    cf_wire *wire = map_steps(folder, (uint32_t)getpid());
    assert_int_equal(cf_running_writer(folder), getpid());
    munmap(wire, sizeof *wire);
    assert_int_equal(cf_running_writer(folder), 0); /* it runs, and no longer writes */
    cf_toggled_remove(folder);
    assert_int_equal(access(folder, F_OK), -1);
    free(folder);
}

static bool opens(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0)
        close(file);
    return file >= 0;
}

/* Of this user, and it lets nobody but perhaps root look into it: it may write. */
static void who_cannot_be_looked_into_counts_as_writing(void **state)
{
    (void)state;
    char *folder = NULL;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char byte = 0;
        bool closed = prctl(PR_SET_DUMPABLE, 0) == 0 && write(ends[1], &byte, 1) == 1;
        close(ends[1]);
        _exit(closed ? pause() : 1);
    }
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(cf_toggled_make_beside("r.json", "steps-", &folder, NULL), CF_OK);
    munmap(map_steps(folder, (uint32_t)child), sizeof(cf_wire));
    char maps[64];
    snprintf(maps, sizeof maps, "/proc/%ld/maps", (long)child);
    bool shown = opens(maps);
    pid_t writer = cf_running_writer(folder);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(writer, shown ? 0 : child);
    assert_int_equal(cf_running_writer(folder), 0);
    free(folder);
    close(ends[0]);
    close(ends[1]);
}

static void a_process_is_told_from_a_later_one_and_from_one_that_has_ended(void **state)
{
    (void)state;
    int64_t own = cf_running_since(getpid());
    assert_true(own > 0);
    assert_int_equal(cf_running_since(getpid()), own);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(cf_running_since(child), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(cf_running_since(child), 0);
}

static void only_what_a_run_wrote_is_removed_and_no_link_is_followed(void **state)
{
    (void)state;
    char *folder = NULL;
    assert_int_equal(mkdir("mine", 0700), 0);
    int file = open("mine/1" CF_WIRE_SUFFIX, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(symlink("mine", "link"), 0);
    cf_toggled_remove("link");
    assert_int_equal(access("mine/1" CF_WIRE_SUFFIX, F_OK), 0);
    assert_int_equal(cf_toggled_make_beside("./r.json", "steps-", &folder, NULL), CF_OK);
    assert_int_equal(folder[0], '/');
    char path[512];
    snprintf(path, sizeof path, "%s/notes.txt", folder);
    file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    close(file);
    cf_toggled_remove(folder);
    assert_int_equal(access(path, F_OK), 0);
    free(folder);
}

static void where_no_folder_can_be_made_that_is_said(void **state)
{
    (void)state;
    char *folder = NULL;
    cf_error err = {0};
    assert_int_equal(cf_toggled_make_beside("absent/r.json", "steps-", &folder, &err), CF_IO);
    assert_memory_equal(err.text, "absent/r.json: ", 15);
    assert_null(folder);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(who_maps_a_file_of_steps_writes_it),
        IN_FOLDER(who_cannot_be_looked_into_counts_as_writing),
        cmocka_unit_test(a_process_is_told_from_a_later_one_and_from_one_that_has_ended),
        IN_FOLDER(only_what_a_run_wrote_is_removed_and_no_link_is_followed),
        IN_FOLDER(where_no_folder_can_be_made_that_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
