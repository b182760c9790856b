/* The order of submission, and which jobs cannot run. */
#include "workload/workload.h"

const char *const cf_submit_names[] = {"ab", "ba", "a-then-b", "b-then-a", NULL};

typedef struct writer {
    const cf_workload_spec *spec;
    cf_workload_turn *turns;
    uint32_t count, done[2];
} writer;

static void take(writer *w, uint32_t lane, uint32_t wanted)
{
    uint32_t left = w->spec->lane[lane].count - w->done[lane];
    for (uint32_t n = wanted < left ? wanted : left; n > 0; n--)
        w->turns[w->count++] = (cf_workload_turn){.lane = lane, .index = w->done[lane]++};
}

static void alternate(writer *w, uint32_t first)
{
    const cf_workload_spec *spec = w->spec;
    take(w, 0, spec->prefetch);
    while (w->done[0] < spec->lane[0].count || w->done[1] < spec->lane[1].count) {
        take(w, first, spec->batch);
        take(w, 1 - first, spec->batch);
    }
}

static void both_lanes(writer *w)
{
    switch (w->spec->submit) {
    case CF_SUBMIT_A_THEN_B:
        take(w, 0, UINT32_MAX);
        take(w, 1, UINT32_MAX);
        break;
    case CF_SUBMIT_B_THEN_A:
        take(w, 1, UINT32_MAX);
        take(w, 0, UINT32_MAX);
        break;
    case CF_SUBMIT_BA:
        alternate(w, 1);
        break;
    default:
        alternate(w, 0);
        break;
    }
}

uint32_t cf_workload_order(const cf_workload_spec *spec, cf_cell cell, cf_workload_turn *ret_turns)
{
    writer w = {.spec = spec, .turns = ret_turns};
    if (cell == CF_CELL_AB)
        both_lanes(&w);
    else
        take(&w, cell == CF_CELL_A ? 0 : 1, UINT32_MAX);
    return w.count;
}

/* Without the list: in a step, is some b[i] reached while only i or fewer of a were? */
static uint32_t first_early_b(const cf_workload_spec *spec)
{
    uint32_t a = spec->lane[0].count;
    uint32_t b = spec->lane[1].count;
    uint32_t shared = a < b ? a : b;
    if (spec->submit == CF_SUBMIT_A_THEN_B || shared == 0)
        return UINT32_MAX;
    if (spec->submit == CF_SUBMIT_B_THEN_A)
        return 0;
    if (spec->submit == CF_SUBMIT_AB)
        return UINT32_MAX; /* each round of the braces gives a its batch first */
    /* ba: before round r of the braces, prefetch + r * batch of a stand; the round submits b up to (r + 1) * batch. */
    uint64_t ahead = spec->prefetch;
    if (ahead >= spec->batch || ahead >= shared)
        return UINT32_MAX;
    return spec->prefetch;
}

cf_status cf_workload_check(const cf_workload_spec *spec, cf_error *err)
{
    for (int lane = 0; lane < 2; lane++)
        if (spec->lane[lane].count < 1 || spec->lane[lane].count > CF_WORKLOAD_MAX_COUNT)
            return cf_error_set(err, CF_INPUT, "[lane %c] count: accepted: 1 to %d", 'a' + lane, CF_WORKLOAD_MAX_COUNT);
    if (spec->in_flight < 1 || spec->in_flight > CF_WORKLOAD_MAX_IN_FLIGHT)
        return cf_error_set(err, CF_INPUT, "[order] in_flight: accepted: 1 to %d", CF_WORKLOAD_MAX_IN_FLIGHT);
    if (spec->batch < 1)
        return cf_error_set(err, CF_INPUT, "[order] batch: accepted: 1 or more");
    bool whole = spec->submit == CF_SUBMIT_A_THEN_B || spec->submit == CF_SUBMIT_B_THEN_A;
    if (whole && (spec->prefetch != 0 || spec->batch != 1))
        return cf_error_set(err, CF_INPUT, "[order] submit = %s takes no prefetch and no batch",
                            cf_submit_names[spec->submit]);
    uint32_t early = spec->depends ? first_early_b(spec) : UINT32_MAX;
    if (early != UINT32_MAX)
        return cf_error_set(err, CF_INPUT,
                            "[order] b[%u] would be submitted before a[%u], which it waits for: use submit = ab or "
                            "a-then-b, or a prefetch of at least the batch",
                            early, early);
    return CF_OK;
}
