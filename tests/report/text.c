/* The text report: its table and its sentences. */
#include "report/fixture.h"

static void the_report_of_a_confounded_run_reads_so(void **state)
{
    (void)state;
    static const char expected[] = "16 x h2d beside 16 x kernel on soft (simulated), 24 rounds\n"
                                   "ms a step, host clock; one step in flight, then drained; host waits: block\n"
                                   "\n"
                                   "variant         A      B     AB exposed  overlap          reads as    means\n"
                                   "none       16.000 16.000 16.000   0.000   1.00 #########  overlaps    quote this\n"
                                   "sync       16.000 16.000 16.000   0.000   1.00 #########  overlaps    clear\n"
                                   "timing     16.064 16.064 30.842  14.778   0.08 #........  serialises  CONFOUNDED\n"
                                   "none-again 16.000 16.000 16.000   0.000   1.00 #########  overlaps    A/A clear\n"
                                   "one-queue  16.000 16.000 32.000  16.000   0.00 .........  serialises  as it must\n"
                                   "\n"
                                   "CONFOUNDED\n"
                                   "Timing events are the serialisation: they remove 0.92 [0.90, 0.94] of overlap;\n"
                                   "without them the lanes overlap. Do not redesign on a trace taken with them.\n"
                                   "Sync-only events are clear.\n"
                                   "\n"
                                   "Seen       By their own timestamps, timing events would have reported an overlap\n"
                                   "           of 0.03; the host's clock says 0.08 with them and 1.00 with no\n"
                                   "           instrument.\n"
                                   "Scope      This process, this device (copy-offload in real time), no driver.\n"
                                   "           Simulated: a self-test. A device built to show the effect proves that\n"
                                   "           the tool can see it, and says nothing about anyone's GPU.\n"
                                   "Next       Quote the row none, and take the trace again without what is\n"
                                   "           confounded. Whether another design pays is measured with no\n"
                                   "           instrument: confound run JOB.ini --against JOB2.ini. What holds for a\n"
                                   "           GPU is measured on that GPU.\n"
                                   "Record     RECORD.json\n";
    fixture f;
    begin(&f);
    char *text = printed(&f, cf_report_text, ASCII_STYLE);
    assert_string_equal(text, expected);
    free(text);
    end(&f);
}

static void quiet_leaves_the_verdict_alone(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    char *text = printed(&f, cf_report_verdict, ASCII_STYLE);
    assert_string_equal(text, "CONFOUNDED\n"
                              "Timing events are the serialisation: they remove 0.92 [0.90, 0.94] of overlap;\n"
                              "without them the lanes overlap. Do not redesign on a trace taken with them.\n"
                              "Sync-only events are clear.\n");
    free(text);
    end(&f);
}

/* Prints f, ends it, and looks for each part (NULL-terminated) in the unwrapped text. */
static void assert_says(fixture *f, const char *const *parts)
{
    char *text = unwrapped(printed(f, cf_report_text, ASCII_STYLE));
    for (; *parts; parts++)
        assert_contains(text, *parts);
    free(text);
    end(f);
}
#define SAYS(f, ...) assert_says(f, (const char *const[]){__VA_ARGS__, NULL})

static void own_steps(fixture *f, const char *backend, const char *label)
{
    begin(f);
    set_string(&f->record.job.name, "steps");
    set_string(&f->record.device_backend, backend);
    for (int lane = 0; lane < 2; lane++) {
        set_string(&f->record.job.lane[lane].op, "step");
        f->record.job.lane[lane].count = 1;
        f->record.job.lane[lane].length = 0;
        set_string(&f->record.job.lane[lane].unit, "");
    }
    f->record.simulated = false;
    if (label)
        set_string(&f->record.job.lane[0].label, label);
}

static void the_clock_that_timed_the_rounds_is_named(void **state)
{
    (void)state;
    static const char *const clocks[][2] = {{"virtual", "ms a step, virtual clock; one step in flight"},
                                            {"CLOCK_MONOTONIC", "ms a step, host clock; one step in flight"},
                                            {"pencil time", "ms a step, the device's own clock; one step in flight"}};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        fixture f;
        begin(&f);
        set_string(&f.record.clock_name, clocks[i][0]);
        SAYS(&f, clocks[i][1]);
    }
}

