/* From what the library wrote to a record. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/exec_toggle.h"
#include "run/facts.h"
#include "stats/stats.h"
#include "toggle/symbol.h"

#define BACKEND        "exec"
#define MARGIN_DEFAULT 0.05
#define MOSTLY         0.9 /* of the commands of a step have to go the other way; threads may straddle its ends */
#define HARDLY         0.01
#define PART           0.1 /* of a run: what was looked at is less than that */
#define ALIKE          0.2 /* what the commands of one step may differ by from those of another */

static const struct {
    const char *name;
    cf_role role;
} variants[CF_VARIANT_COUNT] = {
    [CF_VARIANT_SHIPPED] = {"as-shipped", CF_ROLE_CONTROL},
    [CF_VARIANT_AGAIN] = {"as-shipped-again", CF_ROLE_REPLICA},
    [CF_VARIANT_STRIPPED] = {"stripped", CF_ROLE_INSTRUMENT},
    [CF_VARIANT_ADDED] = {"added", CF_ROLE_INSTRUMENT},
};

static cf_status put(char **at, char *value, cf_error *err)
{
    free(*at);
    *at = value;
    return value ? CF_OK : cf_error_set(err, CF_MEMORY, "out of memory");
}

/* Adds a fact whose text the caller made. */
static cf_status add(cf_pairs *pairs, const char *name, char *text, cf_error *err)
{
    cf_status status = text ? cf_pairs_add(pairs, name, text, err) : cf_error_set(err, CF_MEMORY, "out of memory");
    free(text);
    return status;
}

/* ---- before the run ---- */

static cf_status describe_variants(cf_record *record, cf_error *err)
{
    record->variants = calloc(CF_VARIANT_COUNT, sizeof *record->variants);
    if (!record->variants)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    record->variant_count = CF_VARIANT_COUNT;
    cf_status status = CF_OK;
    for (int v = 0; v < CF_VARIANT_COUNT && !status; v++) {
        record->variants[v].role = variants[v].role;
        status = put(&record->variants[v].name, cf_text_dup(variants[v].name), err);
    }
    return status;
}

cf_status cf_toggle_describe(const cf_options *o, cf_record *record, cf_error *err)
{
    char name[] = "step", unit[] = "ms";
    const cf_facts_place place = {.backend = BACKEND,
                                  .name = BACKEND,
                                  .clock_name = "CLOCK_MONOTONIC",
                                  .clock_resolution_ns = (int64_t)cf_clock_resolution_ns()};
    char *step = cf_text_dup(o->step ? o->step : "sync"), *keep = o->keep ? cf_text_dup(o->keep) : NULL;
    const cf_record_metric spec = {.name = name,
                                   .unit = unit,
                                   .better = CF_BETTER_LOWER,
                                   .source = CF_SOURCE_STEP,
                                   .detail = step,
                                   .program = {.items = o->program.items, .count = o->program.count},
                                   .outputs = keep};
    record->design = CF_DESIGN_WITHIN;
    record->seed = o->seed.set ? o->seed.value : cf_rng_seed();
    record->margin = o->percent.set ? o->percent.value / 100 : MARGIN_DEFAULT;
    record->min_rounds = o->min_rounds.set ? (int64_t)o->min_rounds.value : record->min_rounds;
    record->max_rounds = o->rounds.set ? (int64_t)o->rounds.value : record->max_rounds;
    record->data_check = CF_DATA_UNSUPPORTED;
    cf_status status = step ? cf_record_set_metric(record, &spec, err) : cf_error_set(err, CF_MEMORY, "out of memory");
    if (!status)
        status = cf_facts_fill(record, &place, NULL, err);
    if (!status)
        status = put(&record->data_check_text, cf_text_dup("what a program computes is its own affair"), err);
    free(step);
    free(keep);
    return status ? status : describe_variants(record, err);
}

/* ---- rounds ---- */

/* Variants of the record, by those of the library's; -1 = it is left out. */
typedef struct places {
    int of[CF_VARIANT_COUNT];
} places;

/* Steps of one round that count, by variant; NULL = it has none. order: variants as they ran. */
typedef struct turn {
    const cf_wire_step *step[CF_VARIANT_COUNT];
    int order[CF_VARIANT_COUNT], count;
} turn;

