/* Models as text: every key, its default, and one clear line for what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

static cf_model parse(const char *text)
{
    cf_model model;
    cf_error err;
    if (cf_model_parse("dir/m.ini", text, strlen(text), &model, &err))
        fail_msg("%s", err.text);
    return model;
}

static void what_is_left_out_has_its_default(void **state)
{
    (void)state;
    cf_model m = parse("[engine e]\n");
    assert_string_equal(m.name, "m");
    assert_null(m.about);
    assert_int_equal(m.contention_p, 1);
    assert_int_equal(m.contention_q, 1);
    assert_int_equal(m.queue_depth, 0);
    assert_false(m.blocking_copy);
    assert_int_equal(m.engine_count, 1);
    const cf_model_engine *e = &m.engines[0];
    assert_string_equal(e->name, "e");
    assert_true(e->ready);
    assert_int_equal(e->width, 1);
    assert_int_equal(e->queues, 0);
    assert_int_equal(e->runs, 0);
    assert_int_equal(e->rate_bytes_per_s, 0);
    assert_int_equal(e->latency_ns, 0);
    assert_int_equal(e->stamp_offset_ns, 0);
    assert_true(e->stamp_rate > 0.999999 && e->stamp_rate < 1.000001);
    assert_int_equal(e->stamp_wrap_bits, 0);
    for (int kind = 0; kind < CF_EVENT_KIND_COUNT; kind++) {
        assert_int_equal(m.events[kind].lowering, CF_LOWER_NONE);
        assert_int_equal(m.events[kind].engine, -1);
        assert_int_equal(m.events[kind].cost_ns, 0);
        assert_int_equal(m.events[kind].host_ns, 0);
        assert_false(m.events[kind].sticky);
        assert_false(m.events[kind].arm_late_ignored);
    }
    assert_int_equal(m.copy_ns, 0);
    assert_int_equal(m.kernel_ns, 0);
    assert_int_equal(m.first_use_ns, 0);
    assert_false(m.first_use_drains);
    assert_false(m.noise.on);
    assert_int_equal(m.noise.seed, 0);
    assert_int_equal(m.fault.stall_engine, -1);
    assert_false(m.fault.ignore_waits);
    assert_false(m.fault.wrong_engine);
    cf_model_done(&m);
}

static const char every_key[] = "; what it is for \n"
                                "[model]\nname = all\nabout = one line\ncontention = 0.75\nqueue_depth = 1024\n"
                                "blocking_copy = yes\n"
                                "[event sync]\nlowering = command\nengine = bcs\ncost_ns = 2us\nhost_ns = 1.5us\n"
                                "[event timing]\nlowering = hold\nsticky = yes\narm_late_ignored = on\n"
                                "[engine ccs]\norder = ring\nwidth = 8\nqueues = 3\nruns = kernel, d2d\n"
                                "[engine bcs]\nruns = copy\nrate = 10GiB/s\nlatency_ns = 3us\n"
                                "[host]\ncopy_ns = 2.4ms\nkernel_ns = 4us\n"
                                "[noise]\niid = 0.02\nar = 0.03\nphi = 0.9\nspike_probability = 0.05\n"
                                "spike_factor = 3\ndrift = 0.1\nseed = 42\n"
                                "[habits]\nfirst_use_ns = 1ms\nfirst_use_drains = yes\n"
                                "[timestamps bcs]\noffset_ns = -5us\nrate = 1.5\nwrap_bits = 32\n"
                                "[fault]\nstall_engine = ccs\nstall_ns = 5ms\nstall_at = 3\nignore_waits = yes\n"
                                "wrong_engine = yes\n";

static void every_key_is_read(void **state)
{
    (void)state;
    cf_model m = parse(every_key);
    assert_string_equal(m.name, "all");
    assert_string_equal(m.about, "one line");
    assert_int_equal(m.contention_p, 3);
    assert_int_equal(m.contention_q, 4);
    assert_int_equal(m.queue_depth, 1024);
    assert_true(m.blocking_copy);
    assert_int_equal(m.engine_count, 2);
    assert_false(m.engines[0].ready);
    assert_int_equal(m.engines[0].width, 8);
    assert_int_equal(m.engines[0].queues, 3);
    assert_int_equal(m.engines[0].runs, 1u << CF_OP_KERNEL | 1u << CF_OP_D2D);
    assert_int_equal(m.engines[1].runs, 1u << CF_OP_H2D | 1u << CF_OP_D2H | 1u << CF_OP_D2D);
    assert_int_equal(m.engines[1].rate_bytes_per_s, UINT64_C(10) << 30);
    assert_int_equal(m.engines[1].latency_ns, 3000);
    assert_int_equal(m.engines[1].stamp_offset_ns, -5000);
    assert_true(m.engines[1].stamp_rate > 1.499999 && m.engines[1].stamp_rate < 1.500001);
    assert_int_equal(m.engines[1].stamp_wrap_bits, 32);
    assert_int_equal(m.events[CF_EVENT_SYNC].lowering, CF_LOWER_COMMAND);
    assert_int_equal(m.events[CF_EVENT_SYNC].engine, 1); /* described further down */
    assert_int_equal(m.events[CF_EVENT_SYNC].cost_ns, 2000);
    assert_int_equal(m.events[CF_EVENT_SYNC].host_ns, 1500);
    assert_int_equal(m.events[CF_EVENT_TIMING].lowering, CF_LOWER_HOLD);
    assert_true(m.events[CF_EVENT_TIMING].sticky);
    assert_true(m.events[CF_EVENT_TIMING].arm_late_ignored);
    assert_int_equal(m.copy_ns, 2400000);
    assert_int_equal(m.kernel_ns, 4000);
    assert_true(m.noise.on);
    assert_true(m.noise.phi > 0.899 && m.noise.phi < 0.901);
    assert_true(m.noise.spike_factor > 2.999 && m.noise.spike_factor < 3.001);
    assert_int_equal(m.noise.seed, 42);
    assert_int_equal(m.first_use_ns, 1000000);
    assert_true(m.first_use_drains);
    assert_int_equal(m.fault.stall_engine, 0);
    assert_int_equal(m.fault.stall_ns, 5000000);
    assert_int_equal(m.fault.stall_at, 3);
    assert_true(m.fault.ignore_waits);
    assert_true(m.fault.wrong_engine);
    cf_model_done(&m);
}

