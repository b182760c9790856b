#include "exec/number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "base/file.h"
#include "base/text.h"

#define MAX_OUTPUT_BYTES ((size_t)256 << 20)
#define MAX_NUMBERS      1000000
#define TICK_LOOKS       20 /* of 1 ms; the slowest ticks take 10 ms */
#define FILE_WORD        "file:"
#define LEAST            1e-100 /* between any two from here to there is a ratio, which may be squared or shown in percent */
#define MOST             1e100

void cf_number_done(cf_number *number)
{
    free(number->detail);
    free(number->path);
    if (number->compiled)
        regfree(&number->regex);
    *number = (cf_number){.source = CF_SOURCE_WALL};
}

const char *cf_number_name(const cf_number *number)
{
    switch (number->source) {
    case CF_SOURCE_FILE:
        return number->key;
    case CF_SOURCE_REGEX:
        return "number";
    case CF_SOURCE_WALL:
    case CF_SOURCE_CPU:
    case CF_SOURCE_STEP:
        break;
    }
    return cf_source_names[number->source];
}

/* ---- what is asked for ---- */

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

static cf_status parse_file(const char *text, cf_number *ret, cf_error *err)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || !colon[1])
        return cf_error_set(err, CF_INPUT,
                            "--metric file:%s: file:PATH:KEY is accepted, a file that the program writes, and a key in "
                            "it",
                            text);
    ret->source = CF_SOURCE_FILE;
    ret->detail = cf_text_dup(text);
    ret->path = cf_text_format("%.*s", (int)(colon - text), text);
    if (!ret->detail || !ret->path)
        return no_memory(err);
    ret->key = ret->detail + (colon - text) + 1;
    return CF_OK;
}

static cf_status parse_regex(const char *text, cf_number *ret, cf_error *err)
{
    char why[200];
    ret->source = CF_SOURCE_REGEX;
    ret->detail = cf_text_dup(text);
    if (!ret->detail)
        return no_memory(err);
    const int code = regcomp(&ret->regex, text, REG_EXTENDED | REG_NEWLINE);
    if (code) {
        regerror(code, &ret->regex, why, sizeof why);
        return cf_error_set(err, CF_INPUT, "--metric '%.200s': no regular expression: %s", text, why);
    }
    ret->compiled = true;
    if (ret->regex.re_nsub != 1)
        return cf_error_set(err, CF_INPUT,
                            "--metric '%.200s': it has %zu groups; exactly one (…) is accepted, around the number",
                            text, ret->regex.re_nsub);
    return CF_OK;
}

cf_status cf_number_parse(const char *text, cf_number *ret, cf_error *err)
{
    *ret = (cf_number){.source = CF_SOURCE_WALL};
    if (strcmp(text, "wall") == 0)
        return CF_OK;
    if (strcmp(text, "cpu") == 0) {
        ret->source = CF_SOURCE_CPU;
        return CF_OK;
    }
    if (strncmp(text, FILE_WORD, strlen(FILE_WORD)) == 0)
        return parse_file(text + strlen(FILE_WORD), ret, err);
    return parse_regex(text, ret, err);
}

cf_status cf_number_of_record(const cf_record_metric *metric, cf_number *ret, cf_error *err)
{
    *ret = (cf_number){.source = CF_SOURCE_WALL};
    const char *detail = metric->detail ? metric->detail : "";
    switch (metric->source) {
    case CF_SOURCE_WALL:
    case CF_SOURCE_CPU:
        ret->source = metric->source;
        return CF_OK;
    case CF_SOURCE_FILE:
        return parse_file(detail, ret, err);
    case CF_SOURCE_REGEX:
        return parse_regex(detail, ret, err);
    case CF_SOURCE_STEP:
        break;
    }
    return cf_error_set(err, CF_INPUT, "its numbers are of steps inside one process: it cannot be gone on with");
}

/* ---- numbers ---- */

static cf_status add(cf_numbers *numbers, double value, cf_error *err)
{
    if (numbers->count == MAX_NUMBERS)
        return cf_error_set(err, CF_GATE, "more than %d numbers in one run", MAX_NUMBERS);
    if ((numbers->count & (numbers->count - 1)) == 0) { /* full at every power of two */
        double *items = realloc(numbers->items, (numbers->count ? 2 * numbers->count : 1) * sizeof *items);
        if (!items)
            return no_memory(err);
        numbers->items = items;
    }
    numbers->items[numbers->count++] = value;
    return CF_OK;
}

