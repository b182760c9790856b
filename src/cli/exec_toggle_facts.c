/* What a record says of a program that was toggled beside its rounds: what a step has, what it costs, where it is asked
   for, which part of the run it is, what was left as it is. */
#include "cli/exec_toggle_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "toggle/symbol.h"

#define PART  0.1 /* of a run: what was looked at is less than that */
#define ALIKE 0.2 /* what the commands of one step may differ by from those of another */

static const char *const names[CF_VARIANT_COUNT] = {[CF_VARIANT_SHIPPED] = "as-shipped",
                                                    [CF_VARIANT_AGAIN] = "as-shipped-again",
                                                    [CF_VARIANT_STRIPPED] = "stripped",
                                                    [CF_VARIANT_ADDED] = "added"};

const char *cf_toggle_variant_name(unsigned variant)
{
    return names[variant];
}

cf_status cf_toggle_put(char **at, char *value, cf_error *err)
{
    free(*at);
    *at = value;
    return value ? CF_OK : cf_error_set(err, CF_MEMORY, "out of memory");
}

cf_status cf_toggle_add(cf_pairs *pairs, const char *name, char *text, cf_error *err)
{
    cf_status status = text ? cf_pairs_add(pairs, name, text, err) : cf_error_set(err, CF_MEMORY, "out of memory");
    free(text);
    return status;
}

cf_wire_counts cf_toggle_counts_of(const cf_wire *wire, unsigned variant, uint64_t *ret_steps)
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
static cf_status add_cost(cf_record *record, const cf_wire *wire, const cf_toggle_places *in, cf_error *err)
{
    cf_text text = {0};
    for (unsigned v = 0; v < CF_VARIANT_COUNT; v++) {
        uint64_t steps;
        char all[32];
        const cf_wire_counts counts = cf_toggle_counts_of(wire, v, &steps);
        const double calls = a_step(counts.calls, steps);
        const double ns = (double)wire->call_ps[cf_variant_arm(v)] / 1e3;
        if (v == CF_VARIANT_AGAIN || in->of[v] < 0)
            continue;
        cf_text_add(&text,
                    v == CF_VARIANT_SHIPPED ? "%.4g intercepted calls a step at %.3g ns each: %s %s"
                                            : "; %.4g at %.3g ns: %s %s",
                    calls, ns, time_text(calls * ns, all), names[v]);
    }
    if (text.failed) {
        cf_text_done(&text);
        return cf_error_set(err, CF_MEMORY, "out of memory");
    }
    return cf_toggle_add(&record->device, "cost", text.data, err);
}

static cf_status add_counts(cf_record *record, const cf_wire *wire, const cf_toggle_places *in, cf_error *err)
{
    uint64_t steps, stripped_steps;
    const cf_wire_counts shipped = cf_toggle_counts_of(wire, CF_VARIANT_SHIPPED, &steps);
    const cf_wire_counts stripped = cf_toggle_counts_of(wire, CF_VARIANT_STRIPPED, &stripped_steps);
    char *step = step_text(record, wire);
    cf_status status =
        step ? cf_toggle_add(&record->device, "timed",
                             cf_text_format("%.4g timed and %.4g other commands a step; %s",
                                            a_step(shipped.timing, steps), a_step(shipped.plain, steps), step),
                             err)
             : cf_error_set(err, CF_MEMORY, "out of memory");
    free(step);
    if (!status && stripped.answered)
        status = cf_toggle_add(
            &record->device, "answered",
            cf_text_format("%.4g question%s for a time in each stripped step %s answered with a time that was "
                           "taken before",
                           a_step(stripped.answered, stripped_steps), stripped.answered == stripped_steps ? "" : "s",
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
        status = cf_toggle_add(
            &record->device, name,
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
    return cf_toggle_add(&record->device, "span", text, err);
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
    return cf_toggle_add(
        &record->skipped, "half",
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
        status =                                                                                                       \
            cf_toggle_add(&record->skipped, #field, cf_text_format(text, (unsigned long long)wire->notes.field), err);
    CF_WIRE_NOTES(X)
#undef X
    if (!status)
        status = note_half(record, wire, err);
    if (!status && toggled->others)
        status = cf_toggle_add(
            &record->skipped, "processes",
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
            status = cf_toggle_add(&record->device, named,
                                   cf_text_format("%.*s", (int)(length - name - 1), line + name + 1), err);
        line += length + (line[length] == '\n');
    }
    return status;
}

cf_status cf_toggle_add_device(cf_record *record, const cf_wire *wire, cf_error *err)
{
    const char *name = wire->device[0]    ? wire->device
                       : wire->cuda       ? "a CUDA device"
                       : wire->level_zero ? "a Level Zero device"
                                          : "an OpenCL device";
    cf_status status = cf_toggle_put(&record->device_name, cf_text_dup(name), err);
    if (!status && wire->emulated[0])
        status = cf_toggle_put(
            &record->driver,
            cf_text_format("Intel driver %s%son an emulated GPU", wire->driver, wire->driver[0] ? " " : ""), err);
    else if (!status && wire->driver[0])
        status = cf_toggle_put(&record->driver, cf_text_dup(wire->driver), err);
    return status ? status : add_emulated(record, wire, err);
}

cf_status cf_toggle_add_facts(cf_record *record, const cf_toggled *toggled, const cf_toggle_places *in, cf_error *err)
{
    cf_status status = add_counts(record, toggled->wire, in, err);
    if (!status)
        status = add_sites(record, toggled->wire, err);
    return status ? status : add_notes(record, toggled, err);
}
