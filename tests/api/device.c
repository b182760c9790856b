/* A device outside the tree, in a time of its own: every operation is done at once and lasts as long as it is told, one
   ns a byte and one ns a trip. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "confound/device.h"
#include "confound/judge.h"
#include "confound/report.h"

enum {
    OPEN,
    STREAM_OPEN,
    BLOCK_NEW,
    BLOCK_WRITE,
    BLOCK_READ,
    SUBMIT,
    WAIT,
    EVENT_NEW,
    RECORD,
    EVENT_READ,
    STEP_BEGIN,
    FACTS,
    CALL_COUNT
};
static const char *const call_names[CALL_COUNT] = {"open",       "stream_open", "block_new",  "block_write",
                                                   "block_read", "submit",      "wait",       "event_new",
                                                   "record",     "event_read",  "step_begin", "facts"};

typedef struct stream {
    uint64_t end_ns;
} stream;

typedef struct block {
    uint64_t size_bytes;
    unsigned char bytes[];
} block;

typedef struct event {
    confound_event kind;
    int completed;
    uint64_t end_ns;
} event;

typedef struct pencil {
    uint64_t now_ns;
    stream *streams[2];
    int timing_drains; /* a timing event waits for everything, and everything for it */
    int forgets;       /* the so-manyth copy moves nothing */
    int copies;
    long clock_left; /* readings until the clock goes back; 0 = it never does */
    int shrunk;
    long calls[CALL_COUNT], fail_at[CALL_COUNT];
    const char *vendor; /* what a failing call names; NULL = it says nothing */
    int gives_null;     /* the call that does; -1 = none */
    int open, streams_open, blocks, events;
    confound_device_info info;
} pencil;

static int count(pencil *p, int call, confound_error *err)
{
    if (++p->calls[call] != p->fail_at[call])
        return 0;
    if (!p->vendor)
        return -7;
    (void)snprintf(err->text, sizeof err->text, "%s broke", call_names[call]);
    (void)snprintf(err->call, sizeof err->call, "%s", p->vendor);
    err->native = 13;
    return CONFOUND_DEVICE;
}

static int open_device(void *user, uint64_t seed, void **ret_device, confound_error *err)
{
    pencil *p = user;
    (void)seed;
    int failed = count(p, OPEN, err);
    if (failed)
        return failed;
    p->open++;
    *ret_device = p;
    return 0;
}

static void close_device(void *device)
{
    pencil *p = device;
    p->open--;
}

static void info(void *device, confound_device_info *ret_info)
{
    const pencil *p = device;
    size_t size = ret_info->size;
    *ret_info = p->info;
    ret_info->size = size;
}

static int stream_open(void *device, int lane, int profiling, void **ret_stream, confound_error *err)
{
    pencil *p = device;
    int failed = count(p, STREAM_OPEN, err);
    (void)profiling;
    if (failed)
        return failed;
    if (p->gives_null == STREAM_OPEN)
        return 0;
    p->streams[lane] = calloc(1, sizeof(stream));
    p->streams_open++;
    *ret_stream = p->streams[lane];
    return 0;
}

static void stream_close(void *device, void *closed)
{
    pencil *p = device;
    for (int lane = 0; lane < 2; lane++)
        if (p->streams[lane] == closed)
            p->streams[lane] = NULL;
    p->streams_open--;
    free(closed);
}

static int block_new(void *device, confound_place place, uint64_t size_bytes, void **ret_block, confound_error *err)
{
    pencil *p = device;
    int failed = count(p, BLOCK_NEW, err);
    (void)place;
    if (failed)
        return failed;
    if (p->gives_null == BLOCK_NEW)
        return 0;
    block *b = calloc(1, sizeof *b + size_bytes);
    b->size_bytes = size_bytes;
    p->blocks++;
    *ret_block = b;
    return 0;
}

static void block_free(void *device, void *freed)
{
    pencil *p = device;
    p->blocks--;
    free(freed);
}