static void habits_of_timing_may_stand_among_the_habits(void **state)
{
    (void)state;
    cf_model m = parse("[engine e]\n[habits]\nsticky = yes\narm_late_ignored = yes\n");
    assert_true(m.events[CF_EVENT_TIMING].sticky);
    assert_true(m.events[CF_EVENT_TIMING].arm_late_ignored);
    assert_false(m.events[CF_EVENT_SYNC].sticky);
    cf_model_done(&m);
}

static void rates_take_a_unit_and_a_second(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t rate;
    } cases[] = {
        {"7", 7}, {"12345678901/s", 12345678901}, {"1.5GiB/s", 1610612736}, {"64KiB /s", 65536}, {"2MiB", 2097152}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "[engine e]\nrate = %s\n", cases[i].text);
        cf_model m = parse(text);
        assert_int_equal(m.engines[0].rate_bytes_per_s, cases[i].rate);
        cf_model_done(&m);
    }
}

static void the_comment_on_the_first_line_stands_in_for_about(void **state)
{
    (void)state;
    cf_model m = parse(";; two rings\n; more\n[engine e]\n");
    assert_string_equal(m.about, "two rings");
    cf_model_done(&m);
    m = parse(";\n[engine e]\n");
    assert_null(m.about);
    cf_model_done(&m);
    m = parse("[engine e]\n; not the first line\n");
    assert_null(m.about);
    cf_model_done(&m);
}

static void engines_keep_the_order_of_their_headers(void **state)
{
    (void)state;
    cf_model m = parse("[timestamps b]\nwrap_bits = 8\n[engine c]\nruns = copy\n[engine b]\nruns = h2d kernel\n");
    assert_string_equal(m.engines[0].name, "c");
    assert_int_equal(m.engines[1].stamp_wrap_bits, 8);
    assert_int_equal(cf_model_engine_of(&m, CF_OP_H2D), 0);
    assert_int_equal(cf_model_engine_of(&m, CF_OP_KERNEL), 1);
    cf_model_done(&m);
}

