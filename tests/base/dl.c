/* Loading by names and by a table. libm is there wherever this program runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"

typedef struct functions {
    double (*cosine)(double);
    double (*unknown)(double);
} functions;

static const char *const maths[] = {"libconfound-absent.so.9", "libm.so.6", NULL};

static cf_dl *open_maths(void)
{
    cf_dl *dl = NULL;
    cf_error err = {0};
    assert_int_equal(cf_dl_open(NULL, maths, &dl, &err), CF_OK);
    assert_non_null(dl);
    return dl;
}

static void the_first_name_that_loads_is_taken(void **state)
{
    (void)state;
    cf_dl *dl = open_maths();
    assert_non_null(strstr(cf_dl_path(dl), "libm.so.6"));
    cf_dl_close(dl);
}

static void an_absent_library_is_named_with_the_loaders_reason(void **state)
{
    (void)state;
    static const char *const names[] = {"libconfound-absent.so.9", "libconfound-absent.so.8", NULL};
    cf_dl *dl = NULL;
    cf_error err = {0};
    assert_int_equal(cf_dl_open(NULL, names, &dl, &err), CF_UNSUPPORTED);
    assert_null(dl);
    assert_non_null(strstr(err.text, "libconfound-absent.so.9, libconfound-absent.so.8 not found"));
    assert_non_null(strstr(err.text, "cannot open shared object file"));
}

static void a_file_that_does_not_load_is_the_reason_given(void **state)
{
    (void)state;
    static const char *const names[] = {"libconfound-absent.so.9", CF_SOURCE_DIR "/CMakeLists.txt", NULL};
    cf_dl *dl = NULL;
    cf_error err = {0};
    assert_int_equal(cf_dl_open(NULL, names, &dl, &err), CF_UNSUPPORTED);
    assert_null(strstr(err.text, "No such file"));
    assert_non_null(strstr(err.text, "CMakeLists.txt: "));
}

static void a_variable_replaces_the_names(void **state)
{
    (void)state;
    cf_dl *dl = NULL;
    cf_error err = {0};
    setenv("CONFOUND_TEST_LIBRARY", "libconfound-chosen.so", 1);
    assert_int_equal(cf_dl_open("CONFOUND_TEST_LIBRARY", maths, &dl, &err), CF_UNSUPPORTED);
    assert_non_null(strstr(err.text, "libconfound-chosen.so not found, which is what is set by CONFOUND_TEST_LIBRARY"));
    setenv("CONFOUND_TEST_LIBRARY", "", 1);
    assert_int_equal(cf_dl_open("CONFOUND_TEST_LIBRARY", maths, &dl, &err), CF_OK);
    cf_dl_close(dl);
    unsetenv("CONFOUND_TEST_LIBRARY");
}

static void a_table_fills_a_struct_newest_name_first(void **state)
{
    (void)state;
    static const cf_dl_symbol table[] = {
        {"cos_v9 cos", offsetof(functions, cosine), false},
        {"confound_unknown", offsetof(functions, unknown), true},
    };
    cf_dl *dl = open_maths();
    functions f = {.unknown = fabs};
    cf_error err = {0};
    assert_int_equal(cf_dl_load(dl, table, 2, &f, &err), CF_OK);
    assert_non_null(f.cosine);
    assert_true(f.cosine(0.0) > 0.999);
    assert_null(f.unknown);
    cf_dl_close(dl);
}

static void a_required_symbol_that_is_absent_is_named(void **state)
{
    (void)state;
    static const cf_dl_symbol table[] = {{"confound_unknown_v2 confound_unknown", offsetof(functions, unknown), false}};
    cf_dl *dl = open_maths();
    functions f = {0};
    cf_error err = {0};
    assert_int_equal(cf_dl_load(dl, table, 1, &f, &err), CF_UNSUPPORTED);
    assert_non_null(strstr(err.text, "confound_unknown_v2 confound_unknown"));
    assert_non_null(strstr(err.text, "libm.so.6"));
    cf_dl_close(dl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_name_that_loads_is_taken),
        cmocka_unit_test(an_absent_library_is_named_with_the_loaders_reason),
        cmocka_unit_test(a_file_that_does_not_load_is_the_reason_given),
        cmocka_unit_test(a_variable_replaces_the_names),
        cmocka_unit_test(a_table_fills_a_struct_newest_name_first),
        cmocka_unit_test(a_required_symbol_that_is_absent_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
