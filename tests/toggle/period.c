#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "toggle/period.h"

static size_t fill(uint64_t *to, const char *pattern, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        to[i] = (uint64_t)pattern[at++];
        if (pattern[at] == '\0')
            at = 0;
    }
    return count;
}

static void the_shortest_pattern_is_found(void **state)
{
    (void)state;
    uint64_t tokens[CF_PERIOD_WAITS] = {0};
    assert_int_equal(cf_period_find(tokens, fill(tokens, "a", 12)), 1);
    assert_int_equal(cf_period_find(tokens, fill(tokens, "ab", 12)), 2);
    assert_int_equal(cf_period_find(tokens, fill(tokens, "aab", 12)), 3);
    assert_int_equal(cf_period_find(tokens, fill(tokens, "aaaabbbb", 24)), 8);
    assert_int_equal(cf_period_find(tokens, fill(tokens, "abab", 40)), 2);
}

static void nothing_is_found_before_it_was_seen_three_times(void **state)
{
    (void)state;
    uint64_t tokens[CF_PERIOD_WAITS] = {0};
    assert_int_equal(cf_period_find(tokens, 0), 0);
    assert_int_equal(cf_period_find(tokens, fill(tokens, "a", 11)), 0);
    assert_int_equal(cf_period_find(tokens, fill(tokens, "abcdefgh", 23)), 0);
    assert_int_equal(cf_period_find(tokens, fill(tokens, "abcdefgh", 24)), 8);
}

static void what_came_before_the_pattern_does_not_matter(void **state)
{
    (void)state;
    uint64_t tokens[CF_PERIOD_WAITS] = {0};
    for (size_t i = 0; i < 100; i++)
        tokens[i] = 1000 + i;
    assert_int_equal(cf_period_find(tokens, 100 + fill(tokens + 100, "xyz", 12)), 3);
    assert_int_equal(cf_period_find(tokens, 100), 0);
}

/* A longer step now and then, as when a model is checked every hundred steps. */
static void a_pattern_with_few_faults_is_found_mostly(void **state)
{
    (void)state;
    uint64_t tokens[CF_PERIOD_WAITS] = {0};
    size_t count = fill(tokens, "ab", CF_PERIOD_WAITS);
    tokens[100] = tokens[300] = tokens[509] = 'z';
    assert_int_equal(cf_period_find(tokens, count), 0);
    assert_int_equal(cf_period_mostly(tokens, count), 2);
    for (size_t i = 0; i < count; i++)
        tokens[i] = i * i;
    assert_int_equal(cf_period_mostly(tokens, count), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest_pattern_is_found),
        cmocka_unit_test(nothing_is_found_before_it_was_seen_three_times),
        cmocka_unit_test(what_came_before_the_pattern_does_not_matter),
        cmocka_unit_test(a_pattern_with_few_faults_is_found_mostly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
