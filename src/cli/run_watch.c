#include "cli/run_watch.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "verdict/verdict.h"

/* timeout(1) signals a process and then its whole group: that is one wish. */
#define SAME_NS UINT64_C(10000000)

static volatile sig_atomic_t stops;
static volatile uint64_t stopped_ns; /* the handler's own */
static volatile sig_atomic_t group;  /* a pid_t; 0 = none */
static struct sigaction old_int, old_term;
static char farewell[1280]; /* made beforehand: a handler may only write it */
static volatile sig_atomic_t farewell_bytes;

static void on_signal(int number)
{
    (void)number;
    const uint64_t now_ns = cf_clock_now_ns();
    if (stops > 0 && now_ns - stopped_ns < SAME_NS)
        return;
    stopped_ns = now_ns;
    if (stops++ == 0)
        return;
    if (group > 0)
        (void)kill(-(pid_t)group, SIGKILL);
    if (farewell_bytes > 0 && write(STDERR_FILENO, farewell, (size_t)farewell_bytes) < 0)
        _exit(130);
    _exit(130); /* every whole round is in the part file */
}

void cf_watch_begin(cf_watch *watch, bool quiet, const cf_explain *explain)
{
    *watch = (cf_watch){.shown = !quiet && isatty(STDERR_FILENO), .explain = explain};
    stops = 0;
    group = 0;
    farewell_bytes = 0;
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT); /* one at a time: they share what they remember */
    sigaddset(&action.sa_mask, SIGTERM);
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
}

void cf_watch_resume(const char *command, const char *path)
{
    char safe[1024];
    const int length = snprintf(farewell, sizeof farewell,
                                "\nconfound: ended at once; the whole rounds are kept: confound %s --resume %s\n",
                                command, cf_text_safe(path, safe, sizeof safe));
    farewell_bytes = length > 0 && (size_t)length < sizeof farewell ? length : 0;
}

void cf_watch_end(cf_watch *watch)
{
    farewell_bytes = 0;
    if (watch->shown)
        fputs("\r\033[K", stderr);
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
}

void cf_watch_group(void *user, pid_t pid)
{
    (void)user;
    group = (sig_atomic_t)pid;
}

static bool cancelled(void *user)
{
    (void)user;
    return stops > 0;
}

static void note_undecided(cf_watch *watch, const cf_record *record, const cf_judgement *judgement)
{
    watch->undecided[0] = '\0';
    watch->more_rounds = judgement->more_rounds;
    for (int i = 0; i < judgement->variant_count; i++) {
        const cf_variant_judgement *v = &judgement->variants[i];
        bool unread = v->reading == CF_READING_INCONCLUSIVE && !judgement->metric;
        bool open = unread || v->effect.verdict == CF_EFFECT_INCONCLUSIVE;
        size_t used = strlen(watch->undecided);
        if (open && used + 40 < sizeof watch->undecided)
            snprintf(watch->undecided + used, sizeof watch->undecided - used, "%s%.32s", used > 0 ? ", " : "",
                     record->variants[v->variant].name);
    }
}

static bool enough(void *user, const cf_record *record)
{
    cf_watch *watch = user;
    cf_judgement judgement = {0};
    if (cf_judge(record, NULL, NULL, &judgement, NULL) != CF_OK)
        return false;
    bool settled = cf_judgement_settled(record, &judgement);
    note_undecided(watch, record, &judgement);
    cf_judgement_done(&judgement);
    return settled;
}

static void say_round(const cf_watch *watch, const cf_progress *p, const cf_record *record)
{
    fprintf(stderr, "\r\033[Kround %lld of at most %lld", (long long)p->done, (long long)p->most);
    if ((int64_t)p->done < record->min_rounds)
        fprintf(stderr, ", decides from %lld on", (long long)record->min_rounds);
    else if (watch->undecided[0] != '\0')
        fprintf(stderr, "; undecided: %.60s", watch->undecided);
    if (watch->more_rounds > 0)
        fprintf(stderr, "; about %ld more", watch->more_rounds);
    if (stops > 0)
        fputs("; ending after this round", stderr);
}

static void progress(void *user, const cf_progress *p, const cf_record *record)
{
    const cf_watch *watch = user;
    if (!watch->shown)
        return;
    if (p->phase == CF_PHASE_CALIBRATE)
        fputs("\r\033[Kcalibrating", stderr);
    else if (p->phase == CF_PHASE_PROLOGUE)
        fprintf(stderr, "\r\033[Kprologue, the control alone: round %lld of %lld", (long long)p->done + 1,
                (long long)p->most);
    else if (p->phase == CF_PHASE_WARMUP)
        fprintf(stderr, "\r\033[Kwarm-up: round %lld of %lld", (long long)p->done + 1, (long long)p->most);
    else if (p->phase == CF_PHASE_EXPLAIN)
        fputs("\r\033[Kone step more of two variants, for their commands", stderr);
    else
        say_round(watch, p, record);
    fflush(stderr);
}

static void explain(void *user, const cf_record *record, const bool *can, int ret_variants[2])
{
    const cf_watch *watch = user;
    cf_explain_pick(watch->explain, record, can, ret_variants);
}

cf_run_callbacks cf_watch_callbacks(cf_watch *watch)
{
    return (cf_run_callbacks){.user = watch,
                              .progress = progress,
                              .enough = enough,
                              .explain = watch->explain != NULL ? explain : NULL,
                              .cancelled = cancelled};
}
