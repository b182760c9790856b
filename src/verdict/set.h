/* A set's records -> what they say together: of one value the common answer, of a sweep where an instrument matters and
   where the host is the limit. Pure. docs/sets.md. */
#ifndef CF_VERDICT_SET_H
#define CF_VERDICT_SET_H

#include "record/set.h"
#include "verdict/verdict.h"

/* One member, judged; the rounds of its record are not kept. */
typedef struct cf_set_result {
    bool ok; /* there is a record, and it was judged */
    cf_record record;
    cf_judgement judgement;
} cf_set_result;

/* A number over the processes of a group: of their medians. NaN = unknown. */
typedef struct cf_set_number {
    double median, least, most;
} cf_set_number;

typedef struct cf_set_variant {
    const char *name; /* borrowed from the first member's record */
    cf_role role;
    cf_reading reading;     /* the common one, else INCONCLUSIVE */
    cf_effect effect;       /* the common one, else INCONCLUSIVE; NONE where it is not judged */
    bool nothing_to_remove; /* CLEAR, and in some process because of that: no evidence of harmlessness */
    cf_set_number overlap, delta, ab_ms, exposed_ms;
} cf_set_variant;

typedef enum cf_set_because {
    CF_SET_AGREED,
    CF_SET_LACKS_MEMBERS, /* some process is missing, was interrupted or failed */
    CF_SET_DISAGREES
} cf_set_because;

/* The processes of one value. */
typedef struct cf_set_group {
    const char *value; /* borrowed from the set */
    double number;     /* of a sweep's value, in bytes or ns where it has a unit; NaN = it is no number */
    int members, done;
    cf_verdict verdict;
    cf_set_because because;
    int variant_count;
    cf_set_variant variants[CF_MAX_VARIANTS];
} cf_set_group;

/* Where along a sweep something holds: points in ascending order of their number. */
typedef struct cf_set_reach {
    char name[128];  /* of the instrument; "" of the host */
    bool *at;        /* [group_count], by group */
    int count;       /* points at which it holds */
    int from, until; /* group from which it holds on all points on, or up to which; -1 = there is none such */
    bool undecided;  /* at some point at which it does not hold */
    int left_out;    /* points at which there was nothing to remove: they count for nothing here */
    bool open;       /* undecided or left out at some point */
} cf_set_reach;

typedef struct cf_set_judgement {
    const cf_set *set;      /* borrowed */
    cf_set_result *results; /* [set->member_count] */
    int *rows;              /* members as they are shown: by value, then by process */
    int group_count;
    cf_set_group *groups;
    int instrument_count;
    const char **instruments; /* of all members that have a result, in the order of the rows; borrowed from them */
    bool complete;            /* every member is done */
    bool simulated;
    cf_verdict verdict; /* PROCESSES: of the only group */
    cf_set_because because;
    bool ordered; /* SWEEP: every value is a number, and what follows is there */
    int reach_count;
    cf_set_reach *reaches; /* an instrument each, and last the host */
} cf_set_judgement;

/* The common verdict, else INCONCLUSIVE; so also where some are lacking. */
cf_verdict cf_set_common(const cf_verdict *verdicts, int count, int lacking, cf_set_because *ret_because);

/* A value of a sweep as a number: "64KiB", "1ms", "0.5". NaN where it is none. */
double cf_set_value(const char *text);

/* Room for a set's results, none of which is ok. Caller frees with cf_set_judgement_done, also after a failure. */
cf_status cf_set_judgement_init(const cf_set *set, cf_set_judgement *ret, cf_error *err) CF_MUST_CHECK;
/* Takes record and judgement as member's result, in place of an older one; the caller's are emptied. */
void cf_set_judgement_take(cf_set_judgement *judgement, int member, cf_record *record, cf_judgement *judged);
/* Reads and judges the record of every member that may have one. path: of the document. margin: NaN = the records'. A
   record that cannot be read leaves its member without a result, and makes a finished one MISSING. INPUT where a record
   is there and has not the hash that the document gives it. */
cf_status cf_set_judgement_load(cf_set *set, const char *path, double margin, cf_set_judgement *judgement,
                                cf_error *err) CF_MUST_CHECK;
/* The same of one member. */
cf_status cf_set_judgement_load_member(cf_set *set, const char *path, int member, double margin,
                                       cf_set_judgement *judgement, cf_error *err) CF_MUST_CHECK;
/* Combines what is there; may be called again. */
cf_status cf_set_judgement_combine(cf_set_judgement *judgement, cf_error *err) CF_MUST_CHECK;
void cf_set_judgement_done(cf_set_judgement *judgement);

/* The set's document. MEMORY is the only failure. */
cf_status cf_set_print(const cf_set_judgement *judgement, cf_text *ret_json, cf_error *err) CF_MUST_CHECK;

#endif
