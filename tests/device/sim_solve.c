/* The rules of docs/model.md one by one, on the solver itself. Every number is computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/sim/solve.h"

#define MAX_TAGS 64
#define RING     "[engine e]\norder = ring\nruns = kernel copy\n"
#define READY    "[engine e]\nruns = kernel copy\n"
#define TWO      "[engine e]\nruns = kernel\n[engine f]\nruns = copy\n"
#define ALL      UINT32_MAX

typedef struct fixture {
    cf_model model;
    cf_solver *solver;
    cf_error err;
    uint64_t visible_ns[MAX_TAGS], begin_ns[MAX_TAGS], end_ns[MAX_TAGS];
    uint32_t ends[MAX_TAGS]; /* how often the tag has ended */
} fixture;

static void on_end(void *user, uint64_t tag, uint64_t visible_ns, uint64_t begin_ns, uint64_t end_ns)
{
    fixture *f = user;
    assert_in_range(tag, 0, MAX_TAGS - 1);
    f->visible_ns[tag] = visible_ns;
    f->begin_ns[tag] = begin_ns;
    f->end_ns[tag] = end_ns;
    f->ends[tag]++;
}

static void open_fixture(fixture *f, const char *text)
{
    memset(f, 0, sizeof *f);
    if (cf_model_parse("m.ini", text, strlen(text), &f->model, &f->err))
        fail_msg("%s", f->err.text);
    assert_int_equal(cf_solver_new(&f->model, on_end, f, &f->solver, &f->err), CF_OK);
}

static void close_fixture(fixture *f)
{
    cf_solver_free(f->solver);
    cf_model_done(&f->model);
}

static uint64_t call(fixture *f, cf_solver_command command, uint64_t host_ns)
{
    uint64_t ticket = 0;
    if (cf_solver_call(f->solver, &command, host_ns, false, &ticket, &f->err))
        fail_msg("%s", f->err.text);
    return ticket;
}

static void wait_all(fixture *f)
{
    if (cf_solver_wait(f->solver, ALL, &f->err))
        fail_msg("%s", f->err.text);
}

#define C(...) ((cf_solver_command){__VA_ARGS__})

/* ------------------------------------------------------------------------------------------------- rules 1 and 2 */

static void a_command_is_visible_when_its_call_is_over(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, TWO);
    call(&f, C(.ns = 10, .tag = 1), 3);
    call(&f, C(.stream = 1, .engine = 1, .ns = 10, .tag = 2), 4);
    assert_int_equal(cf_solver_now_ns(f.solver), 7);
    wait_all(&f);
    assert_int_equal(f.visible_ns[1], 3);
    assert_int_equal(f.begin_ns[1], 3);
    assert_int_equal(f.visible_ns[2], 7);
    assert_int_equal(f.begin_ns[2], 7);
    assert_int_equal(cf_solver_now_ns(f.solver), 17);
    close_fixture(&f);
}

static void a_call_lowered_to_nothing_costs_its_time(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, READY);
    assert_int_equal(cf_solver_call(f.solver, NULL, 5, false, NULL, &f.err), CF_OK);
    call(&f, C(.ns = 10, .tag = 1), 0);
    wait_all(&f);
    assert_int_equal(f.begin_ns[1], 5);
    close_fixture(&f);
}

static void a_stream_is_in_order_over_engines(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, TWO);
    call(&f, C(.engine = 0, .ns = 10, .tag = 1), 0);
    call(&f, C(.engine = 1, .ns = 1, .tag = 2), 0);
    wait_all(&f);
    assert_int_equal(f.begin_ns[2], 10);
    assert_int_equal(f.end_ns[2], 11);
    close_fixture(&f);
}

static void an_operation_waits_for_the_one_that_it_names(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, TWO);
    const uint64_t first = call(&f, C(.engine = 0, .ns = 10, .tag = 1), 0);
    call(&f, C(.engine = 0, .ns = 10, .tag = 2), 0);
    call(&f, C(.stream = 1, .engine = 1, .ns = 1, .tag = 3, .wait_for = first), 0);
    wait_all(&f);
    assert_int_equal(f.begin_ns[3], 10);
    close_fixture(&f);
}

