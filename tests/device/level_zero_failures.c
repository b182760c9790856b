/* Every call of the loader that the device `level-zero` makes is made to fail, over the stub (real time, on its
   threads). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/level_zero_rig.h"

#define CODE 0x70000001 /* ZE_RESULT_ERROR_DEVICE_LOST */

static const struct {
    const char *field, *names;
} entries[] = {
#define X(field, names, optional, parameters) {#field, names},
    CF_ZE_API_TABLE(X)
#undef X
        {"zex", "zexCounterBasedEventCreate2"}};

/* What a device is made of decides which calls there are: each call is made to fail in each of these. */
static const struct {
    const char *stub, *offers, *name, *value;
} setups[] = {{STUB_NEW, "", "streams", "offload"},
              {STUB_NEW, "", "streams", "queues"},
              {STUB_OLD, "api=1.3", "events", "counter"},
              {STUB_OLD, "api=1.3 no-zex no-pools", "events", "pool"}};

static bool is_one_of(const char *field, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(field, *list) == 0)
            return true;
    return false;
}

/* A device that goes away takes what is on it with it: nobody is told. */
static const char *const destroyers[] = {"context_destroy", "list_destroy",   "queue_destroy",
                                         "memory_free",     "module_destroy", "kernel_destroy",
                                         "pool_destroy",    "event_destroy",  NULL};
/* Without the answer another way is taken, or a fact is not told. */
static const char *const asked[] = {"driver_function", "device_pci", "translate", NULL};
/* The stub's own. */
static const char *const others[] = {"simulated", NULL};

static cf_status run_tour(size_t setup, cf_error *err)
{
    own_tour o = {0};
    cf_pairs settings = {0};
    cf_status status = cf_pairs_add(&settings, setups[setup].name, setups[setup].value, err);
    if (status == CF_OK)
        status = own_make(&o, &settings, err);
    if (status == CF_OK)
        status = own_run(&o, err);
    own_end(&o);
    cf_pairs_done(&settings);
    return status;
}

static void check_error(const char *name, int number, cf_status expected, cf_status status, const cf_error *err)
{
    if (status != expected || err->status != expected)
        fail_msg("%s, call %d: %s where %s is expected: %s", name, number, cf_status_name(status),
                 cf_status_name(expected), err->text);
    if (strcmp(name, err->call) != 0 || err->native != CODE)
        fail_msg("%s, call %d: the error names call '%s' and code %llx", name, number, err->call,
                 (long long)err->native);
    const char *wanted = "Level Zero answered ZE_RESULT_ERROR_DEVICE_LOST";
    if (strstr(err->text, wanted) == NULL || strchr(err->text, '\n') != NULL)
        fail_msg("%s, call %d: '%s' does not say '%s'", name, number, err->text, wanted);
}

static bool fail_at(size_t setup, size_t entry, int number)
{
    char plan[160];
    cf_error err = {0};
    const char *name = entries[entry].names;
    const char *field = entries[entry].field;
    use_stub(setups[setup].stub, setups[setup].offers);
    snprintf(plan, sizeof plan, "%s:%d:%d", name, number, CODE);
    setenv("CONFOUND_STUB_FAIL", plan, 1);
    cf_status status = run_tour(setup, &err);
    bool failed = ask_stub("confound_stub_seen") >= number;
    bool passed_over = !failed || is_one_of(field, destroyers) || is_one_of(field, asked);
    if (passed_over && status != CF_OK)
        fail_msg("%s, call %d, which %s: %s", name, number, failed ? "failed" : "did not take place", err.text);
    if (!passed_over)
        check_error(name, number, strcmp(field, "init") == 0 ? CF_NO_DEVICE : CF_DEVICE, status, &err);
    if (ask_stub("confound_stub_alive") != 0)
        fail_msg("%s, call %d: %ld objects are left", name, number, ask_stub("confound_stub_alive"));
    return failed;
}

static void each_call_that_fails_is_one_error_and_leaves_nothing(void **state)
{
    (void)state;
    int failed = 0;
    for (size_t entry = 0; entry < sizeof entries / sizeof entries[0]; entry++) {
        if (is_one_of(entries[entry].field, others))
            continue;
        int before = failed;
        for (size_t setup = 0; setup < sizeof setups / sizeof setups[0]; setup++)
            for (int number = 1; number <= 3; number++)
                failed += fail_at(setup, entry, number);
        if (failed == before)
            fail_msg("%s is in the table and was never called", entries[entry].names);
    }
    use_stub(STUB_NEW, "");
    print_message("%d failures\n", failed);
    assert_true(failed > 200);
}