static cf_status add_checked(cf_numbers *numbers, double value, const char *shown, cf_error *err)
{
    if (value < LEAST || value > MOST)
        return cf_error_set(err, CF_GATE, "%s is beyond what can be compared; accepted: %g to %g", shown, LEAST, MOST);
    return add(numbers, value, err);
}

/* A ratio to the control needs a number above 0. */
static cf_status add_word(cf_numbers *numbers, const char *word, size_t size_bytes, cf_error *err)
{
    char text[128];
    double value = 0;
    snprintf(text, sizeof text, "%.*s", (int)(size_bytes < sizeof text ? size_bytes : sizeof text - 1), word);
    const char *number = text + (text[0] == '+');
    if (size_bytes >= sizeof text || !cf_text_parse_double(number, 0, HUGE_VAL, &value) || !(value > 0))
        return cf_error_set(err, CF_GATE, "'%s' is no number above 0", text);
    return add_checked(numbers, value, text, err);
}

/* False where a match may reach from one line into the next: by a class that holds the newline, or a newline itself. */
static bool stays_in_a_line(const char *regex)
{
    static const char *const crossing[] = {"[:space:]", "[:cntrl:]", "\\s", "\\W"};
    for (size_t i = 0; i < sizeof crossing / sizeof crossing[0]; i++)
        if (strstr(regex, crossing[i]))
            return false;
    for (; *regex; regex++)
        if ((unsigned char)*regex < ' ')
            return false;
    return true;
}

/* The first match between from and end, its places counted from the text's begin. As regexec, which takes as long as
   there is text up to end, wherever it begins. */
static int match(const cf_number *number, const char *text, size_t from, size_t end, regmatch_t ret_at[2])
{
#ifdef REG_STARTEND /* told no end, regexec looks for it at every match */
    ret_at[0] = (regmatch_t){.rm_so = (regoff_t)from, .rm_eo = (regoff_t)end};
    return regexec(&number->regex, text, 2, ret_at, REG_STARTEND);
#else
    const bool begin = from == 0 || text[from - 1] == '\n';
    const int code = regexec(&number->regex, text + from, 2, ret_at, begin ? 0 : REG_NOTBOL);
    for (int i = 0; i < 2 && code == 0; i++) {
        ret_at[i].rm_so += ret_at[i].rm_so < 0 ? 0 : (regoff_t)from;
        ret_at[i].rm_eo += ret_at[i].rm_eo < 0 ? 0 : (regoff_t)from;
    }
    (void)end;
    return code;
#endif
}

/* ---- units ---- */

/* "MH/s" of "87.3 MH/s (…)"; "" where something else than a word is behind the number. */
static void word_behind(const char *at, const char *end, cf_number_unit *ret)
{
    size_t length = 0;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    while (at < end && length + 1 < sizeof ret->word &&
           (isalpha((unsigned char)*at) || *at == '/' || *at == '%' || (unsigned char)*at >= 0x80))
        ret->word[length++] = *at++;
    ret->word[length] = '\0';
}

/* What is behind a prefix of units, or all of it where there is none. */
static const char *behind_prefix(const char *unit)
{
    static const char *const prefixes[] = {"n", "u", "µ", "μ", "m", "k", "K", "M", "G", "T", "P"}; /* both micros */
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(unit, prefixes[i], strlen(prefixes[i])) == 0)
            return unit + strlen(prefixes[i]);
    return unit;
}

/* "s" and "ms", "kH/s" and "MH/s"; not "second" and "seconds". */
static bool is_another_multiple(const char *unit, const char *other)
{
    const char *of = behind_prefix(unit), *of_other = behind_prefix(other);
    if (strcmp(unit, other) == 0)
        return false;
    return strcmp(of, of_other) == 0 || (of_other != other && strcmp(unit, of_other) == 0) ||
           (of != unit && strcmp(of, other) == 0);
}

/* Some programs choose the unit by the number. */
static cf_status check_unit(cf_number_unit *unit, const char *at, const char *end, cf_error *err)
{
    cf_number_unit found;
    word_behind(at, end, &found);
    if (found.word[0] == '\0')
        return CF_OK;
    if (unit->word[0] == '\0')
        *unit = found;
    else if (is_another_multiple(found.word, unit->word))
        return cf_error_set(
            err, CF_GATE,
            "a number stands before '%s', and one before it stood before '%s': they cannot be compared; "
            "accepted: one unit (name it in the expression, or have the program print one)",
            found.word, unit->word);
    return CF_OK;
}

