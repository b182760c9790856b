#include "emulator/timeline.h"

#include <inttypes.h>
#include <string.h>

static const char *const kinds[] = {"other", "copy", "kernel", "stamp", "wait"};

static const char *kind_name(uint32_t kind)
{
    return kind < sizeof kinds / sizeof *kinds ? kinds[kind] : kinds[0];
}

static void print_arguments(FILE *file, const cf_emulator_span *span)
{
    fputs(",\"arguments\":[", file);
    for (size_t i = 0; i < sizeof span->arguments / sizeof *span->arguments; i++)
        fprintf(file, "%s%" PRIu64, i ? "," : "", span->arguments[i]);
    fputs("]", file);
}

/* Names are the emulator's own: nothing in them needs to be escaped. */
void cf_emu_spans_print(FILE *file, const cf_emulator_span *spans, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const cf_emulator_span *s = &spans[i];
        fprintf(file,
                "{\"id\":%" PRIu64 ",\"waits_for\":%" PRIu64 ",\"queued_ns\":%" PRIu64 ",\"begin_ns\":%" PRIu64
                ",\"end_ns\":%" PRIu64 ",\"writes\":%" PRIu64 ",\"writes_bytes\":%" PRIu64 ",\"reads\":%" PRIu64
                ",\"reads_bytes\":%" PRIu64 ",\"kind\":\"%s\",\"queue\":%" PRIu32
                ",\"engine\":\"%s\",\"command\":\"%s\"",
                s->id, s->waits_for, s->queued_ns, s->begin_ns, s->end_ns, s->writes, s->writes_bytes, s->reads,
                s->reads_bytes, kind_name(s->kind), s->queue, s->engine, s->command);
        if (s->kind == CF_EMULATOR_KERNEL) {
            print_arguments(file, s);
            fputs(",\"computed\":false", file);
        }
        fputs("}\n", file);
    }
}

#define COLUMNS 96
#define ENGINES 16

typedef struct track {
    const char *engine;
    char work[COLUMNS + 1], stream[COLUMNS + 1];
} track;

typedef struct picture {
    track tracks[ENGINES];
    size_t count;
    uint64_t begin_ns, end_ns;
} picture;

static track *track_of(picture *p, const char *engine)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->tracks[i].engine, engine) == 0)
            return &p->tracks[i];
    if (p->count == ENGINES)
        return NULL;
    track *made = &p->tracks[p->count++];
    made->engine = engine;
    memset(made->work, '.', COLUMNS);
    memset(made->stream, '.', COLUMNS);
    made->work[COLUMNS] = made->stream[COLUMNS] = 0;
    return made;
}

static size_t column(const picture *p, uint64_t at_ns)
{
    const uint64_t whole = p->end_ns > p->begin_ns ? p->end_ns - p->begin_ns : 1;
    const double part = (double)(at_ns - p->begin_ns) / (double)whole * COLUMNS;
    return part >= COLUMNS ? COLUMNS - 1 : (size_t)part;
}

/* Where several fall into one column, the later letter of this list stays. */
static void paint(char *row, size_t from, size_t to, char letter)
{
    static const char order[] = ".scwf#KT";
    for (size_t i = from; i <= to; i++)
        if (strchr(order, letter) > strchr(order, row[i]))
            row[i] = letter;
}

static void draw(picture *p, const cf_emulator_span *s)
{
    track *t = track_of(p, s->engine);
    if (!t)
        return;
    const size_t from = column(p, s->begin_ns), to = column(p, s->end_ns);
    if (s->kind == CF_EMULATOR_KERNEL)
        paint(t->work, from, to, 'K');
    else if (s->kind == CF_EMULATOR_COPY)
        paint(t->work, from, to, '#');
    else if (strcmp(s->command, "MEM_SET") == 0 || strcmp(s->command, "XY_FAST_COLOR_BLT") == 0)
        paint(t->work, from, to, 'f');
    else if (s->kind == CF_EMULATOR_STAMP)
        paint(t->stream, from, from, 's'), paint(t->stream, to, to, 'T');
    else if (s->kind == CF_EMULATOR_WAIT)
        paint(t->stream, from, to, 'w');
    else if (s->end_ns > s->begin_ns)
        paint(t->stream, from, to, 's');
}

static void print_picture(FILE *file, picture *p)
{
    const double whole_us = (double)(p->end_ns - p->begin_ns) / 1e3;
    fprintf(file, "timeline of %.1f us, a column is %.1f us\n", whole_us, whole_us / COLUMNS);
    for (size_t i = 0; i < p->count; i++)
        fprintf(file, "%-6s engine |%s|\n       stream |%s|\n", p->tracks[i].engine, p->tracks[i].work,
                p->tracks[i].stream);
    fputs("K kernel (not computed), # copy, f fill; the command streamer: s stalls, w waits at a semaphore, T stores a "
          "time\n\n",
          file);
}

void cf_emu_timeline_print(FILE *file, const cf_emulator_span *spans, size_t count, uint64_t lost)
{
    picture p = {.begin_ns = UINT64_MAX};
    for (size_t i = 0; i < count; i++) {
        p.begin_ns = spans[i].begin_ns < p.begin_ns ? spans[i].begin_ns : p.begin_ns;
        p.end_ns = spans[i].end_ns > p.end_ns ? spans[i].end_ns : p.end_ns;
    }
    if (!count) {
        fputs("timeline: no command was executed\n", file);
        return;
    }
    for (size_t i = 0; i < count; i++)
        draw(&p, &spans[i]);
    print_picture(file, &p);
    fprintf(file, "%7s %7s %-5s %5s %12s %10s  %s\n", "id", "after", "on", "queue", "begin us", "took us", "command");
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%7" PRIu64 " %7" PRIu64 " %-5s %5" PRIu32 " %12.1f %10.1f  %s%s\n", spans[i].id,
                spans[i].waits_for, spans[i].engine, spans[i].queue, (double)(spans[i].begin_ns - p.begin_ns) / 1e3,
                (double)(spans[i].end_ns - spans[i].begin_ns) / 1e3, spans[i].command,
                spans[i].kind == CF_EMULATOR_KERNEL ? ", not computed" : "");
    if (lost)
        fprintf(file, "and %" PRIu64 " commands more, for which there was no room\n", lost);
}
