/* Record and judgement -> what people look at, as `confound report` shows it. Pure: a text is handed out, nothing is
   printed. */
#ifndef CONFOUND_REPORT_H
#define CONFOUND_REPORT_H

#include <stddef.h>

#include "confound/confound.h"
#include "confound/judge.h"
#include "confound/record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum confound_format {
    CONFOUND_FORMAT_TEXT = 0,     /* the table, the verdict, what to do next: for a terminal */
    CONFOUND_FORMAT_VERDICT = 1,  /* the verdict alone, in plain sentences */
    CONFOUND_FORMAT_MARKDOWN = 2, /* for a pull request */
    CONFOUND_FORMAT_HTML = 3,     /* one page that needs nothing but itself */
    CONFOUND_FORMAT_CSV = 4       /* one row a cell time of the judged rounds; for programs */
} confound_format;

/* Bits of show; of TEXT and VERDICT alone. */
#define CONFOUND_SHOW_COLOR   1 /* ANSI colours */
#define CONFOUND_SHOW_UTF8    2 /* bars and dashes beyond ASCII */
#define CONFOUND_SHOW_VERBOSE 4 /* also how each variant was proven, and the machine */

/* judgement: of this record. columns: no line of TEXT and VERDICT is wider; from 80, 0 = 80. record_path: where the
   record is; NULL = it was not written. *ret_text ends with a NUL; ret_size_bytes, without it, may be NULL. Free with
   confound_text_free. CONFOUND_INPUT (no such format, or the judgement of another record), CONFOUND_MEMORY. */
CONFOUND_API confound_status confound_report(const confound_record *record, const confound_judgement *judgement,
                                             confound_format format, int show, int columns, const char *record_path,
                                             char **ret_text, size_t *ret_size_bytes,
                                             confound_error *err) CONFOUND_MUST_CHECK;
CONFOUND_API void confound_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