static cf_status find_all(const cf_number *number, const char *text, size_t end, cf_number_unit *unit,
                          cf_numbers *found, cf_error *err)
{
    regmatch_t at[2];
    cf_status status = CF_OK;
    for (size_t from = 0; !status && from <= end;) {
        const int code = match(number, text, from, end, at);
        if (code != 0)
            return code == REG_ESPACE ? no_memory(err) : CF_OK;
        if (at[1].rm_so < 0)
            status = cf_error_set(err, CF_GATE, "the group of '%.200s' holds nothing", number->detail);
        else
            status = add_word(found, text + at[1].rm_so, (size_t)(at[1].rm_eo - at[1].rm_so), err);
        if (!status)
            status = check_unit(unit, text + at[1].rm_eo, text + end, err);
        from = (size_t)at[0].rm_eo + (at[0].rm_eo == at[0].rm_so); /* an empty match must not be found again */
    }
    return status;
}

/* A long log would take minutes as a whole: it is looked through line by line where that finds the same. */
cf_status cf_number_find_in_text(const cf_number *number, const char *text, cf_number_unit *unit,
                                 cf_numbers *ret_numbers, cf_error *err)
{
    cf_numbers found = {0};
    const size_t size_bytes = strlen(text);
    const bool by_line = stays_in_a_line(number->detail);
    cf_text line = {0}; /* with an end of its own */
    cf_status status = CF_OK;
    for (size_t from = 0, end; !status && from <= size_bytes; from = end + 1) {
        const char *newline = by_line ? memchr(text + from, '\n', size_bytes - from) : NULL;
        end = newline ? (size_t)(newline - text) : size_bytes;
        line.size_bytes = 0;
        if (by_line)
            cf_text_add_bytes(&line, text + from, end - from);
        if (line.failed)
            status = no_memory(err);
        else
            status = find_all(number, by_line ? line.data : text, end - from, unit, &found, err);
    }
    cf_text_done(&line);
    if (status)
        free(found.items);
    else
        *ret_numbers = found;
    return status;
}

/* ---- files ---- */

/* A member of an object, or an element of a list by its index. */
static const json_t *step_into(const json_t *json, const char *key)
{
    if (json_is_object(json))
        return json_object_get(json, key);
    const bool index = *key && strspn(key, "0123456789") == strlen(key) && strlen(key) < 10;
    return json_is_array(json) && index ? json_array_get(json, (size_t)strtoul(key, NULL, 10)) : NULL;
}

/* Step after step of "a.b.0.c"; a key that holds dots itself is tried first. */
static const json_t *find(const json_t *json, const char *key)
{
    const json_t *whole = step_into(json, key);
    const char *dot = strchr(key, '.');
    if (whole || !dot)
        return whole;
    char *first = cf_text_format("%.*s", (int)(dot - key), key);
    const json_t *inner = first ? step_into(json, first) : NULL;
    free(first);
    return inner ? find(inner, dot + 1) : NULL;
}

static cf_status add_json(const char *name, const char *key, const json_t *json, cf_numbers *found, cf_error *err)
{
    const double value = json_number_value(json);
    if (!json_is_number(json) || !(value > 0) || !isfinite(value))
        return cf_error_set(err, CF_GATE, "%s: %s is no number above 0", name, key);
    char shown[32];
    return add_checked(found, value, cf_text_shortest(value, shown, sizeof shown), err);
}

static cf_status find_in_json(const char *name, const json_t *root, const char *key, cf_numbers *found, cf_error *err)
{
    const json_t *json = find(root, key);
    if (!json)
        return cf_error_set(err, CF_GATE, "%s has no member %s", name, key);
    if (!json_is_array(json))
        return add_json(name, key, json, found, err);
    cf_status status = CF_OK;
    for (size_t i = 0; !status && i < json_array_size(json); i++)
        status = add_json(name, key, json_array_get(json, i), found, err);
    return !status && found->count == 0 ? cf_error_set(err, CF_GATE, "%s: %s is an empty list", name, key) : status;
}

/* Lines "KEY=value" or "KEY: value"; blanks around both are no part of them. */
static cf_status find_in_lines(const char *name, const char *text, const char *key, cf_numbers *found, cf_error *err)
{
    cf_status status = CF_OK;
    const size_t key_bytes = strlen(key);
    while (!status && *text) {
        const size_t line_bytes = strcspn(text, "\n");
        const char *at = text + strspn(text, " \t"), *end = text + line_bytes;
        text = end + (*end != '\0');
        if ((size_t)(end - at) <= key_bytes || strncmp(at, key, key_bytes) != 0)
            continue;
        at += key_bytes;
        at += strspn(at, " \t");
        if (at >= end || !strchr("=:", *at))
            continue;
        at++;
        at += strspn(at, " \t");
        while (end > at && strchr(" \t\r", end[-1]))
            end--;
        status = add_word(found, at, at < end ? (size_t)(end - at) : 0, err);
    }
    return !status && found->count == 0 ? cf_error_set(err, CF_GATE, "%s has no line '%s=NUMBER'", name, key) : status;
}

