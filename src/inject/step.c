/* Where a step of the program ends, and which arm the next one runs in. */
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "inject/inject.h"
#include "toggle/period.h"
#include "toggle/schedule.h"

#define THREADS      4u  /* whose waits are looked at */
#define LENIENT_FROM 48u /* waits that are looked at before less will do */
#define ASIDE_NS     UINT64_C(2000000000)
#define PERIODS_LONG 4u /* a step is irregular at the latest after that many periods */
#define LEARNED      2u /* steps before all others: what is asked in which place is seen in them */
#define UNLIKE_MIN   32u
#define BESIDE_LOOK  32u /* waits of other threads after which one looks for the one that leads */
#define SILENT_TIMES 2u  /* as long as it led */
#define MISSED_NS    UINT64_C(100000000)
#define ROUNDS_KEPT  12u /* as many can be judged: they are not given up */

enum { IDLE, WARMING, TOGGLING, MISSED, DONE }; /* MISSED: toggling, and the leading thread has been silent for long */

typedef struct waits { /* of one thread, while warming */
    pthread_t thread;
    size_t count;
    uint64_t records;                 /* at its last wait */
    uint64_t places[CF_PERIOD_WAITS]; /* where it waited */
    uint64_t coarse[CF_PERIOD_WAITS]; /* and for what */
    uint64_t fine[CF_PERIOD_WAITS];   /* and how many events were recorded since the wait before */
    uint64_t loaded[CF_PERIOD_WAITS]; /* place and events, but not for what */
    cf_wait_kind kinds[CF_PERIOD_WAITS];
} waits;

static _Atomic int phase = IDLE;
static _Atomic bool looking;
static _Atomic uint64_t beside; /* waits or marks of other threads since the last step ended */
static _Atomic uint64_t led_until_ns, missed_ns;
static waits seen[THREADS];
static size_t seen_count;

/* Written under the lock, and by the leading thread alone once it toggles. */
static struct {
    cf_wire *wire;
    cf_step_kind kind;
    _Atomic pthread_t leader;
    bool led;
    uint32_t period;
    _Atomic uint32_t waited; /* waits since the last anchor: what the leader writes last, when it waited */
    uint64_t anchor;         /* the wait that ends a step: coarse, or its place */
    bool by_place, lost;     /* lost: there is no pattern, and every wait ends one */
    uint32_t passed;         /* waits of a step that something else delimits */
    uint32_t learns;         /* so many steps from here on are as shipped, and not written */
    uint64_t alike, unlike;  /* steps since it is known what one is */
    cf_schedule schedule;
    bool running;
    uint64_t begin_ns, warm_ns, after_ns;
    cf_wire_counts at_begin;
} now;

static uint64_t mix(uint64_t a, uint64_t b)
{
    cf_rng rng = {a ^ (b * 0x9e3779b97f4a7c15ull)};
    return cf_rng_next(&rng);
}

static uint64_t place_of(cf_wait_kind kind, const void *from)
{
    return mix((uint64_t)kind, (uintptr_t)from);
}

void cf_inject_step_begin(cf_wire *wire, cf_step_kind kind, uint64_t seed, uint64_t after_ns)
{
    now.wire = wire;
    now.kind = kind;
    now.after_ns = after_ns;
    now.warm_ns = cf_clock_now_ns() > after_ns ? cf_clock_now_ns() : after_ns;
    cf_schedule_begin(&now.schedule, seed, wire->rounds_wanted);
    atomic_store(&phase, WARMING);
}

void cf_inject_step_forked(void)
{
    seen_count = 0;
    memset(&now, 0, sizeof now);
    atomic_store(&phase, IDLE);
    atomic_store(&looking, false);
}

bool cf_inject_looking(void)
{
    return atomic_load_explicit(&looking, memory_order_relaxed);
}

void cf_inject_give_up(void)
{
    cf_inject_lock_take(CF_LOCK_STEPS);
    atomic_store(&phase, DONE);
    atomic_store_explicit(&looking, false, memory_order_relaxed);
    atomic_store_explicit(&cf_inject_arm_now, CF_ARM_SHIPPED, memory_order_relaxed);
    if (now.wire)
        __atomic_store_n(&now.wire->state, CF_WIRE_DONE, __ATOMIC_RELAXED);
    cf_inject_lock_give(CF_LOCK_STEPS);
}