static int block_write(void *device, void *to, uint64_t offset_bytes, const void *data, uint64_t size_bytes,
                       confound_error *err)
{
    block *b = to;
    memcpy(b->bytes + offset_bytes, data, size_bytes);
    return count(device, BLOCK_WRITE, err);
}

static int block_read(void *device, void *from, uint64_t offset_bytes, void *ret_data, uint64_t size_bytes,
                      confound_error *err)
{
    const block *b = from;
    memcpy(ret_data, b->bytes + offset_bytes, size_bytes);
    return count(device, BLOCK_READ, err);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void do_op(pencil *p, const confound_op *op)
{
    const block *src = op->src;
    block *dst = op->dst;
    uint64_t word = 0;
    if (op->kind == CONFOUND_OP_KERNEL) {
        memcpy(&word, src->bytes + op->src_offset_bytes, sizeof word);
        word = confound_kernel_result(word, op->trips);
        memcpy(dst->bytes + 8 * op->index, &word, sizeof word);
        return;
    }
    uint64_t bytes = src->size_bytes - op->src_offset_bytes;
    bytes = bytes < dst->size_bytes ? bytes : dst->size_bytes;
    bytes = op->bytes != 0 && op->bytes < bytes ? op->bytes : bytes;
    if (++p->copies != p->forgets)
        memcpy(dst->bytes, src->bytes + op->src_offset_bytes, bytes);
}

static int submit(void *device, void *to, const confound_op *op, confound_error *err)
{
    pencil *p = device;
    stream *s = to;
    const event *waits = op->waits;
    event *signals = op->signals;
    uint64_t begin_ns = later(later(p->now_ns, s->end_ns), waits ? waits->end_ns : 0);
    do_op(p, op);
    s->end_ns = begin_ns + op->ns + op->bytes + op->trips;
    if (signals) {
        signals->end_ns = s->end_ns;
        signals->completed = 1;
    }
    return count(p, SUBMIT, err);
}

static int wait_for(void *device, void *of, confound_wait how, confound_error *err)
{
    pencil *p = device;
    const stream *s = of;
    (void)how;
    for (int lane = 0; lane < 2; lane++)
        if (s ? s == p->streams[lane] : p->streams[lane] != NULL)
            p->now_ns = later(p->now_ns, p->streams[lane]->end_ns);
    return count(p, WAIT, err);
}

static int event_new(void *device, confound_event kind, void **ret_event, confound_error *err)
{
    pencil *p = device;
    int failed = count(p, EVENT_NEW, err);
    if (failed)
        return failed;
    if (p->gives_null == EVENT_NEW)
        return 0;
    event *e = calloc(1, sizeof *e);
    e->kind = kind;
    p->events++;
    *ret_event = e;
    return 0;
}

static void event_free(void *device, void *freed)
{
    pencil *p = device;
    p->events--;
    free(freed);
}

static int record(void *device, void *in, void *recorded, const confound_op *op, confound_side side,
                  confound_error *err)
{
    pencil *p = device;
    stream *s = in;
    event *e = recorded;
    (void)op;
    (void)side;
    if (p->timing_drains && e->kind == CONFOUND_EVENT_TIMING) {
        for (int lane = 0; lane < 2; lane++)
            if (p->streams[lane])
                s->end_ns = later(s->end_ns, p->streams[lane]->end_ns);
        for (int lane = 0; lane < 2; lane++)
            if (p->streams[lane])
                p->streams[lane]->end_ns = s->end_ns;
    }
    e->end_ns = later(p->now_ns, s->end_ns);
    e->completed = 1;
    return count(p, RECORD, err);
}

static int event_read(void *device, void *of, confound_event_reading *ret_reading, confound_error *err)
{
    const event *e = of;
    ret_reading->completed = e->completed;
    ret_reading->has_stamp = e->kind == CONFOUND_EVENT_TIMING;
    ret_reading->stamp_ns = (int64_t)e->end_ns;
    return count(device, EVENT_READ, err);
}

static uint64_t now_ns(void *device)
{
    pencil *p = device;
    if (p->clock_left > 0 && --p->clock_left == 0)
        p->now_ns -= UINT64_C(1) << 40;
    return p->now_ns;
}

/* Accounts that shrink. */
static uint64_t shrinking(void *device)
{
    pencil *p = device;
    return UINT64_C(1) << 60 >> (p->shrunk++ % 50);
}

static int step_begin(void *device, double position, confound_error *err)
{
    assert_true(position >= 0 && position <= 1);
    return count(device, STEP_BEGIN, err);
}

static int facts(void *device, confound_facts *added, confound_error *err)
{
    if (confound_facts_add(added, "lead", "HB", err) || confound_facts_add(added, "lead", "2B", err))
        return CONFOUND_MEMORY;
    assert_int_equal(confound_facts_add(added, "", "x", NULL), CONFOUND_INPUT);
    return count(device, FACTS, err);
}

static confound_device_ops table(void)
{
    return (confound_device_ops){
        .size = sizeof(confound_device_ops),
        .name = "pencil",
        .open = open_device,
        .close = close_device,
        .info = info,
        .stream_open = stream_open,
        .stream_close = stream_close,
        .block_new = block_new,
        .block_free = block_free,
        .block_write = block_write,
        .block_read = block_read,
        .submit = submit,
        .wait = wait_for,
        .event_new = event_new,
        .event_free = event_free,
        .record = record,
        .event_read = event_read,
        .now_ns = now_ns,
        .step_begin = step_begin,
        .facts = facts,
    };
}

static pencil sharp(void)
{
    return (pencil){
        .now_ns = 1000,
        .gives_null = -1,
        .info = {.name = "a pencil",
                 .driver = "hand 1.0",
                 .simulated = 1,
                 .moves = 1,
                 .computes = 1,
                 .copy_unit = CONFOUND_UNIT_BYTES,
                 .kernel_unit = CONFOUND_UNIT_TRIPS,
                 .copy_start = 1000,
                 .kernel_start = 1000,
                 .clock_name = "pencil time"},
    };
}

/* ---- running ---- */

static const char job[] =
    "[lane a]\nop = h2d\ncount = 4\nbytes = 4096\n[lane b]\nop = kernel\ncount = 4\ntrips = 5000\n";

static confound_options *on(pencil *p)
{
    confound_options *options = NULL;
    confound_error err = {0};
    confound_device_ops ops = table();
    assert_int_equal(confound_options_new(&options, &err), CONFOUND_OK);
    assert_int_equal(confound_options_set_seed(options, 5, &err), CONFOUND_OK);
    if (confound_options_set_custom_device(options, &ops, p, &err) != CONFOUND_OK)
        fail_msg("%s", err.text);
    memset(&ops, 0, sizeof ops); /* it was copied */
    return options;
}

static void assert_all_given_back(const pencil *p)
{
    assert_int_equal(p->open, 0);
    assert_int_equal(p->streams_open, 0);
    assert_int_equal(p->blocks, 0);
    assert_int_equal(p->events, 0);
}

static confound_judgement *measure(pencil *p, const char *text, confound_record **ret_record)
{
    confound_options *options = on(p);
    confound_judgement *judgement = NULL;
    confound_error err = {0};
    if (confound_run_job(text, options, ret_record, &err) || confound_judge(*ret_record, 0, &judgement, &err))
        fail_msg("%s", err.text);
    confound_options_free(options);
    assert_all_given_back(p);
    return judgement;
}

static double overlap(const confound_judgement *judgement, const char *name)
{
    confound_estimate estimate = {0};
    int variant = confound_judgement_find(judgement, name);
    assert_int_equal(confound_judgement_overlap(judgement, variant, &estimate), 1);
    return estimate.median;
}

static void the_experiment_runs_on_it_and_its_walls_are_its_own(void **state)
{
    (void)state;
    pencil p = sharp();
    confound_record *r = NULL;
    p.timing_drains = 1;
    confound_judgement *judgement = measure(&p, job, &r);
    assert_int_equal(confound_judgement_verdict(judgement), CONFOUND_VERDICT_CONFOUNDED);
    assert_true(overlap(judgement, "none") == 1.0);
    assert_true(overlap(judgement, "sync") == 1.0);
    assert_true(overlap(judgement, "one-queue") == 0.0);
    assert_true(overlap(judgement, "timing") < 0.1);
    assert_int_equal(confound_judgement_effect(judgement, confound_judgement_find(judgement, "sync")),
                     CONFOUND_EFFECT_CLEAR);
    assert_int_equal(confound_record_simulated(r), 1);
    confound_judgement_free(judgement);
    confound_record_free(r);

    p = sharp();
    judgement = measure(&p, job, &r);
    assert_int_equal(confound_judgement_verdict(judgement), CONFOUND_VERDICT_CLEAR);
    confound_judgement_free(judgement);
    confound_record_free(r);
}

static void assert_in_record(const confound_record *r, const char *const *parts)
{
    char *text = NULL;
    size_t size_bytes = 0;
    assert_int_equal(confound_record_json(r, &text, &size_bytes, NULL), CONFOUND_OK);
    assert_int_equal(strlen(text), size_bytes);
    for (; *parts; parts++)
        if (!strstr(text, *parts))
            fail_msg("%s is not in the record", *parts);
    confound_text_free(text);
}

static void what_it_says_of_itself_is_in_the_record(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "\"backend\": \"pencil\"", "\"name\": \"a pencil\"", "\"driver\": \"hand 1.0\"", "\"lead\": \"2B\"",
        "\"simulated\": true",     "\"pencil time\"",        "\"result\": \"ok\"",       NULL};
    pencil p = sharp();
    confound_record *r = NULL;
    confound_judgement *judgement = measure(&p, job, &r);
    assert_in_record(r, parts);
    confound_judgement_free(judgement);
    confound_record_free(r);
}