static void a_ticket_long_ended_keeps_nobody(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, TWO);
    const uint64_t first = call(&f, C(.ns = 10, .tag = 1), 0);
    assert_int_equal(first, 1);
    for (int i = 0; i < 1000; i++) {
        call(&f, C(.ns = 1, .tag = 2), 0);
        wait_all(&f);
    }
    call(&f, C(.stream = 1, .engine = 1, .ns = 5, .tag = 3, .wait_for = first), 0);
    wait_all(&f);
    assert_int_equal(f.begin_ns[3], 1010);
    close_fixture(&f);
}

static void a_wait_for_one_stream_leaves_the_others_running(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, TWO);
    call(&f, C(.stream = 0, .engine = 0, .ns = 10, .tag = 1), 0);
    call(&f, C(.stream = 1, .engine = 1, .ns = 30, .tag = 2), 0);
    assert_int_equal(cf_solver_wait(f.solver, 0, &f.err), CF_OK);
    assert_int_equal(cf_solver_now_ns(f.solver), 10);
    assert_int_equal(f.ends[1], 1);
    assert_int_equal(f.ends[2], 0);
    assert_int_equal(cf_solver_last_end_ns(f.solver, 0), 10);
    assert_int_equal(cf_solver_last_end_ns(f.solver, 5), 0);
    wait_all(&f);
    assert_int_equal(cf_solver_last_end_ns(f.solver, 1), 30);
    close_fixture(&f);
}

/* --------------------------------------------------------------------------------------------------------- rule 3 */

/* The head, of stream 0, waits for its stream on the other engine; the command behind it could start. */
static void the_head_of_a_ring_holds_up_what_is_behind_it(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, RING "[engine f]\n");
    call(&f, C(.stream = 0, .engine = 1, .ns = 10, .tag = 1), 0);
    call(&f, C(.stream = 0, .engine = 0, .ns = 5, .tag = 2), 0);
    call(&f, C(.stream = 1, .engine = 0, .ns = 5, .tag = 3), 0);
    wait_all(&f);
    assert_int_equal(f.begin_ns[2], 10);
    assert_int_equal(f.begin_ns[3], 15);
    close_fixture(&f);
}

static void a_wide_ring_starts_its_heads_one_behind_the_other_at_once(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, RING "width = 2\n");
    for (uint32_t i = 0; i < 3; i++)
        call(&f, C(.stream = i, .ns = 10 + i, .tag = i), 0);
    wait_all(&f);
    assert_int_equal(f.begin_ns[0], 0);
    assert_int_equal(f.begin_ns[1], 0);
    assert_int_equal(f.begin_ns[2], 10);
    close_fixture(&f);
}

static void a_hardware_queue_of_its_own_lets_a_stream_pass(void **state)
{
    (void)state;
    static const struct {
        const char *queues;
        uint64_t begin_ns;
    } cases[] = {{"queues = 1\n", 10}, {"queues = 2\n", 0}, {"queues = 0\n", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "[engine e]\nwidth = 8\n%s[engine f]\n", cases[i].queues);
        fixture f;
        open_fixture(&f, text);
        call(&f, C(.stream = 0, .engine = 1, .ns = 10, .tag = 1), 0);
        call(&f, C(.stream = 0, .engine = 0, .ns = 5, .tag = 2), 0);
        call(&f, C(.stream = 1, .engine = 0, .ns = 5, .tag = 3), 0);
        wait_all(&f);
        assert_int_equal(f.begin_ns[3], cases[i].begin_ns);
        close_fixture(&f);
    }
}

/* Streams 0 and 2 share a hardware queue where there are two of them. */
static void streams_share_hardware_queues_by_their_number(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "[engine e]\nwidth = 8\nqueues = 2\n[engine f]\n");
    call(&f, C(.stream = 0, .engine = 1, .ns = 10, .tag = 1), 0);
    call(&f, C(.stream = 0, .engine = 0, .ns = 5, .tag = 2), 0);
    call(&f, C(.stream = 1, .engine = 0, .ns = 5, .tag = 3), 0);
    call(&f, C(.stream = 2, .engine = 0, .ns = 5, .tag = 4), 0);
    wait_all(&f);
    assert_int_equal(f.begin_ns[3], 0);
    assert_int_equal(f.begin_ns[4], 10);
    close_fixture(&f);
}

/* Issued while the slot is taken: the next command becomes head, and starts keep the order of issue. */
static void a_head_is_issued_without_a_slot(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, READY "queues = 1\n");
    for (uint32_t i = 0; i < 4; i++)
        call(&f, C(.stream = i, .ns = 10, .tag = i), 0);
    wait_all(&f);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(f.begin_ns[i], 10 * i);
    close_fixture(&f);
}

