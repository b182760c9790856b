#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <signal.h>

#include "base/file.h"
#include "base/text.h"
#include "scratch_folder.h"

static void is(const char *path, const char *expected)
{
    char *data;
    size_t size_bytes;
    assert_int_equal(cf_file_read(path, 1 << 20, &data, &size_bytes, NULL), CF_OK);
    assert_int_equal(size_bytes, strlen(expected));
    assert_string_equal(data, expected);
    free(data);
}

static void put(const char *path, const char *text)
{
    assert_int_equal(cf_file_write_atomic(path, text, strlen(text), NULL), CF_OK);
}

static int count_files(void)
{
    int count = 0;
    DIR *dir = opendir(".");
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    put("f", "one");
    is("f", "one");
    put("f", "");
    is("f", "");
    char big[20000];
    memset(big, 'b', sizeof big - 1);
    big[sizeof big - 1] = 0;
    put("f", big);
    is("f", big);
    assert_int_equal(count_files(), 1);
}

static void errors_name_the_path_and_the_reason(void **state)
{
    (void)state;
    char *data = NULL;
    size_t size_bytes;
    cf_error err = {0};
    assert_int_equal(cf_file_read("absent", 10, &data, &size_bytes, &err), CF_IO);
    assert_string_equal(err.text, "absent: cannot be opened: No such file or directory");
    assert_int_equal(cf_file_read(".", 10, &data, &size_bytes, &err), CF_IO);
    assert_non_null(strstr(err.text, "is a folder"));
    put("f", "12345678901");
    assert_int_equal(cf_file_read("f", 10, &data, &size_bytes, &err), CF_INPUT);
    assert_string_equal(err.text, "f: too large; at most 10 bytes are accepted");
    assert_int_equal(cf_file_read("f", 11, &data, &size_bytes, &err), CF_OK);
    free(data);
    assert_int_equal(cf_file_read("/dev/zero", 100000, &data, &size_bytes, &err), CF_INPUT); /* has no size */
    assert_int_equal(cf_file_write_atomic(".", "x", 1, &err), CF_IO);
    assert_int_equal(cf_file_write_atomic("absent/f", "x", 1, &err), CF_IO);
    assert_string_equal(err.text, "absent/f: cannot be written: No such file or directory");
}

