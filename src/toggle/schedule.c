#include "toggle/schedule.h"

static void deal(cf_schedule *s)
{
    for (int i = 0; i < CF_VARIANT_COUNT; i++)
        s->order[i] = i;
    cf_rng_shuffle(&s->rng, s->order, CF_VARIANT_COUNT);
    s->at = 0;
}

void cf_schedule_begin(cf_schedule *s, uint64_t seed, uint32_t rounds)
{
    *s = (cf_schedule){.rng = {seed}, .rounds = rounds, .warmup = true};
    deal(s);
}

bool cf_schedule_over(const cf_schedule *s)
{
    return !s->warmup && s->round >= s->rounds;
}

unsigned cf_schedule_variant(const cf_schedule *s)
{
    return cf_schedule_over(s) ? CF_VARIANT_SHIPPED : (unsigned)s->order[s->at / 2];
}

unsigned cf_schedule_flags(const cf_schedule *s)
{
    return (s->at % 2 == 0 ? (unsigned)CF_WIRE_SETTLE : 0) | (s->warmup ? (unsigned)CF_WIRE_WARMUP : 0);
}

void cf_schedule_next(cf_schedule *s)
{
    if (cf_schedule_over(s) || ++s->at < 2 * CF_VARIANT_COUNT)
        return;
    s->round++;
    if (s->warmup && s->round == CF_WIRE_WARMUP_ROUNDS) {
        s->warmup = false;
        s->round = 0;
    }
    deal(s);
}

void cf_schedule_again(cf_schedule *s)
{
    s->at -= s->at % 2;
}