/* A stream that was issued first starts first, though another's command was submitted earlier. */
static void slots_are_given_in_the_order_of_issue(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, READY "[engine f]\n");
    call(&f, C(.stream = 0, .engine = 0, .ns = 20, .tag = 0), 0); /* takes the slot until 20 */
    call(&f, C(.stream = 1, .engine = 1, .ns = 10, .tag = 1), 0);
    call(&f, C(.stream = 1, .engine = 0, .ns = 5, .tag = 2), 0); /* issued at 10 */
    call(&f, C(.stream = 2, .engine = 0, .ns = 5, .tag = 3), 0); /* issued at 0 */
    wait_all(&f);
    assert_int_equal(f.begin_ns[3], 20);
    assert_int_equal(f.begin_ns[2], 25);
    close_fixture(&f);
}

static void at_one_instant_queues_are_looked_at_in_the_order_of_submission(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, READY);
    call(&f, C(.stream = 2, .ns = 10, .tag = 2), 0);
    call(&f, C(.stream = 0, .ns = 10, .tag = 0), 0);
    call(&f, C(.stream = 1, .ns = 10, .tag = 1), 0);
    wait_all(&f);
    assert_int_equal(f.begin_ns[2], 0);
    assert_int_equal(f.begin_ns[0], 10);
    assert_int_equal(f.begin_ns[1], 20);
    close_fixture(&f);
}

static void an_engine_runs_as_many_as_it_is_wide(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, READY "width = 3\n");
    for (uint32_t i = 0; i < 5; i++)
        call(&f, C(.stream = i, .ns = 10 + i, .tag = i), 0);
    wait_all(&f);
    const uint64_t begins[] = {0, 0, 0, 10, 11};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(f.begin_ns[i], begins[i]);
    close_fixture(&f);
}

/* Ends, issues and starts of one instant go in rounds: the command of no length has ended only in the second. */
static void commands_of_no_length_end_at_the_instant_they_start(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, READY);
    call(&f, C(.stream = 0, .ns = 0, .tag = 0), 0);
    call(&f, C(.stream = 0, .ns = 5, .tag = 1), 0);
    call(&f, C(.stream = 1, .ns = 5, .tag = 2), 0);
    wait_all(&f);
    assert_int_equal(f.end_ns[0], 0);
    assert_int_equal(f.begin_ns[2], 0);
    assert_int_equal(f.begin_ns[1], 5);
    close_fixture(&f);
}

/* --------------------------------------------------------------------------------------------------------- rule 4 */

static void a_hold_needs_no_slot_and_no_time(void **state)
{
    (void)state;
    static const char *const models[] = {RING, READY};
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        open_fixture(&f, models[i]);
        call(&f, C(.stream = 0, .ns = 10, .tag = 0), 0);
        call(&f, C(.stream = 1, .hold = true, .tag = 1), 0);
        wait_all(&f);
        assert_int_equal(f.begin_ns[1], 0);
        assert_int_equal(f.end_ns[1], 0);
        close_fixture(&f);
    }
}

static void a_hold_keeps_the_head_until_its_streams_work_has_ended(void **state)
{
    (void)state;
    static const char *const models[] = {RING "width = 8\n", READY "width = 8\nqueues = 1\n"};
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        open_fixture(&f, models[i]);
        call(&f, C(.stream = 0, .ns = 10, .tag = 0), 0);
        call(&f, C(.stream = 0, .hold = true, .tag = 1), 0);
        call(&f, C(.stream = 1, .ns = 5, .tag = 2), 0);
        wait_all(&f);
        assert_int_equal(f.end_ns[1], 10);
        assert_int_equal(f.begin_ns[2], 10);
        close_fixture(&f);
    }
}

/* --------------------------------------------------------------------------------------------------------- rule 5 */

static void ends_are_rounded_up(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "[model]\ncontention = 0.75\n" TWO);
    call(&f, C(.stream = 0, .engine = 0, .ns = 1, .tag = 0), 0);
    call(&f, C(.stream = 1, .engine = 1, .ns = 3, .tag = 1), 0);
    wait_all(&f);
    assert_int_equal(f.end_ns[0], 2); /* 1 / 0.75 = 1.33 */
    assert_int_equal(f.end_ns[1], 4); /* 1.5 of 3 done by 2, and 1.5 left alone */
    close_fixture(&f);
}

