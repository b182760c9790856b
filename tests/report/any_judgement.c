/* What holds for the report of any judgement, however odd: thousands are made up. */
#include "report/fixture.h"

#include "base/rng.h"

static const char *const words[] = {
    "none",
    "x",
    "a-rather-long-name-for-an-instrument-of-somebody",
    "\u8a08\u6e2c\u5668",
    "e\u0301te\u0301",
    "\xff\xfe",
    "",
    "two words",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};

static const char *any_word(cf_rng *rng)
{
    return words[cf_rng_below(rng, sizeof words / sizeof words[0])];
}

static double any_number(cf_rng *rng)
{
    static const double numbers[] = {0, 1, -1, 0.001, 99.9996, 123456, -123456, 1e9, 1e18, -1e18, NAN, INFINITY};
    uint64_t pick = cf_rng_below(rng, 24);
    return pick < 12 ? numbers[pick] : cf_rng_uniform(rng) * 40 - 4;
}

static cf_estimate any_estimate(cf_rng *rng)
{
    return (cf_estimate){
        .ok = cf_rng_below(rng, 4) > 0, .median = any_number(rng), .low = any_number(rng), .high = any_number(rng)};
}

static void make_any_variant(cf_rng *rng, cf_variant_judgement *judged)
{
    judged->a_ms = any_number(rng);
    judged->b_ms = any_number(rng);
    judged->ab_ms = any_number(rng);
    judged->exposed_ms = any_number(rng);
    judged->overlap = any_estimate(rng);
    judged->seen = any_estimate(rng);
    judged->reading = (cf_reading)cf_rng_below(rng, CF_READING_COUNT);
    judged->effect.verdict = (cf_effect)cf_rng_below(rng, 4);
    judged->effect.delta = any_estimate(rng);
    judged->effect.direction = (int)cf_rng_below(rng, 3) - 1;
    judged->effect.flips = cf_rng_below(rng, 2);
    judged->effect.slows = cf_rng_below(rng, 2);
    judged->effect.measurable = cf_rng_below(rng, 2);
    judged->effect.blamed = cf_rng_below(rng, 2);
    judged->effect.more_rounds = (long)cf_rng_below(rng, 100);
    judged->host_bound_note = cf_rng_below(rng, 2);
    for (int i = 0; i < 3; i++)
        judged->slowdown[i] = any_estimate(rng);
    judged->because.count = (int)cf_rng_below(rng, 3);
    for (int i = 0; i < judged->because.count; i++)
        judged->because.items[i] = (cf_because)cf_rng_below(rng, CF_BECAUSE_COUNT);
}

static void make_any(cf_rng *rng, fixture *f)
{
    begin(f);
    set_string(&f->record.device_name, any_word(rng));
    set_string(&f->record.driver, any_word(rng));
    set_string(&f->record.job.wait, any_word(rng));
    for (uint64_t more = cf_rng_below(rng, 4); more > 0; more--)
        add_variant(f, any_word(rng), (cf_role)cf_rng_below(rng, CF_ROLE_COUNT), 1, 1, 1);
    for (int i = 0; i < f->record.variant_count; i++) {
        make_any_variant(rng, &f->judgement.variants[i]);
        set_string(&f->record.variants[i].armed_how, any_word(rng));
        if (i > 0 && cf_rng_below(rng, 2))
            set_string(&f->record.variants[i].name, any_word(rng));
    }
    add_round(f, &f->record.warmup, 1, 1000);
    f->judgement.verdict = (cf_verdict)cf_rng_below(rng, 4);
    f->judgement.valid = f->judgement.verdict != CF_VERDICT_INVALID;
    add_because(&f->judgement.invalid_because, (cf_because)cf_rng_below(rng, CF_BECAUSE_COUNT));
    f->judgement.best = cf_rng_uniform(rng);
    f->judgement.unbalanced_warning = cf_rng_below(rng, 2);
    f->judgement.against = (cf_against_judgement){
        .ok = cf_rng_below(rng, 2), .verdict = "same", .exposed_verdict = "same", .ab_change = any_estimate(rng)};
}

static void assert_fits(const char *text, size_t columns, bool ascii)
{
    while (*text) {
        size_t size_bytes = strcspn(text, "\n");
        char line[4096];
        assert_true(size_bytes < sizeof line);
        memcpy(line, text, size_bytes);
        line[size_bytes] = '\0';
        if (cf_text_columns(line) > columns)
            fail_msg("%zu columns: %s", cf_text_columns(line), line);
        for (size_t i = 0; ascii && i < size_bytes; i++)
            assert_true((unsigned char)line[i] < 0x80);
        text += size_bytes + (text[size_bytes] == '\n');
    }
}

static void no_line_is_wider_than_80_columns_whatever_the_judgement(void **state)
{
    (void)state;
    cf_rng rng = {.state = 20};
    for (int i = 0; i < 3000; i++) {
        fixture f;
        make_any(&rng, &f);
        cf_report_style style = i % 2 ? UTF8_STYLE : ASCII_STYLE;
        style.verbose = i % 3 == 0;
        style.record_path = any_word(&rng);
        char *text = printed(&f, cf_report_text, style);
        assert_fits(text, CF_REPORT_COLUMNS, !style.utf8);
        free(text);
        end(&f);
    }
}

/* Cells of a table's line: bars that are not escaped, less one. */
static int cells_of(const char *line)
{
    int bars = 0;
    for (const char *at = line; *at && *at != '\n'; at++) {
        if (*at == '\\')
            at++;
        else
            bars += *at == '|';
    }
    return bars - 1;
}

static void markdown_keeps_its_table_whatever_the_judgement(void **state)
{
    (void)state;
    cf_rng rng = {.state = 21};
    for (int i = 0; i < 1000; i++) {
        fixture f;
        make_any(&rng, &f);
        char *text = printed(&f, cf_report_markdown, ASCII_STYLE);
        int rows = 0;
        for (const char *line = strstr(text, "| variant"); line && *line == '|'; line = strchr(line, '\n') + 1) {
            assert_int_equal(cells_of(line), 8);
            rows++;
        }
        assert_int_equal(rows, 2 + f.record.variant_count);
        free(text);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_is_wider_than_80_columns_whatever_the_judgement),
        cmocka_unit_test(markdown_keeps_its_table_whatever_the_judgement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
