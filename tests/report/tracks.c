/* Spans as they are drawn: rows, causes, reasons; by hand, and held to their rules on any record. */
#include "report/fixture.h"

#include <jansson.h>
#include <stdio.h>

#include "base/rng.h"
#include "report/tracks.h"

#define TIMING 3

typedef struct told {
    int64_t id, waits_for, begin_ns, end_ns, queued_ns;
    const char *engine, *what;
    int lane;
    int64_t index;
    int stream;
} told;

static void add_span(fixture *f, int variant, const told *t)
{
    cf_record *r = &f->record;
    r->spans = realloc(r->spans, (r->span_count + 1) * sizeof *r->spans);
    assert_non_null(r->spans);
    r->spans[r->span_count++] = (cf_record_span){.variant = variant,
                                                 .id = t->id,
                                                 .waits_for = t->waits_for,
                                                 .begin_ns = t->begin_ns,
                                                 .end_ns = t->end_ns,
                                                 .queued_ns = t->queued_ns,
                                                 .engine = cf_text_dup(t->engine),
                                                 .stream = t->stream,
                                                 .lane = t->lane,
                                                 .index = t->index,
                                                 .what = cf_text_dup(t->what)};
}

static void add_spans(fixture *f, int variant, const told *t, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_span(f, variant, &t[i]);
}

#define ADD(f, variant, ...)                                                                                           \
    do {                                                                                                               \
        const told all[] = {__VA_ARGS__};                                                                              \
        add_spans((f), (variant), all, sizeof all / sizeof all[0]);                                                    \
    } while (0)

static cf_tracks tracks_of(const fixture *f, int variant)
{
    cf_tracks tracks;
    cf_error err = {0};
    assert_int_equal(cf_tracks_make(&f->record, variant, &tracks, &err), CF_OK);
    return tracks;
}

static cf_wait_sums waits_of(const fixture *f, int variant)
{
    cf_tracks tracks = tracks_of(f, variant);
    cf_wait_sums sums;
    cf_tracks_waits(&tracks, &sums);
    cf_tracks_done(&tracks);
    return sums;
}

/* h2d a[0], a record on the other engine, kernel b[0] behind it: b waits 900 of its 1000 ns through the record. */
static void a_wait_through_a_record_is_followed_to_the_operation(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    ADD(&f, TIMING, {1, 0, 0, 1000, 0, "bcs", "h2d", 0, 0, 0}, {2, 1, 1000, 1010, 0, "ccs", "record after", 0, 0, 0},
        {3, 2, 1010, 2010, 100, "ccs", "kernel", 1, 0, 1});
    cf_wait_sums sums = waits_of(&f, TIMING);
    const cf_wait_sum *sum = &sums.by[1][CF_WAIT_WHY_RECORD];
    assert_int_equal(sum->count, 1);
    assert_int_equal(sum->total_ns, 910);
    assert_int_equal(sum->through, 1);
    assert_int_equal(sum->origin, 0);
    assert_int_equal(sums.by[0][CF_WAIT_WHY_RECORD].count, 0);
    assert_int_equal(sums.records[0], 1);
    assert_int_equal(sums.operations[1], 1);
    end(&f);
}

static void reasons_are_told_apart(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    /* The same engine, one command at a time, a record between them: the engine. */
    ADD(&f, 0, {1, 0, 0, 10, 0, "all", "h2d", 0, 0, 0}, {2, 1, 10, 11, 0, "all", "record after", 0, 0, 0},
        {3, 2, 11, 21, 0, "all", "kernel", 1, 0, 1});
    /* Two streams, two engines, an event. */
    ADD(&f, 1, {1, 0, 0, 10, 0, "bcs", "h2d", 0, 0, 0}, {2, 1, 10, 20, 0, "ccs", "kernel", 1, 0, 1});
    /* One stream. */
    ADD(&f, 2, {1, 0, 0, 10, 0, "bcs", "h2d", 0, 0, 0}, {2, 1, 10, 20, 0, "ccs", "kernel", 1, 0, 0});
    /* One queue of an engine that runs two at once: it began when the one before it had begun. */
    ADD(&f, 3, {1, 0, 5, 15, 0, "wide", "h2d", 0, 0, 0}, {2, 1, 5, 20, 0, "wide", "kernel", 1, 0, 1});
    /* A hold. */
    ADD(&f, 4, {1, 0, 0, 10, 0, "wide", "h2d", 0, 0, 0}, {2, 1, 10, 10, 0, "wide", "hold after", 0, 0, 0},
        {3, 2, 10, 20, 0, "wide", "kernel", 1, 0, 1});
    const cf_wait_why wanted[] = {CF_WAIT_WHY_ENGINE, CF_WAIT_WHY_EVENT, CF_WAIT_WHY_STREAM, CF_WAIT_WHY_QUEUE,
                                  CF_WAIT_WHY_HOLD};
    for (int variant = 0; variant < 5; variant++) {
        cf_wait_sums sums = waits_of(&f, variant);
        for (int why = 0; why < CF_WAIT_WHY_COUNT; why++)
            assert_int_equal(sums.by[1][why].count, why == (int)wanted[variant]);
    }
    end(&f);
}

