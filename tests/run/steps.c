/* A caller's own steps, in a time of the test's own: what is called when, and what the record says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/file.h"
#include "run/steps.h"

#define MS 1000000u

/* ---- two lanes whose steps last as long as they are told ---- */

enum { SUBMIT, WAIT, EMPTY, ARM, DISARM, PROVE, CHECK, SET_LENGTH, CALL_COUNT };
static const char *const call_names[CALL_COUNT] = {"submit", "wait",  "empty", "arm",
                                                   "disarm", "prove", "check", "set_length"};

typedef struct lanes {
    uint64_t now_ns, end_ns[2], length_ns[2], submit_ns;
    bool serial;        /* one after the other in every variant */
    int serial_variant; /* in this one; -1 = in none */
    int armed;          /* the variant that is */
    cf_text log;        /* of the calls in and around the clock; kept where it is wanted */
    bool logs;
    long calls[CALL_COUNT], fail_at[CALL_COUNT]; /* the so-manyth call fails; 0 = none does */
    cf_steps_proof told[3];                      /* of each variant */
    long wrong_at;
    int asked; /* agreements */
} lanes;

static cf_status count(lanes *l, int call, cf_error *err)
{
    if (++l->calls[call] == l->fail_at[call])
        return cf_error_set(err, CF_DEVICE, "%s broke", call_names[call]);
    return CF_OK;
}

static cf_status submit(void *user, int variant, unsigned bits, cf_error *err)
{
    lanes *l = user;
    if (l->logs)
        cf_text_add(&l->log, "s%u ", bits);
    l->now_ns += l->submit_ns;
    for (int lane = 0; lane < 2; lane++) {
        if (!(bits >> lane & 1))
            continue;
        bool serial = l->serial || variant == l->serial_variant;
        uint64_t from_ns = serial && l->end_ns[!lane] > l->end_ns[lane] ? l->end_ns[!lane] : l->end_ns[lane];
        l->end_ns[lane] = (from_ns > l->now_ns ? from_ns : l->now_ns) + l->length_ns[lane];
    }
    return count(l, SUBMIT, err);
}

static cf_status wait_for(void *user, int variant, unsigned bits, cf_error *err)
{
    lanes *l = user;
    (void)variant;
    if (l->logs)
        cf_text_add(&l->log, "w%u ", bits);
    for (int lane = 0; lane < 2; lane++)
        if (bits >> lane & 1 && l->end_ns[lane] > l->now_ns)
            l->now_ns = l->end_ns[lane];
    return count(l, WAIT, err);
}

/* Both lanes and back. */
static cf_status empty(void *user, cf_error *err)
{
    lanes *l = user;
    if (l->logs)
        cf_text_add(&l->log, "empty ");
    l->now_ns += 7000 + 1000 * (uint64_t)(l->calls[EMPTY] % 3);
    return count(l, EMPTY, err);
}

static cf_status arm(void *user, int variant, cf_error *err)
{
    lanes *l = user;
    assert_int_equal(l->armed, 0);
    l->armed = variant;
    if (l->logs)
        cf_text_add(&l->log, "arm%d ", variant);
    return count(l, ARM, err);
}

static cf_status disarm(void *user, int variant, cf_error *err)
{
    lanes *l = user;
    assert_int_equal(l->armed, variant);
    l->armed = 0;
    if (l->logs)
        cf_text_add(&l->log, "disarm%d ", variant);
    return count(l, DISARM, err);
}

static cf_status prove(void *user, int variant, unsigned bits, cf_steps_proof *ret_proof, cf_error *err)
{
    lanes *l = user;
    (void)bits;
    *ret_proof = l->told[variant];
    return count(l, PROVE, err);
}

static cf_status check(void *user, int variant, unsigned bits, bool *ret_right, char *text, size_t text_bytes)
{
    lanes *l = user;
    (void)variant;
    (void)bits;
    *ret_right = ++l->calls[CHECK] != l->wrong_at;
    if (!*ret_right)
        snprintf(text, text_bytes, "block 7 holds another step's");
    return CF_OK;
}

