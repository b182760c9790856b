/* The private folders of sessions: what a killed launcher left is removed, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator/session.h"

static char base[] = "/tmp/confound-tree-XXXXXX";

static const char *at(const char *name)
{
    static char path[CF_EMU_PATH];
    snprintf(path, sizeof path, "%s/%s", base, name);
    return path;
}

static bool there(const char *name)
{
    struct stat found;
    return lstat(at(name), &found) == 0;
}

static void make_session(const char *name)
{
    char path[CF_EMU_PATH];
    cf_emu_session session;
    memset(&session, 0, sizeof session);
    cf_emu_model_standard(&session.model);
    assert_int_equal(mkdir(at(name), 0700), 0);
    assert_true(cf_emu_session_write(at(name), &session));
    assert_true(cf_emu_tree_make(at(name), &session.model, path));
}

static int set_up(void **state)
{
    (void)state;
    memcpy(base + sizeof base - 7, "XXXXXX", 6); /* mkdtemp has filled it in */
    return mkdtemp(base) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    cf_emu_tree_remove(base);
    return access(base, F_OK) == 0 ? -1 : 0;
}

static void a_session_that_nobody_holds_is_removed(void **state)
{
    (void)state;
    make_session("confound-emulate-dead01");
    make_session("confound-emulate-dead02");
    cf_emu_tree_reclaim(base);
    assert_false(there("confound-emulate-dead01"));
    assert_false(there("confound-emulate-dead02"));
}

static void a_session_that_is_held_stays(void **state)
{
    (void)state;
    make_session("confound-emulate-inuse1");
    cf_emu_tree_hold(at("confound-emulate-inuse1"));
    cf_emu_tree_reclaim(base);
    assert_true(there("confound-emulate-inuse1/session"));
    assert_true(there("confound-emulate-inuse1/tree/dev/dri/renderD128"));
}

static void what_is_no_session_stays(void **state)
{
    (void)state;
    assert_int_equal(mkdir(at("confound-emulate-young1"), 0700), 0); /* one that is only just being made */
    make_session("confound-emulate-otherlength");
    make_session("elsewhere");
    assert_int_equal(symlink("elsewhere", at("confound-emulate-link01")), 0);
    assert_int_equal(mkdir(at("confound-emulate-linked"), 0700), 0);
    assert_int_equal(symlink("../elsewhere/session", at("confound-emulate-linked/session")), 0);
    cf_emu_tree_reclaim(base);
    assert_true(there("confound-emulate-young1"));
    assert_true(there("confound-emulate-otherlength/session"));
    assert_true(there("confound-emulate-link01"));
    assert_true(there("elsewhere/session"));
    assert_true(there("confound-emulate-linked/session"));
}

static void counts_of_two_mappings_are_one(void **state)
{
    (void)state;
    cf_emu_kernels *one = cf_emu_session_kernels(base), *other = cf_emu_session_kernels(base);
    assert_non_null(one);
    assert_non_null(other);
    one->count += 3;
    assert_int_equal(other->count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_session_that_nobody_holds_is_removed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_session_that_is_held_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_session_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_of_two_mappings_are_one, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