static void write_step(uint64_t end_ns, bool irregular)
{
    cf_wire *wire = now.wire;
    cf_wire_counts counts = cf_inject_counts();
    cf_wire_step *step = &wire->steps[wire->step_count];
    *step =
        (cf_wire_step){.begin_ns = now.begin_ns,
                       .end_ns = end_ns,
                       .round = now.schedule.round,
                       .variant = (uint16_t)cf_schedule_variant(&now.schedule),
                       .flags = (uint16_t)(cf_schedule_flags(&now.schedule) | (irregular ? CF_WIRE_IRREGULAR : 0u))};
#define X(field, text) step->counts.field = counts.field - now.at_begin.field;
    CF_WIRE_STEP_COUNTS(X)
#undef X
    step->seal = cf_wire_seal(step);
    wire->counts = counts;
    __atomic_store_n(&wire->step_count, wire->step_count + 1, __ATOMIC_RELEASE);
}

/* Sites are looked at in whole steps as shipped, of the rounds that are thrown away: it takes time. */
static bool wants_sites(cf_arm arm)
{
    return arm == CF_ARM_SHIPPED && (cf_schedule_flags(&now.schedule) & CF_WIRE_WARMUP) && cf_inject_sites_wanted();
}

/* A step ends here. An irregular one is taken again, with the step before it: its turn begins anew. */
static void boundary(bool irregular)
{
    uint64_t end_ns = cf_clock_now_ns();
    if (now.running && now.learns == 0) {
        write_step(end_ns, irregular);
        if (cf_inject_looking())
            cf_inject_sites_end_step(now.wire, !irregular);
        now.alike += !irregular;
        now.unlike += irregular;
        if (irregular) {
            cf_schedule_again(&now.schedule);
            __atomic_fetch_add(&now.wire->notes.irregular, 1, __ATOMIC_RELAXED);
        } else {
            cf_schedule_next(&now.schedule);
        }
    }
    now.learns = !now.running ? LEARNED : now.learns > 0 ? now.learns - 1 : 0;
    now.running = true;
    now.passed = 0;
    cf_inject_answers_after(0);
    bool over = atomic_load(&phase) == DONE || cf_schedule_over(&now.schedule) || now.wire->step_count >= CF_WIRE_STEPS;
    cf_arm arm = over || now.learns > 0 ? CF_ARM_SHIPPED : cf_variant_arm(cf_schedule_variant(&now.schedule));
    atomic_store_explicit(&cf_inject_arm_now, arm, memory_order_relaxed);
    atomic_store_explicit(&looking, !over && now.learns == 0 && wants_sites(arm), memory_order_relaxed);
    if (over) {
        __atomic_store_n(&now.wire->state, CF_WIRE_DONE, __ATOMIC_RELAXED);
        atomic_store(&phase, DONE);
        return;
    }
    now.at_begin = cf_inject_counts();
    now.begin_ns = cf_clock_now_ns();
    atomic_store_explicit(&beside, 0, memory_order_relaxed);
    atomic_store_explicit(&led_until_ns, now.begin_ns, memory_order_release);
}

static void toggle(uint32_t period)
{
    now.alike = now.unlike = 0;
    atomic_store(&beside, 0);
    atomic_store(&led_until_ns, cf_clock_now_ns());
    now.period = period;
    now.wire->period = period;
    cf_cuda_describe(now.wire);
    if (!now.wire->device[0])
        cf_ze_describe(now.wire);
    __atomic_store_n(&now.wire->state, CF_WIRE_TOGGLING, __ATOMIC_RELAXED);
    atomic_store(&phase, TOGGLING);
}

static waits *waits_of(pthread_t thread)
{
    for (size_t i = 0; i < seen_count; i++)
        if (pthread_equal(seen[i].thread, thread))
            return &seen[i];
    if (seen_count == THREADS)
        return NULL;
    seen[seen_count] = (waits){.thread = thread};
    return &seen[seen_count++];
}

/* The wait that drains most ends a step; of several the last. */
static void lead(const waits *w, uint32_t period)
{
    size_t anchor = w->count - 1;
    for (size_t i = w->count - 1; i + period > w->count - 1 && i < w->count; i--)
        if (w->kinds[i] > w->kinds[anchor])
            anchor = i;
    now.leader = w->thread;
    now.led = true;
    now.wire->notes.no_period = now.lost ? w->count : 0;
    now.anchor = now.by_place ? w->places[anchor] : w->coarse[anchor];
    atomic_store(&now.waited, (uint32_t)(w->count - 1 - anchor));
    toggle(period);
    if (anchor == w->count - 1)
        boundary(false);
}

