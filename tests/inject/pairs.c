/* Twins of events, and the table that finds them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>

#include "inject/pair.h"

#define HANDLES 5000u
static char handles[HANDLES][64], twins[HANDLES][64];

static cf_pair *add(size_t i, void *context)
{
    cf_pair *pair = cf_pair_add(handles[i], context, 0, true);
    if (pair && !pair->twin)
        pair->twin = twins[i];
    return pair;
}

static void set_arm(cf_arm arm)
{
    atomic_store(&cf_inject_arm_now, (unsigned)arm);
}

static void *pick(const cf_pair *pair)
{
    bool turns;
    void *picked = cf_pair_pick(pair, &turns);
    assert_int_equal(turns, pair->twin && !atomic_load(&pair->pinned));
    return picked;
}

static void a_timed_event_is_recorded_without_time_in_stripped_steps_alone(void **state)
{
    (void)state;
    const cf_pair pair = {.own = handles[0], .twin = twins[0], .timing = true};
    set_arm(CF_ARM_SHIPPED);
    assert_ptr_equal(pick(&pair), handles[0]);
    set_arm(CF_ARM_ADDED);
    assert_ptr_equal(pick(&pair), handles[0]);
    set_arm(CF_ARM_STRIPPED);
    assert_ptr_equal(pick(&pair), twins[0]);
    set_arm(CF_ARM_SHIPPED);
}

static void an_event_without_time_gets_one_in_added_steps_alone(void **state)
{
    (void)state;
    const cf_pair pair = {.own = handles[0], .twin = twins[0], .timing = false};
    set_arm(CF_ARM_STRIPPED);
    assert_ptr_equal(pick(&pair), handles[0]);
    set_arm(CF_ARM_ADDED);
    assert_ptr_equal(pick(&pair), twins[0]);
    set_arm(CF_ARM_SHIPPED);
    assert_ptr_equal(pick(&pair), handles[0]);
}

static void what_is_pinned_or_has_no_twin_stays(void **state)
{
    (void)state;
    const cf_pair pinned = {.own = handles[0], .twin = twins[0], .timing = true, .pinned = true};
    const cf_pair alone = {.own = handles[0], .timing = true};
    set_arm(CF_ARM_STRIPPED);
    assert_ptr_equal(pick(&pinned), handles[0]);
    assert_ptr_equal(pick(&alone), handles[0]);
    set_arm(CF_ARM_SHIPPED);
}

static void an_event_that_was_never_recorded_stands_for_itself(void **state)
{
    (void)state;
    cf_pair pair = {.own = handles[0], .twin = twins[0], .timing = true};
    assert_ptr_equal(cf_pair_now(&pair), handles[0]);
    atomic_store(&pair.last, twins[0]);
    assert_ptr_equal(cf_pair_now(&pair), twins[0]);
}

static void thousands_are_found_again_and_none_after_it_is_gone(void **state)
{
    (void)state;
    char context;
    for (size_t i = 0; i < HANDLES; i++)
        assert_non_null(add(i, &context));
    for (size_t i = 0; i < HANDLES; i++)
        assert_ptr_equal(cf_pair_of(handles[i])->own, handles[i]);
    assert_null(cf_pair_of(twins[0]));
    assert_null(cf_pair_of(NULL));
    for (size_t i = 0; i < HANDLES; i += 2)
        cf_pair_remove(handles[i]);
    for (size_t i = 0; i < HANDLES; i++)
        assert_int_equal(cf_pair_of(handles[i]) != NULL, i % 2);
    for (size_t i = 1; i < HANDLES; i += 2)
        cf_pair_remove(handles[i]);
    cf_pairs_forget(&context);
}

/* A driver gives the handle of an event that is gone, with its context, to a new one: nothing of the old one is left.
 */
static void a_handle_that_is_used_again_begins_anew(void **state)
{
    (void)state;
    char context;
    cf_pair *pair = cf_pair_add(handles[1], &context, 0, true);
    pair->twin = twins[1];
    atomic_store(&pair->last, twins[1]);
    atomic_store(&pair->pinned, true);
    pair = cf_pair_add(handles[1], &context, 2, true);
    assert_ptr_equal(pair, cf_pair_of(handles[1]));
    assert_null(pair->twin);
    assert_null(atomic_load(&pair->last));
    assert_false(atomic_load(&pair->pinned));
    assert_false(pair->timing);
    cf_pair_remove(handles[1]);
    assert_null(cf_pair_of(handles[1]));
    assert_null(cf_pair_remove(handles[1]));
}

