/* What a record says of a program that was toggled beside its rounds, and what the two files that make it share. */
#ifndef CF_CLI_EXEC_TOGGLE_FACTS_H
#define CF_CLI_EXEC_TOGGLE_FACTS_H

#include "cli/exec_toggle.h"

/* Variants of the record, by those of the library's; -1 = it is left out. */
typedef struct cf_toggle_places {
    int of[CF_VARIANT_COUNT];
} cf_toggle_places;

const char *cf_toggle_variant_name(unsigned variant); /* "as-shipped", … */
/* Takes value over, in place of what was there; NULL = there was no memory for it. */
cf_status cf_toggle_put(char **at, char *value, cf_error *err) CF_MUST_CHECK;
/* Adds a fact whose text the caller made; frees it. */
cf_status cf_toggle_add(cf_pairs *pairs, const char *name, char *text, cf_error *err) CF_MUST_CHECK;
/* Of the steps of a variant that count. */
cf_wire_counts cf_toggle_counts_of(const cf_wire *wire, unsigned variant, uint64_t *ret_steps);

cf_status cf_toggle_add_device(cf_record *record, const cf_wire *wire, cf_error *err) CF_MUST_CHECK;
/* Timing, answers, cost, sites, and notes of what was left as it is. */
cf_status cf_toggle_add_facts(cf_record *record, const cf_toggled *toggled, const cf_toggle_places *in,
                              cf_error *err) CF_MUST_CHECK;

#endif
