#include <stdlib.h>
#include <string.h>

#include "api/object.h"
#include "api/steps.h"

#define NAME_BYTES       41
#define TEXT_BYTES       201
#define OPERATIONS_MOST  65536
#define IN_FLIGHT_MOST   64
#define LENGTH_FIRST_END (INT64_C(1) << 48)
#define COUNT_MOST       (INT64_C(1) << 29) /* of a window, so that those of a million rounds fit into a record */
#define SEEN_MOST_NS     (INT64_C(1) << 51) /* of a step, so that those of a cell do */

confound_status confound_steps_new(confound_steps **ret_steps, confound_error *err)
{
    confound_steps *steps = calloc(1, sizeof *steps);
    if (!steps)
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    steps->steps.in_flight = 1;
    steps->steps.lane[0].count = steps->steps.lane[1].count = 1;
    *ret_steps = steps;
    return CONFOUND_OK;
}

void confound_steps_free(confound_steps *steps)
{
    if (!steps)
        return;
    cf_steps *s = &steps->steps;
    for (int lane = 0; lane < 2; lane++) {
        free(s->lane[lane].label);
        free(s->lane[lane].unit);
    }
    for (int i = 0; i < s->instrument_count; i++) {
        free(s->instruments[i].name);
        free(s->instruments[i].process_why);
    }
    free(s->name);
    free(s->device_backend);
    free(s->device_name);
    free(s->driver);
    free(s->wait);
    cf_pairs_done(&s->device);
    cf_pairs_done(&s->environment);
    free(steps);
}

/* One line of text, or NULL: it goes into a record's job, where a line is a line. */
static confound_status set_text(char **at, const char *what, const char *text, confound_error *err)
{
    char *copy = NULL;
    if (text && (text[0] == '\0' || strlen(text) >= TEXT_BYTES || strpbrk(text, "\r\n")))
        return cf_api_fail(err, CF_INPUT, "%s \"%.60s\" is not accepted; one line of 1 to %d bytes is", what, text,
                           TEXT_BYTES - 1);
    if (text && !(copy = cf_text_dup(text)))
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    free(*at);
    *at = copy;
    return CONFOUND_OK;
}

static bool is_word(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = strlen(text);
    return length > 0 && length < NAME_BYTES && strspn(text, letters) == length;
}

void confound_steps_set_submit(confound_steps *steps, confound_submit_fn *submit, void *user)
{
    steps->submit = submit;
    steps->submit_user = user;
}

void confound_steps_set_wait(confound_steps *steps, confound_wait_fn *wait, void *user)
{
    steps->wait = wait;
    steps->wait_user = user;
}

void confound_steps_set_empty(confound_steps *steps, confound_empty_fn *empty, void *user)
{
    steps->empty = empty;
    steps->empty_user = user;
}

void confound_steps_set_blocked(confound_steps *steps, confound_blocked_fn *blocked, void *user)
{
    steps->blocked = blocked;
    steps->blocked_user = user;
}

void confound_steps_set_arm(confound_steps *steps, confound_arm_fn *arm, confound_arm_fn *disarm, void *user)
{
    steps->arm = arm;
    steps->disarm = disarm;
    steps->arm_user = user;
}

void confound_steps_set_prove(confound_steps *steps, confound_prove_fn *prove, void *user)
{
    steps->prove = prove;
    steps->prove_user = user;
}

void confound_steps_set_check(confound_steps *steps, confound_check_fn *check, void *user)
{
    steps->check = check;
    steps->check_user = user;
}

void confound_steps_set_depends(confound_steps *steps, int depends)
{
    steps->steps.depends = depends != 0;
}

void confound_steps_set_lane_waits(confound_steps *steps, int lane_waits)
{
    steps->steps.lane_waits = lane_waits != 0;
}

void confound_steps_set_against(confound_steps *steps, const confound_steps *other)
{
    steps->against = other;
}

/* Index + 1 in names, which is a set of bits; 0: NULL, or none of them. */
static int bits_of(const char *const *names, const char *name)
{
    return name ? cf_text_find(names, name) + 1 : 0;
}

