/* Rule 9: each step has one factor for the lengths of its operations. */
#include "device/soft/state.h"

#include <math.h>

void cf_soft_noise_begin(cf_soft_noise *noise, const cf_model_noise *model, uint64_t seed)
{
    *noise = (cf_soft_noise){.rng = {.state = model->seed != 0 ? model->seed : seed}, .factor = 1};
    noise->level = model->ar * cf_rng_normal(&noise->rng); /* stationary from the first step on */
}

void cf_soft_noise_step(cf_soft_noise *noise, const cf_model_noise *model, double position)
{
    double fresh = sqrt(1 - model->phi * model->phi);
    noise->level = model->phi * noise->level + fresh * model->ar * cf_rng_normal(&noise->rng);
    noise->factor = exp(model->iid * cf_rng_normal(&noise->rng) + noise->level) * (1 + model->drift * position);
    if (cf_rng_uniform(&noise->rng) < model->spike_probability)
        noise->factor *= model->spike_factor;
}

uint64_t cf_soft_noise_apply(const cf_soft_noise *noise, uint64_t ns)
{
    double stretched_ns = (double)ns * noise->factor;
    if (stretched_ns < 1)
        return 1;
    return stretched_ns < (double)CF_MODEL_MAX_NS ? (uint64_t)stretched_ns : CF_MODEL_MAX_NS;
}