/* A lane that waits for itself, or for nobody, has no reason in the other one. */
static void order_within_a_lane_is_no_wait(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    ADD(&f, 0, {1, 0, 0, 10, 0, "bcs", "h2d", 0, 0, 0}, {2, 1, 10, 20, 0, "bcs", "h2d", 0, 1, 0},
        {3, 0, 7, 9, 7, "ccs", "kernel", 1, 0, 1}, {4, 0, 30, 39, 30, "ccs", "kernel", 1, 1, 1});
    cf_wait_sums sums = waits_of(&f, 0);
    for (int why = 0; why < CF_WAIT_WHY_COUNT; why++)
        assert_int_equal(sums.by[0][why].count + sums.by[1][why].count, 0);
    assert_int_equal(sums.host[1], 1);
    assert_int_equal(sums.host_ns[1], 21);
    assert_int_equal(sums.host[0], 0);
    end(&f);
}

static void tracks_stand_in_the_order_of_the_lanes(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    ADD(&f, 0, {1, 0, 0, 10, 0, "aux", "barrier", -1, -1, -1}, {2, 0, 0, 10, 0, "compute", "kernel", 1, 0, 1},
        {3, 0, 0, 10, 0, "zcopy", "h2d", 0, 0, 0}, {4, 0, 5, 9, 0, "compute", "wait", -1, -1, 1});
    cf_tracks t = tracks_of(&f, 0);
    assert_int_equal(t.track_count, 3);
    assert_string_equal(t.tracks[0].engine, "zcopy");
    assert_string_equal(t.tracks[1].engine, "compute");
    assert_string_equal(t.tracks[2].engine, "aux");
    assert_int_equal(t.tracks[1].rows, 2);
    assert_int_equal(t.spans[0].kind, CF_SPAN_OTHER);
    assert_int_equal(t.spans[3].kind, CF_SPAN_WAIT);
    cf_tracks_done(&t);
    end(&f);
}

static void records_that_take_turns_with_operations_share_their_row(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    ADD(&f, 0, {1, 0, 0, 10, 0, "ccs", "kernel", 1, 0, 1}, {2, 1, 10, 12, 0, "ccs", "record after", 1, 0, 1},
        {3, 0, 5, 12, 0, "ccs", "wait", -1, -1, -1}, {4, 0, 0, 3, 0, "ccs", "stall", -1, -1, -1});
    ADD(&f, 1, {1, 0, 0, 10, 0, "ccs", "kernel", 1, 0, 1}, {2, 0, 9, 12, 0, "ccs", "record before", 0, 0, 0},
        {3, 0, 0, 30, 0, "ccs", "wait", -1, -1, -1});
    cf_tracks turns = tracks_of(&f, 0), beside = tracks_of(&f, 1);
    assert_int_equal(turns.tracks[0].own_rows, 1);
    assert_int_equal(turns.tracks[0].record_rows, 0);
    assert_int_equal(turns.tracks[0].rows, 2);
    assert_int_equal(turns.spans[1].row, 0);
    assert_int_equal(beside.tracks[0].own_rows, 1);
    assert_int_equal(beside.tracks[0].record_rows, 1);
    assert_int_equal(beside.tracks[0].rows, 3);
    assert_int_equal(beside.spans[1].row, 1);
    assert_int_equal(beside.spans[2].row, 2);
    cf_tracks_done(&turns);
    cf_tracks_done(&beside);
    end(&f);
}

