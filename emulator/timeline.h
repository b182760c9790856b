/* The commands that were executed, for people and for programs. */
#ifndef CF_EMULATOR_TIMELINE_H
#define CF_EMULATOR_TIMELINE_H

#include <stdio.h>

#include "base/emulator_spans.h"

/* One JSON object a line, with the members of cf_emulator_span. */
void cf_emu_spans_print(FILE *file, const cf_emulator_span *spans, size_t count);
/* A picture of each engine, then a line for each command: when, where, how long, and what it waited for. */
void cf_emu_timeline_print(FILE *file, const cf_emulator_span *spans, size_t count, uint64_t lost);

#endif