/* From the strictest view of the waits to the most lenient: a program may make its queues anew in every step, or not
   record the same number of events in each. 0 = not yet. */
static uint32_t find_period(const waits *w)
{
    uint32_t period = cf_period_find(w->fine, w->count);
    now.by_place = now.lost = false;
    if (period > 0 || w->count < LENIENT_FROM)
        return period;
    now.by_place = true;
    period = cf_period_find(w->loaded, w->count);
    if (period == 0 && w->count >= 2 * LENIENT_FROM)
        period = cf_period_find(w->places, w->count);
    if (period == 0 && w->count == CF_PERIOD_WAITS)
        period = cf_period_mostly(w->places, w->count);
    if (period == 0 && w->count == CF_PERIOD_WAITS) {
        now.lost = true;
        period = 1;
    }
    return period;
}

/* A thread that only waits for single events as a rule serves another: others are given time to show that they wait for
   more. */
static bool may_lead(const waits *w, uint32_t period)
{
    if (seen_count < 2 || cf_clock_now_ns() - now.warm_ns > ASIDE_NS)
        return true;
    for (size_t i = w->count - period; i < w->count; i++)
        if (w->kinds[i] >= CF_WAIT_QUEUE)
            return true;
    return false;
}

/* The older half makes room. */
static void forget_half(waits *w)
{
    size_t half = CF_PERIOD_WAITS / 2;
    memmove(w->places, w->places + half, half * sizeof w->places[0]);
    memmove(w->coarse, w->coarse + half, half * sizeof w->coarse[0]);
    memmove(w->fine, w->fine + half, half * sizeof w->fine[0]);
    memmove(w->loaded, w->loaded + half, half * sizeof w->loaded[0]);
    memmove(w->kinds, w->kinds + half, half * sizeof w->kinds[0]);
    w->count = half;
}

static void warm(cf_wait_kind kind, const void *object, const void *from)
{
    waits *w = waits_of(pthread_self());
    if (!w)
        return;
    if (w->count == CF_PERIOD_WAITS)
        forget_half(w);
    cf_wire_counts counts = cf_inject_counts();
    uint64_t records = counts.timing + counts.plain;
    w->places[w->count] = place_of(kind, from);
    w->coarse[w->count] = mix(place_of(kind, from), (uintptr_t)object);
    w->fine[w->count] = mix(w->coarse[w->count], records - w->records);
    w->loaded[w->count] = mix(w->places[w->count], records - w->records);
    w->kinds[w->count++] = kind;
    w->records = records;
    uint32_t period = find_period(w);
    if (period > 0 && may_lead(w, period))
        lead(w, period);
}

static bool has_rounds_to_keep(void)
{
    return !now.schedule.warmup && now.schedule.round >= ROUNDS_KEPT;
}

/* What a program does first (it tunes itself, it tries itself) may recur as well, and is then not what it goes on with.
 */
static bool took_another_for_a_step(void)
{
    return now.unlike > UNLIKE_MIN + 2 * now.alike && !has_rounds_to_keep();
}

/* The steps go, and what one is will be seen anew. Under the lock. */
static void begin_anew(void)
{
    cf_wire *wire = now.wire;
    const uint64_t seed = cf_rng_next(&now.schedule.rng);
    atomic_store_explicit(&looking, false, memory_order_relaxed);
    atomic_store_explicit(&cf_inject_arm_now, CF_ARM_SHIPPED, memory_order_relaxed);
    __atomic_store_n(&wire->step_count, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&wire->state, CF_WIRE_WARMING, __ATOMIC_RELAXED);
    __atomic_store_n(&wire->notes.irregular, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&wire->notes.undrained, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&wire->notes.other_threads, 0, __ATOMIC_RELAXED);
    __atomic_fetch_add(&wire->notes.anew, 1, __ATOMIC_RELAXED);
    cf_inject_sites_forget(wire);
    cf_inject_answers_forget();
    now.led = now.running = false;
    now.warm_ns = cf_clock_now_ns();
    cf_schedule_begin(&now.schedule, seed, wire->rounds_wanted);
    seen_count = 0;
    atomic_store(&phase, WARMING);
}

/* ---- a leading thread that is heard of no more ---- */

static bool is_silent(void)
{
    const uint64_t led_until = atomic_load_explicit(&led_until_ns, memory_order_acquire);
    const uint64_t now_ns = cf_clock_now_ns();
    return now_ns > led_until && now_ns - led_until > SILENT_TIMES * (led_until - now.warm_ns);
}

