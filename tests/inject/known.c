/* What is known of the program's events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>

#include "inject/known.h"

#define EVENTS  65536u /* more than are known at a time */
#define THREADS 3u
#define ROUNDS  1000000u

static char events[EVENTS][64];

static bool keep(size_t i, unsigned slot, unsigned type)
{
    cf_known about = {.slot = slot, .type = type};
    cf_known_keep(events[i], about);
    return cf_known_find(events[i], &about);
}

static void what_was_noted_is_found_until_it_is_forgotten(void **state)
{
    cf_known about = {.slot = 0};
    (void)state;
    assert_false(cf_known_find(events[0], &about));
    assert_true(keep(0, CF_KNOWN_SLOTS - 1, CF_KNOWN_TYPES - 1));
    assert_true(cf_known_find(events[0], &about));
    assert_int_equal(about.slot, CF_KNOWN_SLOTS - 1);
    assert_int_equal(about.type, CF_KNOWN_TYPES - 1);
    assert_false(about.twin);
    assert_false(about.over);
    cf_known_forget(events[0]);
    assert_false(cf_known_find(events[0], &about));
}

static void a_handle_that_is_used_again_has_the_new_answer(void **state)
{
    cf_known about = {.slot = 7, .type = 7, .twin = true, .over = true};
    (void)state;
    cf_known_keep(events[1], about);
    cf_known_forget(events[1]);
    assert_true(keep(1, 8, 9));
    assert_true(cf_known_find(events[1], &about));
    assert_int_equal(about.slot, 8);
    assert_int_equal(about.type, 9);
    assert_false(about.twin);
    assert_false(about.over);
    assert_true(keep(1, 9, 10)); /* and without a release that was seen */
    assert_true(cf_known_find(events[1], &about));
    assert_int_equal(about.slot, 9);
    cf_known_forget(events[1]);
}

static void what_is_over_is_said_to_be_where_it_is_known(void **state)
{
    cf_known about = {.slot = 7, .type = 7, .twin = true};
    (void)state;
    cf_known_over(events[1]);
    assert_false(cf_known_find(events[1], &about));
    cf_known_keep(events[1], about);
    cf_known_over(events[1]);
    assert_true(cf_known_find(events[1], &about));
    assert_true(about.over);
    assert_true(about.twin);
    assert_int_equal(about.slot, 7);
    assert_int_equal(about.type, 7);
    cf_known_forget(events[1]);
}

static void what_is_no_event_and_what_has_no_queue_is_not_noted(void **state)
{
    cf_known about = {.slot = 1};
    cf_cl odd[] = {NULL, events[2] + 1, (cf_cl)((uintptr_t)events[2] | (uintptr_t)1 << 60)}; /* NOLINT */
    (void)state;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        cf_known_keep(odd[i], about);
        cf_known_over(odd[i]);
        assert_false(cf_known_find(odd[i], &about));
        cf_known_forget(odd[i]);
    }
    assert_false(keep(2, 0, 1));
}

static void of_many_some_are_lost_and_none_is_taken_for_another(void **state)
{
    size_t found = 0;
    (void)state;
    for (size_t i = 0; i < EVENTS; i++)
        keep(i, (unsigned)(1 + i % (CF_KNOWN_SLOTS - 1)), (unsigned)(i % CF_KNOWN_TYPES));
    for (size_t i = 0; i < EVENTS; i++) {
        cf_known about;
        if (!cf_known_find(events[i], &about))
            continue;
        found++;
        assert_int_equal(about.slot, 1 + i % (CF_KNOWN_SLOTS - 1));
        assert_int_equal(about.type, i % CF_KNOWN_TYPES);
    }
    assert_true(found > CF_KNOWN_PLACES / 2 && found <= CF_KNOWN_PLACES);
    for (size_t i = 0; i < EVENTS; i++)
        cf_known_forget(events[i]);
}

/* As many as most programs have at a time: nearly all are known, so that the driver need not be asked. */
static void of_a_few_hundred_nearly_all_are_known(void **state)
{
    const size_t steps[] = {1, 2, 3, 5, 6, 8, 13}; /* how far apart a driver's memory may put them */
    (void)state;
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        size_t found = 0;
        cf_known about;
        for (size_t i = 0; i < 200; i++)
            keep(i * steps[s], 1, 1);
        for (size_t i = 0; i < 200; i++) {
            found += cf_known_find(events[i * steps[s]], &about);
            cf_known_forget(events[i * steps[s]]);
        }
        assert_true(found >= 180);
    }
}

static char *rivals[THREADS]; /* events that are noted in one place */

static void find_rivals(void)
{
    size_t found = 1;
    uint64_t tag;
    rivals[0] = events[0];
    for (size_t i = 1; i < EVENTS && found < THREADS; i++)
        if (cf_known_place(events[i], &tag) == cf_known_place(rivals[0], &tag))
            rivals[found++] = events[i];
    assert_int_equal(found, THREADS);
}

/* Each thread has an event of its own, of a queue and a type of its own, and reads those of the others. */
static void *work(void *user)
{
    const unsigned mine = (unsigned)(uintptr_t)user, other = (mine + 1) % THREADS;
    uintptr_t wrong = 0;
    for (size_t round = 0; round < ROUNDS; round++) {
        cf_known about;
        cf_known_keep(rivals[mine], (cf_known){.slot = mine + 1, .type = mine, .twin = mine % 2 != 0});
        cf_known_over(rivals[mine]);
        if (cf_known_find(rivals[other], &about))
            wrong += about.slot != other + 1 || about.type != other || about.twin != (other % 2 != 0);
        if (round % 16 == 0) {
            cf_known_forget(rivals[mine]);
            wrong += cf_known_find(rivals[mine], &about);
        }
    }
    return (void *)wrong; /* NOLINT(performance-no-int-to-ptr) */
}

static void threads_never_see_one_event_s_queue_with_another_s_type(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    find_rivals();
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0); /* NOLINT */
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_noted_is_found_until_it_is_forgotten),
        cmocka_unit_test(a_handle_that_is_used_again_has_the_new_answer),
        cmocka_unit_test(what_is_over_is_said_to_be_where_it_is_known),
        cmocka_unit_test(what_is_no_event_and_what_has_no_queue_is_not_noted),
        cmocka_unit_test(of_many_some_are_lost_and_none_is_taken_for_another),
        cmocka_unit_test(of_a_few_hundred_nearly_all_are_known),
        cmocka_unit_test(threads_never_see_one_event_s_queue_with_another_s_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
