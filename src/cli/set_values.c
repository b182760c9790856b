#include "cli/set_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define POINTS_MOST  9
#define STEPS_MOST   200
#define WHOLE_MOST   9007199254740992.0 /* 2^53: every whole number up to it is a double */
#define PLAIN_DIGITS 4

typedef enum unit_kind { PLAIN_WHOLE, PLAIN_REAL, SIZE, LENGTH } unit_kind;

/* Largest first. */
static const struct {
    unit_kind kind;
    const char *suffix;
    double factor;
} units[] = {
    {SIZE, "GiB", 1073741824.0}, {SIZE, "MiB", 1048576.0}, {SIZE, "KiB", 1024.0}, {LENGTH, "s", 1e9},
    {LENGTH, "ms", 1e6},         {LENGTH, "us", 1e3},      {LENGTH, "ns", 1.0},
};
enum { UNIT_COUNT = sizeof units / sizeof units[0] };

static cf_status refuse_range(const char *text, const char *why, cf_error *err)
{
    char safe[160];
    return cf_error_set(err, CF_INPUT,
                        "--sweep %s: %s; accepted: KEY=FROM..TO[:STEPS] such as lane.a.bytes=16KiB..64MiB, or "
                        "KEY=V1,V2,...",
                        cf_text_safe(text, safe, sizeof safe), why);
}

static bool read_end(const char *text, unit_kind *ret_kind, double *ret)
{
    uint64_t whole = 0;
    if (cf_text_parse_u64(text, 0, (uint64_t)WHOLE_MOST, &whole)) {
        *ret_kind = PLAIN_WHOLE;
    } else if (cf_text_parse_double(text, 0, 1e300, ret)) {
        *ret_kind = PLAIN_REAL;
        return true;
    } else if (cf_text_parse_bytes(text, (uint64_t)WHOLE_MOST, &whole)) {
        *ret_kind = SIZE;
    } else if (cf_text_parse_ns(text, (uint64_t)WHOLE_MOST, &whole)) {
        *ret_kind = LENGTH;
    } else {
        return false;
    }
    *ret = (double)whole;
    return true;
}

/* Both ends say what the points are; a whole number beside one with a unit or a point is what that is. */
static bool settle_kind(unit_kind from, unit_kind to, unit_kind *ret)
{
    if (from == to || from == PLAIN_WHOLE)
        *ret = to;
    else if (to == PLAIN_WHOLE)
        *ret = from;
    else
        return false;
    return true;
}

/* In the largest unit that leaves a whole number. */
static void show(unit_kind kind, double value, char *buf, size_t buf_bytes)
{
    if (kind == PLAIN_REAL) {
        (void)snprintf(buf, buf_bytes, "%.*g", PLAIN_DIGITS, value);
        return;
    }
    for (int i = 0; i < UNIT_COUNT; i++)
        if (units[i].kind == kind && fmod(value, units[i].factor) == 0 && value > 0) {
            (void)snprintf(buf, buf_bytes, "%.0f%s", value / units[i].factor, units[i].suffix);
            return;
        }
    (void)snprintf(buf, buf_bytes, "%.0f", value);
}

/* Sizes between powers of two are rounded to a word, which every operation takes; times to three digits. */
static double rounded(unit_kind kind, double value)
{
    double unit = 1;
    if (kind == PLAIN_REAL)
        return value;
    if (kind == SIZE && value >= 64)
        unit = 8;
    while (kind == LENGTH && value / unit >= 1000)
        unit *= 10;
    return unit * round(value / unit);
}

static double step_factor(double ratio, uint64_t steps, int *ret_points)
{
    for (int factor = 2; steps == 0 && factor <= 4; factor += 2) {
        double points = floor(log(ratio) / log(factor) + 1e-9) + 1;
        *ret_points = (int)points;
        if (points <= POINTS_MOST)
            return factor;
    }
    *ret_points = steps == 0 ? POINTS_MOST : (int)steps;
    return pow(ratio, 1.0 / (*ret_points - 1));
}

static cf_status add_point(unit_kind kind, double value, cf_set_strings *values, cf_error *err)
{
    char text[64];
    show(kind, value, text, sizeof text);
    if (values->count > 0 && strcmp(values->items[values->count - 1], text) == 0)
        return CF_OK; /* steps smaller than one */
    return cf_set_strings_add(values, text, err);
}