cf_status cf_number_find_in_file(const char *name, const char *text, const char *key, cf_numbers *ret_numbers,
                                 cf_error *err)
{
    cf_numbers found = {0};
    json_t *root = json_loads(text, 0, NULL);
    const cf_status status =
        root ? find_in_json(name, root, key, &found, err) : find_in_lines(name, text, key, &found, err);
    json_decref(root);
    if (status)
        free(found.items);
    else
        *ret_numbers = found;
    return status;
}

/* Many kernels stamp files by a clock that ticks every few ms: what is written in one tick has one stamp. A stamp that
   lies in the future is not waited for. */
static void wait_for_tick(const struct timespec *stamp)
{
    const struct timespec look = {.tv_nsec = 1000000};
    for (int i = 0; i < TICK_LOOKS; i++) {
        struct timespec now;
        if (clock_gettime(CLOCK_REALTIME_COARSE, &now) != 0 || now.tv_sec > stamp->tv_sec ||
            (now.tv_sec == stamp->tv_sec && now.tv_nsec > stamp->tv_nsec))
            return;
        (void)nanosleep(&look, NULL);
    }
}

void cf_number_before(const cf_number *number, struct stat *ret_before)
{
    *ret_before = (struct stat){0};
    if (number->source != CF_SOURCE_FILE)
        return;
    if (stat(number->path, ret_before) == 0)
        wait_for_tick(&ret_before->st_mtim);
    else
        *ret_before = (struct stat){0};
}

/* A file that an earlier run left would give its number again and again. */
static bool is_same_file(const char *path, const struct stat *before)
{
    struct stat now;
    return stat(path, &now) == 0 && now.st_ino == before->st_ino && now.st_dev == before->st_dev &&
           now.st_size == before->st_size && now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

static cf_status find_in_own_file(const cf_number *number, const struct stat *before, cf_numbers *ret, cf_error *err)
{
    char *text = NULL;
    size_t size_bytes;
    cf_error why = {0};
    struct stat now;
    if (stat(number->path, &now) == 0 && !S_ISREG(now.st_mode)) /* who opens a pipe may wait for ever */
        return cf_error_set(err, CF_GATE, "%s is no plain file", number->path);
    if (is_same_file(number->path, before))
        return cf_error_set(err, CF_GATE, "%s was not written by this run", number->path);
    if (cf_file_read(number->path, MAX_OUTPUT_BYTES, &text, &size_bytes, &why))
        return cf_error_set(err, CF_GATE, "%s", why.text);
    const cf_status status = cf_number_find_in_file(number->path, text, number->key, ret, err);
    free(text);
    return status;
}

static cf_status find_in_output(const cf_number *number, const char *path, cf_number_unit *unit, cf_numbers *ret,
                                cf_error *err)
{
    char *text = NULL;
    size_t size_bytes;
    cf_error why = {0};
    cf_status status = cf_file_read(path, MAX_OUTPUT_BYTES, &text, &size_bytes, &why);
    if (status) /* too large is the arm's doing, and no end of the others */
        return cf_error_set(err, status == CF_INPUT ? CF_GATE : status, "%s", why.text);
    for (size_t i = 0; i < size_bytes; i++) /* a text to regexec ends at the first NUL */
        text[i] = text[i] ? text[i] : ' ';
    status = cf_number_find_in_text(number, text, unit, ret, err);
    free(text);
    return status;
}

cf_status cf_number_find(const cf_number *number, const char *out_path, const char *err_path, const struct stat *before,
                         cf_number_unit *unit, cf_numbers *ret_numbers, cf_error *err)
{
    cf_numbers found = {0};
    if (number->source == CF_SOURCE_FILE)
        return find_in_own_file(number, before, ret_numbers, err);
    cf_status status = find_in_output(number, out_path, unit, &found, err);
    if (!status && found.count == 0)
        status = find_in_output(number, err_path, unit, &found, err);
    if (!status && found.count == 0)
        return cf_error_set(err, CF_GATE, "nothing that it printed matches '%.200s'", number->detail);
    if (!status)
        *ret_numbers = found;
    return status;
}