static cf_status set_length(void *user, int lane, int64_t length, cf_error *err)
{
    lanes *l = user;
    l->length_ns[lane] = (uint64_t)length;
    return count(l, SET_LENGTH, err);
}

static uint64_t now_ns(void *user)
{
    return ((lanes *)user)->now_ns;
}

/* ---- running ---- */

static lanes two_lanes(void)
{
    return (lanes){.now_ns = 5 * MS, .length_ns = {3 * MS, 4 * MS}, .serial_variant = -1};
}

static char quiet[] = "quiet", loud[] = "loud";

/* Two instruments, without proofs. */
static cf_steps steps_on(lanes *l)
{
    cf_steps steps = {
        .lane = {{.count = 1}, {.count = 1}},
        .in_flight = 1,
        .instrument_count = 2,
        .instruments = {{.name = quiet}, {.name = loud, .where = 3, .on = 2}},
        .calls = {.user = l, .submit = submit, .wait = wait_for, .arm = arm, .disarm = disarm, .now_ns = now_ns},
    };
    return steps;
}

static cf_steps_options options_of(int64_t rounds)
{
    return (cf_steps_options){.seed = 42, .margin = 0.1, .alpha = 0.01, .min_rounds = rounds, .max_rounds = rounds};
}

static cf_status run(const cf_steps *steps, const cf_steps_options *options, cf_record *record, cf_error *err)
{
    cf_record_init(record);
    return cf_steps_run(steps, options, record, err);
}

static void run_ok(const cf_steps *steps, int64_t rounds, cf_record *record)
{
    cf_error err = {0};
    cf_steps_options options = options_of(rounds);
    if (run(steps, &options, record, &err) != CF_OK)
        fail_msg("%s", err.text);
}

static int64_t wall_ns(const cf_record *record, int variant, cf_cell cell)
{
    return cf_round_sample(&record->rounds.items[0], variant, cell)->wall_ns[1];
}

static int variant(const cf_record *record, const char *name)
{
    for (int i = 0; i < record->variant_count; i++)
        if (strcmp(record->variants[i].name, name) == 0)
            return i;
    fail_msg("no variant %s", name);
    return -1;
}

/* ---- what is measured ---- */

static void walls_are_those_of_the_steps(void **state)
{
    (void)state;
    lanes l = two_lanes();
    l.serial_variant = 2;
    cf_steps steps = steps_on(&l);
    cf_record record;
    run_ok(&steps, 3, &record);
    assert_int_equal(record.rounds.count, 3);
    assert_int_equal(record.prologue.count, 24);
    assert_int_equal(wall_ns(&record, 0, CF_CELL_A), 3 * MS);
    assert_int_equal(wall_ns(&record, 0, CF_CELL_B), 4 * MS);
    assert_int_equal(wall_ns(&record, 0, CF_CELL_AB), 4 * MS);
    assert_int_equal(wall_ns(&record, variant(&record, "quiet"), CF_CELL_AB), 4 * MS);
    assert_int_equal(wall_ns(&record, variant(&record, "loud"), CF_CELL_AB), 7 * MS);
    assert_int_equal(wall_ns(&record, variant(&record, "none-again"), CF_CELL_AB), 4 * MS);
    cf_record_done(&record);
}

static void the_reference_is_a_wait_b_wait_and_its_waits_are_no_submission(void **state)
{
    (void)state;
    lanes l = two_lanes();
    l.submit_ns = 1000;
    cf_steps steps = steps_on(&l);
    cf_record record;
    run_ok(&steps, 1, &record);
    int reference = variant(&record, "one-queue");
    const cf_sample *ab = cf_round_sample(&record.rounds.items[0], reference, CF_CELL_AB);
    assert_int_equal(record.variants[reference].role, CF_ROLE_REFERENCE);
    assert_int_equal(ab->wall_ns[0], 7 * MS + 2000);
    assert_int_equal(ab->submit_ns[0] - ab->blocked_ns[0], 2000);
    assert_int_equal(ab->blocked_ns[0], 3 * MS);
    cf_record_done(&record);
}

