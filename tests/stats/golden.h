/* tests/data/golden.json for tests: numbers that independent implementations agree on, to six digits. */
#ifndef CF_TESTS_STATS_GOLDEN_H
#define CF_TESTS_STATS_GOLDEN_H

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline json_t *golden_load(void)
{
    json_error_t error;
    json_t *golden = json_load_file(CF_SOURCE_DIR "/tests/data/golden.json", 0, &error);
    if (!golden)
        fail_msg("golden.json:%d: %s", error.line, error.text);
    return golden;
}

static inline json_t *golden_get(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!value)
        fail_msg("golden.json has no \"%s\"", key);
    return value;
}

/* "inf" and "-inf" are strings in the file. */
static inline double golden_number(json_t *value)
{
    const char *text = json_string_value(value);
    if (text)
        return strcmp(text, "-inf") == 0 ? -INFINITY : INFINITY;
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* A list of numbers; the caller frees. */
static inline double *golden_numbers(json_t *list, size_t *ret_count)
{
    *ret_count = json_array_size(list);
    double *numbers = calloc(*ret_count + 1, sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < *ret_count; i++)
        numbers[i] = golden_number(json_array_get(list, i));
    return numbers;
}

/* Equal to six significant digits; infinities must be the same one. */
static inline void assert_six_digits(double actual, double expected)
{
    if (isinf(expected) ? actual == expected : fabs(actual - expected) <= 0.5e-6 * fmax(fabs(expected), 1e-6))
        return;
    fail_msg("%.12g, expected %.12g", actual, expected);
}

#endif
