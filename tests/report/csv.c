/* The CSV report: one row a cell time, and cells that stay text. */
#include "report/fixture.h"

static char *csv(const fixture *f)
{
    cf_text out = {0};
    cf_error err = {0};
    assert_int_equal(cf_report_csv(&f->record, &out, &err), CF_OK);
    return out.data;
}

static void the_header_names_the_columns_and_nothing_follows_without_rounds(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    char *text = csv(&f);
    assert_string_equal(text, "round,process,variant,role,cell,step,position,wall_ns,submit_ns,blocked_ns,delay_ns\n");
    free(text);
    end(&f);
}

static void each_cell_time_is_a_row_with_its_place_in_the_order(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    add_round(&f, &f.record.rounds, 1, 1000);
    cf_round *second = add_round(&f, &f.record.rounds, 2, 5000);
    second->process = 1;
    second->samples[2].delay_ns[1] = 7;
    char *text = csv(&f);
    size_t lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 1 + 2 * 5 * 3 * 3);
    assert_contains(text, "\n1,0,none,control,a,1,15,1000,100,0,\n");
    assert_contains(text, "\n1,0,one-queue,reference,ab,3,1,1142,102,0,\n");
    assert_contains(text, "\n2,1,none,control,ab,2,13,5021,101,0,7\n");
    free(text);
    end(&f);
}

static void rounds_that_are_not_judged_are_left_out(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    add_round(&f, &f.record.warmup, 1, 1000);
    char *text = csv(&f);
    assert_int_equal(strlen(text), strcspn(text, "\n") + 1);
    free(text);
    end(&f);
}

static void a_cell_is_never_a_formula_and_quotes_are_doubled(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"=cmd()", ",\"'=cmd()\","}, {"+1", ",\"'+1\","},      {"-1", ",\"'-1\","},    {"@x", ",\"'@x\","},
        {"a,b", ",\"a,b\","},        {"a\"b", ",\"a\"\"b\","}, {"a\nb\033", ",a?b?,"}, {"plain", ",plain,"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        fixture f;
        begin(&f);
        set_string(&f.record.variants[3].name, names[i][0]);
        add_round(&f, &f.record.rounds, 1, 1000);
        char *text = csv(&f);
        assert_contains(text, names[i][1]);
        free(text);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_names_the_columns_and_nothing_follows_without_rounds),
        cmocka_unit_test(each_cell_time_is_a_row_with_its_place_in_the_order),
        cmocka_unit_test(rounds_that_are_not_judged_are_left_out),
        cmocka_unit_test(a_cell_is_never_a_formula_and_quotes_are_doubled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