static void the_command_line_sets_keys_and_adds_sections(void **state)
{
    (void)state;
    static const char text[] = "[engine e]\nwidth = 2\nruns = copy\n";
    static const char *const sets[] = {"engine.e.width=4", "engine.f.runs=kernel", "event.timing.engine=f"};
    cf_ini ini;
    cf_error err;
    assert_int_equal(cf_ini_parse("m.ini", text, sizeof text - 1, &ini, &err), CF_OK);
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        assert_int_equal(cf_ini_set(&ini, sets[i], &err), CF_OK);
    cf_model m;
    assert_int_equal(cf_model_from_ini(&ini, &m, &err), CF_OK);
    assert_int_equal(m.engines[0].width, 4);
    assert_string_equal(m.engines[1].name, "f");
    assert_int_equal(m.events[CF_EVENT_TIMING].engine, 1);
    cf_model_done(&m);
    assert_int_equal(cf_ini_set(&ini, "engine.e.width=0", &err), CF_OK);
    assert_int_equal(cf_model_from_ini(&ini, &m, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "--set engine.e.width: "));
    cf_ini_done(&ini);
}

static void mistakes_are_told_with_line_and_what_is_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "m.ini:1: the model has no engine; accepted: at least one [engine NAME]"},
        {"\n[model]\nname = x\n", "m.ini:2: the model has no engine; accepted: at least one [engine NAME]"},
        {"width = 1\n", "m.ini:1: 'width' stands before the first section; accepted: [model] or [engine NAME] first"},
        {"[engine e]\nwidth = 0\n", "m.ini:2: width = '0' is not right; accepted: a whole number from 1 to 1000000"},
        {"[engine e]\nwidth = -1\n", "m.ini:2: width = '-1' is not right; accepted: a whole number from 1 to 1000000"},
        {"[engine e]\nwidht = 1\n", "m.ini:2: [engine e] has no key 'widht', did you mean 'width'?; accepted: order, "
                                    "width, queues, runs, rate or latency_ns"},
        {"[engine e]\nfoo = 1\n",
         "m.ini:2: [engine e] has no key 'foo'; accepted: order, width, queues, runs, rate or latency_ns"},
        {"[engine e]\norder = fifo\n", "m.ini:2: order = 'fifo' is not right; accepted: ring or ready"},
        {"[engine e]\nruns = copy kernels\n",
         "m.ini:2: runs = 'copy kernels' is not right; accepted: words with blanks or commas between: copy, h2d, d2h, "
         "d2d, kernel, kernel-copy or batch-copy"},
        {"[engine e]\nruns =\n", "m.ini:2: runs = '' is not right; accepted: words with blanks or commas between: "
                                 "copy, h2d, d2h, d2d, kernel, kernel-copy or batch-copy"},
        {"[engine e]\nrate = 0\n", "m.ini:2: rate = '0' is not right; accepted: bytes per second from 1 to 2^60, such "
                                   "as 12000000000 or 10GiB/s"},
        {"[engine e]\nrate = 10GB/s\n", "m.ini:2: rate = '10GB/s' is not right; accepted: bytes per second from 1 to "
                                        "2^60, such as 12000000000 or 10GiB/s"},
        {"[engine e]\nlatency_ns = 5 m\n", "m.ini:2: latency_ns = '5 m' is not right; accepted: a time of at most "
                                           "2^50 ns, such as 250, 250ns, 2.5us, 1ms or 1s"},
        {"[engine e]\nlatency_ns = 99999999s\n", "m.ini:2: latency_ns = '99999999s' is not right; accepted: a time of "
                                                 "at most 2^50 ns, such as 250, 250ns, 2.5us, 1ms or 1s"},
        {"[engine e]\n[engine e]\n", "m.ini:2: engine 'e' is described twice; accepted: each engine once"},
        {"[engine own]\n", "m.ini:1: [engine own] needs an engine's name; accepted: 1 to 47 letters, digits, '-' or "
                           "'_', but not 'own' or 'none'"},
        {"[engine]\n", "m.ini:1: [engine] needs an engine's name; accepted: 1 to 47 letters, digits, '-' or '_', but "
                       "not 'own' or 'none'"},
        {"[engin e]\n", "m.ini:1: a model has no section [engin e], did you mean 'engine'?; accepted: [model], "
                        "[engine NAME], [event sync], [event timing], [host], [noise], [habits], [timestamps ENGINE] "
                        "or [fault]"},
        {"[event profile]\n", "m.ini:1: a model has no section [event profile]; accepted: [model], [engine NAME], "
                              "[event sync], [event timing], [host], [noise], [habits], [timestamps ENGINE] or "
                              "[fault]"},
        {"[model x]\n", "m.ini:1: a model has no section [model x]; accepted: [model], [engine NAME], [event sync], "
                        "[event timing], [host], [noise], [habits], [timestamps ENGINE] or [fault]"},
        {"[engine e]\n[event timing]\nengine = ccs\n", "m.ini:3: engine = 'ccs' is not right; accepted: own or e"},
        {"[engine e]\n[event sync]\nsticky = yes\n",
         "m.ini:3: [event sync] has no key 'sticky'; accepted: lowering, engine, cost_ns or host_ns"},
        {"[engine e]\n[event timing]\nlowering = tag\n",
         "m.ini:3: lowering = 'tag' is not right; accepted: none, command or hold"},
        {"[timestamps f]\nrate = 1\n[engine e]\n", "m.ini:1: no engine is called 'f'; accepted: e"},
        {"[engine e]\n[fault]\nstall_engine = f\n", "m.ini:3: stall_engine = 'f' is not right; accepted: none or e"},
        {"[engine e]\n[model]\ncontention = 0\n", "m.ini:3: contention = '0' is not right; accepted: a decimal above "
                                                  "0 and at most 1, with at most 9 decimals"},
        {"[engine e]\n[model]\ncontention = 1.1\n", "m.ini:3: contention = '1.1' is not right; accepted: a decimal "
                                                    "above 0 and at most 1, with at most 9 decimals"},
        {"[engine e]\n[model]\nblocking_copy = maybe\n",
         "m.ini:3: blocking_copy = 'maybe' is not right; accepted: yes or no"},
        {"[engine e]\n[model]\nname =\n", "m.ini:3: name = '' is not right; accepted: a name of 1 to 47 bytes"},
        {"[engine e]\n[noise]\nphi = 1\n",
         "m.ini:3: phi = '1' is not right; accepted: a number from -0.9999 to 0.9999"},
        {"[engine e]\n[noise]\nseed = 9007199254740992\n",
         "m.ini:3: seed = '9007199254740992' is not right; accepted: a whole number from 0 to 9007199254740991"},
        {"[engine e]\n[timestamps e]\nwrap_bits = 64\n",
         "m.ini:3: wrap_bits = '64' is not right; accepted: a whole number from 0 to 63"},
        {"[engine e]\n[timestamps e]\noffset_ns = --5\n", "m.ini:3: offset_ns = '--5' is not right; accepted: a time "
                                                          "of at most 2^50 ns to either side, such as -250, 2.5us "
                                                          "or 1ms"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cf_model m;
        cf_error err = {0};
        assert_int_equal(cf_model_parse("m.ini", cases[i].text, strlen(cases[i].text), &m, &err), CF_INPUT);
        assert_string_equal(err.text, cases[i].says);
    }
}

