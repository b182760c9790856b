/* The page in HTML: what it says without its charts, and that no string of a record becomes markup. */
#include "report/fixture.h"

#include "base/rng.h"

static const char *after(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    assert_non_null(at);
    return at + strlen(part);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

/* The page without its scripts and its style: Vega has strings of its own. */
static char *written(const fixture *f)
{
    char *page = printed(f, cf_report_html, ASCII_STYLE);
    char *body = cf_text_dup(after(page, "<main>"));
    free(page);
    assert_non_null(body);
    *strstr(body, "</main>") = '\0';
    return body;
}

static void the_answer_and_the_belief_stand_before_any_chart(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    char *body = written(&f);
    const char *chart = strstr(body, "<figure");
    assert_non_null(chart);
    assert_true(strstr(body, "CONFOUNDED <span class=\"tag\">simulated</span>") < chart);
    assert_true(strstr(body,
                       "<h1 class=\"sentence\">Timing events are the serialisation: they remove 0.92 [0.90, 0.94] of "
                       "overlap; without them the lanes overlap.</h1>") < chart);
    assert_true(strstr(body, "May it be believed?") < chart);
    assert_contains(body, "Simulated</b>");
    assert_contains(body, "<th scope=\"row\">timing</th>");
    assert_contains(body, "<td>CONFOUNDED</td>");
    free(body);
    end(&f);
}

static void what_is_wrong_with_a_run_is_said_where_it_is_believed_or_not(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.record.variants[2].armed = f.record.variants[3].armed = CF_ARMED_YES;
    char *body = written(&f);
    assert_contains(body, "<p class=\"belief yes\">Yes, for the model that was run, not for any GPU");
    free(body);
    variant(&f, "one-queue")->reference_ok = false;
    body = written(&f);
    assert_contains(body, "<p class=\"belief no\">Not as it stands: 1 check failed.");
    assert_contains(body, "<li class=\"failed\">");
    free(body);
    variant(&f, "one-queue")->reference_ok = true;
    f.judgement.unbalanced_warning = true;
    f.judgement.balance = 0.4;
    body = written(&f);
    assert_contains(body, "<p class=\"belief care\">With care");
    free(body);
    f.judgement.valid = false;
    f.judgement.verdict = CF_VERDICT_INVALID;
    body = written(&f);
    assert_contains(body, "<p class=\"belief no\">No. The run is invalid.");
    free(body);
    end(&f);
}

static void what_was_not_measured_passes_no_check(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.judgement.balance = NAN;
    for (int i = 0; i < f.judgement.variant_count; i++)
        f.judgement.variants[i].starved_share = NAN;
    char *body = written(&f);
    assert_contains(body, "Lanes balanced</b><span class=\"hidden\"> (warning)</span> not known");
    assert_contains(body,
                    "Host on time</b><span class=\"hidden\"> (note)</span> submitting takes 0.3 % of a step; how late");
    free(body);
    f.judgement.variants[0].submit_ms = NAN;
    body = written(&f);
    assert_contains(body, "Host on time</b><span class=\"hidden\"> (note)</span> not known");
    free(body);
    end(&f);
}

#define HOSTILE "</script><img src=x onerror=\"a\">'&lt;\u202e\x1b[31m"

static void a_hostile_string_is_text_wherever_it_stands(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    set_string(&f.record.variants[3].name, HOSTILE);
    set_string(&f.record.device_name, HOSTILE);
    set_string(&f.record.driver, HOSTILE);
    set_string(&f.record.job.name, HOSTILE);
    set_string(&f.record.job.text, HOSTILE "\n" HOSTILE);
    set_string(&f.record.created_utc, HOSTILE);
    set_string(&f.record.variants[3].armed_how, HOSTILE);
    assert_int_equal(cf_pairs_add(&f.record.device, HOSTILE, HOSTILE, NULL), CF_OK);
    assert_int_equal(cf_pairs_add(&f.record.skipped, HOSTILE, HOSTILE, NULL), CF_OK);
    add_round(&f, &f.record.rounds, 1, 1000);
    char *page = printed(&f, cf_report_html, ASCII_STYLE);
    assert_int_equal(count_of(page, "</script>"), cf_report_has_charts() ? 3 : 2);
    assert_lacks(page, "<img");
    assert_lacks(page, "\u202e");
    assert_lacks(page, "\x1b");
    assert_contains(page, "&lt;/script&gt;&lt;img src=x onerror=&quot;a&quot;&gt;&#39;&amp;lt;");
    assert_contains(page, "\\u003c/script\\u003e\\u003cimg src=x onerror=\\\"a\\\"\\u003e'\\u0026lt;");
    free(page);
    end(&f);
}

static void any_judgement_makes_a_page_whose_tables_are_whole(void **state)
{
    (void)state;
    cf_rng rng = {.state = 31};
    static const double numbers[] = {0, -1, 1e18, -1e18, NAN, INFINITY, -INFINITY, 0.5};
    for (int i = 0; i < 300; i++) {
        fixture f;
        begin(&f);
        for (int v = 0; v < f.judgement.variant_count; v++) {
            cf_variant_judgement *judged = &f.judgement.variants[v];
            double *fields[] = {
                &judged->a_ms,           &judged->ab_ms,       &judged->exposed_ms,  &judged->best,
                &judged->overlap.median, &judged->overlap.low, &judged->seen.median, &judged->effect.delta.high};
            for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
                *fields[k] = numbers[cf_rng_below(&rng, sizeof numbers / sizeof numbers[0])];
            judged->overlap.ok = cf_rng_below(&rng, 2);
            judged->effect.verdict = (cf_effect)cf_rng_below(&rng, 4);
            judged->reading = (cf_reading)cf_rng_below(&rng, CF_READING_COUNT);
        }
        f.judgement.verdict = (cf_verdict)cf_rng_below(&rng, 4);
        for (uint64_t round = cf_rng_below(&rng, 4); round > 0; round--)
            add_round(&f, &f.record.rounds, (int64_t)round, (int64_t)cf_rng_below(&rng, 1000) + 1);
        char *body = written(&f);
        assert_int_equal(count_of(body, "<tr>"), count_of(body, "</tr>"));
        assert_int_equal(count_of(body, "<figure"), count_of(body, "</figure>"));
        assert_int_equal(count_of(body, "<details"), count_of(body, "</details>"));
        assert_lacks(body, ">nan<");
        assert_lacks(body, ">inf<");
        free(body);
        end(&f);
    }
}

static void a_round_without_a_time_has_no_overlap(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    cf_round *round = add_round(&f, &f.record.rounds, 1, 1000000);
    assert_true(fabs(cf_round_overlap(round, 0, 0) - 0.99999) < 1e-5);
    for (int step = 0; step < CF_STEPS; step++)
        round->samples[CF_CELL_A].wall_ns[step] = 0;
    assert_true(isnan(cf_round_overlap(round, 0, 0)));
    assert_true(isnan(cf_round_seen(round, 0)));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_and_the_belief_stand_before_any_chart),
        cmocka_unit_test(what_is_wrong_with_a_run_is_said_where_it_is_believed_or_not),
        cmocka_unit_test(what_was_not_measured_passes_no_check),
        cmocka_unit_test(a_hostile_string_is_text_wherever_it_stands),
        cmocka_unit_test(any_judgement_makes_a_page_whose_tables_are_whole),
        cmocka_unit_test(a_round_without_a_time_has_no_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