static cf_status add_range(unit_kind kind, double from, double to, uint64_t steps, cf_set_strings *values,
                           cf_error *err)
{
    int points = 0;
    double factor = step_factor(to / from, steps, &points);
    cf_status status = CF_OK;
    double last = from;
    for (int i = 0; i < points && status == CF_OK; i++) {
        last = from * pow(factor, i);
        last = last > to * (1 - 1e-9) ? to : i > 0 ? rounded(kind, last) : from;
        status = add_point(kind, last, values, err);
    }
    return status == CF_OK && last < to ? add_point(kind, to, values, err) : status;
}

/* range: "FROM..TO[:STEPS]", which is cut up. */
static cf_status read_range(const char *text, char *range, cf_set_strings *values, cf_error *err)
{
    char *dots = strstr(range, "..");
    char *colon = strrchr(range, ':');
    uint64_t steps = 0;
    if (colon != NULL && !cf_text_parse_u64(colon + 1, 2, STEPS_MOST, &steps))
        return refuse_range(text, "STEPS is a whole number from 2 to 200", err);
    if (colon != NULL)
        *colon = '\0';
    *dots = '\0';
    unit_kind from_kind = PLAIN_WHOLE, to_kind = PLAIN_WHOLE, kind = PLAIN_WHOLE;
    double from = 0, to = 0;
    if (!read_end(range, &from_kind, &from) || !read_end(dots + 2, &to_kind, &to))
        return refuse_range(text, "FROM and TO are numbers, sizes or times", err);
    if (!settle_kind(from_kind, to_kind, &kind))
        return refuse_range(text, "FROM and TO are not of one kind", err);
    if (!(from > 0) || !(from < to))
        return refuse_range(text, "FROM is above 0 and below TO, since the steps are even ratios", err);
    return add_range(kind, from, to, steps, values, err);
}

static cf_status read_list(const char *option, char *list, bool empty_is_a_value, cf_set_strings *values, cf_error *err)
{
    for (char *value = list, *next = NULL; value != NULL; value = next) {
        next = strchr(value, ',');
        if (next != NULL)
            *next++ = '\0';
        char safe[80];
        if (*value == '\0' && !empty_is_a_value)
            return cf_error_set(err, CF_INPUT, "%s: an empty value in the list", option);
        for (size_t i = 0; i < values->count; i++)
            if (strcmp(values->items[i], value) == 0)
                return cf_error_set(err, CF_INPUT, "%s: the value '%s' stands there twice", option,
                                    cf_text_safe(value, safe, sizeof safe));
        cf_status status = cf_set_strings_add(values, value, err);
        if (status != CF_OK)
            return status;
    }
    return CF_OK;
}

/* Cuts "KEY=REST" in a copy. */
static cf_status cut(const char *text, char **ret_key, char **ret_rest, cf_error *err)
{
    *ret_key = cf_text_dup(text);
    if (*ret_key == NULL)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    char *equals = strchr(*ret_key, '=');
    *ret_rest = equals != NULL ? equals + 1 : NULL;
    if (equals != NULL)
        *equals = '\0';
    return CF_OK;
}

cf_status cf_set_values_sweep(const char *text, char **ret_key, cf_set_strings *ret_values, cf_error *err)
{
    char *rest = NULL;
    cf_status status = cut(text, ret_key, &rest, err);
    if (status != CF_OK)
        return status;
    if (rest == NULL || strchr(*ret_key, '.') == NULL || *rest == '\0')
        return refuse_range(text, "it names no SECTION.KEY and values", err);
    if (strstr(rest, "..") != NULL)
        return read_range(text, rest, ret_values, err);
    return read_list("--sweep", rest, false, ret_values, err);
}

static bool is_name(const char *name)
{
    static const char accepted[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return *name != '\0' && strspn(name, accepted) == strlen(name) && (*name < '0' || *name > '9');
}

cf_status cf_set_values_env(const char *text, char **ret_name, cf_set_strings *ret_values, cf_error *err)
{
    char *rest = NULL;
    char safe[80];
    cf_status status = cut(text, ret_name, &rest, err);
    if (status != CF_OK)
        return status;
    if (rest == NULL || !is_name(*ret_name))
        return cf_error_set(err, CF_INPUT,
                            "--vary-env %s: accepted: NAME=V1,V2,... such as "
                            "CUDA_DEVICE_MAX_CONNECTIONS=1,2,8",
                            cf_text_safe(text, safe, sizeof safe));
    if (strncmp(*ret_name, "CONFOUND_", 9) == 0)
        return cf_error_set(err, CF_INPUT,
                            "--vary-env %s: the variables of confound itself are options; vary a key of "
                            "the job with --sweep",
                            cf_text_safe(*ret_name, safe, sizeof safe));
    return read_list("--vary-env", rest, true, ret_values, err);
}