/* b is 4, 4: at 6 and at 12 the long one has done 4.5 and 9 exactly, so that 9 ends at 12; rounding down what it had
   done at each end would give 13. */
static void progress_is_not_rounded(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "[model]\ncontention = 0.75\n" TWO);
    call(&f, C(.stream = 0, .engine = 0, .ns = 9, .tag = 0), 0);
    call(&f, C(.stream = 1, .engine = 1, .ns = 4, .tag = 1), 0);
    call(&f, C(.stream = 1, .engine = 1, .ns = 4, .tag = 2), 0);
    wait_all(&f);
    assert_int_equal(f.end_ns[1], 6);
    assert_int_equal(f.end_ns[2], 12);
    assert_int_equal(f.end_ns[0], 12);
    close_fixture(&f);
}

/* Three of 4 ns end at 6, 12, 18, having done their work at 5.33 after their begins. The long one has done 13.5 of 20
   by then; if it were alone in the last third of a ns each time, it would have done 14 and end at 24. */
static void a_command_contends_until_its_rounded_end(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "[model]\ncontention = 0.75\n" TWO);
    call(&f, C(.stream = 0, .engine = 0, .ns = 20, .tag = 0), 0);
    for (uint32_t i = 1; i <= 3; i++)
        call(&f, C(.stream = 1, .engine = 1, .ns = 4, .tag = i), 0);
    wait_all(&f);
    assert_int_equal(f.end_ns[3], 18);
    assert_int_equal(f.end_ns[0], 25);
    close_fixture(&f);
}

static void commands_of_one_engine_contend_too_and_three_like_two(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "[model]\ncontention = 0.5\n" READY "width = 3\n");
    for (uint32_t i = 0; i < 3; i++)
        call(&f, C(.stream = i, .ns = 10, .tag = i), 0);
    wait_all(&f);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(f.end_ns[i], 20);
    close_fixture(&f);
}

static void a_hold_does_not_contend(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "[model]\ncontention = 0.5\n" TWO);
    call(&f, C(.stream = 0, .engine = 0, .ns = 10, .tag = 0), 0);
    call(&f, C(.stream = 0, .engine = 0, .hold = true, .tag = 1), 0);
    wait_all(&f);
    assert_int_equal(f.end_ns[0], 10);
    close_fixture(&f);
}

/* 2^50 ns at a rate of 10^-9, twice: more than 2^62 ns. */
static void a_clock_that_would_overflow_is_an_error(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "[model]\ncontention = 0.000000001\n" TWO);
    call(&f, C(.stream = 0, .engine = 0, .ns = CF_MODEL_MAX_NS), 0);
    call(&f, C(.stream = 1, .engine = 1, .ns = CF_MODEL_MAX_NS), 0);
    assert_int_equal(cf_solver_wait(f.solver, ALL, &f.err), CF_DEVICE);
    assert_non_null(strstr(f.err.text, "2^62"));
    assert_int_equal(cf_solver_call(f.solver, NULL, UINT64_C(1) << 63, false, NULL, &f.err), CF_DEVICE);
    close_fixture(&f);
}

/* -------------------------------------------------------------------------------------------------- rules 6 and 7 */

static void a_full_stream_blocks_the_host_before_the_calls_own_cost(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "[model]\nqueue_depth = 2\n" TWO);
    call(&f, C(.ns = 10, .tag = 0), 1);
    call(&f, C(.ns = 10, .tag = 1), 1);
    assert_int_equal(cf_solver_blocked_ns(f.solver), 0);
    call(&f, C(.ns = 10, .tag = 2), 1); /* the oldest ends at 11 */
    assert_int_equal(cf_solver_now_ns(f.solver), 12);
    assert_int_equal(cf_solver_blocked_ns(f.solver), 9);
    wait_all(&f);
    assert_int_equal(f.visible_ns[2], 12);
    assert_int_equal(cf_solver_blocked_ns(f.solver), 9);
    close_fixture(&f);
}