static void the_old_file_stays_when_the_new_one_does_not_fit(void **state)
{
    (void)state;
    put("f", "old");
    /* A limit on file size stands for a full disk: the write of the new file fails half way. */
    struct rlimit before, small = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    char big[10000];
    memset(big, 'x', sizeof big);
    cf_error err = {0};
    const cf_status written = cf_file_write_atomic("f", big, sizeof big, &err);
    const cf_status appended = cf_file_append("f", big, sizeof big, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(written, CF_IO);
    assert_int_equal(appended, CF_IO);
    assert_non_null(strstr(err.text, "f: cannot be written: "));
    is("f", "old");
    assert_int_equal(count_files(), 1); /* no temporary file is left */
}

static void a_link_is_followed_and_the_mode_kept(void **state)
{
    (void)state;
    assert_int_equal(mkdir("real", 0777), 0);
    put("real/f", "old");
    assert_int_equal(chmod("real/f", 0640), 0);
    assert_int_equal(symlink("real/f", "link"), 0);
    put("link", "new");
    is("real/f", "new");
    struct stat facts;
    assert_int_equal(lstat("link", &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(stat("real/f", &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0640);
    assert_int_equal(symlink("real/later", "dangling"), 0);
    put("dangling", "made");
    is("real/later", "made");
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(cf_file_write_atomic("loop", "x", 1, NULL), CF_IO);
}

static void a_device_is_written_to_and_not_replaced(void **state)
{
    (void)state;
    put("/dev/null", "gone");
    struct stat facts;
    assert_int_equal(stat("/dev/null", &facts), 0);
    assert_true(S_ISCHR(facts.st_mode));
    cf_error err = {0};
    assert_int_equal(cf_file_write_atomic("/dev/full", "x", 1, &err), CF_IO);
    assert_string_equal(err.text, "/dev/full: cannot be written: No space left on device");
}

static void lines_are_appended(void **state)
{
    (void)state;
    assert_int_equal(cf_file_append("f", "a\n", 2, NULL), CF_OK);
    assert_int_equal(cf_file_append("f", "b\n", 2, NULL), CF_OK);
    is("f", "a\nb\n");
    cf_error err = {0};
    assert_int_equal(cf_file_append("/dev/full", "x", 1, &err), CF_IO);
    assert_string_equal(err.text, "/dev/full: cannot be written: No space left on device");
    assert_int_equal(cf_file_append("absent/f", "x", 1, &err), CF_IO);
}

/* A file size limit inside the line makes the kernel take a part of it: the part must be gone afterwards. */
static void a_short_append_is_undone(void **state)
{
    (void)state;
    put("f", "whole\n");
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 10, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const cf_status status = cf_file_append("f", "123456789\n", 10, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, CF_IO);
    is("f", "whole\n");
}

static void writable_is_checked_beforehand(void **state)
{
    (void)state;
    cf_error err = {0};
    assert_int_equal(cf_file_check_writable("new", &err), CF_OK);
    assert_int_equal(count_files(), 0); /* the check leaves nothing */
    put("f", "x");
    assert_int_equal(cf_file_check_writable("f", &err), CF_OK);
    assert_int_equal(cf_file_check_writable("/dev/null", &err), CF_OK);
    assert_int_equal(cf_file_check_writable(".", &err), CF_INPUT);
    assert_int_equal(cf_file_check_writable("", &err), CF_INPUT);
    assert_int_equal(cf_file_check_writable("new/", &err), CF_INPUT);
    assert_int_equal(cf_file_check_writable("absent/new", &err), CF_IO);
    assert_non_null(strstr(err.text, "absent/new: its folder cannot be used"));
    assert_int_equal(cf_file_check_writable("f/new", &err), CF_IO);
    if (geteuid() == 0)
        return; /* root may write everywhere */
    assert_int_equal(mkdir("closed", 0555), 0);
    assert_int_equal(cf_file_check_writable("closed/new", &err), CF_IO);
    assert_int_equal(chmod("f", 0444), 0);
    assert_int_equal(cf_file_check_writable("f", &err), CF_IO);
}

static void removing_what_is_absent_is_fine(void **state)
{
    (void)state;
    put("f", "x");
    assert_true(cf_file_exists("f"));
    assert_int_equal(cf_file_remove("f", NULL), CF_OK);
    assert_false(cf_file_exists("f"));
    assert_int_equal(cf_file_remove("f", NULL), CF_OK);
    assert_int_equal(mkdir("d", 0777), 0);
    assert_int_equal(cf_file_remove("d", NULL), CF_IO);
}

/* The lock is of the open file: two of one process are as two processes. */
static void a_file_is_held_by_one_at_a_time(void **state)
{
    (void)state;
    int first = -1, second = -1;
    cf_error err = {0};
    assert_int_equal(cf_file_hold("held", false, &first, &err), CF_IO);
    assert_int_equal(cf_file_hold("held", true, &first, &err), CF_OK);
    assert_true(fcntl(first, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(cf_file_hold("./held", true, &second, &err), CF_INPUT);
    assert_string_equal(err.text, "./held: another process holds it");
    assert_true(cf_file_is_held("./held", first));
    assert_int_equal(unlink("held"), 0);
    assert_false(cf_file_is_held("held", first));
    assert_int_equal(cf_file_hold("held", true, &second, NULL), CF_OK); /* another file of that name */
    assert_int_equal(close(second), 0);
    assert_int_equal(cf_file_hold("held", false, &second, NULL), CF_OK); /* given back */
    close(second);
    close(first);
}

static void only_a_regular_file_is_held(void **state)
{
    (void)state;
    int fd = -1;
    cf_error err = {0};
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(cf_file_hold("pipe", true, &fd, &err), CF_IO);
    assert_string_equal(err.text, "pipe: is no regular file; one is accepted");
    assert_int_equal(cf_file_hold(".", true, &fd, &err), CF_IO);
    assert_int_equal(cf_file_hold("absent/held", true, &fd, &err), CF_IO);
    assert_int_equal(fd, -1);
}

static void standard_input_is_a_dash(void **state)
{
    (void)state;
    put("f", "from stdin");
    const int old = dup(STDIN_FILENO);
    const int fd = open("f", O_RDONLY);
    assert_true(fd >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    is("-", "from stdin");
    close(fd);
    if (old >= 0) {
        dup2(old, STDIN_FILENO);
        close(old);
    }
}

int main(void)
{
    signal(SIGXFSZ, SIG_IGN);
#define T(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)
    const struct CMUnitTest tests[] = {
        T(what_was_written_is_read),
        T(errors_name_the_path_and_the_reason),
        T(the_old_file_stays_when_the_new_one_does_not_fit),
        T(a_link_is_followed_and_the_mode_kept),
        T(a_device_is_written_to_and_not_replaced),
        T(lines_are_appended),
        T(a_short_append_is_undone),
        T(writable_is_checked_beforehand),
        T(removing_what_is_absent_is_fine),
        T(standard_input_is_a_dash),
        T(a_file_is_held_by_one_at_a_time),
        T(only_a_regular_file_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
