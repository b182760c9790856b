/* Every entry point of the driver fails on demand: each failure is one clear error, and nothing is left behind. Over
   the stub driver, which runs in real time on the soft device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/cuda_rig.h"

#define CODE 700 /* CUDA_ERROR_ILLEGAL_ADDRESS */

static const struct {
    const char *field, *names;
} entries[] = {
#define X(field, names, optional, parameters) {#field, names},
    CF_CUDA_API_TABLE(X)
#undef X
};

static bool is_one_of(const char *field, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(field, *list) == 0)
            return true;
    return false;
}

/* A device that goes away takes what is on it with it: nobody is told. */
static const char *const destroyers[] = {"context_destroy", "module_unload", "memory_free", "host_free",
                                         "stream_destroy",  "event_destroy", NULL};
/* Asked for the text of an error alone; the second signature of a batch; the stub's own. */
static const char *const others[] = {"error_name", "error_string", "batch_v1", "simulated", NULL};

static cf_status run_tour(cf_error *err)
{
    tour t = {0};
    cf_status status = tour_make(&t, NULL, err);
    if (status == CF_OK)
        status = tour_run(&t, err);
    tour_end(&t);
    return status;
}

static void check_error(const char *name, int number, cf_status expected, cf_status status, const cf_error *err)
{
    if (status != expected || err->status != expected)
        fail_msg("%s, call %d: %s where %s is expected: %s", name, number, cf_status_name(status),
                 cf_status_name(expected), err->text);
    if (strncmp(name, err->call, strlen(err->call)) != 0 || err->call[0] == '\0' || err->native != CODE)
        fail_msg("%s, call %d: the error names call '%s' and code %lld", name, number, err->call,
                 (long long)err->native);
    const char *wanted = "the CUDA driver answered CUDA_ERROR_ILLEGAL_ADDRESS, a failure of the stub";
    if (strstr(err->text, wanted) == NULL || strchr(err->text, '\n') != NULL)
        fail_msg("%s, call %d: '%s' does not say '%s'", name, number, err->text, wanted);
}

/* The name as the stub exports it: the first of an entry's. */
static void fail_at(const char *names, int number, const char *field, int *ret_failed)
{
    char name[96], plan[128];
    cf_error err = {0};
    snprintf(name, sizeof name, "%.*s", (int)strcspn(names, " "), names);
    snprintf(plan, sizeof plan, "%s:%d:%d", name, number, CODE);
    setenv("CONFOUND_STUB_FAIL", plan, 1);
    cf_status status = run_tour(&err);
    bool failed = ask_stub("confound_stub_seen") >= number;
    bool passed_over = !failed || is_one_of(field, destroyers);
    if (passed_over && status != CF_OK)
        fail_msg("%s, call %d, which %s: %s", name, number, failed ? "failed" : "did not take place", err.text);
    if (!passed_over)
        check_error(name, number, strcmp(field, "init") == 0 ? CF_NO_DEVICE : CF_DEVICE, status, &err);
    if (ask_stub("confound_stub_alive") != 0)
        fail_msg("%s, call %d: %ld objects are left", name, number, ask_stub("confound_stub_alive"));
    *ret_failed += failed;
}

static void each_call_that_fails_is_one_error_and_leaves_nothing(void **state)
{
    (void)state;
    use_stub(STUB);
    int failed = 0;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (is_one_of(entries[i].field, others))
            continue;
        int before = failed;
        /* The third wait for the context is that of closing, which passes it over. */
        int most = strcmp(entries[i].field, "context_wait") == 0 ? 2 : 3;
        for (int number = 1; number <= most; number++)
            fail_at(entries[i].names, number, entries[i].field, &failed);
        if (failed == before)
            fail_msg("%s is in the table and was never called", entries[i].names);
    }
    unsetenv("CONFOUND_STUB_FAIL");
    print_message("%d failures\n", failed);
    assert_true(failed > 60);
}

static void the_calls_of_older_drivers_fail_as_clearly(void **state)
{
    (void)state;
    int failed = 0;
    use_stub(STUB_12_8);
    fail_at("cuMemcpyBatchAsync", 1, "batch_v1", &failed);
    fail_at("cuMemcpyBatchAsync", 2, "batch_v1", &failed);
    use_stub(STUB_12_0);
    fail_at("cuMemcpyHtoDAsync_v2", 4, "h2d", &failed);
    fail_at("cuEventElapsedTime", 2, "event_elapsed", &failed);
    assert_int_equal(failed, 4);
    use_stub(STUB);
}

