/* A judgement in plain sentences: paragraphs separated by '\n', not wrapped, without markup. */
#ifndef CF_REPORT_SENTENCE_H
#define CF_REPORT_SENTENCE_H

#include "report/view.h"

/* What an instrument is called in a sentence, and how. A name is the user's, and keeps its letters at the beginning,
   too: there may be an arm `e` and an arm `E`. */
typedef struct cf_subject {
    char name[CF_VIEW_NAME_BYTES + 48];  /* "timing events", "timing events (before a)", "profiler" */
    char begin[CF_VIEW_NAME_BYTES + 48]; /* the same as the first of a sentence: "Timing events", "profiler" */
    bool plural;
} cf_subject;
void cf_subject_of(const cf_view *view, const cf_variant_judgement *judged, cf_subject *ret_subject);

/* The verdict: what was found, for every instrument that it hangs on. */
void cf_sentence_verdict(const cf_view *view, cf_text *out);
/* --against: whether the second design pays. Nothing without one. */
void cf_sentence_against(const cf_view *view, cf_text *out);
/* For what the answer holds; a simulated device is always said. */
void cf_sentence_scope(const cf_view *view, cf_text *out);
/* Whether a record is of a vendor's driver on the emulated GPU. */
bool cf_is_emulated(const cf_record *record);
/* Of such a record: what its scope says more, behind a blank; false: it is none. */
bool cf_sentence_emulated(const cf_record *record, cf_text *out);
/* What to do next. */
void cf_sentence_next(const cf_view *view, cf_text *out);

/* One observation beside the verdict. */
typedef void cf_note_sink(void *user, const char *label, const char *sentence);
/* Contention, suspicious overlap, slowdown, what instruments saw, first use, limits of the job and the machine, what
   was not done. label: "Seen", "First use" or "Note". */
void cf_sentence_notes(const cf_view *view, cf_note_sink *sink, void *user);
/* The findings with the numbers behind them, which of them explain an overlap that the control lacks, and what marked
   rounds say. label: "Missing", "Finding" or "Marks". */
void cf_sentence_findings(const cf_view *view, cf_note_sink *sink, void *user);
/* Variables of the environment that are known to matter on this device. label: "Variable". */
void cf_sentence_environment(const cf_view *view, cf_note_sink *sink, void *user);

#endif