static void a_stream_that_is_not_full_blocks_nobody(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "[model]\nqueue_depth = 1\n" TWO);
    call(&f, C(.stream = 0, .engine = 0, .ns = 10, .tag = 0), 0);
    call(&f, C(.stream = 1, .engine = 1, .ns = 10, .tag = 1), 0);
    assert_int_equal(cf_solver_now_ns(f.solver), 0);
    assert_int_equal(cf_solver_call(f.solver, NULL, 3, false, NULL, &f.err), CF_OK);
    assert_int_equal(cf_solver_now_ns(f.solver), 3);
    close_fixture(&f);
}

static void holds_fill_a_stream(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "[model]\nqueue_depth = 2\n" TWO);
    call(&f, C(.ns = 10, .tag = 0), 0);
    call(&f, C(.hold = true, .tag = 1), 0);
    call(&f, C(.ns = 10, .tag = 2), 0);
    assert_int_equal(cf_solver_now_ns(f.solver), 10);
    close_fixture(&f);
}

static void a_blocking_call_returns_at_the_commands_end(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, TWO);
    const cf_solver_command copy = {.engine = 1, .ns = 10, .tag = 0};
    assert_int_equal(cf_solver_call(f.solver, &copy, 2, true, NULL, &f.err), CF_OK);
    assert_int_equal(cf_solver_now_ns(f.solver), 12);
    assert_int_equal(cf_solver_blocked_ns(f.solver), 10);
    assert_int_equal(f.ends[0], 1);
    close_fixture(&f);
}

/* The host is released at 10 and submits at that very instant; the two are looked at together, the stream's second
   command first, for it was submitted first. */
static void what_a_released_host_submits_takes_part_in_the_same_instant(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "[model]\nqueue_depth = 2\n" READY);
    call(&f, C(.stream = 0, .ns = 10, .tag = 0), 0);
    call(&f, C(.stream = 0, .ns = 0, .tag = 1), 0);
    call(&f, C(.stream = 0, .ns = 10, .tag = 2), 0); /* blocks until 10 */
    call(&f, C(.stream = 1, .ns = 10, .tag = 3), 0);
    wait_all(&f);
    assert_int_equal(f.visible_ns[3], 10);
    assert_int_equal(f.end_ns[1], 10);
    assert_int_equal(f.begin_ns[3], 10); /* issued in the first round, with the command of no length */
    assert_int_equal(f.begin_ns[2], 20);
    close_fixture(&f);
}

/* ------------------------------------------------------------------------------------------------------ first use */

static void a_command_that_drains_waits_until_nothing_runs(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, TWO);
    call(&f, C(.stream = 0, .engine = 1, .ns = 10, .tag = 0), 0);
    call(&f, C(.stream = 1, .engine = 0, .ns = 5, .tag = 1, .needs_idle = true), 0);
    call(&f, C(.stream = 0, .engine = 1, .ns = 10, .tag = 2), 0);
    wait_all(&f);
    assert_int_equal(f.begin_ns[1], 10); /* and it comes before the copy, which was submitted later */
    assert_int_equal(f.begin_ns[2], 10);
    close_fixture(&f);
}

/* -------------------------------------------------------------------------------------------------------- errors */

static void a_wait_for_what_is_never_submitted_is_an_error(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, TWO);
    call(&f, C(.stream = 0, .engine = 0, .ns = 5, .tag = 0, .wait_for = 1 + 64 * 7 + 3), 0);
    assert_int_equal(cf_solver_wait(f.solver, ALL, &f.err), CF_DEVICE);
    assert_string_equal(f.err.text, "deadlock: command 1 of stream 0, at the head of engine 'e', waits for command 8 "
                                    "of stream 3, which can never end before it");
    close_fixture(&f);
}

/* The ring's head waits for a command that stands behind it. */
static void a_ring_that_waits_for_itself_is_an_error(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, RING);
    call(&f, C(.stream = 0, .ns = 5, .tag = 0, .wait_for = 1 + 1), 0); /* stream 1's first */
    assert_int_equal(call(&f, C(.stream = 1, .ns = 5, .tag = 1), 0), 2);
    assert_int_equal(cf_solver_wait(f.solver, ALL, &f.err), CF_DEVICE);
    assert_non_null(strstr(f.err.text, "deadlock"));
    close_fixture(&f);
}

static void a_host_that_could_never_be_released_is_an_error(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, "[model]\nqueue_depth = 1\n" READY);
    call(&f, C(.ns = 5, .wait_for = 2), 0);
    const cf_solver_command next = {.ns = 5};
    assert_int_equal(cf_solver_call(f.solver, &next, 0, false, NULL, &f.err), CF_DEVICE);
    close_fixture(&f);
}

