/* Reading jobs: what is accepted, and the one line for what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "run/job.h"

static cf_status read_text(const char *text, cf_job *job, cf_error *err)
{
    cf_ini ini = {0};
    cf_status status = cf_ini_parse("t.ini", text, strlen(text), &ini, err);
    *job = (cf_job){0};
    if (status == CF_OK)
        status = cf_job_from_ini(&ini, NULL, job, err);
    cf_ini_done(&ini);
    return status;
}

static void refused(const char *text, const char *begins, const char *names)
{
    cf_job job;
    cf_error err = {0};
    assert_int_equal(read_text(text, &job, &err), CF_INPUT);
    if (strncmp(err.text, begins, strlen(begins)) != 0 || strstr(err.text, names) == NULL)
        fail_msg("'%s' does not begin with '%s' or does not name '%s'", err.text, begins, names);
    cf_job_done(&job);
}

static void an_empty_job_is_the_built_in_one(void **state)
{
    (void)state;
    cf_job job;
    cf_error err = {0};
    assert_int_equal(read_text("", &job, &err), CF_OK);
    assert_int_equal(job.spec.lane[0].kind, CF_OP_H2D);
    assert_int_equal(job.spec.lane[1].kind, CF_OP_KERNEL);
    assert_int_equal(job.spec.lane[0].count, 16);
    assert_false(job.spec.lane[0].given);
    assert_int_equal(job.min_rounds, 12);
    assert_int_equal(job.max_rounds, 120);
    assert_string_equal(job.model.name, "copy-offload");
    const char *names[] = {"none", "none-again", "sync", "timing", "one-queue"};
    assert_int_equal(job.variant_count, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(job.variants[i].type->name, names[i]);
    cf_job_done(&job);
}

static void every_key_is_read(void **state)
{
    (void)state;
    cf_job job;
    cf_error err = {0};
    const char *text = "[job]\ndevice = sim\nmodel = own\n"
                       "[lane a]\nop = d2h\ncount = 3\nns = 250us\n[lane b]\nop = kernel\ncount = 5\nns = 2ms\n"
                       "[order]\nsubmit = ba\ndepends = each\nprefetch = 2\nbatch = 2\nin_flight = 4\n"
                       "[instruments]\nwhere = after\non = b\nuse = timing, host-sync none-poll\n"
                       "[run]\nwait = spin\nrounds = 40\nmin_rounds = 20\nmargin = 0.05\nseed = 7\n";
    assert_int_equal(read_text(text, &job, &err), CF_OK);
    assert_string_equal(job.device, "sim");
    assert_string_equal(job.model.name, "own");
    assert_int_equal(job.spec.lane[0].kind, CF_OP_D2H);
    assert_int_equal(job.spec.lane[0].length, 250000);
    assert_int_equal(job.spec.lane[1].count, 5);
    assert_int_equal(job.spec.submit, CF_SUBMIT_BA);
    assert_true(job.spec.depends);
    assert_int_equal(job.spec.in_flight, 4);
    assert_int_equal(job.wait, CF_WAIT_SPIN);
    assert_int_equal(job.max_rounds, 40);
    assert_true(job.has_seed);
    assert_int_equal(job.variant_count, 6);
    assert_string_equal(job.variants[2].type->name, "timing");
    assert_int_equal(job.variants[2].where, CF_WHERE_AFTER);
    assert_int_equal(job.variants[2].on, CF_ON_B);
    assert_string_equal(job.variants[5].type->name, "one-queue");
    cf_job_done(&job);
}

static void an_unknown_word_gets_its_line_and_the_nearest(void **state)
{
    (void)state;
    refused("[lane a]\n\ncuont = 3\n", "t.ini:3: ", "'count'");
    refused("[lane c]\ncount = 3\n", "t.ini:1: ", "lane a");
    refused("[instruments]\nuse = timimg\n", "t.ini:2: ", "'timing'");
    refused("[job]\nmodel = copy-ofload\n", "t.ini:2: ", "'copy-offload'");
}

static void a_bad_value_gets_its_line_and_what_is_accepted(void **state)
{
    (void)state;
    refused("[lane a]\ncount = -1\n", "t.ini:2: ", "1 to 65536");
    refused("[lane a]\ncount = 99999999999999999999\n", "t.ini:2: ", "1 to 65536");
    refused("[lane b]\nns = 5 parsecs\n", "t.ini:2: ", "1ms");
    refused("[lane b]\nns = 99999999999999999999s\n", "t.ini:2: ", "1ms");
    refused("[lane a]\nbytes = 4MB\n", "t.ini:2: ", "4MiB");
    refused("[order]\nsubmit = abba\n", "t.ini:2: ", "a-then-b");
    refused("[run]\nmargin = 2\n", "t.ini:2: ", "0.001");
    refused("[run]\nrounds = 10\nmin_rounds = 20\n", "t.ini:3: ", "rounds = 10");
}

static void a_job_that_cannot_run_is_refused(void **state)
{
    (void)state;
    refused("[order]\ndepends = each\nsubmit = b-then-a\n", "t.ini:3: ", "b[0]");
    refused("[order]\nsubmit = a-then-b\nbatch = 2\n", "t.ini:3: ", "no batch");
    refused("[model]\nname = x\n[engine e]\nruns = copy\n[lane b]\nop = kernel\n", "t.ini:6: ", "no engine");
    refused("[lane a]\nbytes = 4MiB\n", "t.ini:2: ", "rate");
    refused("[lane b]\nbytes = 4MiB\n", "t.ini:2: ", "trips");
    refused("[lane a]\nns = 1ms\nbytes = 4MiB\n", "t.ini:3: ", "one of");
}

static void a_model_in_the_job_is_the_jobs_own(void **state)
{
    (void)state;
    cf_job job;
    cf_error err = {0};
    assert_int_equal(read_text("[model]\nname = mine\n[engine e]\norder = ring\nruns = kernel copy\n", &job, &err),
                     CF_OK);
    assert_string_equal(job.model.name, "mine");
    assert_int_equal(job.model.engine_count, 1);
    cf_job_done(&job);
}

static void a_models_section_in_the_job_changes_the_named_model(void **state)
{
    (void)state;
    cf_job job;
    cf_error err = {0};
    assert_int_equal(read_text("[job]\nmodel = copy-offload\n[event timing]\ncost_ns = 5us\n", &job, &err), CF_OK);
    assert_int_equal(job.model.events[CF_EVENT_TIMING].cost_ns, 5000);
    assert_int_equal(job.model.events[CF_EVENT_TIMING].lowering, CF_LOWER_COMMAND);
    cf_job_done(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_job_is_the_built_in_one),
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(an_unknown_word_gets_its_line_and_the_nearest),
        cmocka_unit_test(a_bad_value_gets_its_line_and_what_is_accepted),
        cmocka_unit_test(a_job_that_cannot_run_is_refused),
        cmocka_unit_test(a_model_in_the_job_is_the_jobs_own),
        cmocka_unit_test(a_models_section_in_the_job_changes_the_named_model),
    };
    return cmocka_run_group_tests_name("run job", tests, NULL, NULL);
}
