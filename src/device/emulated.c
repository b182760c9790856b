#include "device/emulated.h"

#include <stdio.h>

static cf_status add_list(const char *name, const char *const *texts, cf_pairs *facts, cf_error *err)
{
    cf_status status = CF_OK;
    char numbered[32];
    for (int i = 0; texts[i] != NULL && status == CF_OK; i++) {
        snprintf(numbered, sizeof numbered, "%s-%d", name, i + 1);
        status = cf_pairs_add(facts, numbered, texts[i], err);
    }
    return status;
}

cf_status cf_emulated_facts(const cf_emulated *emulated, cf_pairs *facts, cf_error *err)
{
    char text[128];
    snprintf(text, sizeof text, "%s: %s", emulated->model, emulated->device);
    cf_status status = cf_pairs_add(facts, "emulated", text, err);
    if (status == CF_OK)
        status = add_list("assumption", emulated->assumptions, facts, err);
    return status == CF_OK ? add_list("taken-away", emulated->taken_away, facts, err) : status;
}