static void an_empty_step_is_timed_before_the_rounds_and_in_no_window(void **state)
{
    (void)state;
    lanes l = two_lanes();
    l.logs = true;
    cf_steps steps = steps_on(&l);
    cf_record record;
    run_ok(&steps, 1, &record);
    assert_int_equal(record.empty_step_ns, 0);
    cf_record_done(&record);
    cf_text_done(&l.log);

    l = two_lanes();
    l.logs = true;
    steps.calls.empty = empty;
    run_ok(&steps, 1, &record);
    assert_int_equal(record.empty_step_ns, 8000); /* the median */
    assert_int_equal(l.calls[EMPTY], 9);
    assert_non_null(strstr(l.log.data, "s1 w1 s2 w2 empty empty empty empty empty empty empty empty empty s"));
    assert_int_equal(wall_ns(&record, 0, CF_CELL_AB), 4 * MS);
    cf_record_done(&record);
    cf_text_done(&l.log);
}

static void steps_in_flight_are_submitted_before_one_wait(void **state)
{
    (void)state;
    lanes l = two_lanes();
    cf_steps steps = steps_on(&l);
    steps.in_flight = 3;
    cf_record record;
    run_ok(&steps, 1, &record);
    assert_int_equal(wall_ns(&record, 0, CF_CELL_AB), 12 * MS);
    assert_int_equal(wall_ns(&record, variant(&record, "one-queue"), CF_CELL_AB), 21 * MS);
    assert_int_equal(record.job.in_flight, 3);
    cf_record_done(&record);
}

static void a_lane_has_an_end_of_its_own_only_where_it_may_be_waited_for(void **state)
{
    (void)state;
    for (int lane_waits = 0; lane_waits < 2; lane_waits++) {
        lanes l = two_lanes();
        cf_steps steps = steps_on(&l);
        steps.lane_waits = lane_waits;
        cf_record record;
        run_ok(&steps, 1, &record);
        const cf_sample *ab = cf_round_sample(&record.rounds.items[0], 0, CF_CELL_AB);
        int seen = 0;
        for (int i = 0; i < CF_STEPS; i++) {
            assert_true(ab->lane_a_ns[i] == -1 || ab->lane_a_ns[i] == 3 * MS);
            assert_true(ab->lane_b_ns[i] == -1 || ab->lane_b_ns[i] == 4 * MS);
            seen += (ab->lane_a_ns[i] >= 0) + (ab->lane_b_ns[i] >= 0);
        }
        assert_int_equal(seen, lane_waits ? CF_STEPS : 0);
        const cf_sample *in_order = cf_round_sample(&record.rounds.items[0], variant(&record, "one-queue"), CF_CELL_AB);
        assert_int_equal(in_order->lane_a_ns[0], -1);
        assert_int_equal(in_order->lane_b_ns[0], -1);
        cf_record_done(&record);
    }
}

static void a_second_design_is_measured_beside_the_first_with_its_own_steps(void **state)
{
    (void)state;
    lanes l = two_lanes(), m = two_lanes();
    m.serial = true;
    cf_steps steps = steps_on(&l), other = steps_on(&m);
    m.length_ns[0] = 9 * MS;
    other.name = loud;
    other.in_flight = 2;
    other.calls.now_ns = now_ns;
    steps.against = &other;
    steps.calls.set_length = other.calls.set_length = set_length;
    steps.lane[0].count = 4;
    steps.lane[0].length = other.lane[0].length = 1000;
    cf_record record;
    run_ok(&steps, 2, &record);
    int against = variant(&record, "against");
    assert_true(record.has_against);
    assert_int_equal(record.variants[against].role, CF_ROLE_DESIGN);
    assert_int_equal(record.variants[against].job, 1);
    assert_int_equal(record.variants[against].armed, CF_ARMED_NO);
    assert_string_equal(record.against.name, "loud");
    assert_int_equal(record.against.in_flight, 2);
    assert_int_equal(record.against.lane[0].length, 4 * record.job.lane[0].length);
    assert_int_equal(m.length_ns[0], 4 * l.length_ns[0]);
    assert_true(m.calls[SUBMIT] > 0);
    assert_int_equal(m.calls[ARM], 0);
    cf_record_done(&record);
}

