/* A command line taken apart as a shell would, with no shell: blanks separate words, quotes and backslashes keep them
   together. Nothing is expanded: what only a shell can do ($, |, >, …) is refused where it is not quoted. */
#ifndef CF_EXEC_WORDS_H
#define CF_EXEC_WORDS_H

#include "base/error.h"
#include "base/text.h"
#include "record/record.h"

/* INPUT: a quote that does not end, or something for a shell. ret: the caller frees with cf_words_done. what: names the
   text in the message. */
cf_status cf_words_split(const char *what, const char *text, cf_strings *ret, cf_error *err) CF_MUST_CHECK;
/* Copies. */
cf_status cf_words_copy(char *const *items, size_t count, cf_strings *ret, cf_error *err) CF_MUST_CHECK;
/* Words as one line that splits into them again. */
void cf_words_join(const cf_strings *words, cf_text *out);
void cf_words_done(cf_strings *words);

#endif
