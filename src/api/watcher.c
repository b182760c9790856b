#include "api/watcher.h"

#include <math.h>

#include "verdict/bound.h"

static void progress(void *user, const cf_progress *now, const cf_record *record)
{
    static const char *const phases[] = {
        [CF_PHASE_CALIBRATE] = "calibrate", [CF_PHASE_PROLOGUE] = "prologue", [CF_PHASE_WARMUP] = "warm-up",
        [CF_PHASE_ROUNDS] = "rounds",       [CF_PHASE_EXPLAIN] = "explain",
    };
    cf_watcher *w = user;
    const confound_options *o = w->options;
    (void)record;
    if (o->progress && o->progress(o->progress_user, phases[now->phase], now->done, now->most))
        w->stop = true;
}

static bool cancelled(void *user)
{
    cf_watcher *w = user;
    const confound_options *o = w->options;
    if (o->cancel && o->cancel(o->cancel_user))
        w->stop = true;
    return w->stop;
}

static bool bound_is_settled(const cf_record *record, const cf_judgement *judgement, double at_least)
{
    cf_bound bound;
    return cf_bound_judge(record, judgement, at_least, &bound, NULL) == CF_OK && !bound.open &&
           cf_judgement_effects_settled(record, judgement);
}

/* Out of memory settles nothing: the run goes on and meets it again. */
static bool enough(void *user, const cf_record *record)
{
    const confound_options *o = ((const cf_watcher *)user)->options;
    cf_judge_settings settings = {.margin = (double)NAN};
    cf_judgement judgement;
    if (cf_judge(record, NULL, &settings, &judgement, NULL) != CF_OK)
        return false;
    bool settled =
        o->at_least > 0 ? bound_is_settled(record, &judgement, o->at_least) : cf_judgement_settled(record, &judgement);
    cf_judgement_done(&judgement);
    return settled;
}

cf_run_callbacks cf_watcher_callbacks(cf_watcher *watcher)
{
    return (cf_run_callbacks){.user = watcher, .progress = progress, .enough = enough, .cancelled = cancelled};
}

cf_status cf_watcher_agree(void *user, cf_agree_what what, int64_t *value, cf_error *err)
{
    static const confound_agree asked[] = {
        [CF_AGREE_DECIDED] = CONFOUND_AGREE_DECIDED,
        [CF_AGREE_END] = CONFOUND_AGREE_END,
        [CF_AGREE_WALL_NS] = CONFOUND_AGREE_WALL_NS,
    };
    const confound_options *o = ((const cf_watcher *)user)->options;
    int64_t common = o->agree(o->agree_user, asked[what], *value);
    if (common < 0)
        return cf_error_set(err, CF_DEVICE, "the ranks could not agree: agree returned %lld", (long long)common);
    *value = common;
    return CF_OK;
}

cf_status cf_watcher_check(const confound_options *options, cf_error *err)
{
    if (options->agree && !options->has_seed)
        return cf_error_set(err, CF_INPUT, "ranks that act together need a common seed; set one");
    return CF_OK;
}