static void steps_of_the_callers_own_are_called_as_the_caller_calls_them(void **state)
{
    (void)state;
    fixture f;
    own_steps(&f, "steps", NULL);
    SAYS(&f, "step a beside step b, the caller's own, 24 rounds ms a step",
         "Whether another design pays is measured with no instrument. Record");
    own_steps(&f, "cuda", "KV blocks");
    set_string(&f.record.job.name, "staging");
    f.record.job.lane[1].count = 8;
    set_string(&f.record.job.lane[1].label, "layers");
    SAYS(&f, "staging: KV blocks beside 8 x layers, the caller's own on cuda, 24 rounds ms a step");
    own_steps(&f, "steps", "\033[31mred");
    SAYS(&f, "?[31mred beside step b");
}

static void a_run_that_failed_is_not_called_stopped_by_the_user(void **state)
{
    (void)state;
    fixture f;
    own_steps(&f, "steps", NULL);
    f.record.interrupted = true;
    assert_int_equal(cf_pairs_add(&f.record.skipped, "rounds from 25 on", "rank 3 was lost", NULL), CF_OK);
    SAYS(&f, "Not done: rounds from 25 on: rank 3 was lost.", "Stopped by a failure after 24 rounds.");
}

static void what_can_be_done_again_on_the_command_line_is_not_advised_for_a_callers_own(void **state)
{
    (void)state;
    static const cf_because reasons[] = {CF_BECAUSE_MORE_ROUNDS, CF_BECAUSE_STICKY, CF_BECAUSE_PROCESS_ONLY};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        fixture f;
        own_steps(&f, "steps", NULL);
        f.judgement.verdict = CF_VERDICT_INCONCLUSIVE;
        f.judgement.more_rounds = 7;
        set_effect(variant(&f, "timing"), CF_EFFECT_INCONCLUSIVE, -0.10, 0.02);
        add_because(&variant(&f, "timing")->because, reasons[i]);
        char *text = unwrapped(printed(&f, cf_report_text, ASCII_STYLE));
        assert_null(strstr(text, "confound run"));
        assert_contains(text, reasons[i] == CF_BECAUSE_MORE_ROUNDS ? "Measure again with up to 31 rounds."
                                                                   : "Judge the others without it; it needs processes");
        free(text);
        end(&f);
    }
}

static void a_clear_run_says_how_the_lanes_run_with_and_without(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.judgement.verdict = CF_VERDICT_CLEAR;
    set_effect(variant(&f, "timing"), CF_EFFECT_CLEAR, -0.01, 0.005);
    SAYS(&f, "CLEAR",
         "No instrument on trial changes the overlap by 0.1 or more: the lanes overlap without and with sync-only "
         "events and timing events.",
         "leaves the overlap as it is, within the margin");
}

static void a_serial_control_is_no_evidence_that_an_instrument_is_harmless(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.judgement.verdict = CF_VERDICT_CLEAR;
    f.judgement.variants[0].reading = CF_READING_SERIALISES;
    set_effect(variant(&f, "timing"), CF_EFFECT_CLEAR, 0, 0.005);
    add_because(&variant(&f, "timing")->because, CF_BECAUSE_NOTHING_TO_REMOVE);
    add_because(&variant(&f, "sync")->because, CF_BECAUSE_NOTHING_TO_REMOVE);
    SAYS(&f, "clear*", "The lanes run one after the other with no instrument at all",
         "this is no evidence that sync-only events and timing events are harmless",
         "Look for the reason in the work itself");
}

