/* Planned progress of what runs. Without contention a command's plan is its begin and its length. With it, progress is
   settled whenever a command begins or ends, at the planned time of that event and not at the time at which a thread
   came round to it: so a late wake-up neither lends nor takes speed. */
#include "device/soft/state.h"

#define FAR_NS 1e18 /* planned ends beyond this are all the same: decades away */

uint64_t cf_soft_share(uint64_t total, uint64_t part, uint64_t parts)
{
    return total / parts * part + total % parts * part / parts;
}

void cf_soft_late_add(cf_soft *soft, uint64_t ns)
{
    atomic_fetch_add_explicit(&soft->late_ns, ns, memory_order_relaxed);
}

static bool contended(const cf_soft *soft)
{
    return soft->model.contention_p < soft->model.contention_q;
}

static double rate_now(const cf_soft *soft)
{
    uint32_t active = 0;
    for (uint32_t i = 0; i < soft->running_count; i++)
        active += soft->running[i]->end_plan_ns == 0;
    return active < 2 ? 1.0 : (double)soft->model.contention_p / soft->model.contention_q;
}

static uint64_t reaches_ns(const cf_soft_command *c, double progress_ns, double rate)
{
    if (progress_ns <= c->done_ns)
        return c->settled_ns;
    double left_ns = (progress_ns - c->done_ns) / rate;
    uint64_t whole_ns = (uint64_t)(left_ns < FAR_NS ? left_ns : FAR_NS);
    return c->settled_ns + whole_ns + ((double)whole_ns < left_ns);
}

static void settle(cf_soft *soft, uint64_t at_ns, double rate)
{
    for (uint32_t i = 0; i < soft->running_count; i++) {
        cf_soft_command *c = soft->running[i];
        if (c->end_plan_ns != 0 || c->settled_ns >= at_ns)
            continue;
        c->done_ns += (double)(at_ns - c->settled_ns) * rate;
        c->settled_ns = at_ns;
    }
}

/* Settles the next planned end if it is not after limit_ns. Returns whether there was one. */
static bool end_next(cf_soft *soft, uint64_t limit_ns)
{
    double rate = rate_now(soft);
    cf_soft_command *first = NULL;
    uint64_t first_ns = 0;
    for (uint32_t i = 0; i < soft->running_count; i++) {
        cf_soft_command *c = soft->running[i];
        if (c->end_plan_ns != 0)
            continue;
        uint64_t end_ns = reaches_ns(c, (double)c->length_ns, rate);
        if (first == NULL || end_ns < first_ns) {
            first = c;
            first_ns = end_ns;
        }
    }
    if (first == NULL || first_ns > limit_ns) {
        settle(soft, limit_ns, rate);
        return false;
    }
    settle(soft, first_ns, rate);
    first->end_plan_ns = first_ns;
    return true;
}

void cf_soft_pace_begin(cf_soft *soft, cf_soft_command *c)
{
    c->end_plan_ns = 0;
    c->done_ns = 0;
    c->settled_ns = c->begin_plan_ns;
    if (!contended(soft))
        c->end_plan_ns = c->begin_plan_ns + c->length_ns;
    else
        while (end_next(soft, c->begin_plan_ns))
            continue;
    soft->running[soft->running_count++] = c;
}

uint64_t cf_soft_pace_when_ns(cf_soft *soft, const cf_soft_command *c, uint64_t part, uint64_t parts)
{
    uint64_t progress_ns = cf_soft_share(c->length_ns, part, parts);
    if (!contended(soft))
        return c->begin_plan_ns + progress_ns;
    pthread_mutex_lock(&soft->lock);
    uint64_t at_ns = c->end_plan_ns != 0 ? c->end_plan_ns : reaches_ns(c, (double)progress_ns, rate_now(soft));
    pthread_mutex_unlock(&soft->lock);
    return at_ns;
}

void cf_soft_pace_end(cf_soft *soft, cf_soft_command *c)
{
    while (c->end_plan_ns == 0)
        (void)end_next(soft, UINT64_MAX);
    for (uint32_t i = 0; i < soft->running_count; i++)
        if (soft->running[i] == c)
            soft->running[i--] = soft->running[--soft->running_count];
}