static void commands_outside_the_model_are_refused(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, READY);
    const cf_solver_command wrong[] = {
        {.stream = CF_SOLVER_MAX_STREAMS}, {.engine = 1}, {.engine = -1}, {.ns = CF_MODEL_MAX_NS + 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(cf_solver_call(f.solver, &wrong[i], 0, false, NULL, &f.err), CF_INPUT);
    wait_all(&f);
    assert_int_equal(cf_solver_now_ns(f.solver), 0);
    close_fixture(&f);
}

/* A hundred have ended when the arrays grow, so that what is in flight lies across their ends. */
static void queues_grow_and_lose_nothing(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, TWO);
    uint64_t sum_ns[2] = {0, 0};
    for (uint32_t i = 0; i < 5000; i++) {
        const uint64_t ns = 1 + i % 13;
        call(&f, C(.stream = i % 2, .engine = (int)(i % 2), .ns = ns, .tag = i % 2), 0);
        sum_ns[i % 2] += ns;
        if (i == 99)
            wait_all(&f);
    }
    const uint64_t idle_ns = f.end_ns[0] > f.end_ns[1] ? f.end_ns[0] - f.end_ns[1] : f.end_ns[1] - f.end_ns[0];
    const uint32_t later = f.end_ns[0] < f.end_ns[1]; /* the stream that kept the host; the other one idled so long */
    wait_all(&f);
    assert_int_equal(f.ends[0] + f.ends[1], 5000);
    assert_int_equal(f.end_ns[later], sum_ns[later]);
    assert_int_equal(f.end_ns[!later], sum_ns[!later] + idle_ns);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_is_visible_when_its_call_is_over),
        cmocka_unit_test(a_call_lowered_to_nothing_costs_its_time),
        cmocka_unit_test(a_stream_is_in_order_over_engines),
        cmocka_unit_test(an_operation_waits_for_the_one_that_it_names),
        cmocka_unit_test(a_ticket_long_ended_keeps_nobody),
        cmocka_unit_test(a_wait_for_one_stream_leaves_the_others_running),
        cmocka_unit_test(the_head_of_a_ring_holds_up_what_is_behind_it),
        cmocka_unit_test(a_wide_ring_starts_its_heads_one_behind_the_other_at_once),
        cmocka_unit_test(a_hardware_queue_of_its_own_lets_a_stream_pass),
        cmocka_unit_test(streams_share_hardware_queues_by_their_number),
        cmocka_unit_test(a_head_is_issued_without_a_slot),
        cmocka_unit_test(slots_are_given_in_the_order_of_issue),
        cmocka_unit_test(at_one_instant_queues_are_looked_at_in_the_order_of_submission),
        cmocka_unit_test(an_engine_runs_as_many_as_it_is_wide),
        cmocka_unit_test(commands_of_no_length_end_at_the_instant_they_start),
        cmocka_unit_test(a_hold_needs_no_slot_and_no_time),
        cmocka_unit_test(a_hold_keeps_the_head_until_its_streams_work_has_ended),
        cmocka_unit_test(ends_are_rounded_up),
        cmocka_unit_test(progress_is_not_rounded),
        cmocka_unit_test(a_command_contends_until_its_rounded_end),
        cmocka_unit_test(commands_of_one_engine_contend_too_and_three_like_two),
        cmocka_unit_test(a_hold_does_not_contend),
        cmocka_unit_test(a_clock_that_would_overflow_is_an_error),
        cmocka_unit_test(a_full_stream_blocks_the_host_before_the_calls_own_cost),
        cmocka_unit_test(a_stream_that_is_not_full_blocks_nobody),
        cmocka_unit_test(holds_fill_a_stream),
        cmocka_unit_test(a_blocking_call_returns_at_the_commands_end),
        cmocka_unit_test(what_a_released_host_submits_takes_part_in_the_same_instant),
        cmocka_unit_test(a_command_that_drains_waits_until_nothing_runs),
        cmocka_unit_test(a_wait_for_what_is_never_submitted_is_an_error),
        cmocka_unit_test(a_ring_that_waits_for_itself_is_an_error),
        cmocka_unit_test(a_host_that_could_never_be_released_is_an_error),
        cmocka_unit_test(commands_outside_the_model_are_refused),
        cmocka_unit_test(queues_grow_and_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