static void seventeen_engines_are_too_many(void **state)
{
    (void)state;
    char text[512] = "";
    size_t length = 0;
    for (int i = 0; i < 17; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "[engine e%d]\n", i);
    cf_model m;
    cf_error err;
    assert_int_equal(cf_model_parse("m.ini", text, length, &m, &err), CF_INPUT);
    assert_string_equal(err.text, "m.ini:17: too many engines; at most 16 are accepted");
}

static void a_models_sections_are_told_from_a_jobs(void **state)
{
    (void)state;
    static const char *const own[] = {"model", "engine ccs",     "engine", "event sync", "event timing", "event other",
                                      "host",  "timestamps ccs", "noise",  "habits",     "fault"};
    static const char *const others[] = {"job", "lane a", "order", "instruments", "", "models", "engines x", "enginex"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        assert_true(cf_model_owns_section(own[i]));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(cf_model_owns_section(others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_has_its_default),
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(habits_of_timing_may_stand_among_the_habits),
        cmocka_unit_test(rates_take_a_unit_and_a_second),
        cmocka_unit_test(the_comment_on_the_first_line_stands_in_for_about),
        cmocka_unit_test(engines_keep_the_order_of_their_headers),
        cmocka_unit_test(the_command_line_sets_keys_and_adds_sections),
        cmocka_unit_test(mistakes_are_told_with_line_and_what_is_accepted),
        cmocka_unit_test(seventeen_engines_are_too_many),
        cmocka_unit_test(a_models_sections_are_told_from_a_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
