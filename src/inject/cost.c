/* What an intercepted call costs, on this processor: a record as in cuda.c, of an event that is no driver's. */
#include "base/clock.h"
#include "inject/pair.h"

enum { RUNS = 8, CALLS = 2000 };

typedef int record_function(void *event, void *stream);

static cf_table table;
static cf_pair pair;
static char own, twin;

/* 0, which no processor knows before it knows the event: else it would go through several calls at once, and each would
   seem to cost less than it does in a program that does something between them. */
static __attribute__((noinline)) int driver(void *event, void *stream)
{
    (void)stream;
    return (int)((uint64_t)(uintptr_t)event >> 63);
}

/* Nobody may see through them: a program calls what it cannot see, and so do we. */
static record_function *volatile next = driver;

static __attribute__((noinline)) int hook(void *event, void *stream)
{
    cf_pair *found = cf_table_get(&table, event);
    bool turns;
    if (!found)
        return next(event, stream);
    void *picked = cf_pair_pick(found, &turns);
    int result = next(picked, stream);
    atomic_store_explicit(&found->last, picked, memory_order_release);
    if (turns)
        CF_INJECT_COUNT(commands[found->timing][picked != found->own]);
    else
        CF_INJECT_COUNT(calls);
    return result;
}

static uint64_t calls_ns(record_function *volatile call)
{
    uint64_t begin_ns = cf_clock_now_ns();
    int before = 0;
    for (int i = 0; i < CALLS; i++)
        before = call(&own + before, NULL);
    return cf_clock_now_ns() - begin_ns;
}

/* Of the event that the arm turns. The least of several runs, because a run can be interrupted, in turns, because the
   processor may change its speed. */
static void measure(uint64_t ret[CF_ARM_COUNT])
{
    uint64_t plain_ns = UINT64_MAX, hooked_ns[CF_ARM_COUNT] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    for (int run = 0; run < RUNS; run++) {
        uint64_t ns = calls_ns(driver);
        plain_ns = ns < plain_ns ? ns : plain_ns;
        for (unsigned arm = 0; arm < CF_ARM_COUNT; arm++) {
            pair = (cf_pair){.own = &own, .twin = &twin, .timing = arm != CF_ARM_ADDED};
            atomic_store(&cf_inject_arm_now, arm);
            ns = calls_ns(hook);
            hooked_ns[arm] = ns < hooked_ns[arm] ? ns : hooked_ns[arm];
        }
    }
    atomic_store(&cf_inject_arm_now, CF_ARM_SHIPPED);
    for (unsigned arm = 0; arm < CF_ARM_COUNT; arm++)
        ret[arm] = hooked_ns[arm] > plain_ns ? (hooked_ns[arm] - plain_ns) * 1000 / CALLS : 0;
}

void cf_inject_cost_ps(uint64_t ret[CF_ARM_COUNT])
{
    static cf_inject_counters apart;
    cf_inject_counters *mine = cf_inject_mine;
    for (unsigned arm = 0; arm < CF_ARM_COUNT; arm++)
        ret[arm] = 0;
    if (!cf_table_set(&table, &own, &pair))
        return;
    cf_inject_mine = &apart;
    measure(ret);
    cf_inject_mine = mine;
}
