#include "run/steps_fill.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "run/facts.h"

int cf_steps_variant_count(const cf_steps *steps)
{
    return steps->instrument_count + 3 + (steps->against != NULL);
}

cf_role cf_steps_role(const cf_steps *steps, int index)
{
    if (index == 0)
        return CF_ROLE_CONTROL;
    if (index <= steps->instrument_count)
        return CF_ROLE_INSTRUMENT;
    static const cf_role last[] = {CF_ROLE_REPLICA, CF_ROLE_REFERENCE, CF_ROLE_DESIGN};
    return last[index - steps->instrument_count - 1];
}

const char *cf_steps_variant_name(const cf_steps *steps, int index)
{
    switch (cf_steps_role(steps, index)) {
    case CF_ROLE_CONTROL:
        return "none";
    case CF_ROLE_REPLICA:
        return "none-again";
    case CF_ROLE_REFERENCE:
        return "one-queue";
    case CF_ROLE_DESIGN:
        return CF_STEPS_AGAINST;
    default:
        return steps->instruments[index - 1].name;
    }
}

int cf_steps_variant(const cf_steps *steps, int index)
{
    return cf_steps_role(steps, index) == CF_ROLE_INSTRUMENT ? index : 0;
}

static cf_status copy_pairs(const cf_pairs *from, cf_pairs *to, cf_error *err)
{
    cf_status status = CF_OK;
    for (size_t i = 0; i < from->count && status == CF_OK; i++)
        status = cf_pairs_add(to, from->items[i].name, from->items[i].value, err);
    return status;
}

cf_status cf_steps_fill_place(const cf_steps *steps, cf_record *record, cf_error *err)
{
    cf_facts_place place = {
        .backend = steps->device_backend != NULL ? steps->device_backend : "steps",
        .name = steps->device_name != NULL ? steps->device_name : "not named by the caller",
        .driver = steps->driver,
        .clock_name = "CLOCK_MONOTONIC",
        .clock_resolution_ns = (int64_t)cf_clock_resolution_ns(),
        .simulated = steps->simulated,
    };
    cf_status status = copy_pairs(&steps->environment, &record->environment, err);
    if (status == CF_OK)
        status = cf_facts_fill(record, &place, NULL, err);
    return status == CF_OK ? copy_pairs(&steps->device, &record->device, err) : status;
}

/* A design as it is measured: with the lengths that calibration found. */
typedef struct design {
    const cf_steps *steps;
    int64_t length[2];
} design;

static void describe_lane(const design *d, int lane, cf_text *out)
{
    const cf_steps_lane *l = &d->steps->lane[lane];
    cf_text_add(out, "[lane %c]\nop = " CF_OP_OWN "\n", 'a' + lane);
    if (l->label != NULL)
        cf_text_add(out, "label = %s\n", l->label);
    cf_text_add(out, "count = %lld\n", (long long)l->count);
    if (d->length[lane] > 0)
        cf_text_add(out, "length = %lld\n", (long long)d->length[lane]);
    if (l->unit != NULL)
        cf_text_add(out, "unit = %s\n", l->unit);
}

/* What was said of them, in the form of a job; nothing can run it again but the caller. */
static char *describe(const design *d)
{
    const cf_steps *steps = d->steps;
    cf_text text = {0};
    cf_text_add(&text, "[job]\nname = %s\n", steps->name != NULL ? steps->name : "steps");
    for (int lane = 0; lane < 2; lane++)
        describe_lane(d, lane, &text);
    cf_text_add(&text, "[order]\ndepends = %s\nin_flight = %u\n", steps->depends ? "each" : "no", steps->in_flight);
    cf_text_add(&text, "[instruments]\nuse =");
    for (int i = 0; i < steps->instrument_count; i++)
        cf_text_add(&text, " %s", steps->instruments[i].name);
    cf_text_add(&text, "\n");
    if (!text.failed)
        return text.data;
    cf_text_done(&text);
    return NULL;
}

static cf_status fill_lane(const design *d, int lane, cf_record_lane *out, cf_error *err)
{
    const cf_steps_lane *l = &d->steps->lane[lane];
    out->count = l->count;
    out->length = d->length[lane];
    out->given = l->given || l->length == 0;
    cf_status status = cf_text_put_copy(&out->op, CF_OP_OWN, err);
    if (status == CF_OK && l->label != NULL)
        status = cf_text_put_copy(&out->label, l->label, err);
    return status == CF_OK ? cf_text_put_copy(&out->unit, l->unit != NULL ? l->unit : "", err) : status;
}

static cf_status fill_design(const design *d, cf_record_job *job, cf_error *err)
{
    const cf_steps *steps = d->steps;
    cf_status status = cf_text_put_copy(&job->name, steps->name != NULL ? steps->name : "steps", err);
    if (status == CF_OK)
        status = cf_text_put(&job->text, describe(d), err);
    for (int lane = 0; lane < 2 && status == CF_OK; lane++)
        status = fill_lane(d, lane, &job->lane[lane], err);
    job->depends = steps->depends;
    job->in_flight = steps->in_flight;
    if (status == CF_OK)
        status = cf_text_put_copy(&job->wait, steps->wait != NULL ? steps->wait : "block", err);
    return status == CF_OK ? cf_text_put_copy(&job->submit, "caller", err) : status;
}