static void a_code_without_a_name_is_still_told(void **state)
{
    (void)state;
    use_stub(STUB);
    setenv("CONFOUND_STUB_FAIL", "cuMemAlloc_v2:1:700,cuGetErrorName:1:1,cuGetErrorString:1:1", 1);
    cf_error err = {0};
    assert_int_equal(run_tour(&err), CF_DEVICE);
    assert_non_null(strstr(err.text, "answered a code without a name, of which it says nothing"));
    assert_int_equal(ask_stub("confound_stub_alive"), 0);
    unsetenv("CONFOUND_STUB_FAIL");
}

static void a_device_that_is_lost_fails_once_and_closes(void **state)
{
    (void)state;
    use_stub(STUB);
    setenv("CONFOUND_STUB_FAIL", "cuLaunchKernel:3:700:lost", 1);
    cf_error err = {0};
    assert_int_equal(run_tour(&err), CF_DEVICE);
    assert_string_equal(err.call, "cuLaunchKernel");
    assert_int_equal(ask_stub("confound_stub_alive"), 0);
    unsetenv("CONFOUND_STUB_FAIL");
}

static void count_devices(void *user, const cf_device_listing *listing)
{
    assert_int_equal(listing->index, *(int *)user);
    assert_non_null(listing->engines);
    ++*(int *)user;
}

static cf_status list_nothing(cf_error *err)
{
    int count = 0;
    return cf_device_cuda.list(count_devices, &count, err);
}

static void without_a_driver_the_reason_is_told(void **state)
{
    (void)state;
    use_stub("/nowhere/libcuda.so.1");
    cf_error err = {0};
    assert_int_equal(list_nothing(&err), CF_NO_DEVICE);
    assert_int_equal(err.status, CF_NO_DEVICE);
    assert_non_null(strstr(err.text, "no CUDA driver: /nowhere/libcuda.so.1 not found"));
    use_stub(CF_SOURCE_DIR "/CMakeLists.txt");
    assert_int_equal(list_nothing(&err), CF_NO_DEVICE);
    use_stub(STUB);
}

static void a_library_without_the_drivers_calls_is_refused(void **state)
{
    (void)state;
    use_stub("libm.so.6");
    cf_error err = {0};
    assert_int_equal(list_nothing(&err), CF_NO_DEVICE);
    assert_non_null(strstr(err.text, "has no cuInit"));
    use_stub(STUB);
}

static void a_driver_without_a_device_says_so(void **state)
{
    (void)state;
    use_stub(STUB);
    setenv("CONFOUND_STUB_DEVICES", "0", 1);
    cf_error err = {0};
    assert_int_equal(list_nothing(&err), CF_NO_DEVICE);
    assert_non_null(strstr(err.text, "has no device"));
    setenv("CONFOUND_STUB_FAIL", "cuInit:1:100", 1);
    assert_int_equal(list_nothing(&err), CF_NO_DEVICE);
    assert_non_null(strstr(err.text, "CUDA_ERROR_NO_DEVICE"));
    use_stub(STUB);
}

static void every_device_is_listed_and_one_that_is_not_there_is_refused(void **state)
{
    (void)state;
    use_stub(STUB);
    setenv("CONFOUND_STUB_DEVICES", "3", 1);
    int count = 0;
    cf_error err = {0};
    assert_int_equal(cf_device_cuda.list(count_devices, &count, &err), CF_OK);
    assert_int_equal(count, 3);
    cf_device *device = NULL;
    assert_int_equal(cf_device_open(&cf_device_cuda, &(cf_device_config){.index = 3}, &device, &err), CF_NO_DEVICE);
    assert_non_null(strstr(err.text, "cuda:0 to cuda:2"));
    assert_int_equal(cf_device_open(&cf_device_cuda, &(cf_device_config){.index = 2}, &device, &err), CF_OK);
    cf_device_close(device);
    setenv("CONFOUND_STUB_FAIL", "cuDeviceGetName:2:700", 1);
    count = 0;
    assert_int_equal(cf_device_cuda.list(count_devices, &count, &err), CF_DEVICE);
    use_stub(STUB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_that_fails_is_one_error_and_leaves_nothing),
        cmocka_unit_test(the_calls_of_older_drivers_fail_as_clearly),
        cmocka_unit_test(a_code_without_a_name_is_still_told),
        cmocka_unit_test(a_device_that_is_lost_fails_once_and_closes),
        cmocka_unit_test(without_a_driver_the_reason_is_told),
        cmocka_unit_test(a_library_without_the_drivers_calls_is_refused),
        cmocka_unit_test(a_driver_without_a_device_says_so),
        cmocka_unit_test(every_device_is_listed_and_one_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
