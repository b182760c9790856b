/* Rule 9: one factor a step, the product of a lognormal, a wander (AR(1) in the logarithm, begun in its stationary
   state), a spike and a linear drift. The same seed gives the same factors. */
#ifndef CF_DEVICE_SIM_NOISE_H
#define CF_DEVICE_SIM_NOISE_H

#include <stdint.h>

#include "base/rng.h"
#include "model/model.h"

typedef struct cf_sim_noise {
    const cf_model_noise *model; /* borrowed */
    cf_rng rng;
    double wander;
} cf_sim_noise;

/* seed: the run's, used where the model names none. */
void cf_sim_noise_init(cf_sim_noise *noise, const cf_model_noise *model, uint64_t seed);
/* Factor of the next step, above 0; position in [0, 1] is how far the run is. 1 where noise is off. */
double cf_sim_noise_next(cf_sim_noise *noise, double position);
/* A length of that step, at least 1 ns (0 stays 0). */
uint64_t cf_sim_noise_scale(double factor, uint64_t ns);

#endif
