/* Pieces of a record from parsed JSON: what the record's reader and the part file's reader share. */
#ifndef CF_RECORD_READ_H
#define CF_RECORD_READ_H

#include "record/node.h"

/* All but the lists of rounds, into an initialised record. */
cf_status cf_read_head(const cf_node *root, cf_record *record) CF_MUST_CHECK;
/* The proof that an object holds, in place of the one that variant has. */
cf_status cf_read_proof(const cf_node *object, cf_record_variant *variant) CF_MUST_CHECK;
/* data_check and skipped of an object: the check in place of the one that record has, what was skipped added to it. */
cf_status cf_read_data_check(const cf_node *object, cf_record *record) CF_MUST_CHECK;
cf_status cf_read_skipped(const cf_node *object, cf_record *record) CF_MUST_CHECK;

/* Adds the round at which walk has entered to a list of record (cf_part_list), and moves walk over it. doc->value is
   where that round stands in the file. */
cf_status cf_read_round(const cf_node_doc *doc, cf_json_walk *walk, int list, cf_record *record) CF_MUST_CHECK;

#endif