static turn find_turn(const cf_wire *wire, bool warmup, uint32_t round)
{
    turn found = {.count = 0};
    for (uint32_t i = 0; i < wire->step_count; i++) {
        const cf_wire_step *step = &wire->steps[i];
        unsigned wanted = warmup ? (unsigned)CF_WIRE_WARMUP : 0;
        if (step->flags != wanted || step->round != round || found.step[step->variant] ||
            step->end_ns == step->begin_ns)
            continue;
        found.step[step->variant] = step;
        found.order[found.count++] = step->variant;
    }
    return found;
}

static cf_status add_round(cf_record *record, cf_rounds *list, const turn *t, const places *in, cf_error *err)
{
    cf_round *round = cf_rounds_add_metric(list, record->variant_count, false);
    if (!round)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    round->number = (int64_t)list->count;
    round->order_count = 0;
    cf_status status = CF_OK;
    for (int i = 0; i < CF_VARIANT_COUNT && !status; i++) {
        const cf_wire_step *step = t->step[t->order[i]];
        int place = in->of[t->order[i]];
        double ms = (double)(step->end_ns - step->begin_ns) / 1e6;
        if (place < 0)
            continue;
        round->order[round->order_count++] = place;
        status = cf_round_set_values(round, place, &ms, 1, err);
    }
    return status;
}

uint32_t cf_toggle_whole_rounds(const cf_wire *wire)
{
    uint32_t whole = 0;
    for (uint32_t r = 0; r < wire->rounds_wanted; r++)
        whole += find_turn(wire, false, r).count == CF_VARIANT_COUNT;
    return whole;
}

/* A round counts where it is whole. */
static cf_status add_rounds(cf_record *record, const cf_wire *wire, bool warmup, const places *in, cf_error *err)
{
    cf_rounds *list = warmup ? &record->warmup : &record->rounds;
    uint32_t rounds = warmup ? CF_WIRE_WARMUP_ROUNDS : wire->rounds_wanted;
    cf_status status = CF_OK;
    for (uint32_t r = 0; r < rounds && !status; r++) {
        turn t = find_turn(wire, warmup, r);
        if (t.count == CF_VARIANT_COUNT)
            status = add_round(record, list, &t, in, err);
    }
    return status;
}

/* ---- proofs ---- */

/* Of the steps of a variant that count. */
static cf_wire_counts counts_of(const cf_wire *wire, unsigned variant, uint64_t *ret_steps)
{
    cf_wire_counts sum = {0};
    *ret_steps = 0;
    for (uint32_t i = 0; i < wire->step_count; i++) {
        if (wire->steps[i].variant != variant || wire->steps[i].flags != 0)
            continue;
        ++*ret_steps;
#define X(field, text) sum.field += wire->steps[i].counts.field;
        CF_WIRE_STEP_COUNTS(X)
#undef X
    }
    return sum;
}

static cf_status prove_control(cf_record_variant *variant, const cf_wire_counts *counts, cf_error *err)
{
    uint64_t all = counts->timing + counts->plain;
    bool none = (double)counts->toggled <= HARDLY * (double)all;
    variant->armed = none ? CF_ARMED_NO : CF_ARMED_YES;
    return put(&variant->armed_how,
               cf_text_format("%llu commands in its steps, %llu of them with another flag than the program's",
                              (unsigned long long)all, (unsigned long long)counts->toggled),
               err);
}

static uint64_t expected_of(const cf_wire_counts *counts, bool stripped)
{
    return stripped ? counts->timing : counts->plain;
}

static cf_status prove_arm(cf_record_variant *variant, const cf_wire_counts *counts, bool stripped, cf_error *err)
{
    uint64_t expected = expected_of(counts, stripped);
    const char *what = stripped ? "commands that are timed as shipped" : "commands that are not timed as shipped";
    bool armed = counts->toggled > 0 && (double)counts->toggled >= MOSTLY * (double)expected;
    variant->armed = armed ? CF_ARMED_YES : CF_ARMED_NO;
    variant->armed_count = (int64_t)counts->toggled;
    variant->armed_expected = (int64_t)(armed ? counts->toggled : expected);
    return put(&variant->armed_how,
               cf_text_format("%llu of %llu %s went the other way", (unsigned long long)counts->toggled,
                              (unsigned long long)expected, what),
               err);
}

static double commands_ratio(const cf_wire_step *arm, const cf_wire_step *shipped)
{
    const double commands = (double)(arm->counts.timing + arm->counts.plain);
    const double wanted = (double)(shipped->counts.timing + shipped->counts.plain);
    return wanted > 0 ? fmax(commands, 0.5) / wanted : commands + 1;
}

