#include "record/names.h"

#include <stddef.h>

const char *const cf_role_names[] = {
#define X(name, text) text,
    CF_ROLE_TABLE(X)
#undef X
        NULL};
const char *const cf_design_names[] = {"within", "between", NULL};
const char *const cf_data_check_names[] = {"not-run", "unsupported", "ok", "wrong", NULL};
const char *const cf_mark_names[] = {"throttled", "shared-device", NULL};
const char *const cf_list_names[] = {"prologue", "warmup", "rounds", NULL};
const char *const cf_where_names[] = {"before", "after", "both", NULL};
const char *const cf_on_names[] = {"a", "b", "both", NULL};
const cf_sample_field cf_sample_fields[] = {
    {"ns", offsetof(cf_sample, wall_ns), false},
    {"submit_ns", offsetof(cf_sample, submit_ns), false},
    {"blocked_ns", offsetof(cf_sample, blocked_ns), false},
    {"delay_ns", offsetof(cf_sample, delay_ns), true},
    {"late_ns", offsetof(cf_sample, late_ns), true},
    {"lane_a_ns", offsetof(cf_sample, lane_a_ns), true},
    {"lane_b_ns", offsetof(cf_sample, lane_b_ns), true},
    {NULL, 0, false},
};
