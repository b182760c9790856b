/* Sections and keys of a model's file: one table from which the reader and its messages are made. Private to the
   room. */
#ifndef CF_MODEL_KEYS_H
#define CF_MODEL_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

#define CF_MODEL_MAX_KEYS 12

typedef enum cf_model_value {
    CF_VALUE_NAME,       /* char[CF_MODEL_NAME_BYTES] */
    CF_VALUE_TEXT,       /* char *, owned by the model */
    CF_VALUE_NS,         /* uint64_t */
    CF_VALUE_SIGNED_NS,  /* int64_t */
    CF_VALUE_COUNT,      /* uint64_t, min to max */
    CF_VALUE_COUNT32,    /* uint32_t, min to max */
    CF_VALUE_NUMBER,     /* double, min to max */
    CF_VALUE_BOOL,       /* bool */
    CF_VALUE_FRACTION,   /* two uint32_t, p and q */
    CF_VALUE_RATE,       /* uint64_t, bytes per second */
    CF_VALUE_ORDER,      /* bool, true = ready */
    CF_VALUE_RUNS,       /* unsigned, a set of kinds of operation */
    CF_VALUE_LOWERING,   /* cf_lowering */
    CF_VALUE_ENGINE_OWN, /* int, an engine's index or -1 for `own` */
    CF_VALUE_ENGINE_NONE /* int, an engine's index or -1 for `none` */
} cf_model_value;

typedef struct cf_model_key {
    const char *name; /* NULL ends a list */
    cf_model_value value;
    size_t offset;   /* from the section's base */
    double min, max; /* of counts and numbers, inclusive */
} cf_model_key;

/* Where the offsets of a section's keys begin. */
typedef enum cf_model_base { CF_BASE_MODEL, CF_BASE_ENGINE, CF_BASE_EVENT } cf_model_base;

typedef struct cf_model_section {
    const char *word;    /* first word of the header; NULL ends the list */
    const char *subject; /* second word as the messages show it; "" = none */
    bool engine;         /* the second word is an engine's name, else it is subject itself */
    cf_model_base base;
    cf_model_key keys[CF_MODEL_MAX_KEYS];
} cf_model_section;

extern const cf_model_section cf_model_sections[];

/* Index of an engine, -1 if there is none of that name. */
int cf_model_engine_named(const cf_model *model, const char *name);
/* INPUT: text is not of the key's form; MEMORY. Writes no error: the caller knows the line. */
cf_status cf_model_key_read(const cf_model_key *key, const cf_model *model, const char *text, void *base);
/* What the key accepts, for a message. Returns buf. */
const char *cf_model_key_accepts(const cf_model_key *key, const cf_model *model, char *buf, size_t buf_bytes);

#endif
