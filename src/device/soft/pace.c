/* Planned progress of what runs. Without contention a command's plan is its begin and its length. With it, progress is
   settled whenever a command begins or ends, at the planned time of that event and not at the time at which a thread
   came round to it. Until its thread has come round a command counts as running, because its successor may be about to
   take its place: so a thread that wakes late neither lends speed to others nor takes it from them. */
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
    return soft->running_count < 2 ? 1.0 : (double)soft->model.contention_p / soft->model.contention_q;
}

static uint64_t reaches_ns(const cf_soft_command *c, double progress_ns, double rate)
{
    if (progress_ns <= c->done_ns)
        return c->settled_ns;
    double left_ns = (progress_ns - c->done_ns) / rate;
    uint64_t whole_ns = (uint64_t)(left_ns < FAR_NS ? left_ns : FAR_NS);
    return c->settled_ns + whole_ns + ((double)whole_ns < left_ns);
}

static void settle(cf_soft *soft, uint64_t at_ns)
{
    double rate = rate_now(soft);
    for (uint32_t i = 0; i < soft->running_count; i++) {
        cf_soft_command *c = soft->running[i];
        if (c->end_plan_ns != 0 || c->settled_ns >= at_ns)
            continue;
        uint64_t end_ns = reaches_ns(c, (double)c->length_ns, rate);
        if (end_ns <= at_ns)
            c->end_plan_ns = end_ns;
        c->done_ns += (double)(at_ns - c->settled_ns) * rate;
        c->settled_ns = at_ns;
    }
}

void cf_soft_pace_begin(cf_soft *soft, cf_soft_command *c)
{
    c->end_plan_ns = 0;
    c->done_ns = 0;
    c->settled_ns = c->begin_plan_ns;
    if (contended(soft))
        settle(soft, c->begin_plan_ns);
    else
        c->end_plan_ns = c->begin_plan_ns + c->length_ns;
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

static void leave(cf_soft *soft, const cf_soft_command *c)
{
    uint32_t i = 0;
    while (soft->running[i] != c)
        i++;
    soft->running[i] = soft->running[--soft->running_count];
}

/* What is left to run alone goes faster from now on, and sleeps for too long. */
void cf_soft_pace_end(cf_soft *soft, cf_soft_command *c, cf_soft_wakes *wakes)
{
    if (c->end_plan_ns == 0)
        c->end_plan_ns = reaches_ns(c, (double)c->length_ns, rate_now(soft));
    if (contended(soft))
        settle(soft, c->end_plan_ns);
    leave(soft, c);
    if (!contended(soft) || soft->running_count != 1)
        return;
    cf_soft_worker *alone = soft->running[0]->worker;
    atomic_fetch_add(&alone->bell, 1);
    cf_soft_wakes_add(wakes, &alone->bell);
}