static void lengths_that_are_left_out_are_calibrated_on_it(void **state)
{
    (void)state;
    static const char text[] = "[lane a]\nop = h2d\ncount = 2\n[lane b]\nop = kernel\ncount = 2\n";
    pencil p = sharp();
    confound_record *r = NULL;
    confound_judgement *judgement = measure(&p, text, &r);
    assert_int_equal(confound_judgement_reading(judgement, 0), CONFOUND_READING_OVERLAPS);
    assert_non_null(strstr(confound_judgement_json(judgement, NULL), "\"balance\": 0.8"));
    confound_judgement_free(judgement);
    confound_record_free(r);
}

static void a_dependency_reaches_it(void **state)
{
    (void)state;
    char text[300];
    pencil p = sharp();
    confound_record *r = NULL;
    (void)snprintf(text, sizeof text, "%s[order]\ndepends = each\n", job);
    confound_judgement *judgement = measure(&p, text, &r);
    assert_int_equal(confound_judgement_reading(judgement, 0), CONFOUND_READING_OVERLAPS);
    assert_true(overlap(judgement, "none") < 0.8); /* 3 of 4 at most */
    confound_judgement_free(judgement);
    confound_record_free(r);
}

static void a_copy_that_moves_nothing_makes_the_run_invalid(void **state)
{
    (void)state;
    pencil p = sharp();
    confound_record *r = NULL;
    p.forgets = 2000;
    confound_judgement *judgement = measure(&p, job, &r);
    assert_int_equal(confound_judgement_verdict(judgement), CONFOUND_VERDICT_INVALID);
    assert_non_null(strstr(confound_judgement_json(judgement, NULL), "data-wrong"));
    confound_judgement_free(judgement);
    confound_record_free(r);
}