static void time_in_which_both_lanes_run_is_counted_once(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    /* a: 0-10, 8-20 (of one lane at once), 30-40; b: 5-7, 15-35. Both: 5-7, 15-20, 30-35. */
    ADD(&f, 0, {0, 0, 0, 10, 0, "lane a", "h2d", 0, 0, 0}, {0, 0, 5, 7, 0, "lane b", "kernel", 1, 0, 1},
        {0, 0, 8, 20, 0, "lane a", "h2d", 0, 1, 0}, {0, 0, 15, 35, 0, "lane b", "kernel", 1, 1, 1},
        {0, 0, 30, 40, 0, "lane a", "h2d", 0, 2, 0});
    cf_tracks t = tracks_of(&f, 0);
    int64_t both_ns, shorter_ns;
    cf_tracks_overlap(&t, &both_ns, &shorter_ns);
    assert_int_equal(both_ns, 2 + 5 + 5);
    assert_int_equal(shorter_ns, 22);
    cf_tracks_done(&t);
    end(&f);
}

static void an_operation_of_several_commands_is_one(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    ADD(&f, 0, {1, 0, 0, 10, 0, "bcs", "h2d", 0, 0, 0}, {2, 1, 10, 11, 0, "bcs", "h2d", 0, 0, 0},
        {3, 2, 11, 20, 0, "bcs", "h2d", 0, 1, 0}, {4, 2, 11, 20, 0, "ccs", "kernel", 1, 0, 1});
    cf_wait_sums sums = waits_of(&f, 0);
    assert_int_equal(sums.operations[0], 2);
    assert_int_equal(sums.by[1][CF_WAIT_WHY_EVENT].count, 1);
    cf_text out = {0};
    assert_int_equal(cf_report_explain(&f.record, (const int[2]){0, -1}, &ASCII_STYLE, &out, NULL), CF_OK);
    assert_contains(out.data, "2 h2d copies of lane a (3 commands) on bcs");
    cf_text_done(&out);
    f.record.job.in_flight = 2; /* steps of one operation each: the same index comes again */
    f.record.job.lane[0].count = 1;
    assert_int_equal(waits_of(&f, 0).operations[0], 3);
    end(&f);
}

/* The middle of a chain of twenty records is left out, what the device did for itself is not told at all. */
static void a_long_chain_is_told_by_its_ends(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    ADD(&f, TIMING, {1, 0, 0, 100, 0, "bcs", "h2d", 0, 0, 0}, {2, 1, 100, 100, 0, "ccs", "barrier", -1, -1, -1});
    for (int64_t i = 0; i < 20; i++)
        ADD(&f, TIMING, {3 + i, 2 + i, 100 + i, 101 + i, 0, "ccs", "record after", 0, i, 0});
    ADD(&f, TIMING, {23, 22, 120, 200, 0, "ccs", "kernel", 1, 0, 1});
    cf_text out = {0};
    assert_int_equal(cf_report_explain(&f.record, (const int[2]){TIMING, -1}, &ASCII_STYLE, &out, NULL), CF_OK);
    char *words = out.data; /* wrapping does not matter */
    for (char *at = out.data; *at; at++)
        if ((*at != ' ' && *at != '\n') || (words > out.data && words[-1] != ' '))
            *words++ = *at == '\n' ? ' ' : *at;
    *words = '\0';
    assert_contains(out.data, "waited for record after a[19] on ccs, that for record after a[18] on ccs");
    assert_contains(out.data, "that for ... h2d a[0] on bcs, which ended at 0.0001 ms.");
    assert_lacks(out.data, "barrier on ccs");
    cf_text_done(&out);
    end(&f);
}

static void of_the_second_job_the_operations_are_its_own(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    set_string(&f.record.against.lane[0].op, "d2h");
    set_string(&f.record.against.lane[1].op, "kernel");
    f.record.has_against = true;
    f.record.variants[4].job = 1;
    ADD(&f, 4, {1, 0, 0, 10, 0, "bcs", "d2h", 0, 0, 0}, {2, 0, 0, 10, 0, "bcs", "h2d", 0, 0, 0});
    cf_tracks t = tracks_of(&f, 4);
    assert_int_equal(t.spans[0].kind, CF_SPAN_OPERATION);
    assert_int_equal(t.spans[1].kind, CF_SPAN_OTHER);
    cf_tracks_done(&t);
    end(&f);
}

