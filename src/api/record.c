#include <stdlib.h>
#include <string.h>

#include "api/object.h"
#include "record/file.h"

static confound_record *new_record(confound_error *err)
{
    confound_record *record = calloc(1, sizeof *record);
    if (!record)
        (void)cf_api_fail(err, CF_MEMORY, "out of memory");
    return record;
}

/* cf_record_read and cf_record_parse leave nothing to free where they fail. */
static confound_status hand_out(cf_status status, const cf_error *error, confound_record *record,
                                confound_record **ret_record, confound_error *err)
{
    if (status == CF_OK)
        *ret_record = record;
    else
        free(record);
    return cf_api_status(status, error, err);
}

cf_status cf_api_hash(confound_record *record, cf_error *error)
{
    cf_text json = {0};
    cf_status status = cf_record_print(&record->record, &json, error);
    if (status == CF_OK)
        cf_hash_sha256(json.data, json.size_bytes, record->sha256_hex);
    cf_text_done(&json);
    return status;
}

confound_status confound_record_read(const char *path, confound_record **ret_record, confound_error *err)
{
    if (!cf_api_given(path, "the record's path", err))
        return CONFOUND_INPUT;
    confound_record *record = new_record(err);
    cf_error error = {0};
    if (!record)
        return CONFOUND_MEMORY;
    return hand_out(cf_record_read(path, &record->record, record->sha256_hex, &error), &error, record, ret_record, err);
}

confound_status confound_record_parse(const char *name, const char *json, size_t size_bytes,
                                      confound_record **ret_record, confound_error *err)
{
    if (!cf_api_given(name, "the record's name", err) || !cf_api_given(json, "the record's text", err))
        return CONFOUND_INPUT;
    confound_record *record = new_record(err);
    cf_error error = {0};
    if (!record)
        return CONFOUND_MEMORY;
    cf_hash_sha256(json, size_bytes, record->sha256_hex);
    return hand_out(cf_record_parse(name, json, size_bytes, &record->record, &error), &error, record, ret_record, err);
}

confound_status confound_record_write(const confound_record *record, const char *path, confound_error *err)
{
    cf_error error = {0};
    if (!cf_api_given(path, "the record's path", err))
        return CONFOUND_INPUT;
    return cf_api_status(cf_record_write(path, &record->record, NULL, &error), &error, err);
}

confound_status confound_record_json(const confound_record *record, char **ret_json, size_t *ret_size_bytes,
                                     confound_error *err)
{
    cf_text json = {0};
    cf_error error = {0};
    cf_status status = cf_record_print(&record->record, &json, &error);
    return cf_api_text(status, &json, ret_json, ret_size_bytes, &error, err);
}

void confound_record_free(confound_record *record)
{
    if (!record)
        return;
    cf_record_done(&record->record);
    free(record);
}

const char *confound_record_sha256(const confound_record *record)
{
    return record->sha256_hex;
}

int64_t confound_record_rounds(const confound_record *record)
{
    return (int64_t)record->record.rounds.count;
}

int confound_record_simulated(const confound_record *record)
{
    return record->record.simulated;
}