/* ---- what is called ---- */

/* Every lane that was submitted is waited for once before it is submitted again, or the run ends. */
static void assert_waits_match(const char *log)
{
    unsigned running = 0;
    for (const char *at = log; *at != '\0'; at++) {
        unsigned bits = (unsigned)(at[1] - '0');
        if (*at == 's' && (at == log || at[-1] == ' ') && bits <= 3) {
            assert_int_equal(running & bits, 0);
            running |= bits;
        } else if (*at == 'w') {
            assert_int_equal(running & bits, bits);
            running &= ~bits;
        }
    }
    assert_int_equal(running, 0);
}

static void every_submission_is_waited_for_once(void **state)
{
    (void)state;
    for (int lane_waits = 0; lane_waits < 2; lane_waits++) {
        lanes l = two_lanes();
        l.logs = true;
        cf_steps steps = steps_on(&l);
        steps.lane_waits = lane_waits;
        cf_record record;
        run_ok(&steps, 2, &record);
        assert_non_null(strstr(l.log.data, "s1 w1 s2 w2 s1 w1 s2 w2 s1 w1 s2 w2 s1 w1 s2 w2 "));
        assert_non_null(strstr(l.log.data, lane_waits ? "s3 w1 w2 s3 w2 w1 " : "s3 w3 s3 w3 "));
        assert_waits_match(l.log.data);
        cf_text_done(&l.log);
        cf_record_done(&record);
    }
}

static void an_instrument_is_armed_around_its_own_cells_alone(void **state)
{
    (void)state;
    lanes l = two_lanes();
    l.logs = true;
    cf_steps steps = steps_on(&l);
    cf_record record;
    run_ok(&steps, 5, &record);
    /* 2 instruments x 3 cells in 3 rounds of warm-up and 5 that are judged */
    assert_int_equal(l.calls[ARM], 2 * 3 * 8);
    assert_int_equal(l.calls[DISARM], 2 * 3 * 8);
    assert_non_null(strstr(l.log.data, "arm2 s1 w1 s1 w1 s1 w1 s1 w1 disarm2 "));
    assert_null(strstr(l.log.data, "arm0"));
    assert_null(strstr(l.log.data, "arm3"));
    cf_text_done(&l.log);
    cf_record_done(&record);
}

static void the_same_seed_gives_the_same_calls(void **state)
{
    (void)state;
    cf_text logs[2];
    for (int i = 0; i < 2; i++) {
        lanes l = two_lanes();
        l.logs = true;
        cf_steps steps = steps_on(&l);
        cf_record record;
        run_ok(&steps, 4, &record);
        logs[i] = l.log;
        cf_record_done(&record);
    }
    assert_string_equal(logs[0].data, logs[1].data);
    cf_text_done(&logs[0]);
    cf_text_done(&logs[1]);
}

/* ---- calibration ---- */

static void a_lane_with_a_knob_is_stretched_and_one_without_never(void **state)
{
    (void)state;
    lanes l = two_lanes();
    l.length_ns[0] = l.length_ns[1] = 0;
    cf_steps steps = steps_on(&l);
    steps.calls.set_length = set_length;
    steps.lane[0].length = 1000;
    steps.lane[1].length = 500;
    cf_record record;
    run_ok(&steps, 1, &record);
    double a = (double)wall_ns(&record, 0, CF_CELL_A), b = (double)wall_ns(&record, 0, CF_CELL_B);
    assert_true(a >= 1.9e6);
    assert_true(a / b >= 0.7 && a / b <= 0.9);
    assert_int_equal(record.job.lane[0].length, l.length_ns[0]);
    assert_false(record.job.lane[0].given);
    assert_true(record.calibration_tries > 0);
    cf_record_done(&record);

    l = two_lanes();
    l.length_ns[0] = 10;
    steps = steps_on(&l);
    run_ok(&steps, 1, &record);
    assert_int_equal(wall_ns(&record, 0, CF_CELL_A), 10);
    assert_int_equal(record.job.lane[0].length, 0);
    assert_true(record.job.lane[0].given);
    assert_int_equal(record.calibration_tries, 0);
    cf_record_done(&record);
}

