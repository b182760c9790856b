/* Metric experiments in the file: what the record's reader and writer share. Internal to the room. */
#ifndef CF_RECORD_METRIC_H
#define CF_RECORD_METRIC_H

#include "base/json_out.h"
#include "record/node.h"

#define CF_VALUES_MAX 1000000 /* of one variant in one round */

/* Empty text in place of what is NULL in record's job: whoever shows a job need not ask. */
cf_status cf_record_blank_job(cf_record *record, cf_error *err) CF_MUST_CHECK;

/* The member `metric` of the head. */
void cf_write_metric(cf_json *json, const cf_record_metric *metric);
cf_status cf_read_metric(const cf_node *root, cf_record *record) CF_MUST_CHECK;
/* The members prefix and ended of a variant; ended alone. */
void cf_write_arm(cf_json *json, const cf_record_variant *variant);
void cf_write_ended(cf_json *json, const cf_record_variant *variant);
cf_status cf_read_arm(const cf_node *object, cf_record_variant *variant) CF_MUST_CHECK;
cf_status cf_read_ended(const cf_node *object, cf_record_variant *variant) CF_MUST_CHECK;
/* One round as one line without a newline, and back into a round that cf_rounds_add_metric made with facts. */
void cf_write_metric_round(cf_text *out, const cf_round *round, int variant_count);
cf_status cf_read_metric_round(const cf_node *node, int variant_count, cf_round *round) CF_MUST_CHECK;

#endif