static void undecided_names_the_reason_and_what_to_do(void **state)
{
    (void)state;
    static const struct {
        cf_because because;
        const char *reason, *advice;
    } cases[] = {
        {CF_BECAUSE_MORE_ROUNDS, "Undecided on timing events: about 7 more rounds would settle it.",
         "confound run --resume RECORD.json --rounds 31"},
        {CF_BECAUSE_TOO_FEW_ROUNDS, "24 rounds are too few for a decision", "--resume RECORD.json"},
        {CF_BECAUSE_TOO_CLOSE, "the effect, -0.10 [-0.12, -0.08], sits too close to the margin of 0.1",
         "confound judge RECORD.json --margin X"},
        {CF_BECAUSE_HOST_BOUND, "submitting takes as long as the work (0.05 of 16.00 ms)",
         "Make each operation longer"},
        {CF_BECAUSE_TOO_SHORT, "leave next to nothing to wait for", "waits for what submit began"},
        {CF_BECAUSE_HOST_STARVED, "late by 12 % of a step; 5 % is allowed", "Free a core"},
        {CF_BECAUSE_NOT_ARMED, "no proof that it was armed (3 of 64 timestamps moved)", "nothing is known about it"},
        {CF_BECAUSE_STICKY, "an instrument changed the control of this process", "processes of its own"},
        {CF_BECAUSE_PROCESS_ONLY, "it must be armed before first use", "processes of its own"},
        {CF_BECAUSE_REFERENCE_FAILED, "one in-order queue did not read as serialising", "can't see serialisation"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture f;
        begin(&f);
        f.judgement.verdict = CF_VERDICT_INCONCLUSIVE;
        f.judgement.more_rounds = 7;
        cf_variant_judgement *timing = variant(&f, "timing");
        set_effect(timing, CF_EFFECT_INCONCLUSIVE, -0.10, 0.02);
        timing->effect.more_rounds = 7;
        timing->starved_share = 0.12;
        add_because(&timing->because, cases[i].because);
        set_string(&f.record.variants[timing->variant].armed_how, "3 of 64 timestamps moved");
        f.record.variants[timing->variant].armed_count = 3;
        f.record.variants[timing->variant].armed_expected = 64;
        SAYS(&f, "INCONCLUSIVE", cases[i].reason, cases[i].advice, "Sync-only events are clear.");
    }
}

static void instruments_with_one_reason_share_a_sentence(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.judgement.verdict = CF_VERDICT_INCONCLUSIVE;
    for (int i = 0; i < 2; i++) {
        cf_variant_judgement *judged = variant(&f, i ? "timing" : "sync");
        set_effect(judged, CF_EFFECT_INCONCLUSIVE, 0, 0.2);
        add_because(&judged->because, CF_BECAUSE_STICKY);
    }
    SAYS(&f, "Undecided on sync-only events and timing events: an instrument changed the control of this process");
}

static void alone_the_control_says_why_it_is_no_answer(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.judgement.verdict = CF_VERDICT_INCONCLUSIVE;
    for (int i = 0; i < f.record.variant_count; i++)
        if (f.record.variants[i].role == CF_ROLE_INSTRUMENT)
            f.record.variants[i].role = CF_ROLE_CONTROL;
    add_because(&f.judgement.variants[0].because, CF_BECAUSE_REFERENCE_FAILED);
    SAYS(&f, "INCONCLUSIVE",
         "No instrument was on trial; with none the lanes overlap. Undecided: one in-order queue did not read as "
         "serialising.",
         "This set-up can't see serialisation");
    begin(&f);
    f.judgement.verdict = CF_VERDICT_INCONCLUSIVE;
    for (int i = 0; i < f.record.variant_count; i++)
        if (f.record.variants[i].role == CF_ROLE_INSTRUMENT)
            f.record.variants[i].role = CF_ROLE_CONTROL;
    SAYS(&f, "INCONCLUSIVE", "Undecided: whether the control differs from itself is open.");
}

static void an_invalid_run_says_why_and_gives_no_answer(void **state)
{
    (void)state;
    static const struct {
        cf_because because;
        const char *reason;
    } cases[] = {
        {CF_BECAUSE_REPLICA_CONFOUNDED, "two identical variants are -0.40 [-0.45, -0.35] of overlap apart"},
        {CF_BECAUSE_DATA_WRONG, "Results were wrong (b[3] of ab): an overlap won by a broken dependency is an error."},
        {CF_BECAUSE_CONTROL_NOT_PROVEN, "The control did not prove that no instrument was alive."},
        {CF_BECAUSE_SEGMENT_WITHOUT_CONTROLS, "A resumed part lacks its controls."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture f;
        begin(&f);
        f.judgement.verdict = CF_VERDICT_INVALID;
        f.judgement.valid = false;
        add_because(&f.judgement.invalid_because, cases[i].because);
        set_effect(variant(&f, "none-again"), CF_EFFECT_CONFOUNDED, -0.4, 0.05);
        set_string(&f.record.data_check_text, "b[3] of ab");
        SAYS(&f, "INVALID", "A/A FAILED", cases[i].reason, "No answer can be taken from this run.");
    }
}

static void nothing_may_be_quoted_from_an_invalid_run(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.judgement.verdict = CF_VERDICT_INVALID;
    f.judgement.valid = false;
    char *text = printed(&f, cf_report_text, ASCII_STYLE);
    assert_lacks(text, "quote this");
    free(text);
    end(&f);
}

static void a_control_that_was_touched_is_not_quoted(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.judgement.verdict = CF_VERDICT_INCONCLUSIVE;
    f.judgement.sticky = true;
    f.judgement.prologue_overlap = estimate(0.98, 0.9, 1);
    f.judgement.variants[0].overlap = estimate(0.2, 0.1, 0.3);
    set_effect(variant(&f, "timing"), CF_EFFECT_INCONCLUSIVE, 0, 0.1);
    add_because(&variant(&f, "timing")->because, CF_BECAUSE_STICKY);
    char *text = unwrapped(printed(&f, cf_report_text, ASCII_STYLE));
    assert_lacks(text, "quote this");
    assert_contains(text, "SPOILT");
    assert_contains(text, "changed the control of this process (overlap 0.98 before there was any, 0.20 after)");
    free(text);
    f.judgement.sticky = false;
    f.judgement.variants[0].starved = true;
    text = printed(&f, cf_report_text, ASCII_STYLE);
    assert_lacks(text, "quote this");
    free(text);
    end(&f);
}

static void an_instrument_that_adds_overlap_is_said_to_fake_it(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.judgement.variants[0].reading = CF_READING_SERIALISES;
    set_effect(variant(&f, "timing"), CF_EFFECT_CONFOUNDED, 0.8, 0.05);
    SAYS(&f, "Timing events fake overlap: they add 0.80 [0.75, 0.85]; without them the lanes run one after the other. "
             "Do not believe overlap in a trace taken with them.");
}

static void an_instrument_of_another_name_is_called_by_it(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    set_string(&f.record.variants[3].name, "profiler");
    SAYS(&f, "profiler is the serialisation: it removes 0.92 [0.90, 0.94] of overlap; without it the lanes overlap. Do "
             "not redesign on a trace taken with it.");
}

static void a_placement_stands_in_the_sentence(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    set_string(&f.record.variants[3].where, "before");
    set_string(&f.record.variants[3].on, "a");
    SAYS(&f, "Timing events (before lane a) are the serialisation");
}

static void an_effect_that_leaves_the_reading_says_so(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    cf_variant_judgement *timing = variant(&f, "timing");
    set_effect(timing, CF_EFFECT_CONFOUNDED, -0.2, 0.02);
    timing->effect.flips = false;
    timing->reading = CF_READING_OVERLAPS;
    SAYS(&f,
         "Timing events remove 0.20 [0.18, 0.22] of overlap, though the lanes read the same with and without them.");
}

static void timing_is_not_blamed_for_what_sync_events_do_too(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    set_effect(variant(&f, "sync"), CF_EFFECT_CONFOUNDED, -0.9, 0.02);
    variant(&f, "timing")->effect.blamed = false;
    SAYS(&f, "Sync-only events remove 0.90 [0.88, 0.92] of overlap",
         "Events without timing do it too, so timing as such is not to blame.");
}

static void a_ratio_out_of_its_range_is_printed_raw(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.judgement.variants[0].overlap = estimate(-0.25, -0.3, -0.2);
    f.judgement.variants[0].ab_ms = 36;
    variant(&f, "sync")->overlap = estimate(1.2, 1.1, 1.3);
    SAYS(&f, "The overlap of none, -0.25 (A 16.000, B 16.000, AB 36.000 ms), is contention",
         "The overlap of sync, 1.20 (A 16.000, B 16.000, AB 16.000 ms), is suspicious");
}

static void what_a_clear_instrument_costs_is_noted(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    cf_variant_judgement *sync = variant(&f, "sync");
    sync->effect.slows = true;
    sync->slowdown[2] = estimate(1.1, 1.09, 1.11);
    sync->effect.measurable = true;
    sync->effect.delta = estimate(-0.03, -0.04, -0.02);
    SAYS(&f, "Sync-only events slow the lanes, 1.10 [1.09, 1.11] times the wall of AB",
         "The effect of sync-only events on overlap can be measured, -0.03 [-0.04, -0.02], and is within the margin of "
         "0.1");
}

static void the_limits_of_the_job_and_the_run_are_noted(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.judgement.unbalanced_warning = true;
    f.judgement.balance = 0.31;
    f.judgement.best = 0.75;
    f.record.data_check = CF_DATA_UNSUPPORTED;
    set_string(&f.record.data_check_text, "kernels are not computed here");
    f.record.interrupted = true;
    cf_error err = {0};
    assert_int_equal(cf_pairs_add(&f.record.skipped, "delay", "no schedstat", &err), CF_OK);
    SAYS(&f, "the shorter one takes 0.31 of the longer", "allow an overlap of 0.75 at most",
         "Results were not checked: kernels are not computed here", "Not done: delay: no schedstat",
         "Stopped by the user after 24 rounds");
}

static void first_use_stands_apart(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.record.first_step_ns[0] = 17900000;
    f.record.first_step_ns[1] = 16400000;
    cf_round *round = add_round(&f, &f.record.warmup, 1, 20000000);
    round->samples[CF_CELL_AB].wall_ns[1] = 25000000;
    SAYS(&f, "The very first step took A 17.900 and B 16.400 ms, before calibration; the first round, which is kept "
             "apart, AB none 20.000, "
             "sync 20.000");
}

static void times_of_several_steps_in_flight_are_of_one_step(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.record.job.in_flight = 4;
    add_round(&f, &f.record.warmup, 1, 20000000);
    SAYS(&f, "4 steps in flight, then drained; host waits: block", "kept apart, AB none 5.000");
}

static void a_second_design_is_said_to_pay_or_not(void **state)
{
    (void)state;
    static const struct {
        const char *verdict, *exposed, *says;
    } cases[] = {
        {"faster", "less",
         "The second design, batched.ini, is faster and pays: 12.800 ms a step against 16.000, a change of -20.00 "
         "[-21.00, "
         "-19.00] %. Its exposed time is less: 0.000 ms a step against 3.200, a change of -20.00 [-21.00, -19.00] % of "
         "the "
         "first design's step."},
        {"slower", "more", "is slower and does not pay: 12.800 ms a step against 16.000"},
        {"same", "same", "makes no difference to the wall beyond the margin and does not pay"},
        {"inconclusive", "inconclusive", "can't be told from the first yet"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture f;
        begin(&f);
        set_string(&f.record.against.name, "batched.ini");
        f.judgement.against = (cf_against_judgement){.ok = true,
                                                     .verdict = cases[i].verdict,
                                                     .exposed_verdict = cases[i].exposed,
                                                     .ab_ms = {16, 12.8},
                                                     .exposed_ms = {3.2, 0},
                                                     .ab_change = estimate(-0.2, -0.21, -0.19),
                                                     .exposed_change = estimate(-0.2, -0.21, -0.19)};
        SAYS(&f, cases[i].says);
    }
}

static void a_device_that_is_not_simulated_is_not_called_a_self_test(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.record.simulated = false;
    set_string(&f.record.driver, "1.3.2");
    char *text = unwrapped(printed(&f, cf_report_text, ASCII_STYLE));
    assert_lacks(text, "self-test");
    assert_lacks(text, "simulated");
    assert_contains(text, "this driver: 1.3.2");
    free(text);
    end(&f);
}

/* What an emulated GPU takes for granted stands beside the verdict, escaped as all that a record says. */
static void what_an_emulated_gpu_assumes_is_told_beside_the_verdict(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.record.simulated = true;
    static const char *const facts[][2] = {{"emulated", "bmg: emulated Intel GPU"},
                                           {"assumption-1", "a copy moves 4 GB/s"},
                                           {"assumption-2", "stalls \033[31mwait"},
                                           {"taken-away-1", "waits.stall"}};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        assert_int_equal(cf_pairs_add(&f.record.device, facts[i][0], facts[i][1], NULL), CF_OK);
    char *text = unwrapped(printed(&f, cf_report_text, ASCII_STYLE));
    assert_contains(text, "Not verified on hardware: a copy moves 4 GB/s; stalls ");
    assert_contains(text, "Modelled waits that were taken away: waits.stall.");
    assert_contains(text, "the driver is the vendor's own, the engines are modelled");
    assert_lacks(text, "a self-test");
    assert_lacks(text, "\033");
    free(text);
    end(&f);
}

static void verbose_tells_how_each_variant_was_proven(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.record.variants[3].armed = CF_ARMED_YES;
    set_string(&f.record.variants[3].armed_how, "timestamps moved");
    f.record.variants[3].armed_count = f.record.variants[3].armed_expected = 64;
    cf_report_style style = ASCII_STYLE;
    style.verbose = true;
    char *text = unwrapped(printed(&f, cf_report_text, style));
    assert_contains(text, "timing: armed, timestamps moved");
    assert_contains(text, "a: 16 x h2d of 1000000 ns, calibrated");
    free(text);
    end(&f);
}

static void colour_is_there_only_when_asked_for(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    char *plain = printed(&f, cf_report_text, UTF8_STYLE);
    assert_lacks(plain, "\033");
    cf_report_style style = UTF8_STYLE;
    style.color = true;
    char *coloured = printed(&f, cf_report_text, style);
    assert_contains(coloured, "\033[1;31mCONFOUNDED\033[0m\n");
    free(plain);
    free(coloured);
    end(&f);
}

static void terminal_escapes_in_a_record_do_not_reach_the_terminal(void **state)
{
    (void)state;
    static const char hostile[] = "a\033]0;owned\007\033[2Jb\u202ec\r\nd";
    fixture f;
    begin(&f);
    set_string(&f.record.variants[3].name, hostile);
    set_string(&f.record.device_backend, hostile);
    set_string(&f.record.device_name, hostile);
    set_string(&f.record.driver, hostile);
    set_string(&f.record.job.wait, hostile);
    set_string(&f.record.job.lane[0].op, hostile);
    set_string(&f.record.data_check_text, hostile);
    f.record.data_check = CF_DATA_UNSUPPORTED;
    set_string(&f.record.variants[3].armed_how, hostile);
    cf_error err = {0};
    assert_int_equal(cf_pairs_add(&f.record.skipped, hostile, hostile, &err), CF_OK);
    cf_report_style style = UTF8_STYLE;
    style.verbose = true;
    style.record_path = hostile;
    char *text = printed(&f, cf_report_text, style);
    for (const char *bad = "\033\007\r"; *bad; bad++)
        assert_null(strchr(text, *bad));
    assert_lacks(text, "\u202e");
    free(text);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_of_a_confounded_run_reads_so),
        cmocka_unit_test(quiet_leaves_the_verdict_alone),
        cmocka_unit_test(the_clock_that_timed_the_rounds_is_named),
        cmocka_unit_test(steps_of_the_callers_own_are_called_as_the_caller_calls_them),
        cmocka_unit_test(a_run_that_failed_is_not_called_stopped_by_the_user),
        cmocka_unit_test(what_can_be_done_again_on_the_command_line_is_not_advised_for_a_callers_own),
        cmocka_unit_test(a_clear_run_says_how_the_lanes_run_with_and_without),
        cmocka_unit_test(a_serial_control_is_no_evidence_that_an_instrument_is_harmless),
        cmocka_unit_test(undecided_names_the_reason_and_what_to_do),
        cmocka_unit_test(instruments_with_one_reason_share_a_sentence),
        cmocka_unit_test(alone_the_control_says_why_it_is_no_answer),
        cmocka_unit_test(an_invalid_run_says_why_and_gives_no_answer),
        cmocka_unit_test(nothing_may_be_quoted_from_an_invalid_run),
        cmocka_unit_test(a_control_that_was_touched_is_not_quoted),
        cmocka_unit_test(an_instrument_that_adds_overlap_is_said_to_fake_it),
        cmocka_unit_test(an_instrument_of_another_name_is_called_by_it),
        cmocka_unit_test(a_placement_stands_in_the_sentence),
        cmocka_unit_test(an_effect_that_leaves_the_reading_says_so),
        cmocka_unit_test(timing_is_not_blamed_for_what_sync_events_do_too),
        cmocka_unit_test(a_ratio_out_of_its_range_is_printed_raw),
        cmocka_unit_test(what_a_clear_instrument_costs_is_noted),
        cmocka_unit_test(the_limits_of_the_job_and_the_run_are_noted),
        cmocka_unit_test(first_use_stands_apart),
        cmocka_unit_test(times_of_several_steps_in_flight_are_of_one_step),
        cmocka_unit_test(a_second_design_is_said_to_pay_or_not),
        cmocka_unit_test(a_device_that_is_not_simulated_is_not_called_a_self_test),
        cmocka_unit_test(what_an_emulated_gpu_assumes_is_told_beside_the_verdict),
        cmocka_unit_test(verbose_tells_how_each_variant_was_proven),
        cmocka_unit_test(colour_is_there_only_when_asked_for),
        cmocka_unit_test(terminal_escapes_in_a_record_do_not_reach_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