static confound_status check_name(const confound_steps *steps, const char *name, confound_error *err)
{
    static const char *const taken[] = {"none", "none-again", "one-queue", "against", NULL};
    if (!cf_api_given(name, "the instrument's name", err))
        return CONFOUND_INPUT;
    if (!is_word(name))
        return cf_api_fail(err, CF_INPUT,
                           "an instrument called \"%.60s\" is not accepted; 1 to %d of letters, digits, . _ - are",
                           name, NAME_BYTES - 1);
    bool is_taken = cf_text_find(taken, name) >= 0;
    for (int i = 0; i < steps->steps.instrument_count; i++)
        is_taken |= !strcmp(steps->steps.instruments[i].name, name);
    if (is_taken)
        return cf_api_fail(err, CF_INPUT, "there is a variant called \"%s\" already; another name is accepted", name);
    if (steps->steps.instrument_count == CF_STEPS_MAX_INSTRUMENTS)
        return cf_api_fail(err, CF_INPUT, "more than %d instruments", CF_STEPS_MAX_INSTRUMENTS);
    return CONFOUND_OK;
}

confound_status confound_steps_add_instrument(confound_steps *steps, const char *name, const char *where,
                                              const char *on, int *ret_variant, confound_error *err)
{
    int where_bits = bits_of(cf_where_names, where);
    int on_bits = bits_of(cf_on_names, on);
    confound_status status = check_name(steps, name, err);
    if (status != CONFOUND_OK)
        return status;
    if (where && where_bits == 0)
        return cf_api_fail(err, CF_INPUT, "where \"%.60s\" is not accepted; before, after or both is", where);
    if (on && on_bits == 0)
        return cf_api_fail(err, CF_INPUT, "on \"%.60s\" is not accepted; a, b or both is", on);
    char *copy = cf_text_dup(name);
    if (!copy)
        return cf_api_fail(err, CF_MEMORY, "out of memory");
    steps->steps.instruments[steps->steps.instrument_count++] =
        (cf_steps_instrument){.name = copy, .where = (unsigned)where_bits, .on = (unsigned)on_bits};
    if (ret_variant)
        *ret_variant = steps->steps.instrument_count;
    return CONFOUND_OK;
}

confound_status confound_steps_set_process_only(confound_steps *steps, int variant, const char *why,
                                                confound_error *err)
{
    if (variant < 1 || variant > steps->steps.instrument_count)
        return cf_api_fail(err, CF_INPUT, "variant %d is no instrument; 1 to %d is accepted", variant,
                           steps->steps.instrument_count);
    return set_text(&steps->steps.instruments[variant - 1].process_why, "the reason", why, err);
}

/* 0 or 1; -1: it is no single lane. */
static int lane_of(int lane, confound_error *err)
{
    if (lane == CONFOUND_LANE_A || lane == CONFOUND_LANE_B)
        return lane - 1;
    (void)cf_api_fail(err, CF_INPUT, "lane %d is not accepted; CONFOUND_LANE_A or CONFOUND_LANE_B is", lane);
    return -1;
}

confound_status confound_steps_set_lane(confound_steps *steps, int lane, const char *label, int64_t operations,
                                        confound_error *err)
{
    int at = lane_of(lane, err);
    if (at < 0)
        return CONFOUND_INPUT;
    if (operations < 1 || operations > OPERATIONS_MOST)
        return cf_api_fail(err, CF_INPUT, "%lld operations are not accepted; 1 to %d are", (long long)operations,
                           OPERATIONS_MOST);
    confound_status status = set_text(&steps->steps.lane[at].label, "a label", label, err);
    if (status == CONFOUND_OK)
        steps->steps.lane[at].count = operations;
    return status;
}

confound_status confound_steps_set_knob(confound_steps *steps, int lane, confound_length_fn *set_length, void *user,
                                        int64_t first, const char *unit, confound_error *err)
{
    int at = lane_of(lane, err);
    if (at < 0)
        return CONFOUND_INPUT;
    if (first < 1 || first >= LENGTH_FIRST_END)
        return cf_api_fail(err, CF_INPUT, "a first length of %lld is not accepted; it is above 0 and below 2^48",
                           (long long)first);
    confound_status status = set_text(&steps->steps.lane[at].unit, "a unit", unit, err);
    if (status != CONFOUND_OK)
        return status;
    steps->steps.lane[at].length = set_length ? first : 0;
    /* cppcheck-suppress AssignmentAddressToInteger ; an array of pointers to functions is taken for one of integers */
    steps->set_length[at] = set_length;
    steps->length_user[at] = user;
    return CONFOUND_OK;
}

