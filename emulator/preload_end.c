/* What is told when the process ends: --timeline and --spans. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/preload.h"
#include "emulator/timeline.h"

static void failed(const char *name)
{
    fprintf(stderr, "confound-emulate: cannot write %s: %s\n", name, strerror(errno));
}

static FILE *open_output(const char *name)
{
    FILE *file = strcmp(name, "-") == 0 ? stderr : fopen(name, "a");
    if (!file)
        failed(name);
    return file;
}

static void close_output(FILE *file, const char *name)
{
    if (!file || file == stderr)
        return;
    const bool wrong = ferror(file) != 0;
    if (fclose(file) != 0 || wrong)
        failed(name);
}

void cf_emu_tell(cf_emu_device *device, const cf_emu_session *session)
{
    const size_t count = cf_emu_spans_read(&device->spans, NULL, 0);
    cf_emulator_span *spans = malloc((count + 1) * sizeof *spans);
    if (!spans)
        return;
    const size_t kept = cf_emu_spans_read(&device->spans, spans, count);
    FILE *file = session->spans[0] ? open_output(session->spans) : NULL;
    if (file)
        cf_emu_spans_print(file, spans, kept < count ? kept : count);
    close_output(file, session->spans);
    file = session->timeline[0] ? open_output(session->timeline) : NULL;
    if (file)
        cf_emu_timeline_print(file, spans, kept < count ? kept : count, device->spans.lost);
    close_output(file, session->timeline);
    free(spans);
}