/* ---- rules that hold on any record ---- */

static void add_random(fixture *f, cf_rng *rng, int variant, int count)
{
    static const char *const engines[] = {"bcs", "ccs", "x\"\\\033y"};
    static const char *const whats[] = {"h2d", "kernel", "record before", "hold after", "wait", "\n\xff"};
    int64_t at_ns = 0;
    for (int i = 0; i < count; i++) {
        at_ns += (int64_t)(cf_rng_next(rng) % 3) * 50;
        const told t = {.id = (int64_t)(cf_rng_next(rng) % 20),
                        .waits_for = (int64_t)(cf_rng_next(rng) % 20),
                        .begin_ns = at_ns,
                        .end_ns = at_ns + (int64_t)(cf_rng_next(rng) % 4) * 75,
                        .queued_ns = (int64_t)(cf_rng_next(rng) % 2) * at_ns - (int64_t)(cf_rng_next(rng) % 2),
                        .engine = engines[cf_rng_next(rng) % 3],
                        .what = whats[cf_rng_next(rng) % 6],
                        .lane = (int)(cf_rng_next(rng) % 4) - 1,
                        .index = i,
                        .stream = (int)(cf_rng_next(rng) % 4) - 1};
        add_span(f, variant, &t);
        if (f->record.spans[f->record.span_count - 1].queued_ns < -1)
            f->record.spans[f->record.span_count - 1].queued_ns = -1;
    }
}

static void check_rows(const cf_tracks *t)
{
    for (size_t i = 0; i < t->span_count; i++) {
        const cf_track_span *x = &t->spans[i];
        assert_in_range(x->track, 0, t->track_count - 1);
        assert_string_equal(t->tracks[x->track].engine, x->span->engine);
        assert_true(x->row < t->tracks[x->track].rows);
        assert_true((x->row < 0) == (x->span->begin_ns == x->span->end_ns));
        assert_true(x->cause == CF_NO_SPAN || t->spans[x->cause].span->begin_ns <= x->span->begin_ns);
        assert_true(x->since_ns <= x->span->begin_ns);
        for (size_t k = 0; k < i; k++) {
            const cf_track_span *y = &t->spans[k];
            if (x->row >= 0 && x->row == y->row && x->track == y->track)
                assert_true(x->span->begin_ns >= y->span->end_ns || y->span->begin_ns >= x->span->end_ns);
        }
    }
}

/* Every arrow begins before it ends, once each; no two slices of a thread overlap. */
static void check_trace(const cf_record *record)
{
    cf_text out = {0};
    assert_int_equal(cf_report_trace(record, &out, NULL), CF_OK);
    json_error_t why;
    json_t *trace = json_loadb(out.data, out.size_bytes, JSON_REJECT_DUPLICATES, &why);
    if (!trace)
        fail_msg("%s: %s", why.text, out.data);
    json_t *ends = json_object(), *open = json_object(), *event;
    size_t at, slices = 0;
    json_array_foreach(json_object_get(trace, "traceEvents"), at, event)
    {
        const char *phase = json_string_value(json_object_get(event, "ph"));
        const double ts = json_number_value(json_object_get(event, "ts"));
        char key[64];
        (void)snprintf(key, sizeof key, "%lld", (long long)json_integer_value(json_object_get(event, "tid")));
        if (*phase == 'X') {
            const double end = ts + json_number_value(json_object_get(event, "dur"));
            assert_true(json_number_value(json_object_get(ends, key)) <= ts + 1e-6);
            json_object_set_new(ends, key, json_real(end));
            slices += json_integer_value(json_object_get(event, "tid")) != 0;
        } else if (*phase == 's' || *phase == 'f') {
            (void)snprintf(key, sizeof key, "%lld", (long long)json_integer_value(json_object_get(event, "id")));
            assert_true((*phase == 's') == (json_object_get(open, key) == NULL));
            json_object_set_new(open, key, json_boolean(*phase == 's'));
        }
    }
    const char *flow;
    json_t *is_open;
    json_object_foreach(open, flow, is_open)
    {
        if (json_is_true(is_open))
            fail_msg("flow %s does not end", flow);
    }
    assert_true(slices >= record->span_count);
    json_decref(ends);
    json_decref(open);
    json_decref(trace);
    cf_text_done(&out);
}

