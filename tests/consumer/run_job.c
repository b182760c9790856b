/* A user's program: nothing but the installed library. Runs the built-in job on `sim`, writes the record, reads it
   back, judges both and compares. Prints the verdict. */
#include <confound/confound.h>
#include <confound/judge.h>
#include <confound/record.h>
#include <confound/run.h>
#include <stdio.h>
#include <string.h>

static const char *const job = "[job]\n"
                               "device = sim\n"
                               "model = copy-offload\n"
                               "[lane a]\n"
                               "op = h2d\n"
                               "count = 16\n"
                               "ns = 1000000\n"
                               "[lane b]\n"
                               "op = kernel\n"
                               "count = 16\n"
                               "ns = 1000000\n";

static int fail(const char *what, const confound_error *err)
{
    fprintf(stderr, "%s: %s (%s)\n", what, err->text, confound_status_meaning(err->status));
    return 1;
}

static int count_rounds(void *user, const char *phase, int64_t done, int64_t most)
{
    (void)done;
    (void)most;
    if (strcmp(phase, "rounds") == 0)
        ++*(int *)user;
    return 0;
}

/* Overlap is 1 without an instrument and 0 with timing events: sim is exact. */
static int as_expected(const confound_judgement *judgement)
{
    confound_estimate overlap = {0.0, 0.0, 0.0};
    int timing = confound_judgement_find(judgement, "timing");

    if (confound_judgement_verdict(judgement) != CONFOUND_VERDICT_CONFOUNDED || timing < 0)
        return 0;
    if (!confound_judgement_overlap(judgement, 0, &overlap) || overlap.median != 1.0)
        return 0;
    if (!confound_judgement_overlap(judgement, timing, &overlap) || overlap.median > 0.01)
        return 0;
    return confound_judgement_reading(judgement, 0) == CONFOUND_READING_OVERLAPS &&
           confound_judgement_reading(judgement, timing) == CONFOUND_READING_SERIALISES &&
           confound_judgement_effect(judgement, timing) == CONFOUND_EFFECT_CONFOUNDED;
}

static int same_from_file(const confound_record *record, const confound_judgement *judgement, const char *path)
{
    confound_record *again = NULL;
    confound_judgement *judged_again = NULL;
    confound_error err;
    int same = 0;

    if (confound_record_write(record, path, &err) || confound_record_read(path, &again, &err))
        return fail(path, &err);
    if (confound_judge(again, CONFOUND_MARGIN_OF_RECORD, &judged_again, &err))
        return fail("judge", &err);
    same = strcmp(confound_judgement_json(judgement, NULL), confound_judgement_json(judged_again, NULL)) == 0;
    confound_judgement_free(judged_again);
    confound_record_free(again);
    return same ? 0 : 1;
}

int main(int argc, char **argv)
{
    confound_options *options = NULL;
    confound_record *record = NULL;
    confound_judgement *judgement = NULL;
    confound_error err;
    int rounds = 0;

    if (argc != 2)
        return 2;
    if (confound_options_new(&options, &err) || confound_options_set_seed(options, 7, &err))
        return fail("options", &err);
    confound_options_set_progress(options, count_rounds, &rounds);
    if (confound_run_job(job, options, &record, &err))
        return fail("run", &err);
    if (confound_judge(record, CONFOUND_MARGIN_OF_RECORD, &judgement, &err))
        return fail("judge", &err);
    if (!as_expected(judgement) || rounds == 0 || !confound_record_simulated(record)) {
        fprintf(stderr, "not as expected: %s\n", confound_judgement_json(judgement, NULL));
        return 1;
    }
    if (same_from_file(record, judgement, argv[1])) {
        fprintf(stderr, "the record read back is judged otherwise\n");
        return 1;
    }
    printf("%s %s\n", confound_version(), confound_verdict_name(confound_judgement_verdict(judgement)));
    confound_judgement_free(judgement);
    confound_record_free(record);
    confound_options_free(options);
    return 0;
}