/* Whether the steps are the same work: a program that adapts to the times that it is told does other work where it is
   told others. The median over whole rounds, since a step may be unlike another as shipped too; 0 = no round. */
static double work_ratio(const cf_wire *wire, unsigned variant)
{
    static double ratios[CF_WIRE_ROUNDS_MAX];
    size_t count = 0;
    for (uint32_t r = 0; r < wire->rounds_wanted && count < CF_WIRE_ROUNDS_MAX; r++) {
        turn t = find_turn(wire, false, r);
        if (t.count == CF_VARIANT_COUNT)
            ratios[count++] = commands_ratio(t.step[variant], t.step[CF_VARIANT_SHIPPED]);
    }
    return count ? cf_stats_median_in_place(ratios, count) : 0;
}

static cf_status prove(cf_record *record, const cf_wire *wire, const places *in, cf_error *err)
{
    cf_status status = CF_OK;
    for (unsigned v = 0; v < CF_VARIANT_COUNT && !status; v++) {
        uint64_t steps;
        const cf_wire_counts counts = counts_of(wire, v, &steps);
        if (in->of[v] < 0)
            continue;
        cf_record_variant *variant = &record->variants[in->of[v]];
        variant->work_ratio = v == CF_VARIANT_SHIPPED ? 0 : work_ratio(wire, v);
        status = variants[v].role == CF_ROLE_INSTRUMENT ? prove_arm(variant, &counts, v == CF_VARIANT_STRIPPED, err)
                                                        : prove_control(variant, &counts, err);
    }
    return status;
}

/* ---- arms that would show nothing ---- */

static cf_status leave_out(cf_record *record, int place, bool stripped, cf_error *err)
{
    cf_record_variant *variant = &record->variants[place];
    cf_status status = add(&record->skipped, variant->name,
                           cf_text_format(stripped ? "The arm %s is left out: there is nothing to strip, no command "
                                                     "that can be toggled is timed as shipped"
                                                   : "The arm %s is left out: there is nothing to add, every command "
                                                     "that can be toggled is timed as shipped",
                                          variant->name),
                           err);
    free(variant->name);
    record->variant_count--;
    memmove(variant, variant + 1, (size_t)(record->variant_count - place) * sizeof *variant);
    return status;
}

/* An arm whose steps are as shipped is no trial: it would be one more A/A, under a name that claims another thing. */
static cf_status place_variants(cf_record *record, const cf_wire *wire, places *ret, cf_error *err)
{
    cf_status status = CF_OK;
    int place = 0, arms = 0;
    for (unsigned v = 0; v < CF_VARIANT_COUNT && !status; v++) {
        uint64_t steps;
        const cf_wire_counts counts = counts_of(wire, v, &steps);
        bool arm = variants[v].role == CF_ROLE_INSTRUMENT, stripped = v == CF_VARIANT_STRIPPED;
        bool nothing = arm && steps > 0 && expected_of(&counts, stripped) == 0;
        if (nothing)
            status = leave_out(record, place, stripped, err);
        ret->of[v] = nothing ? -1 : place++;
        arms += arm && !nothing;
    }
    if (!status && arms == 0)
        status = cf_error_set(err, CF_UNSUPPORTED,
                              "no command in the program's steps can be toggled, timed or not: there is nothing to "
                              "compare (docs/toggle.md says what is left as it is)");
    return status;
}

/* ---- what else is known ---- */

/* What a step is, by what was asked for. */
static char *step_text(const cf_record *record, const cf_wire *wire)
{
    const char *step = record->metric.detail;
    if (strcmp(step, "mark") == 0)
        return cf_text_dup("a step is from one mark to the next");
    if (strncmp(step, CF_WIRE_CALL, sizeof CF_WIRE_CALL - 1) == 0)
        return cf_text_format("a step is from one call of %s to the next", step + sizeof CF_WIRE_CALL - 1);
    return cf_text_format("a step is %lu wait%s", (unsigned long)wire->period, wire->period == 1 ? "" : "s");
}

static double a_step(uint64_t count, uint64_t steps)
{
    return steps ? (double)count / (double)steps : 0;
}

static const char *time_text(double ns, char buf[32])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    for (; ns >= 999.5 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        ns /= 1000;
    snprintf(buf, 32, "%.3g %s", ns, units[unit]);
    return buf;
}

