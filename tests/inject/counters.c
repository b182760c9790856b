/* What the calls of several threads add to a wire's counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>

#include "inject/inject.h"

#define THREADS 4u
#define ROUNDS  200000u
#define ENDED   100u

static _Atomic unsigned arrived;

/* Returns whose counters the thread has. */
static void *count_alone(void *user)
{
    (void)user;
    CF_INJECT_COUNT(calls);
    return cf_inject_mine;
}

static void *count_beside_others(void *user)
{
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < THREADS)
        ;
    for (size_t i = 0; i < ROUNDS; i++) {
        CF_INJECT_COUNT(calls);
        CF_INJECT_COUNT(commands[1][i % 2]);
        CF_INJECT_COUNT(commands[0][0]);
        CF_INJECT_COUNT(answered);
    }
    return user;
}

static void nothing_is_lost_where_threads_count_at_once(void **state)
{
    pthread_t threads[THREADS];
    const cf_wire_counts before = cf_inject_counts();
    (void)state;
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_beside_others, NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    const cf_wire_counts after = cf_inject_counts();
    const uint64_t each = (uint64_t)THREADS * ROUNDS;
    assert_int_equal(after.timing - before.timing, each);
    assert_int_equal(after.plain - before.plain, each);
    assert_int_equal(after.toggled - before.toggled, each / 2);
    assert_int_equal(after.answered - before.answered, each);
    assert_int_equal(after.calls - before.calls, 3 * each);
}

static void a_thread_that_ended_leaves_its_counters_to_the_next_and_what_it_counted_stays(void **state)
{
    const cf_wire_counts before = cf_inject_counts();
    void *first = NULL;
    (void)state;
    for (size_t i = 0; i < ENDED; i++) {
        pthread_t thread;
        void *mine = NULL;
        assert_int_equal(pthread_create(&thread, NULL, count_alone, NULL), 0);
        pthread_join(thread, &mine);
        assert_non_null(mine);
        first = first ? first : mine;
        assert_ptr_equal(mine, first);
    }
    assert_int_equal(cf_inject_counts().calls - before.calls, ENDED);
}

static void threads_that_live_never_share_counters(void **state)
{
    pthread_t thread;
    void *other = NULL;
    (void)state;
    CF_INJECT_COUNT(calls);
    assert_int_equal(pthread_create(&thread, NULL, count_alone, NULL), 0);
    pthread_join(thread, &other);
    assert_non_null(cf_inject_mine);
    assert_ptr_not_equal(other, cf_inject_mine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_where_threads_count_at_once),
        cmocka_unit_test(a_thread_that_ended_leaves_its_counters_to_the_next_and_what_it_counted_stays),
        cmocka_unit_test(threads_that_live_never_share_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
