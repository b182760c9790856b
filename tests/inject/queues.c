/* What is kept of OpenCL queues, on a driver that notes what it is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>

#include "inject/queue.h"

#define THREADS 3u
#define ROUNDS  20000u

static char handles[8];
static _Atomic int barriers; /* that put one queue's commands behind another's */

static int put_marker(cf_cl queue, cf_cl_uint count, const cf_cl *events, cf_cl *ret)
{
    (void)queue, (void)count, (void)events;
    *ret = &handles[7];
    return CF_CL_SUCCESS;
}

static int put_barrier(cf_cl queue, cf_cl_uint count, const cf_cl *events, cf_cl *ret)
{
    (void)queue, (void)count, (void)events, (void)ret;
    barriers++;
    return CF_CL_SUCCESS;
}

static int do_nothing(cf_cl handle)
{
    (void)handle;
    return CF_CL_SUCCESS;
}

static cf_inject_function driver[CF_CL_FUNCTION_COUNT];

static int begin(void **state)
{
    (void)state;
    driver[CF_CL_clEnqueueMarkerWithWaitList] = (cf_inject_function)put_marker;
    driver[CF_CL_clEnqueueBarrierWithWaitList] = (cf_inject_function)put_barrier;
    driver[CF_CL_clFlush] = driver[CF_CL_clReleaseEvent] = (cf_inject_function)do_nothing;
    cf_cl_next = driver;
    return 0;
}

static void arm(cf_arm arm)
{
    atomic_store(&cf_inject_arm_now, arm);
    barriers = 0;
}

/* As one command does. Returns where it goes. */
static cf_cl submit(cf_queue *queue)
{
    cf_cl to = cf_queue_route(queue);
    cf_queue_submits(queue);
    return to;
}

static void finish(cf_queue *queue)
{
    cf_queue_wait_end(queue, cf_queue_wait_begin(queue));
}

static void a_queue_that_is_idle_changes_over_without_a_barrier(void **state)
{
    (void)state;
    cf_queue *queue = cf_queue_add(&handles[0], &handles[1], true, true);
    arm(CF_ARM_STRIPPED);
    assert_ptr_equal(submit(queue), &handles[1]);
    assert_int_equal(barriers, 0);
    finish(queue);
    arm(CF_ARM_SHIPPED);
    assert_ptr_equal(submit(queue), &handles[0]);
    assert_int_equal(barriers, 0);
    arm(CF_ARM_SHIPPED);
    cf_queue_remove(queue);
}

static void one_that_is_not_has_a_barrier(void **state)
{
    (void)state;
    cf_queue *queue = cf_queue_add(&handles[0], &handles[1], true, true);
    arm(CF_ARM_SHIPPED);
    submit(queue);
    finish(queue);
    submit(queue);
    arm(CF_ARM_STRIPPED);
    submit(queue);
    assert_int_equal(barriers, 1);
    arm(CF_ARM_SHIPPED);
    submit(queue);
    assert_int_equal(barriers, 1);
    cf_queue_remove(queue);
}

static void a_wait_that_began_before_a_command_came_is_not_for_it(void **state)
{
    (void)state;
    cf_queue *queue = cf_queue_add(&handles[0], &handles[1], true, true);
    arm(CF_ARM_SHIPPED);
    uint64_t wait = cf_queue_wait_begin(queue); /* another thread's */
    submit(queue);
    cf_queue_wait_end(queue, wait);
    arm(CF_ARM_STRIPPED);
    submit(queue);
    assert_int_equal(barriers, 1);
    cf_queue_remove(queue);
    /* nor is one that began while it was being submitted */
    queue = cf_queue_add(&handles[0], &handles[1], true, true);
    arm(CF_ARM_SHIPPED);
    cf_queue_route(queue);
    wait = cf_queue_wait_begin(queue);
    cf_queue_submits(queue);
    cf_queue_wait_end(queue, wait);
    arm(CF_ARM_STRIPPED);
    submit(queue);
    assert_int_equal(barriers, 1);
    arm(CF_ARM_SHIPPED);
    cf_queue_remove(queue);
}

static void of_two_waits_the_later_one_counts_in_whichever_order_they_come_back(void **state)
{
    (void)state;
    cf_queue *queue = cf_queue_add(&handles[0], &handles[1], true, true);
    arm(CF_ARM_SHIPPED);
    uint64_t first = cf_queue_wait_begin(queue);
    submit(queue);
    uint64_t second = cf_queue_wait_begin(queue);
    cf_queue_wait_end(queue, second);
    cf_queue_wait_end(queue, first);
    arm(CF_ARM_STRIPPED);
    submit(queue);
    assert_int_equal(barriers, 0);
    arm(CF_ARM_SHIPPED);
    cf_queue_remove(queue);
}

