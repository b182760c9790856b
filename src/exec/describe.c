/* What a record of arms says before anything was measured. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "device/emulated.h"
#include "exec/exec.h"
#include "run/facts.h"

#define BACKEND  "exec"
#define EMULATOR "confound-emulate"

/* The control is the program alone. A variable that lets somebody observe it is in front of all arms, and the control
   has not proven then that nothing was armed. */
static cf_status prove(cf_record_variant *variant, cf_error *err)
{
    const char *injection = cf_facts_injection();
    variant->armed = CF_ARMED_NOTHING;
    if (variant->role == CF_ROLE_INSTRUMENT)
        return cf_text_put_copy(&variant->armed_how,
                                "what stands before the program was started; it proves nothing of its own", err);
    if (!injection) {
        variant->armed = CF_ARMED_NO;
        return cf_text_put_copy(&variant->armed_how, "nothing before the program, no injection variable set", err);
    }
    return cf_text_put(&variant->armed_how, cf_text_format("%s is set: something may be observing", injection), err);
}

static cf_status describe_arms(cf_record *record, const cf_arms *arms, cf_error *err)
{
    record->variants = calloc((size_t)arms->count, sizeof *record->variants);
    if (!record->variants)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    record->variant_count = arms->count;
    cf_status status = CF_OK;
    for (int i = 0; i < arms->count && !status; i++) {
        cf_record_variant *variant = &record->variants[i];
        variant->role = i == 0 ? CF_ROLE_CONTROL : i == 1 ? CF_ROLE_REPLICA : CF_ROLE_INSTRUMENT;
        status = cf_text_put_copy(&variant->name, arms->items[i].name, err);
        if (!status)
            status = cf_text_put_copy(&variant->prefix, arms->items[i].prefix, err);
        if (!status)
            status = prove(variant, err);
    }
    return status;
}

static bool names_emulator(const cf_strings *command)
{
    for (size_t i = 0; i < command->count; i++) {
        const char *slash = strrchr(command->items[i], '/');
        if (strcmp(slash ? slash + 1 : command->items[i], EMULATOR) == 0)
            return true;
    }
    return false;
}

/* Whether a program uses a GPU is not known. Where the only one of Intel's that it could find is emulated, nothing that
   it shows is taken for a device's. */
static cf_status describe_emulated(cf_record *record, const cf_arms *arms, cf_error *err)
{
    const cf_emulated *around = cf_emulated_find();
    bool named = false;
    for (int i = 0; i < arms->count && !named; i++)
        named = names_emulator(&arms->items[i].command);
    if (!around && !named)
        return CF_OK;
    record->simulated = true;
    return around ? cf_emulated_facts(around, &record->device, err)
                  : cf_pairs_add(&record->device, "emulated",
                                 "an Intel GPU that the program uses: it is started by " EMULATOR, err);
}

cf_status cf_exec_describe(cf_record *record, const cf_exec_options *options, const cf_record_metric *spec,
                           cf_error *err)
{
    cf_record_metric metric = *spec;
    const cf_facts_place place = {.backend = BACKEND,
                                  .name = BACKEND,
                                  .clock_name = "CLOCK_MONOTONIC",
                                  .clock_resolution_ns = (int64_t)cf_clock_resolution_ns()};
    metric.source = options->number->source;
    metric.detail = options->number->detail;
    metric.timeout_ms = options->timeout_ms;
    record->design = CF_DESIGN_BETWEEN;
    cf_status status = cf_record_set_metric(record, &metric, err);
    if (!status)
        status = cf_facts_fill(record, &place, NULL, err);
    const char *cpu = status ? NULL : cf_pairs_get(&record->host, "cpu");
    if (!status)
        status = cf_text_put_copy(&record->device_name, cpu ? cpu : cf_pairs_get(&record->host, "kernel"), err);
    if (!status)
        status = cf_text_put_copy(&record->data_check_text, "what a program computes is its own affair", err);
    record->data_check = CF_DATA_UNSUPPORTED;
    if (!status)
        status = describe_emulated(record, options->arms, err);
    return status ? status : describe_arms(record, options->arms, err);
}
