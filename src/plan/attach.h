/* Evidence put into a claim. */
#ifndef CF_PLAN_ATTACH_H
#define CF_PLAN_ATTACH_H

#include "plan/plan.h"

/* A file as a person names it, hashed, and judged where it is to be a record. INPUT where it is none, can't be read or
   lies outside of the repository. Borrowed from the plan's cache. */
cf_status cf_plan_named_file(cf_plan *plan, const char *given, bool as_record, const cf_plan_record **ret_file,
                             cf_error *err) CF_MUST_CHECK;
/* INPUT with the variants that there are where `variant` is none of them. */
cf_status cf_plan_named_variant(const cf_plan_record *record, const char *variant,
                                const cf_variant_judgement **ret_judged, cf_error *err) CF_MUST_CHECK;

/* Values of front matter; NULL out of memory. */
cf_yaml_node *cf_plan_evidence_node(const cf_plan_record *file, bool is_trace, const char *variant);
cf_yaml_node *cf_plan_file_node(const cf_plan_record *file);
cf_yaml_node *cf_plan_scope_node(const cf_plan_record *record);
cf_yaml_node *cf_plan_lanes_node(const cf_plan_record *record);
cf_yaml_node *cf_plan_work_node(const char *what, const char *since);

/* Appends item to the list `key` of the claim, making it where it is not there. Owns item. */
cf_status cf_plan_append(cf_plan_claim *claim, const char *key, cf_yaml_node *item, cf_error *err) CF_MUST_CHECK;
/* Adds a record to a claim's evidence, unless it is there already; sets the claim's lanes from it where it
   has none, and the scope where that names neither device nor driver. Notes what a person should know. */
cf_status cf_plan_attach(cf_plan_claim *claim, const cf_plan_record *record, const char *variant,
                         cf_plan_outcome *outcome, cf_error *err) CF_MUST_CHECK;

/* A sentence that may be written: not blank, not too long, valid UTF-8. what names it in the message. */
cf_status cf_plan_check_sentence(const char *what, const char *text, size_t max_bytes, cf_error *err) CF_MUST_CHECK;
/* "YYYY-MM-DD": the one given, or today. INPUT where it is later than today. option names it in the message. */
cf_status cf_plan_day(const char *option, const char *given, char ret_date[CF_PLAN_DATE_BYTES],
                      cf_error *err) CF_MUST_CHECK;
/* Writes the claim's file, then the index. */
cf_status cf_plan_save(cf_plan *plan, const cf_plan_claim *claim, cf_plan_outcome *outcome,
                       cf_error *err) CF_MUST_CHECK;

#endif