confound_status confound_steps_add_thread(confound_steps *steps, int64_t thread_id, confound_error *err)
{
    cf_steps *s = &steps->steps;
    if (s->thread_count == CF_STEPS_MAX_THREADS)
        return cf_api_fail(err, CF_INPUT, "more than %d threads", CF_STEPS_MAX_THREADS);
    if (thread_id < 1)
        return cf_api_fail(err, CF_INPUT, "thread %lld is not accepted; what confound_thread_id gives is",
                           (long long)thread_id);
    s->threads[s->thread_count++] = thread_id;
    return CONFOUND_OK;
}

confound_status confound_steps_set_name(confound_steps *steps, const char *name, confound_error *err)
{
    return set_text(&steps->steps.name, "a name", name, err);
}

confound_status confound_steps_set_in_flight(confound_steps *steps, int in_flight, confound_error *err)
{
    if (in_flight < 1 || in_flight > IN_FLIGHT_MOST)
        return cf_api_fail(err, CF_INPUT, "%d steps in flight are not accepted; 1 to %d are", in_flight,
                           IN_FLIGHT_MOST);
    steps->steps.in_flight = (uint32_t)in_flight;
    return CONFOUND_OK;
}

confound_status confound_steps_set_wait_name(confound_steps *steps, const char *name, confound_error *err)
{
    return set_text(&steps->steps.wait, "the name of a wait", name, err);
}

confound_status confound_steps_set_device(confound_steps *steps, const char *backend, const char *name,
                                          const char *driver, int simulated, confound_error *err)
{
    if (backend && !is_word(backend))
        return cf_api_fail(err, CF_INPUT,
                           "a backend called \"%.60s\" is not accepted; 1 to %d of letters, digits, . _ - are", backend,
                           NAME_BYTES - 1);
    confound_status status = set_text(&steps->steps.device_backend, "a backend", backend, err);
    if (status == CONFOUND_OK)
        status = set_text(&steps->steps.device_name, "a device's name", name, err);
    if (status == CONFOUND_OK)
        status = set_text(&steps->steps.driver, "a driver", driver, err);
    if (status == CONFOUND_OK)
        steps->steps.simulated = simulated != 0;
    return status;
}

static confound_status add_fact(cf_pairs *pairs, const char *name, const char *value, confound_error *err)
{
    cf_error error = {0};
    if (!name || name[0] == '\0')
        return cf_api_fail(err, CF_INPUT, "a fact without a name is not accepted");
    for (size_t i = 0; i < pairs->count; i++)
        if (!strcmp(pairs->items[i].name, name))
            return cf_api_fail(err, CF_INPUT, "the fact \"%.60s\" is there already; it stands once", name);
    return cf_api_status(cf_pairs_add(pairs, name, value, &error), &error, err);
}

confound_status confound_steps_add_device_fact(confound_steps *steps, const char *name, const char *value,
                                               confound_error *err)
{
    return add_fact(&steps->steps.device, name, value, err);
}

confound_status confound_steps_add_environment(confound_steps *steps, const char *name, const char *value,
                                               confound_error *err)
{
    return add_fact(&steps->steps.environment, name, value, err);
}

void confound_proof_armed(confound_proof *proof, confound_armed armed, const char *how)
{
    proof->proof.armed = armed == CONFOUND_ARMED_YES  ? CF_TOLD_YES
                         : armed == CONFOUND_ARMED_NO ? CF_TOLD_NO
                                                      : CF_TOLD_NO_ANSWER;
    if (how)
        (void)cf_text_safe(how, proof->proof.how, sizeof proof->proof.how);
}

void confound_proof_count(confound_proof *proof, int64_t expected, int64_t count)
{
    if (expected < 0 || count < 0 || expected > COUNT_MOST || count > COUNT_MOST)
        proof->wrong = "a count below 0 or above 2^29 is not accepted";
    proof->proof.expected = expected;
    proof->proof.count = count;
}

void confound_proof_seen(confound_proof *proof, int64_t overlap_ns, int64_t shorter_ns)
{
    if (overlap_ns < 0 || shorter_ns < 0 || overlap_ns > SEEN_MOST_NS || shorter_ns > SEEN_MOST_NS)
        proof->wrong = "a time below 0 or above 2^51 ns is not accepted";
    proof->proof.seen = (cf_seen){.overlap_ns = overlap_ns, .shorter_ns = shorter_ns};
}
