/* The part file's reader: no text breaks it, and what it takes is a record that the record's reader takes too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/part.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    cf_record record, back;
    cf_error err = {0};
    const cf_status status = cf_part_parse("fuzz", (const char *)data, size_bytes, &record, &err);
    if (status != CF_OK) {
        if (status != CF_INPUT || strncmp(err.text, "fuzz:", 5) != 0)
            abort();
        return 0;
    }
    cf_text text = {0};
    if (cf_record_print(&record, &text, NULL) != CF_OK ||
        cf_record_parse("again", text.data, text.size_bytes, &back, NULL) != CF_OK)
        abort();
    cf_record_done(&back);
    cf_record_done(&record);
    cf_text_done(&text);
    return 0;
}