static void a_queue_that_is_made_anew_is_told_by_the_place_of_the_one_that_went(void **state)
{
    (void)state;
    cf_queue *first = cf_queue_add(&handles[0], &handles[1], true, true);
    cf_queue *second = cf_queue_add(&handles[2], &handles[3], true, true);
    const void *place = cf_queue_told_by(first), *other = cf_queue_told_by(second);
    assert_ptr_not_equal(place, other);
    cf_queue_remove(first);
    first = cf_queue_add(&handles[4], NULL, true, true); /* the driver gave it another handle */
    assert_ptr_equal(cf_queue_told_by(first), place);
    cf_queue_remove(second);
    second = cf_queue_add(&handles[0], NULL, true, true);
    assert_ptr_equal(cf_queue_told_by(second), other);
    cf_queue_remove(first);
    cf_queue_remove(second);
}

static void *use(void *user)
{
    cf_queue *queue = user;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (i % 7 == 0)
            atomic_store(&cf_inject_arm_now, i % 2 ? CF_ARM_STRIPPED : CF_ARM_SHIPPED);
        submit(queue);
        if (i % 3 == 0)
            finish(queue);
    }
    return NULL;
}

static void one_that_threads_use_at_once_is_idle_when_one_has_waited_for_all(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    cf_queue *queue = cf_queue_add(&handles[0], &handles[1], true, true);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, queue), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    arm(CF_ARM_SHIPPED);
    submit(queue);
    finish(queue);
    arm(CF_ARM_STRIPPED);
    assert_ptr_equal(submit(queue), &handles[1]);
    assert_int_equal(barriers, 0);
    arm(CF_ARM_SHIPPED);
    assert_ptr_equal(submit(queue), &handles[0]);
    assert_int_equal(barriers, 1);
    cf_queue_remove(queue);
}

static void an_event_s_queue_is_known_after_its_release_until_the_handles_are_others(void **state)
{
    (void)state;
    cf_queue *queue = cf_queue_add(&handles[0], &handles[1], true, true);
    const unsigned slot = queue->slot;
    assert_ptr_equal(cf_queue_at(slot), queue);
    cf_queue_remove(queue);
    assert_null(cf_queue_of(&handles[0]));
    assert_null(cf_queue_of(&handles[1]));
    assert_ptr_equal(cf_queue_of_event(&handles[1]), queue);
    assert_ptr_equal(cf_queue_of_event(&handles[1])->own, &handles[0]);
    cf_queue *other = cf_queue_add(&handles[2], &handles[0], false, true);
    assert_ptr_not_equal(other, queue);
    assert_ptr_equal(cf_queue_of_event(&handles[0]), other);
    assert_ptr_equal(cf_queue_of_event(&handles[1]), queue); /* its twin still has one */
    assert_ptr_equal(cf_queue_at(slot), queue);
    cf_queue_remove(other);
    other = cf_queue_add(&handles[1], NULL, true, true);
    assert_ptr_equal(other, queue);      /* what was kept of it serves again, */
    assert_int_equal(other->slot, slot); /* in its slot */
    assert_ptr_equal(other->own, &handles[1]);
    cf_queue_remove(other);
}

static void each_queue_has_a_slot_of_its_own_while_there_are_any(void **state)
{
    static char many[2 * CF_KNOWN_SLOTS][2];
    static cf_queue *queues[2 * CF_KNOWN_SLOTS];
    size_t without = 0;
    (void)state;
    for (size_t i = 0; i < 2 * (size_t)CF_KNOWN_SLOTS; i++) {
        queues[i] = cf_queue_add(&many[i][0], NULL, true, true);
        assert_non_null(queues[i]);
        if (queues[i]->slot)
            assert_ptr_equal(cf_queue_at(queues[i]->slot), queues[i]);
        else
            without++;
    }
    assert_true(without > CF_KNOWN_SLOTS / 2);
    for (size_t i = 0; i < 2 * (size_t)CF_KNOWN_SLOTS; i++)
        cf_queue_remove(queues[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_that_is_idle_changes_over_without_a_barrier),
        cmocka_unit_test(one_that_is_not_has_a_barrier),
        cmocka_unit_test(a_wait_that_began_before_a_command_came_is_not_for_it),
        cmocka_unit_test(of_two_waits_the_later_one_counts_in_whichever_order_they_come_back),
        cmocka_unit_test(one_that_threads_use_at_once_is_idle_when_one_has_waited_for_all),
        cmocka_unit_test(an_event_s_queue_is_known_after_its_release_until_the_handles_are_others),
        cmocka_unit_test(a_queue_that_is_made_anew_is_told_by_the_place_of_the_one_that_went),
        cmocka_unit_test(each_queue_has_a_slot_of_its_own_while_there_are_any),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