/* ---- proofs ---- */

static cf_record prove_with(cf_steps_proof control, cf_steps_proof first, cf_steps_proof second)
{
    lanes l = two_lanes();
    l.told[0] = control;
    l.told[1] = first;
    l.told[2] = second;
    cf_steps steps = steps_on(&l);
    steps.calls.prove = prove;
    cf_record record;
    run_ok(&steps, 2, &record);
    return record;
}

static void what_is_told_of_an_instrument_is_what_is_recorded(void **state)
{
    (void)state;
    const struct {
        cf_steps_proof told;
        cf_armed armed;
        const char *how;
    } cases[] = {
        {{.armed = CF_TOLD_YES, .how = "the hook is in"}, CF_ARMED_YES, "the hook is in"},
        {{.armed = CF_TOLD_NO}, CF_ARMED_NO, "the caller says that it was not armed"},
        {{.armed = CF_TOLD_NO_ANSWER, .how = "no way to look"}, CF_ARMED_NOTHING, "no way to look"},
        {{.armed = CF_TOLD_NOTHING}, CF_ARMED_NOTHING, "the caller can't tell"},
        {{.expected = 4, .count = 4, .how = "stamps moved"}, CF_ARMED_YES, "96 of 96 stamps moved"},
        {{.expected = 4, .count = 3, .how = "stamps moved"}, CF_ARMED_NO, "72 of 96 stamps moved"},
        {{.armed = CF_TOLD_YES, .expected = 4, .count = 0}, CF_ARMED_NO, "0 of 96 proofs"},
        {{.armed = CF_TOLD_NO, .expected = 4, .count = 4}, CF_ARMED_NO, "the caller says that it was not armed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cf_record record = prove_with((cf_steps_proof){0}, (cf_steps_proof){.armed = CF_TOLD_YES}, cases[i].told);
        const cf_record_variant *v = &record.variants[variant(&record, "loud")];
        assert_int_equal(v->armed, cases[i].armed);
        assert_string_equal(v->armed_how, cases[i].how);
        assert_int_equal(record.variants[variant(&record, "quiet")].armed, CF_ARMED_YES);
        cf_record_done(&record);
    }
}

static void a_control_is_proven_bare_unless_it_says_otherwise(void **state)
{
    (void)state;
    const struct {
        cf_told told;
        cf_armed armed;
    } cases[] = {
        {CF_TOLD_NOTHING, CF_ARMED_NO},
        {CF_TOLD_NO, CF_ARMED_NO},
        {CF_TOLD_NO_ANSWER, CF_ARMED_NOTHING},
        {CF_TOLD_YES, CF_ARMED_YES},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cf_steps_proof yes = {.armed = CF_TOLD_YES};
        cf_record record = prove_with((cf_steps_proof){.armed = cases[i].told}, yes, yes);
        assert_int_equal(record.variants[0].armed, cases[i].armed);
        assert_int_equal(record.variants[variant(&record, "none-again")].armed, cases[i].armed);
        cf_record_done(&record);
    }
}

static void what_the_instrument_saw_is_kept_of_both_lanes_steps(void **state)
{
    (void)state;
    cf_steps_proof saw = {.armed = CF_TOLD_YES, .seen = {.overlap_ns = 10, .shorter_ns = 40}};
    cf_record record = prove_with((cf_steps_proof){0}, (cf_steps_proof){.armed = CF_TOLD_YES}, saw);
    const cf_round *round = &record.rounds.items[1];
    assert_int_equal(round->seen[variant(&record, "loud")].overlap_ns, 3 * 10);
    assert_int_equal(round->seen[variant(&record, "loud")].shorter_ns, 3 * 40);
    assert_int_equal(round->seen[0].shorter_ns, 0);
    cf_record_done(&record);
}

/* ---- ends ---- */

static void a_wrong_result_ends_the_run_and_is_told(void **state)
{
    (void)state;
    lanes l = two_lanes();
    l.wrong_at = 500;
    cf_steps steps = steps_on(&l);
    steps.calls.check = check;
    cf_record record;
    run_ok(&steps, 100, &record);
    assert_int_equal(record.data_check, CF_DATA_WRONG);
    assert_non_null(strstr(record.data_check_text, "block 7 holds another step's"));
    assert_true(record.rounds.count < 10);
    assert_false(record.interrupted);
    cf_record_done(&record);

    /* Also before the first round. */
    l = two_lanes();
    l.wrong_at = 20;
    steps = steps_on(&l);
    steps.calls.check = check;
    run_ok(&steps, 100, &record);
    assert_int_equal(record.data_check, CF_DATA_WRONG);
    assert_int_equal(record.rounds.count, 0);
    cf_record_done(&record);

    l = two_lanes();
    steps = steps_on(&l);
    steps.calls.check = check;
    run_ok(&steps, 2, &record);
    assert_int_equal(record.data_check, CF_DATA_OK);
    cf_record_done(&record);
}

static void the_reference_is_checked_lane_by_lane_as_it_ran(void **state)
{
    (void)state;
    lanes l = two_lanes();
    cf_steps steps = steps_on(&l);
    steps.calls.check = check;
    cf_record record;
    run_ok(&steps, 2, &record);
    /* The first step of each lane, the prologue, 3 rounds of warm-up and 2 that are judged. */
    long windows = 2 + 24 * 3 * 4 + (3 + 2) * 5 * 3 * 4;
    assert_int_equal(l.calls[CHECK], windows + (3 + 2) * 4);
    cf_record_done(&record);
}

static void a_call_that_fails_ends_the_run_with_its_text_and_no_round_is_lost(void **state)
{
    (void)state;
    for (int call = 0; call < CALL_COUNT; call++) {
        if (call == CHECK)
            continue;
        for (long at = 1; at <= 1500; at += 499) {
            lanes l = two_lanes();
            l.fail_at[call] = call == SET_LENGTH || call == EMPTY ? 1 : at;
            cf_steps steps = steps_on(&l);
            steps.calls.empty = empty;
            steps.calls.prove = prove;
            steps.calls.set_length = set_length;
            steps.lane[0].length = steps.lane[1].length = 1000;
            cf_record record;
            cf_error err = {0};
            cf_steps_options options = options_of(400);
            assert_int_equal(run(&steps, &options, &record, &err), CF_DEVICE);
            assert_non_null(strstr(err.text, call_names[call]));
            assert_non_null(strstr(err.text, "broke"));
            assert_int_equal(l.calls[call], l.fail_at[call]);
            assert_true(record.interrupted);
            assert_non_null(strstr(record.skipped.items[0].value, "broke"));
            /* Every round that is there is whole. */
            for (size_t i = 0; i < record.rounds.count; i++)
                for (int k = 0; k < record.variant_count * CF_CELL_COUNT; k++)
                    assert_true(record.rounds.items[i].samples[k].wall_ns[CF_STEPS - 1] > 0);
            if (call == SUBMIT && at > 1000)
                assert_true(record.rounds.count > 0);
            cf_record_done(&record);
        }
    }
}

static void a_variant_that_was_armed_is_disarmed_after_a_failure(void **state)
{
    (void)state;
    for (long at = 501; at < 560; at++) {
        lanes l = two_lanes();
        l.fail_at[SUBMIT] = at;
        cf_steps steps = steps_on(&l);
        cf_steps_options options = options_of(400);
        cf_record record;
        cf_error err = {0};
        assert_int_equal(run(&steps, &options, &record, &err), CF_DEVICE);
        cf_record_done(&record);
        assert_int_equal(l.armed, 0);
        assert_int_equal(l.calls[ARM], l.calls[DISARM]);
    }
}

static void submit_and_wait_are_needed(void **state)
{
    (void)state;
    lanes l = two_lanes();
    cf_record record;
    cf_error err = {0};
    cf_steps_options options = options_of(1);
    cf_steps steps = steps_on(&l);
    steps.calls.submit = NULL;
    assert_int_equal(run(&steps, &options, &record, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "submit"));
    cf_record_done(&record);
    steps = steps_on(&l);
    steps.calls.wait = NULL;
    assert_int_equal(run(&steps, &options, &record, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "no wait"));
    cf_record_done(&record);
}

static bool cancel_at_third(void *user)
{
    int *asked = user;
    return ++*asked == 24 + 3 + 3;
}

static void a_run_that_is_cancelled_keeps_its_rounds(void **state)
{
    (void)state;
    int asked = 0;
    lanes l = two_lanes();
    cf_steps steps = steps_on(&l);
    cf_steps_options options = options_of(50);
    options.callbacks = (cf_run_callbacks){.user = &asked, .cancelled = cancel_at_third};
    cf_record record;
    cf_error err = {0};
    assert_int_equal(run(&steps, &options, &record, &err), CF_OK);
    assert_int_equal(record.rounds.count, 2);
    assert_true(record.interrupted);
    cf_record_done(&record);
}

/* ---- ranks ---- */

typedef struct rank {
    struct ranks *all;
    int number;
    int decides_at, cancels_at; /* rounds; 0 = never */
    lanes l;
    cf_record record;
    cf_status status;
} rank;

typedef struct ranks {
    pthread_barrier_t barrier;
    int64_t said[2];
    cf_agree_what what[2];
    rank rank[2];
} ranks;

/* An all-reduce between two threads: the least of decisions, the greatest of all else. */
static cf_status agree(void *user, cf_agree_what what, int64_t *value, cf_error *err)
{
    rank *r = user;
    (void)err;
    r->all->said[r->number] = *value;
    r->all->what[r->number] = what;
    pthread_barrier_wait(&r->all->barrier);
    int64_t one = r->all->said[0], two = r->all->said[1];
    bool same = r->all->what[0] == r->all->what[1];
    pthread_barrier_wait(&r->all->barrier);
    bool least = what == CF_AGREE_DECIDED;
    *value = (one < two) == least ? one : two;
    return same ? CF_OK : cf_error_set(err, CF_DEVICE, "the ranks have parted");
}

static bool rank_is_decided(void *user, const cf_record *record)
{
    const rank *r = user;
    return r->decides_at > 0 && (int)record->rounds.count >= r->decides_at;
}

static bool rank_cancels(void *user)
{
    const rank *r = user;
    return r->cancels_at > 0 && (int)r->record.rounds.count >= r->cancels_at;
}

static void *run_rank(void *user)
{
    rank *r = user;
    r->l.logs = true;
    cf_steps steps = steps_on(&r->l);
    steps.calls.set_length = set_length;
    steps.lane[0].length = steps.lane[1].length = 1000;
    cf_steps_options options = options_of(40);
    options.min_rounds = 12;
    options.agree = agree;
    options.agree_user = r;
    options.callbacks = (cf_run_callbacks){.user = r, .enough = rank_is_decided, .cancelled = rank_cancels};
    cf_error err = {0};
    r->status = run(&steps, &options, &r->record, &err);
    return NULL;
}

static void run_ranks(ranks *all)
{
    pthread_t thread[2];
    pthread_barrier_init(&all->barrier, NULL, 2);
    for (int i = 0; i < 2; i++) {
        all->rank[i].all = all;
        all->rank[i].number = i;
        all->rank[i].l = two_lanes();
        all->rank[i].l.submit_ns = i == 0 ? 100 : 300 * 1000; /* one is slower, so that its own walls differ */
        assert_int_equal(pthread_create(&thread[i], NULL, run_rank, &all->rank[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(all->rank[i].status, CF_OK);
    }
    pthread_barrier_destroy(&all->barrier);
    assert_string_equal(all->rank[0].l.log.data, all->rank[1].l.log.data);
    for (int lane = 0; lane < 2; lane++)
        assert_int_equal(all->rank[0].record.job.lane[lane].length, all->rank[1].record.job.lane[lane].length);
}

static void done_ranks(ranks *all)
{
    for (int i = 0; i < 2; i++) {
        cf_text_done(&all->rank[i].l.log);
        cf_record_done(&all->rank[i].record);
    }
}

static void ranks_stop_when_the_last_is_decided_and_make_the_same_calls(void **state)
{
    (void)state;
    ranks all = {.rank = {{.decides_at = 13}, {.decides_at = 19}}};
    run_ranks(&all);
    assert_int_equal(all.rank[0].record.rounds.count, 19);
    assert_int_equal(all.rank[1].record.rounds.count, 19);
    assert_false(all.rank[0].record.interrupted);
    done_ranks(&all);
}

static void one_rank_that_must_end_ends_them_all(void **state)
{
    (void)state;
    ranks all = {.rank = {{.decides_at = 30}, {.cancels_at = 5}}};
    run_ranks(&all);
    assert_int_equal(all.rank[0].record.rounds.count, 5);
    assert_int_equal(all.rank[1].record.rounds.count, 5);
    assert_true(all.rank[0].record.interrupted);
    done_ranks(&all);
}

/* ---- the record ---- */

static void the_record_is_read_back_as_it_was_written(void **state)
{
    (void)state;
    static char staging[] = "staging", mine[] = "mine", two[] = "two lanes", driver[] = "lanes 1.0";
    static char copies[] = "h2d copies";
    lanes l = two_lanes();
    cf_steps steps = steps_on(&l);
    steps.name = staging;
    steps.device_backend = mine;
    steps.device_name = two;
    steps.driver = driver;
    steps.simulated = true;
    steps.lane[0].label = copies;
    steps.lane[0].count = 8;
    steps.depends = true;
    cf_record record, again;
    run_ok(&steps, 2, &record);
    cf_text json = {0}, back = {0};
    cf_error err = {0};
    assert_int_equal(cf_record_print(&record, &json, &err), CF_OK);
    if (cf_record_parse("r", json.data, json.size_bytes, &again, &err) != CF_OK)
        fail_msg("%s", err.text);
    assert_int_equal(cf_record_print(&again, &back, &err), CF_OK);
    assert_string_equal(json.data, back.data);
    assert_string_equal(again.job.lane[0].op, "step");
    assert_string_equal(again.job.lane[0].label, "h2d copies");
    assert_null(again.job.lane[1].label);
    assert_string_equal(again.device_backend, "mine");
    assert_string_equal(again.job.submit, "caller");
    assert_true(again.simulated);
    cf_text_done(&json);
    cf_text_done(&back);
    cf_record_done(&record);
    cf_record_done(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_are_those_of_the_steps),
        cmocka_unit_test(the_reference_is_a_wait_b_wait_and_its_waits_are_no_submission),
        cmocka_unit_test(an_empty_step_is_timed_before_the_rounds_and_in_no_window),
        cmocka_unit_test(steps_in_flight_are_submitted_before_one_wait),
        cmocka_unit_test(a_lane_has_an_end_of_its_own_only_where_it_may_be_waited_for),
        cmocka_unit_test(a_second_design_is_measured_beside_the_first_with_its_own_steps),
        cmocka_unit_test(every_submission_is_waited_for_once),
        cmocka_unit_test(an_instrument_is_armed_around_its_own_cells_alone),
        cmocka_unit_test(the_same_seed_gives_the_same_calls),
        cmocka_unit_test(a_lane_with_a_knob_is_stretched_and_one_without_never),
        cmocka_unit_test(what_is_told_of_an_instrument_is_what_is_recorded),
        cmocka_unit_test(a_control_is_proven_bare_unless_it_says_otherwise),
        cmocka_unit_test(what_the_instrument_saw_is_kept_of_both_lanes_steps),
        cmocka_unit_test(a_wrong_result_ends_the_run_and_is_told),
        cmocka_unit_test(the_reference_is_checked_lane_by_lane_as_it_ran),
        cmocka_unit_test(a_call_that_fails_ends_the_run_with_its_text_and_no_round_is_lost),
        cmocka_unit_test(a_variant_that_was_armed_is_disarmed_after_a_failure),
        cmocka_unit_test(submit_and_wait_are_needed),
        cmocka_unit_test(a_run_that_is_cancelled_keeps_its_rounds),
        cmocka_unit_test(ranks_stop_when_the_last_is_decided_and_make_the_same_calls),
        cmocka_unit_test(one_rank_that_must_end_ends_them_all),
        cmocka_unit_test(the_record_is_read_back_as_it_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
