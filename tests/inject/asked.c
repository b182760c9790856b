/* What is remembered of events that were asked for their times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>

#include "inject/asked.h"

#define EVENTS  16384u /* more than are remembered */
#define THREADS 3u
#define ROUNDS  1000000u

static char events[EVENTS][64], queues[2];

static bool keep(size_t i, cf_cl queue, uint32_t type)
{
    cf_asked about = {.queue = queue, .type = type};
    cf_asked_keep(events[i], &about);
    return cf_asked_find(events[i], &about);
}

static void what_was_kept_is_found_until_it_is_forgotten(void **state)
{
    cf_asked about;
    (void)state;
    assert_false(cf_asked_find(events[0], &about));
    assert_true(keep(0, &queues[0], 7));
    assert_true(cf_asked_find(events[0], &about));
    assert_ptr_equal(about.queue, &queues[0]);
    assert_int_equal(about.type, 7);
    cf_asked_forget(events[0]);
    assert_false(cf_asked_find(events[0], &about));
}

static void a_handle_that_is_used_again_has_the_new_answer(void **state)
{
    cf_asked about;
    (void)state;
    assert_true(keep(1, &queues[0], 7));
    cf_asked_forget(events[1]);
    assert_true(keep(1, &queues[1], 8));
    assert_true(cf_asked_find(events[1], &about));
    assert_ptr_equal(about.queue, &queues[1]);
    assert_int_equal(about.type, 8);
    cf_asked_forget(events[1]);
}

static void what_is_over_is_said_to_be(void **state)
{
    cf_asked about = {.queue = &queues[0], .type = 7, .over = true};
    (void)state;
    assert_true(keep(1, &queues[0], 7));
    assert_true(cf_asked_find(events[1], &about));
    assert_false(about.over);
    about.over = true;
    cf_asked_keep(events[1], &about);
    about.over = false;
    assert_true(cf_asked_find(events[1], &about));
    assert_true(about.over);
    assert_int_equal(about.type, 7);
    cf_asked_forget(events[1]);
}

static void no_event_is_none(void **state)
{
    cf_asked about = {.queue = &queues[0]};
    (void)state;
    cf_asked_keep(NULL, &about);
    assert_false(cf_asked_find(NULL, &about));
    cf_asked_forget(NULL);
}

static void of_many_some_are_lost_and_none_is_taken_for_another(void **state)
{
    size_t found = 0;
    (void)state;
    for (size_t i = 0; i < EVENTS; i++)
        keep(i, &queues[i % 2], (uint32_t)i);
    for (size_t i = 0; i < EVENTS; i++) {
        cf_asked about;
        if (!cf_asked_find(events[i], &about))
            continue;
        found++;
        assert_ptr_equal(about.queue, &queues[i % 2]);
        assert_int_equal(about.type, i);
    }
    assert_true(found > 0 && found < EVENTS);
    for (size_t i = 0; i < EVENTS; i++)
        cf_asked_forget(events[i]);
}

static char *rivals[THREADS]; /* events that are kept in one place */

static void find_rivals(void)
{
    size_t found = 1;
    rivals[0] = events[0];
    for (size_t i = 1; i < EVENTS && found < THREADS; i++) {
        keep(0, &queues[0], 1);
        keep(i, &queues[0], 1);
        cf_asked about;
        if (!cf_asked_find(events[0], &about))
            rivals[found++] = events[i];
        cf_asked_forget(events[i]);
    }
    cf_asked_forget(events[0]);
    assert_int_equal(found, THREADS);
}

/* Each thread has an event of its own, and reads those of the others. */
static void *work(void *user)
{
    uintptr_t wrong = 0;
    char *mine = rivals[(uintptr_t)user], *other = rivals[((uintptr_t)user + 1) % THREADS];
    const cf_asked all = {.queue = mine, .type = (uint32_t)(uintptr_t)mine / 2};
    for (size_t round = 0; round < ROUNDS; round++) {
        cf_asked about;
        cf_asked_keep(mine, &all);
        if (cf_asked_find(other, &about))
            wrong += about.queue != other || about.type != (uint32_t)(uintptr_t)other / 2;
        if (round % 16 == 0) {
            cf_asked_forget(mine);
            wrong += cf_asked_find(mine, &about);
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
        cmocka_unit_test(what_was_kept_is_found_until_it_is_forgotten),
        cmocka_unit_test(a_handle_that_is_used_again_has_the_new_answer),
        cmocka_unit_test(what_is_over_is_said_to_be),
        cmocka_unit_test(no_event_is_none),
        cmocka_unit_test(of_many_some_are_lost_and_none_is_taken_for_another),
        cmocka_unit_test(threads_never_see_one_event_s_queue_with_another_s_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