/* ---- failures ---- */

static void every_call_that_fails_gives_one_clear_error_and_leaks_nothing(void **state)
{
    (void)state;
    for (int call = 0; call < CALL_COUNT; call++)
        for (long at = 1; at < 6000; at = at * 5 + 1)
            for (int names = 0; names < 2; names++) {
                pencil p = sharp();
                p.fail_at[call] = at;
                p.vendor = names ? "penBreak" : NULL;
                confound_options *options = on(&p);
                confound_record *r = NULL;
                confound_error err = {0};
                confound_status status = confound_run_job(job, options, &r, &err);
                confound_options_free(options);
                assert_all_given_back(&p);
                if (p.calls[call] < at) {
                    assert_int_equal(status, CONFOUND_OK); /* it never came to that call */
                    confound_record_free(r);
                    continue;
                }
                assert_int_equal(status, CONFOUND_DEVICE);
                assert_null(r);
                assert_int_equal(p.calls[call], at);
                assert_non_null(strstr(err.text, call_names[call]));
                assert_non_null(strstr(err.text, names ? "broke" : "returned -7"));
                assert_string_equal(err.call, names ? "penBreak" : "");
                assert_int_equal(err.native, names ? 13 : 0);
            }
}

static void a_handle_that_is_null_is_refused(void **state)
{
    (void)state;
    static const int calls[] = {STREAM_OPEN, BLOCK_NEW, EVENT_NEW};
    for (size_t i = 0; i < 3; i++) {
        pencil p = sharp();
        p.gives_null = calls[i];
        confound_options *options = on(&p);
        confound_record *r = NULL;
        confound_error err = {0};
        assert_int_equal(confound_run_job(job, options, &r, &err), CONFOUND_DEVICE);
        assert_non_null(strstr(err.text, call_names[calls[i]]));
        assert_non_null(strstr(err.text, "NULL"));
        confound_options_free(options);
        assert_all_given_back(&p);
    }
}