/* Of each arm its own: how many calls it has, and what one costs in it. */
static cf_status add_cost(cf_record *record, const cf_wire *wire, const places *in, cf_error *err)
{
    cf_text text = {0};
    for (unsigned v = 0; v < CF_VARIANT_COUNT; v++) {
        uint64_t steps;
        char all[32];
        const cf_wire_counts counts = counts_of(wire, v, &steps);
        const double calls = a_step(counts.calls, steps);
        const double ns = (double)wire->call_ps[cf_variant_arm(v)] / 1e3;
        if (v == CF_VARIANT_AGAIN || in->of[v] < 0)
            continue;
        cf_text_add(&text,
                    v == CF_VARIANT_SHIPPED ? "%.4g intercepted calls a step at %.3g ns each: %s %s"
                                            : "; %.4g at %.3g ns: %s %s",
                    calls, ns, time_text(calls * ns, all), variants[v].name);
    }
    if (text.failed) {
        cf_text_done(&text);
        return cf_error_set(err, CF_MEMORY, "out of memory");
    }
    return add(&record->device, "cost", text.data, err);
}

static cf_status add_counts(cf_record *record, const cf_wire *wire, const places *in, cf_error *err)
{
    uint64_t steps, stripped_steps;
    const cf_wire_counts shipped = counts_of(wire, CF_VARIANT_SHIPPED, &steps);
    const cf_wire_counts stripped = counts_of(wire, CF_VARIANT_STRIPPED, &stripped_steps);
    char *step = step_text(record, wire);
    cf_status status = step ? add(&record->device, "timed",
                                  cf_text_format("%.4g timed and %.4g other commands a step; %s",
                                                 a_step(shipped.timing, steps), a_step(shipped.plain, steps), step),
                                  err)
                            : cf_error_set(err, CF_MEMORY, "out of memory");
    free(step);
    if (!status && stripped.answered)
        status = add(&record->device, "answered",
                     cf_text_format("%.4g question%s for a time in each stripped step %s answered with a time that was "
                                    "taken before",
                                    a_step(stripped.answered, stripped_steps),
                                    stripped.answered == stripped_steps ? "" : "s",
                                    stripped.answered == stripped_steps ? "was" : "were"),
                     err);
    return status ? status : add_cost(record, wire, in, err);
}

typedef struct named_site {
    char symbol[CF_WIRE_TEXT + 32];
    const char *library; /* its name without folders */
    uint64_t records, call_ns;
} named_site;

static int by_records(const void *a, const void *b)
{
    const named_site *one = a, *other = b;
    return one->records < other->records ? 1 : one->records > other->records ? -1 : 0;
}

/* One function is one site, whoever called it: what a reader can look for is what is printed. Returns how many. */
static uint32_t name_sites(const cf_wire *wire, named_site ret[CF_WIRE_SITES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < wire->site_count; i++) {
        const cf_wire_site *site = &wire->sites[i];
        const char *slash = strrchr(site->library, '/');
        named_site *named = &ret[count];
        uint32_t same = 0;
        if (site->records == 0)
            continue;
        *named = (named_site){.library = slash ? slash + 1 : site->library};
        cf_symbol_of_site(site, named->symbol, sizeof named->symbol);
        while (same < count &&
               (strcmp(ret[same].symbol, named->symbol) != 0 || strcmp(ret[same].library, named->library) != 0))
            same++;
        ret[same].records += site->records;
        ret[same].call_ns += site->call_ns;
        count += same == count;
    }
    return count;
}

static cf_status add_sites(cf_record *record, const cf_wire *wire, cf_error *err)
{
    static named_site sites[CF_WIRE_SITES];
    const uint32_t count = name_sites(wire, sites);
    cf_status status = CF_OK;
    qsort(sites, count, sizeof sites[0], by_records); /* the most first */
    for (uint32_t i = 0; i < count && !status; i++) {
        const named_site *site = &sites[i];
        char name[32], call[32];
        snprintf(name, sizeof name, "site %lu", (unsigned long)i + 1);
        const double records = a_step(site->records, wire->site_steps);
        status =
            add(&record->device, name,
                cf_text_format("%s of %s: %.4g timed command%s a step; a whole call takes %s of host time, its own "
                               "work included",
                               site->symbol, site->library, records, records == 1 ? "" : "s",
                               time_text((double)site->call_ns / (double)site->records, call)),
                err);
    }
    return status;
}