/* As many events as a program makes in a day take no more room than it has at once. */
static void an_event_in_every_step_needs_no_more_room(void **state)
{
    (void)state;
    const cf_table_places *places = atomic_load(&cf_pairs.places);
    for (size_t i = 0; i < 100000; i++) {
        assert_non_null(add(i % 7, NULL));
        cf_pair_remove(handles[i % 7]);
    }
    assert_ptr_equal(atomic_load(&cf_pairs.places), places);
}

static void *twin_of_a_new_event(size_t i, void *context, unsigned flags, bool may_turn)
{
    return cf_pair_add(handles[i], context, flags, may_turn)->twin;
}

static void a_twin_serves_again_in_its_context_with_its_flags_alone(void **state)
{
    (void)state;
    char one, other;
    cf_pair_add(handles[1], &one, 0, true)->twin = twins[1];
    assert_null(cf_pair_remove(handles[1]));
    assert_null(twin_of_a_new_event(2, &other, 0, true));
    assert_null(twin_of_a_new_event(3, &one, 2, true));
    assert_null(twin_of_a_new_event(4, &one, 0, false));
    assert_ptr_equal(twin_of_a_new_event(5, &one, 0, true), twins[1]);
    assert_null(twin_of_a_new_event(6, &one, 0, true));
    cf_pairs_forget(&one);
    cf_pairs_forget(&other);
}

static void a_context_that_is_gone_takes_its_events_along(void **state)
{
    (void)state;
    char one, other;
    cf_pair_add(handles[1], &one, 0, true)->twin = twins[1];
    cf_pair_add(handles[2], &other, 0, true)->twin = twins[2];
    cf_pair_add(handles[3], &one, 0, true)->twin = twins[3];
    cf_pair_add(handles[4], &other, 0, true)->twin = twins[4];
    cf_pair_remove(handles[3]);
    cf_pair_remove(handles[4]);
    cf_pairs_forget(&one);
    assert_null(cf_pair_of(handles[1]));
    assert_non_null(cf_pair_of(handles[2]));
    assert_null(twin_of_a_new_event(5, &one, 0, true));
    assert_ptr_equal(twin_of_a_new_event(6, &other, 0, true), twins[4]);
    cf_pairs_forget(&one);
    cf_pairs_forget(&other);
}

typedef struct worker {
    size_t first, rounds;
    int wrong;
} worker;

static void *work(void *user)
{
    worker *w = user;
    for (size_t round = 0; round < w->rounds; round++)
        for (size_t i = w->first; i < w->first + 200; i++) {
            add(i, NULL);
            const cf_pair *pair = cf_pair_of(handles[i]);
            w->wrong += !pair || pair->own != handles[i];
            cf_pair_remove(handles[i]);
            w->wrong += cf_pair_of(handles[i]) != NULL;
        }
    return NULL;
}

static void threads_find_their_own_while_the_table_grows(void **state)
{
    (void)state;
    pthread_t threads[4];
    worker workers[4];
    for (size_t i = 0; i < 4; i++) {
        workers[i] = (worker){.first = 1000 * i, .rounds = 50};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].wrong, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timed_event_is_recorded_without_time_in_stripped_steps_alone),
        cmocka_unit_test(an_event_without_time_gets_one_in_added_steps_alone),
        cmocka_unit_test(what_is_pinned_or_has_no_twin_stays),
        cmocka_unit_test(an_event_that_was_never_recorded_stands_for_itself),
        cmocka_unit_test(thousands_are_found_again_and_none_after_it_is_gone),
        cmocka_unit_test(a_handle_that_is_used_again_begins_anew),
        cmocka_unit_test(an_event_in_every_step_needs_no_more_room),
        cmocka_unit_test(a_twin_serves_again_in_its_context_with_its_flags_alone),
        cmocka_unit_test(a_context_that_is_gone_takes_its_events_along),
        cmocka_unit_test(threads_find_their_own_while_the_table_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