static void a_clock_that_goes_back_ends_the_run(void **state)
{
    (void)state;
    /* A window has three readings, or four: before its first, going back can't be seen. */
    int found = 0;
    for (long at = 1000; at < 1004; at++) {
        pencil p = sharp();
        p.now_ns = UINT64_C(1) << 41;
        p.clock_left = at;
        confound_options *options = on(&p);
        confound_record *r = NULL;
        confound_error err = {0};
        confound_status status = confound_run_job(job, options, &r, &err);
        found += status == CONFOUND_DEVICE && strstr(err.text, "clock went back") != NULL;
        confound_record_free(r);
        confound_options_free(options);
        assert_all_given_back(&p);
    }
    assert_true(found >= 2);
}

static void accounts_that_shrink_leave_a_record_that_can_be_read(void **state)
{
    (void)state;
    pencil p = sharp();
    confound_options *options = on(&p);
    confound_device_ops ops = table();
    confound_record *r = NULL, *again = NULL;
    confound_error err = {0};
    char *json = NULL;
    size_t size_bytes = 0;
    ops.blocked_ns = ops.late_ns = shrinking;
    assert_int_equal(confound_options_set_custom_device(options, &ops, &p, &err), CONFOUND_OK);
    if (confound_run_job(job, options, &r, &err) || confound_record_json(r, &json, &size_bytes, &err) ||
        confound_record_parse("again", json, size_bytes, &again, &err))
        fail_msg("%s", err.text);
    confound_text_free(json);
    confound_record_free(again);
    confound_record_free(r);
    confound_options_free(options);
}

static void info_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        pencil p = sharp();
        if (i == 0)
            p.info.copy_unit = CONFOUND_UNIT_TRIPS;
        else if (i == 1)
            p.info.kernel_unit = CONFOUND_UNIT_BYTES;
        else
            p.info.copy_start = 0;
        confound_options *options = on(&p);
        confound_record *r = NULL;
        confound_error err = {0};
        assert_int_equal(confound_run_job(job, options, &r, &err), CONFOUND_INPUT);
        assert_non_null(strstr(err.text, "pencil: info: "));
        confound_options_free(options);
        assert_all_given_back(&p);
    }
}

static void texts_without_an_end_are_cut(void **state)
{
    (void)state;
    pencil p = sharp();
    confound_record *r = NULL;
    memset(p.info.name, 'x', sizeof p.info.name);
    memset(p.info.driver, '\n', sizeof p.info.driver);
    confound_judgement *judgement = measure(&p, job, &r);
    confound_judgement_free(judgement);
    confound_record_free(r);
}