static void any_record_is_drawn_by_the_rules(void **state)
{
    (void)state;
    cf_rng rng = {.state = 7};
    for (int round = 0; round < 300; round++) {
        fixture f;
        begin(&f);
        add_random(&f, &rng, 0, (int)(cf_rng_next(&rng) % 40) + 1);
        add_random(&f, &rng, TIMING, (int)(cf_rng_next(&rng) % 40));
        for (int variant = 0; variant < 5; variant++) {
            cf_tracks t = tracks_of(&f, variant);
            cf_wait_sums sums;
            check_rows(&t);
            cf_tracks_waits(&t, &sums);
            cf_tracks_done(&t);
        }
        check_trace(&f.record);
        cf_text out = {0};
        const int both[2] = {0, TIMING};
        for (int utf8 = 0; utf8 < 2; utf8++)
            assert_int_equal(cf_report_explain(&f.record, both, &(cf_report_style){.utf8 = utf8}, &out, NULL), CF_OK);
        assert_lacks(out.data, "\033");
        cf_text_done(&out);
        end(&f);
    }
}

/* 200,000 commands: what takes the square of that would not end in the time that a test has. */
static void many_commands_are_drawn_in_time(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.record.span_count = 200000;
    f.record.spans = calloc(f.record.span_count, sizeof *f.record.spans);
    assert_non_null(f.record.spans);
    for (size_t i = 0; i < f.record.span_count; i++) {
        const int64_t at_ns = (int64_t)i;
        f.record.spans[i] = (cf_record_span){.id = at_ns + 1,
                                             .waits_for = at_ns,
                                             .begin_ns = at_ns,
                                             .end_ns = i % 3 ? at_ns + 1000 : at_ns,
                                             .engine = cf_text_dup("ccs"),
                                             .what = cf_text_dup(i % 2 ? "kernel" : "h2d"),
                                             .lane = (int)(i % 2),
                                             .stream = (int)(i % 2),
                                             .index = at_ns};
    }
    cf_text out = {0};
    assert_int_equal(cf_report_explain(&f.record, (const int[2]){0, -1}, &ASCII_STYLE, &out, NULL), CF_OK);
    assert_int_equal(cf_report_trace(&f.record, &out, NULL), CF_OK);
    cf_text_done(&out);
    end(&f);
}

/* Each command on an engine of its own. */
static void many_engines_are_drawn_in_time(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    for (int i = 0; i < 30000; i++) {
        char engine[32];
        (void)snprintf(engine, sizeof engine, "e%d", i);
        ADD(&f, 0, {i + 1, i, i, i + 5, i, engine, i % 3 ? "h2d" : "record before", 0, i, 0});
    }
    cf_text out = {0};
    assert_int_equal(cf_report_explain(&f.record, (const int[2]){0, -1}, &ASCII_STYLE, &out, NULL), CF_OK);
    assert_contains(out.data, "and 29988 more");
    assert_contains(out.data, "10000 records of lane a on others");
    assert_int_equal(cf_report_trace(&f.record, &out, NULL), CF_OK);
    cf_text_done(&out);
    end(&f);
}

static void without_spans_nothing_is_printed(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    cf_text out = {0};
    assert_int_equal(cf_report_explain(&f.record, (const int[2]){0, TIMING}, &UTF8_STYLE, &out, NULL), CF_OK);
    assert_int_equal(out.size_bytes, 0);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_through_a_record_is_followed_to_the_operation),
        cmocka_unit_test(reasons_are_told_apart),
        cmocka_unit_test(order_within_a_lane_is_no_wait),
        cmocka_unit_test(tracks_stand_in_the_order_of_the_lanes),
        cmocka_unit_test(records_that_take_turns_with_operations_share_their_row),
        cmocka_unit_test(time_in_which_both_lanes_run_is_counted_once),
        cmocka_unit_test(an_operation_of_several_commands_is_one),
        cmocka_unit_test(a_long_chain_is_told_by_its_ends),
        cmocka_unit_test(of_the_second_job_the_operations_are_its_own),
        cmocka_unit_test(any_record_is_drawn_by_the_rules),
        cmocka_unit_test(many_commands_are_drawn_in_time),
        cmocka_unit_test(many_engines_are_drawn_in_time),
        cmocka_unit_test(without_spans_nothing_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