cf_status cf_toggle_add_span(cf_record *record, const cf_wire *wire, const cf_toggle_end *end, cf_error *err)
{
    char took[32], from[32], ran[32], after[64] = "";
    if (wire->step_count == 0)
        return CF_OK;
    const uint64_t begin_ns = wire->steps[0].begin_ns, end_ns = wire->steps[wire->step_count - 1].end_ns;
    const double ns = (double)(end_ns - begin_ns), all_ns = (double)(end->ended_ns - end->began_ns);
    const char *when =
        end->ended_ns && begin_ns >= end->began_ns ? time_text((double)(begin_ns - end->began_ns), from) : NULL;
    if (wire->after_ns)
        snprintf(after, sizeof after, ", looked for from %.4g s on", (double)wire->after_ns / 1e9);
    char *text =
        when ? cf_text_format("%lu in %s, from %s on, of the %s that the program ran%s%s",
                              (unsigned long)wire->step_count, time_text(ns, took), when, time_text(all_ns, ran), after,
                              ns < PART * (double)(end->ended_ns - wire->made_ns)
                                  ? "; what it does in the rest may be other work, and --after SECONDS "
                                    "begins later"
                                  : "")
             : cf_text_format("%lu in %s%s", (unsigned long)wire->step_count, time_text(ns, took), after);
    return add(&record->device, "span", text, err);
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *one = a, *other = b;
    return *one < *other ? -1 : *one > *other;
}

/* Commands of most steps as shipped, of those that settle or of those that are judged; room: for all steps. */
static uint64_t usual_commands(const cf_wire *wire, unsigned flags, uint64_t *room)
{
    size_t count = 0;
    for (uint32_t i = 0; i < wire->step_count; i++) {
        const cf_wire_step *step = &wire->steps[i];
        if (cf_variant_arm(step->variant) == CF_ARM_SHIPPED && step->flags == flags)
            room[count++] = step->counts.timing + step->counts.plain;
    }
    qsort(room, count, sizeof *room, by_size);
    return count ? room[count / 2] : 0;
}

/* A round has an even number of steps: where what was named comes twice in what recurs, the same half is judged each
   time. */
static cf_status note_half(cf_record *record, const cf_wire *wire, cf_error *err)
{
    uint64_t *room = calloc(CF_WIRE_STEPS, sizeof *room);
    if (!room)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    const uint64_t settle = usual_commands(wire, CF_WIRE_SETTLE, room), judged = usual_commands(wire, 0, room);
    free(room);
    const double more = (double)(settle > judged ? settle : judged), less = (double)(settle > judged ? judged : settle);
    if (more - less <= ALIKE * more)
        return CF_OK;
    return add(&record->skipped, "half",
               cf_text_format("Commands a step: %llu in those that are judged, and %llu in those before them, which "
                              "settle: a step is a part of what recurs, and the other part is not judged",
                              (unsigned long long)judged, (unsigned long long)settle),
               err);
}