static cf_status fill_variant(const cf_steps *steps, int index, cf_record_variant *v, cf_error *err)
{
    v->role = cf_steps_role(steps, index);
    v->job = v->role == CF_ROLE_DESIGN;
    cf_status status = cf_text_put_copy(&v->name, cf_steps_variant_name(steps, index), err);
    if (v->role != CF_ROLE_INSTRUMENT)
        return status;
    const cf_steps_instrument *instrument = &steps->instruments[index - 1];
    v->process_only = instrument->process_why != NULL;
    if (status == CF_OK && instrument->where > 0)
        status = cf_text_put_copy(&v->where, cf_where_names[instrument->where - 1], err);
    if (status == CF_OK && instrument->on > 0)
        status = cf_text_put_copy(&v->on, cf_on_names[instrument->on - 1], err);
    if (status == CF_OK && instrument->process_why != NULL)
        status = cf_text_put_copy(&v->process_why, instrument->process_why, err);
    return status;
}

cf_status cf_steps_fill_job(const cf_steps_rig *rig, cf_record *record, cf_error *err)
{
    const cf_steps *steps = rig->steps;
    design first = {steps, {(int64_t)rig->rig.lane[0].length, (int64_t)rig->rig.lane[1].length}};
    design second = {steps->against, {rig->against_length[0], rig->against_length[1]}};
    cf_status status = fill_design(&first, &record->job, err);
    if (status == CF_OK && steps->against != NULL) {
        record->has_against = true;
        status = fill_design(&second, &record->against, err);
    }
    int count = cf_steps_variant_count(steps);
    if (status == CF_OK && (record->variants = calloc((size_t)count, sizeof *record->variants)) == NULL)
        status = cf_error_set(err, CF_MEMORY, "out of memory");
    for (int i = 0; i < count && status == CF_OK; i++) {
        record->variant_count = i + 1;
        status = fill_variant(steps, i, &record->variants[i], err);
    }
    return status;
}

static cf_status say(cf_record_variant *v, cf_armed armed, cf_error *err, const char *fmt, ...) CF_PRINTF(4, 5);
static cf_status say(cf_record_variant *v, cf_armed armed, cf_error *err, const char *fmt, ...)
{
    char text[2 * CF_STEPS_HOW_BYTES];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    v->armed = armed;
    return cf_text_put_copy(&v->armed_how, text, err);
}

/* A control: what is wanted is the proof that nothing is armed. */
static cf_status prove_bare(const cf_steps_rig *rig, int index, cf_record_variant *v, cf_error *err)
{
    const char *how = rig->how[index];
    const char *injection = rig->steps->simulated ? NULL : cf_facts_injection();
    if (rig->rig.proof[index].stray)
        return say(v, CF_ARMED_YES, err, "%s", how[0] != '\0' ? how : "the caller says that an instrument was armed");
    if (injection != NULL)
        return say(v, CF_ARMED_NOTHING, err, "%s is set: something may be observing", injection);
    if (rig->rig.proof[index].mute)
        return say(v, CF_ARMED_NOTHING, err, "%s", how[0] != '\0' ? how : "the caller can't tell");
    if (rig->rig.proof[index].bare)
        return say(v, CF_ARMED_NO, err, "%s; no injection variable set",
                   how[0] != '\0' ? how : "the caller says that none was armed");
    return say(v, CF_ARMED_NO, err, "nothing was armed through this library, no injection variable set");
}

static cf_status prove_armed(const cf_steps_rig *rig, int index, cf_record_variant *v, cf_error *err)
{
    const char *how = rig->how[index];
    bool yes = rig->rig.proof[index].stray;
    if (rig->steps->calls.prove == NULL)
        return say(v, CF_ARMED_NOTHING, err, "the caller offers no proof");
    if (rig->rig.proof[index].bare)
        return say(v, CF_ARMED_NO, err, "%s", how[0] != '\0' ? how : "the caller says that it was not armed");
    if (v->armed_expected > 0)
        return say(v, v->armed_count == v->armed_expected ? CF_ARMED_YES : CF_ARMED_NO, err, "%lld of %lld %s",
                   (long long)v->armed_count, (long long)v->armed_expected, how[0] != '\0' ? how : "proofs");
    if (rig->rig.proof[index].mute)
        return say(v, CF_ARMED_NOTHING, err, "%s", how[0] != '\0' ? how : "the caller can't tell");
    if (yes)
        return say(v, CF_ARMED_YES, err, "%s", how[0] != '\0' ? how : "the caller says so");
    return say(v, CF_ARMED_NO, err, "no round yet");
}

static cf_status fill_check(const cf_steps_rig *rig, cf_record *record, cf_error *err)
{
    if (rig->rig.data_wrong) {
        record->data_check = CF_DATA_WRONG;
        return cf_text_put_copy(&record->data_check_text, rig->rig.data_text, err);
    }
    if (rig->steps->calls.check != NULL) {
        record->data_check = CF_DATA_OK;
        return CF_OK;
    }
    record->data_check = CF_DATA_UNSUPPORTED;
    return cf_text_put_copy(&record->data_check_text, "the caller offers no check of its results", err);
}

cf_status cf_steps_fill_proofs(const cf_steps_rig *rig, cf_record *record, cf_error *err)
{
    cf_status status = CF_OK;
    for (int i = 0; i < record->variant_count && status == CF_OK; i++) {
        cf_record_variant *v = &record->variants[i];
        if (v->role == CF_ROLE_INSTRUMENT)
            status = prove_armed(rig, i, v, err);
        else if (v->role != CF_ROLE_REFERENCE)
            status = prove_bare(rig, i, v, err);
        else
            status = say(v, CF_ARMED_YES, err, "a, wait, b, wait: made by this library");
    }
    return status == CF_OK ? fill_check(rig, record, err) : status;
}