static void a_device_that_is_lost_fails_once_and_closes(void **state)
{
    (void)state;
    use_stub(STUB_NEW, "");
    setenv("CONFOUND_STUB_FAIL", "zeCommandListAppendLaunchKernel:3:1879048193:lost", 1);
    cf_error err = {0};
    assert_int_equal(run_tour(0, &err), CF_DEVICE);
    assert_string_equal(err.call, "zeCommandListAppendLaunchKernel");
    assert_int_equal(ask_stub("confound_stub_alive"), 0);
    use_stub(STUB_NEW, "");
}

static void a_code_without_a_name_is_still_told(void **state)
{
    (void)state;
    use_stub(STUB_NEW, "");
    setenv("CONFOUND_STUB_FAIL", "zeMemAllocDevice:1:12345", 1);
    cf_error err = {0};
    assert_int_equal(run_tour(0, &err), CF_DEVICE);
    assert_non_null(strstr(err.text, "answered a code without a name"));
    assert_int_equal(err.native, 12345);
    use_stub(STUB_NEW, "");
}

typedef struct seen {
    int count;
    char kind[16], driver[64];
} seen;

static void count_devices(void *user, const cf_device_listing *listing)
{
    seen *s = user;
    assert_int_equal(listing->index, s->count++);
    assert_non_null(listing->engines);
    snprintf(s->kind, sizeof s->kind, "%s", listing->kind);
    snprintf(s->driver, sizeof s->driver, "%s", listing->driver);
}

static cf_status list_all(seen *ret_seen, cf_error *err)
{
    *ret_seen = (seen){0};
    return cf_device_level_zero.list(count_devices, ret_seen, err);
}

static void the_list_shows_the_version_that_a_record_has(void **state)
{
    (void)state;
    seen s;
    cf_error err = {0};
    use_stub(STUB_NEW, "");
    assert_int_equal(list_all(&s, &err), CF_OK);
    assert_string_equal(s.driver, "1.3.7+1"); /* as the_drivers_own_words_are_its_version */
}

static void without_a_loader_or_a_driver_the_reason_is_told(void **state)
{
    (void)state;
    seen s;
    cf_error err = {0};
    use_stub("/nowhere/libze_loader.so.1", "");
    assert_int_equal(list_all(&s, &err), CF_NO_DEVICE);
    assert_int_equal(err.status, CF_NO_DEVICE);
    assert_non_null(strstr(err.text, "no Level Zero loader: /nowhere/libze_loader.so.1 not found"));
    use_stub("libm.so.6", "");
    assert_int_equal(list_all(&s, &err), CF_NO_DEVICE);
    assert_non_null(strstr(err.text, "has no zeInit"));
    use_stub(STUB_NEW, "no-gpu");
    assert_int_equal(list_all(&s, &err), CF_NO_DEVICE);
    assert_non_null(strstr(err.text, "has no GPU"));
    use_stub(STUB_NEW, "");
    setenv("CONFOUND_STUB_FAIL", "zeInit:1:2013265921", 1); /* UNINITIALIZED: what a loader without a driver answers */
    assert_int_equal(list_all(&s, &err), CF_NO_DEVICE);
    assert_non_null(strstr(err.text, "finds no driver for a GPU that starts"));
    assert_null(strchr(err.text, '\n'));
    use_stub(STUB_NEW, "");
}

static void every_device_is_listed_and_one_that_is_not_there_is_refused(void **state)
{
    (void)state;
    seen s;
    cf_error err = {0};
    cf_device *device = NULL;
    use_stub(STUB_NEW, "gpus=3");
    assert_int_equal(list_all(&s, &err), CF_OK);
    assert_int_equal(s.count, 3);
    assert_string_equal(s.kind, "gpu");
    const cf_device_ops *ops = &cf_device_level_zero;
    assert_int_equal(cf_device_open(ops, &(cf_device_config){.index = 3}, &device, &err), CF_NO_DEVICE);
    assert_non_null(strstr(err.text, "level-zero:0 to level-zero:2"));
    assert_int_equal(cf_device_open(ops, &(cf_device_config){.index = 2}, &device, &err), CF_OK);
    cf_device_close(device);
    use_stub(STUB_NEW, "no-copy");
    cf_pairs settings = {0};
    assert_int_equal(cf_pairs_add(&settings, "streams", "split", NULL), CF_OK);
    assert_int_equal(cf_device_open(ops, &(cf_device_config){.settings = &settings}, &device, &err), CF_UNSUPPORTED);
    assert_non_null(strstr(err.text, "no queue for copies alone"));
    assert_int_equal(ask_stub("confound_stub_alive"), 0);
    cf_pairs_done(&settings);
    use_stub(STUB_NEW, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_that_fails_is_one_error_and_leaves_nothing),
        cmocka_unit_test(a_device_that_is_lost_fails_once_and_closes),
        cmocka_unit_test(a_code_without_a_name_is_still_told),
        cmocka_unit_test(the_list_shows_the_version_that_a_record_has),
        cmocka_unit_test(without_a_loader_or_a_driver_the_reason_is_told),
        cmocka_unit_test(every_device_is_listed_and_one_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
