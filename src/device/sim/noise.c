#include "device/sim/noise.h"

#include <math.h>

void cf_sim_noise_init(cf_sim_noise *noise, const cf_model_noise *model, uint64_t seed)
{
    *noise = (cf_sim_noise){.model = model, .rng = {.state = model->seed ? model->seed : seed}};
    if (model->on)
        noise->wander = model->ar * cf_rng_normal(&noise->rng);
}

/* Every step draws the same number of values, whatever is switched on, so that one kind of noise does not change
   another. */
double cf_sim_noise_next(cf_sim_noise *noise, double position)
{
    const cf_model_noise *model = noise->model;
    if (!model->on)
        return 1.0;
    const double own = model->iid * cf_rng_normal(&noise->rng);
    const double push = model->ar * sqrt(1.0 - model->phi * model->phi) * cf_rng_normal(&noise->rng);
    const double spike = cf_rng_uniform(&noise->rng) < model->spike_probability ? model->spike_factor : 1.0;
    noise->wander = model->phi * noise->wander + push;
    return exp(own + noise->wander) * spike * (1.0 + model->drift * position);
}

uint64_t cf_sim_noise_scale(double factor, uint64_t ns)
{
    const double scaled = nearbyint((double)ns * factor);
    if (!ns)
        return 0;
    if (scaled < 1.0)
        return 1;
    return scaled < (double)CF_MODEL_MAX_NS ? (uint64_t)scaled : CF_MODEL_MAX_NS;
}