static void what_the_job_asks_and_the_device_has_not_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        confound_status status;
    } cases[] = {
        {"[lane a]\nns = 1ms\n", "takes no length in ns", CONFOUND_INPUT},
        {"[instruments]\nuse = cupti-kernel\n", "cupti-kernel", CONFOUND_UNSUPPORTED},
        {"[device]\nmemory = pageable\n", "takes no setting", CONFOUND_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pencil p = sharp();
        confound_options *options = on(&p);
        confound_record *r = NULL;
        confound_error err = {0};
        assert_int_equal(confound_run_job(cases[i].text, options, &r, &err), cases[i].status);
        assert_non_null(strstr(err.text, cases[i].says));
        confound_options_free(options);
        assert_all_given_back(&p);
    }
}

/* ---- the table ---- */

static void refuse(const confound_device_ops *ops, const char *says)
{
    confound_options *options = NULL;
    confound_error err = {0};
    assert_int_equal(confound_options_new(&options, NULL), CONFOUND_OK);
    assert_int_equal(confound_options_set_custom_device(options, ops, NULL, &err), CONFOUND_INPUT);
    assert_non_null(strstr(err.text, says));
    confound_options_free(options);
}

static void a_table_that_lacks_something_is_refused_and_what_is_named(void **state)
{
    (void)state;
    confound_device_ops ops = table();
    ops.record = NULL;
    refuse(&ops, "record");
    ops = table();
    ops.open = NULL;
    refuse(&ops, "open");
    ops = table();
    ops.size = 0;
    refuse(&ops, "sizeof");
    static const char *const names[] = {"", "two words", "sixteen-letters-", "sim", "cuda"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ops = table();
        ops.name = names[i];
        refuse(&ops, names[i]);
    }
    ops.name = NULL;
    refuse(&ops, "is not accepted");
}

static void a_table_of_another_version_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    struct {
        confound_device_ops ops;
        void *later[4];
    } longer = {.ops = table()};
    longer.ops.size = sizeof longer;
    for (int i = 0; i < 2; i++) {
        pencil p = sharp();
        confound_options *options = on(&p);
        confound_device_ops shorter = table();
        shorter.size = offsetof(confound_device_ops, step_begin);
        confound_error err = {0};
        confound_record *r = NULL;
        assert_int_equal(confound_options_set_custom_device(options, i == 0 ? &shorter : &longer.ops, &p, &err),
                         CONFOUND_OK);
        if (confound_run_job(job, options, &r, &err) != CONFOUND_OK)
            fail_msg("%s", err.text);
        assert_int_equal(p.calls[STEP_BEGIN] > 0, i);
        assert_int_equal(p.calls[FACTS] > 0, i);
        confound_record_free(r);
        confound_options_free(options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_experiment_runs_on_it_and_its_walls_are_its_own),
        cmocka_unit_test(what_it_says_of_itself_is_in_the_record),
        cmocka_unit_test(lengths_that_are_left_out_are_calibrated_on_it),
        cmocka_unit_test(a_dependency_reaches_it),
        cmocka_unit_test(a_copy_that_moves_nothing_makes_the_run_invalid),
        cmocka_unit_test(every_call_that_fails_gives_one_clear_error_and_leaks_nothing),
        cmocka_unit_test(a_handle_that_is_null_is_refused),
        cmocka_unit_test(a_clock_that_goes_back_ends_the_run),
        cmocka_unit_test(accounts_that_shrink_leave_a_record_that_can_be_read),
        cmocka_unit_test(info_that_makes_no_sense_is_refused),
        cmocka_unit_test(texts_without_an_end_are_cut),
        cmocka_unit_test(what_the_job_asks_and_the_device_has_not_is_refused),
        cmocka_unit_test(a_table_that_lacks_something_is_refused_and_what_is_named),
        cmocka_unit_test(a_table_of_another_version_is_read_as_far_as_it_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