/* What was left as it is, and what was not as it should be. */
static cf_status add_notes(cf_record *record, const cf_toggled *toggled, cf_error *err)
{
    const cf_wire *wire = toggled->wire;
    cf_status status = CF_OK;
#define X(field, text)                                                                                                 \
    if (!status && wire->notes.field)                                                                                  \
        status = add(&record->skipped, #field, cf_text_format(text, (unsigned long long)wire->notes.field), err);
    CF_WIRE_NOTES(X)
#undef X
    if (!status)
        status = note_half(record, wire, err);
    if (!status && toggled->others)
        status =
            add(&record->skipped, "processes",
                cf_text_format("%zu other process%s of the program had steps as well, none of them more; this is %s",
                               toggled->others, toggled->others == 1 ? "" : "es", wire->command),
                err);
    return status;
}

/* A line is NAME=TEXT. */
static cf_status add_emulated(cf_record *record, const cf_wire *wire, cf_error *err)
{
    cf_status status = CF_OK;
    record->simulated = wire->emulated[0] != '\0';
    for (const char *line = wire->emulated; *line && !status;) {
        const size_t length = strcspn(line, "\n"), name = strcspn(line, "=\n");
        char named[CF_WIRE_TEXT];
        snprintf(named, sizeof named, "%.*s", (int)(name < sizeof named ? name : sizeof named - 1), line);
        if (name < length)
            status =
                add(&record->device, named, cf_text_format("%.*s", (int)(length - name - 1), line + name + 1), err);
        line += length + (line[length] == '\n');
    }
    return status;
}

static cf_status add_device(cf_record *record, const cf_wire *wire, cf_error *err)
{
    const char *name = wire->device[0]    ? wire->device
                       : wire->cuda       ? "a CUDA device"
                       : wire->level_zero ? "a Level Zero device"
                                          : "an OpenCL device";
    cf_status status = put(&record->device_name, cf_text_dup(name), err);
    if (!status && wire->emulated[0])
        status =
            put(&record->driver,
                cf_text_format("Intel driver %s%son an emulated GPU", wire->driver, wire->driver[0] ? " " : ""), err);
    else if (!status && wire->driver[0])
        status = put(&record->driver, cf_text_dup(wire->driver), err);
    return status ? status : add_emulated(record, wire, err);
}

/* Which step was asked for decides what can be done about it. */
static cf_status no_step(const cf_wire *wire, const char *step, cf_error *err)
{
    char safe[160], after[64] = "";
    bool call = strncmp(step, CF_WIRE_CALL, sizeof CF_WIRE_CALL - 1) == 0;
    const char *name = call ? cf_text_safe(step + sizeof CF_WIRE_CALL - 1, safe, sizeof safe) : "";
    if (wire->after_ns)
        snprintf(after, sizeof after, " (looked for from %.4g s on: --after)", (double)wire->after_ns / 1e9);
    if (strcmp(step, "sync") == 0)
        return cf_error_set(err, CF_INCONCLUSIVE,
                            "the program ended before it was seen what a step is%s: it has to wait for the device in a "
                            "pattern that recurs (or name what a step is: --step call:NAME, --step mark)",
                            after);
    if (wire->marks)
        return cf_error_set(err, CF_INCONCLUSIVE,
                            "the program ended after %lu %s%s%s, before anything was toggled: the first %u only begin",
                            (unsigned long)wire->marks, call ? "calls of " : "marks", name, after, CF_WIRE_WARM_MARKS);
    if (call)
        return cf_error_set(
            err, CF_INCONCLUSIVE,
            "%s was never called from one library, or the program, into another while there was an event "
            "or queue%s: --step call: takes a function that is bound when the program is loaded or runs",
            name, after);
    return cf_error_set(err, CF_INCONCLUSIVE,
                        "no mark was seen%s: --step mark needs confound_step() of <confound/mark.h> at each step's end",
                        after);
}

static cf_status no_round(const cf_wire *wire, cf_error *err)
{
    if (wire->notes.irregular * 2 > wire->step_count)
        return cf_error_set(err, CF_INCONCLUSIVE,
                            "the program ended after %lu steps, before there was a whole round: %llu of them were not "
                            "like the others, and an arm takes two in a row that are (name what a step is: --step "
                            "call:NAME, --step mark)",
                            (unsigned long)wire->step_count, (unsigned long long)wire->notes.irregular);
    if (wire->notes.other_threads > wire->step_count)
        return cf_error_set(
            err, CF_INCONCLUSIVE,
            "the program ended after %lu steps, before there was a whole round: %llu waits were made by "
            "other threads than the one whose waits delimit the steps (name what a step is: --step "
            "call:NAME, --step mark)",
            (unsigned long)wire->step_count, (unsigned long long)wire->notes.other_threads);
    return cf_error_set(err, CF_INCONCLUSIVE,
                        "the program ended after %lu steps, before there was a whole round: %u steps are one, and %u "
                        "rounds before it are not counted",
                        (unsigned long)wire->step_count, 2u * CF_VARIANT_COUNT, CF_WIRE_WARMUP_ROUNDS);
}

cf_status cf_toggle_fill(cf_record *record, const cf_toggled *toggled, cf_error *err)
{
    cf_wire *wire = toggled->wire;
    if (wire->state == CF_WIRE_WARMING)
        return no_step(wire, record->metric.detail, err);
    places in;
    cf_status status = add_device(record, wire, err);
    if (!status)
        status = place_variants(record, wire, &in, err);
    if (!status)
        status = add_rounds(record, wire, true, &in, err);
    if (!status)
        status = add_rounds(record, wire, false, &in, err);
    if (!status && record->rounds.count == 0)
        return no_round(wire, err);
    if (!status)
        status = prove(record, wire, &in, err);
    if (!status)
        status = add_counts(record, wire, &in, err);
    if (!status)
        status = add_sites(record, wire, err);
    return status ? status : add_notes(record, toggled, err);
}
