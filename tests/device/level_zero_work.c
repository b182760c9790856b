/* What the device `level-zero` does, over the stub loader (real time, on its threads): data, paths, events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

#include "device/level_zero_rig.h"

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != CF_OK)                                                                                           \
            fail_msg("%s", err.text);                                                                                  \
    } while (0)

static void open_with(own_tour *o, const char *name, const char *value)
{
    cf_error err = {0};
    cf_pairs settings = {0};
    *o = (own_tour){0};
    assert_int_equal(cf_pairs_add(&settings, name, value, NULL), CF_OK);
    OK(own_make(o, &settings, &err));
    cf_pairs_done(&settings);
}

static const char *fact(const own_tour *o, const char *name)
{
    const char *value = cf_pairs_get(&o->tour.facts, name);
    return value != NULL ? value : "";
}

static void check_data(const own_tour *o)
{
    const tour *t = &o->tour;
    for (int i = 0; i < 2; i++)
        assert_int_equal(t->found[i], cf_kernel_result(TOUR_NONCE, TOUR_TRIPS));
    assert_int_equal(o->found, cf_kernel_result(TOUR_NONCE, TOUR_TRIPS));
    assert_int_equal(t->last_word, TOUR_NONCE + TOUR_WORDS - 1);
    assert_true(t->readings[0].completed && !t->readings[0].has_stamp);
    assert_true(t->readings[1].completed && t->readings[1].has_stamp);
    assert_true(o->own_reading.completed && !o->own_reading.has_stamp);
    assert_true(o->stamped_reading.completed && o->stamped_reading.has_stamp);
    assert_true(o->stamped_reading.stamp_ns >= o->stamped_reading.begin_ns);
}

static void results_are_right_by(const char *stub, const char *offers, const char *name, const char *value)
{
    use_stub(stub, offers);
    own_tour o;
    cf_error err = {0};
    open_with(&o, name, value);
    OK(own_run(&o, &err));
    check_data(&o);
    own_end(&o);
    assert_int_equal(ask_stub("confound_stub_alive"), 0);
}

static void bytes_and_results_are_right_on_every_kind_of_stream(void **state)
{
    (void)state;
    static const char *const kinds[] = {"offload", "no-offload", "split", "queues"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        results_are_right_by(STUB_NEW, "", "streams", kinds[i]);
        results_are_right_by(STUB_OLD, "api=1.3", "streams", kinds[i]);
    }
    results_are_right_by(STUB_NEW, "", "memory", "pageable");
    results_are_right_by(STUB_NEW, "", "events", "pool");
}

/* What each loader and driver leads to, and that the record says so. */
static void the_path_is_what_loader_and_driver_offer_and_a_fact_says_which(void **state)
{
    (void)state;
    const struct {
        const char *stub, *offers, *event, *hint, *order, *wait;
    } cases[] = {
        {STUB_NEW, "", "zeEventCounterBasedCreate", "0x0003001b", "in-order flag", "zeCommandListHostSynchronize"},
        {STUB_NEW, "no-hint", "zeEventCounterBasedCreate", "queue's flag", "in-order flag", "HostSynchronize"},
        {STUB_NEW, "no-hint api=1.13", "zexCounterBasedEventCreate2", "not offered", "in-order flag", ""},
        {STUB_NEW, "no-core", "zexCounterBasedEventCreate2", "0x0003001b", "", ""},
        {STUB_NEW, "no-core no-zex", "a pool with the counter-based descriptor", "0x0003001b", "", ""},
        {STUB_NEW, "no-core wrapped", "a pool with the counter-based descriptor", "0x0003001b", "", ""},
        {STUB_NEW, "no-core no-zex no-pools", "plain pool: the driver offers no", "", "in-order flag", ""},
        {STUB_OLD, "api=1.3", "zexCounterBasedEventCreate2", "0x0003001b", "in-order flag", "older than 1.10"},
        {STUB_OLD, "api=1.3 no-zex", "a pool with the counter-based descriptor", "", "", "older than 1.10"},
        {STUB_OLD, "api=1.3 no-zex no-pools no-hint", "plain pool", "not offered", "a barrier before", "older than"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        use_stub(cases[i].stub, cases[i].offers);
        own_tour o;
        cf_error err = {0};
        open_with(&o, "streams", "offload");
        if (strstr(fact(&o, "event_path"), cases[i].event) == NULL ||
            strstr(fact(&o, "copy_offload"), cases[i].hint) == NULL ||
            strstr(fact(&o, "order_path"), cases[i].order) == NULL ||
            strstr(fact(&o, "wait_path"), cases[i].wait) == NULL)
            fail_msg("'%s': %s; %s; %s; %s", cases[i].offers, fact(&o, "event_path"), fact(&o, "copy_offload"),
                     fact(&o, "order_path"), fact(&o, "wait_path"));
        OK(own_run(&o, &err));
        check_data(&o);
        own_end(&o);
        assert_int_equal(ask_stub("confound_stub_alive"), 0);
    }
}

static void the_drivers_own_words_are_its_version(void **state)
{
    (void)state;
    static const char *const offers[] = {"", "wrapped"};
    for (size_t i = 0; i < 2; i++) {
        use_stub(STUB_NEW, offers[i]);
        own_tour o;
        cf_device_info info;
        open_with(&o, "memory", "pinned");
        cf_device_info_get(o.tour.device, &info);
        assert_string_equal(info.driver, "1.3.7+1");
        assert_string_equal(info.name, "stub");
        assert_true(info.simulated && info.computes && info.moves);
        own_end(&o);
    }
}

static void an_event_counts_once_for_each_record(void **state)
{
    (void)state;
    static const char *const events[] = {"counter", "pool"};
    for (size_t i = 0; i < 2; i++) {
        use_stub(STUB_NEW, "");
        own_tour o;
        cf_error err = {0};
        open_with(&o, "events", events[i]);
        tour *t = &o.tour;
        cf_event_reading reading = {.completed = true};
        OK(cf_device_event_read(t->device, t->sync, &reading, &err));
        assert_false(reading.completed);
        const cf_op op = {.kind = CF_OP_KERNEL};
        for (int step = 0; step < 2; step++) {
            OK(cf_device_record(t->device, t->streams[0], t->sync, &op, CF_SIDE_AFTER, &err));
            OK(cf_device_wait(t->device, NULL, CF_WAIT_BLOCK, &err));
            OK(cf_device_event_read(t->device, t->sync, &reading, &err));
            assert_true(reading.completed);
            OK(cf_device_event_read(t->device, t->sync, &reading, &err));
            assert_false(reading.completed);
        }
        own_end(&o);
    }
}

/* A stamp is a point of the device's clock: two with a pause between them are that far apart. */
static void stamps_are_nanoseconds(void **state)
{
    (void)state;
    use_stub(STUB_NEW, "");
    own_tour o;
    cf_error err = {0};
    open_with(&o, "memory", "pinned");
    tour *t = &o.tour;
    cf_event_reading readings[2];
    const cf_op op = {.kind = CF_OP_KERNEL};
    for (int i = 0; i < 2; i++) {
        OK(cf_device_record(t->device, t->streams[0], t->timing, &op, CF_SIDE_AFTER, &err));
        OK(cf_device_wait(t->device, NULL, CF_WAIT_BLOCK, &err));
        OK(cf_device_event_read(t->device, t->timing, &readings[i], &err));
        assert_true(readings[i].has_stamp);
        struct timespec pause = {.tv_nsec = 30000000};
        nanosleep(&pause, NULL);
    }
    assert_true(readings[1].stamp_ns - readings[0].stamp_ns >= 30000000);
    assert_true(readings[1].stamp_ns - readings[0].stamp_ns < (int64_t)60 * 1000000000);
    own_end(&o);
}

/* Every operation signals one event: where an instrument's is it, the dependency follows that one. */
static void a_dependency_holds_whether_or_not_it_is_observed(void **state)
{
    (void)state;
    use_stub(STUB_NEW, "");
    own_tour o;
    cf_error err = {0};
    open_with(&o, "streams", "split");
    tour *t = &o.tour;
    for (uint64_t i = 0; i < TOUR_WORDS; i++)
        t->words[i] = TOUR_NONCE + i;
    OK(cf_device_block_write(t->device, t->host, 0, t->words, TOUR_BYTES, &err));
    for (int step = 0; step < 6; step++) {
        const uint64_t nothing = 0;
        OK(cf_device_block_write(t->device, t->front, 0, &nothing, 8, &err));
        OK(cf_device_step_begin(t->device, 0, &err));
        OK(tour_op(t, 0,
                   (cf_op){.kind = CF_OP_H2D,
                           .src = t->host,
                           .dst = t->front,
                           .signals = t->arrived,
                           .observer = step % 3 == 0   ? NULL
                                       : step % 3 == 1 ? o.own
                                                       : o.stamped},
                   &err));
        OK(tour_op(
            t, 1,
            (cf_op){.kind = CF_OP_KERNEL, .src = t->front, .dst = t->results, .trips = TOUR_TRIPS, .waits = t->arrived},
            &err));
        OK(cf_device_wait(t->device, NULL, CF_WAIT_BLOCK, &err));
        OK(cf_device_block_read(t->device, t->results, 0, &o.found, 8, &err));
        assert_int_equal(o.found, cf_kernel_result(TOUR_NONCE, TOUR_TRIPS));
    }
    own_end(&o);
}

static void an_operation_whose_blocks_are_elsewhere_is_refused(void **state)
{
    (void)state;
    use_stub(STUB_NEW, "");
    own_tour o;
    cf_error err = {0};
    open_with(&o, "memory", "pageable");
    tour *t = &o.tour;
    const cf_op wrong[] = {{.kind = CF_OP_H2D, .src = t->front, .dst = t->mirror},
                           {.kind = CF_OP_H2D, .src = t->host, .dst = t->back},
                           {.kind = CF_OP_D2H, .src = t->front, .dst = t->mirror},
                           {.kind = CF_OP_D2D, .src = t->host, .dst = t->mirror},
                           {.kind = CF_OP_KERNEL_COPY, .src = t->host, .dst = t->mirror},
                           {.kind = CF_OP_BATCH_COPY, .src = t->front, .dst = t->mirror}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(tour_op(t, 0, wrong[i], &err), CF_UNSUPPORTED);
    cf_op waits = {.kind = CF_OP_H2D, .src = t->host, .dst = t->front, .waits = t->arrived};
    assert_int_equal(tour_op(t, 0, waits, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "that no operation has signalled"));
    own_end(&o);
}

static void a_kernel_and_a_batch_copy_all_of_a_block(void **state)
{
    (void)state;
    static const cf_op_kind kinds[] = {CF_OP_KERNEL_COPY, CF_OP_BATCH_COPY};
    static uint64_t found[TOUR_WORDS];
    use_stub(STUB_NEW, "");
    own_tour o;
    cf_error err = {0};
    open_with(&o, "memory", "pinned");
    tour *t = &o.tour;
    for (uint64_t k = 0; k < 2; k++) {
        for (uint64_t i = 0; i < TOUR_WORDS; i++)
            t->words[i] = (7 + k) * i + 5;
        OK(cf_device_block_write(t->device, t->host, 0, t->words, TOUR_BYTES, &err));
        OK(tour_op(t, 0, (cf_op){.kind = kinds[k], .src = t->host, .dst = t->front, .pieces = 5000}, &err));
        OK(cf_device_wait(t->device, NULL, CF_WAIT_POLL, &err));
        OK(cf_device_block_read(t->device, t->front, 0, found, TOUR_BYTES, &err));
        assert_memory_equal(found, t->words, TOUR_BYTES);
    }
    own_end(&o);
}

static void a_share_is_a_number_of_groups(void **state)
{
    (void)state;
    use_stub(STUB_NEW, "");
    own_tour o;
    cf_error err = {0};
    open_with(&o, "memory", "pinned");
    /* 2 x 2 x 8 x 8 threads of 16 items: 64 groups of 64. */
    const struct {
        double share;
        long groups;
    } shares[] = {{0.001, 1}, {0.5, 32}, {1, 64}, {0, 16}};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        cf_op op = {
            .kind = CF_OP_KERNEL, .src = o.tour.front, .dst = o.tour.results, .trips = 24, .share = shares[i].share};
        OK(tour_op(&o.tour, 1, op, &err));
        assert_int_equal(ask_stub("confound_stub_groups"), shares[i].groups);
    }
    OK(cf_device_wait(o.tour.device, NULL, CF_WAIT_BLOCK, &err));
    own_end(&o);
}

/* The lanes of one-queue share a stream that is neither lane's own. */
static void a_shared_stream_is_one_of_its_own(void **state)
{
    (void)state;
    static const char *const kinds[] = {"offload", "no-offload", "split", "queues"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        use_stub(STUB_NEW, "");
        own_tour o;
        cf_error err = {0};
        open_with(&o, "streams", kinds[i]);
        cf_stream *shared = NULL, *again = NULL;
        OK(cf_device_stream_open(o.tour.device, &(cf_stream_desc){.shared = true}, &shared, &err));
        OK(cf_device_stream_open(o.tour.device, &(cf_stream_desc){.number = 1}, &again, &err));
        assert_ptr_not_equal(shared, o.tour.streams[0]);
        assert_ptr_equal(again, o.tour.streams[1]);
        assert_int_equal(cf_device_stream_open(o.tour.device, &(cf_stream_desc){.number = 2}, &again, &err),
                         CF_UNSUPPORTED);
        own_end(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_results_are_right_on_every_kind_of_stream),
        cmocka_unit_test(the_path_is_what_loader_and_driver_offer_and_a_fact_says_which),
        cmocka_unit_test(the_drivers_own_words_are_its_version),
        cmocka_unit_test(an_event_counts_once_for_each_record),
        cmocka_unit_test(stamps_are_nanoseconds),
        cmocka_unit_test(a_dependency_holds_whether_or_not_it_is_observed),
        cmocka_unit_test(an_operation_whose_blocks_are_elsewhere_is_refused),
        cmocka_unit_test(a_kernel_and_a_batch_copy_all_of_a_block),
        cmocka_unit_test(a_share_is_a_number_of_groups),
        cmocka_unit_test(a_shared_stream_is_one_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