/* By another thread. Who misses the leader only says so at first: one that comes back takes its place again, and one
   that was in the middle of a wait is through with it by the time that it is taken. */
static void waited_beside(void)
{
    const uint64_t count = atomic_fetch_add_explicit(&beside, 1, memory_order_relaxed) + 1;
    if (count % BESIDE_LOOK != 0 || !is_silent())
        return;
    int at = atomic_load(&phase);
    if (at == TOGGLING) {
        atomic_store(&missed_ns, cf_clock_now_ns());
        atomic_compare_exchange_strong(&phase, &at, MISSED);
        return;
    }
    if (at != MISSED || cf_clock_now_ns() - atomic_load(&missed_ns) < MISSED_NS)
        return;
    cf_inject_lock_take(CF_LOCK_STEPS);
    (void)atomic_load_explicit(&now.waited, memory_order_acquire);
    if (!has_rounds_to_keep() && atomic_compare_exchange_strong(&phase, &at, IDLE))
        begin_anew();
    cf_inject_lock_give(CF_LOCK_STEPS);
}

static bool leads(void)
{
    return pthread_equal(atomic_load_explicit(&now.leader, memory_order_relaxed), pthread_self());
}

/* By the leading thread, at its wait: false where it has lost its place. */
static bool still_leads(void)
{
    int at = MISSED;
    return atomic_compare_exchange_strong(&phase, &at, TOGGLING) || at == TOGGLING;
}

/* By the leading thread, while it toggles. Where a step of one period has no end, the next wait like the last one is.
 */
static void waited(uint64_t token)
{
    const uint32_t waited = atomic_load_explicit(&now.waited, memory_order_relaxed) + 1;
    cf_inject_answers_after(waited);
    bool at_anchor = token == now.anchor || now.lost;
    bool ends = waited >= now.period && (at_anchor || waited >= PERIODS_LONG * now.period);
    bool irregular = waited != now.period || !at_anchor;
    if (ends)
        boundary(irregular);
    atomic_store_explicit(&now.waited, ends ? 0 : waited, memory_order_release);
    if (!ends || !irregular || !took_another_for_a_step())
        return;
    cf_inject_lock_take(CF_LOCK_STEPS);
    const int at = atomic_load(&phase);
    if (at == TOGGLING || at == MISSED)
        begin_anew();
    cf_inject_lock_give(CF_LOCK_STEPS);
}

/* What a program does while it begins may be other work than what it does from then on. */
static bool is_time(void)
{
    return now.after_ns == 0 || cf_clock_now_ns() >= now.after_ns;
}

void cf_inject_waited(cf_wait_kind kind, const void *object, const void *from)
{
    int at = atomic_load_explicit(&phase, memory_order_acquire);
    if (at == IDLE || at == DONE)
        return;
    if (now.kind != CF_STEP_SYNC) {
        if (at == TOGGLING && leads())
            cf_inject_answers_after(++now.passed);
        return;
    }
    if (at != WARMING) {
        if (!leads()) {
            __atomic_fetch_add(&now.wire->notes.other_threads, 1, __ATOMIC_RELAXED);
            waited_beside();
        } else if (at == TOGGLING || still_leads()) {
            waited(now.by_place ? place_of(kind, from) : mix(place_of(kind, from), (uintptr_t)object));
        }
        return;
    }
    cf_inject_lock_take(CF_LOCK_STEPS);
    if (atomic_load(&phase) == WARMING && is_time())
        warm(kind, object, from);
    cf_inject_lock_give(CF_LOCK_STEPS);
}

void cf_inject_marked(void)
{
    int at = atomic_load_explicit(&phase, memory_order_acquire);
    if (at == IDLE || at == DONE || now.kind == CF_STEP_SYNC)
        return;
    if (at != WARMING) {
        if (!leads())
            waited_beside();
        else if (at == TOGGLING || still_leads())
            boundary(false);
        return;
    }
    cf_inject_lock_take(CF_LOCK_STEPS);
    if (!is_time()) {
        cf_inject_lock_give(CF_LOCK_STEPS);
        return;
    }
    if (!now.led) {
        now.led = true;
        now.leader = pthread_self();
    }
    bool counts = atomic_load(&phase) == WARMING && leads();
    now.wire->marks += counts;
    if (counts && now.wire->marks > CF_WIRE_WARM_MARKS) {
        toggle(1);
        boundary(false);
    }
    cf_inject_lock_give(CF_LOCK_STEPS);
}

CF_INJECT_EXPORT void confound_step_mark(void);
void confound_step_mark(void)
{
    cf_inject_marked();
}
