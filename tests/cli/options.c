/* The parser of the command line, and the table it is made from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"
#include "cli/spec.h"

static const char *const *environment; /* name, value, …, NULL */

static const char *lookup(const char *name)
{
    for (const char *const *at = environment; at && *at; at += 2) {
        if (!strcmp(*at, name))
            return at[1];
    }
    return NULL;
}

static cf_status parse_words(char **words, cf_options *options, cf_error *err)
{
    int argc = 0;
    while (words[argc])
        argc++;
    *err = (cf_error){0};
    return cf_options_parse(argc, words, lookup, options, err);
}

#define WORDS(...)                                                                                                     \
    (char *[])                                                                                                         \
    {                                                                                                                  \
        (char *)"confound", __VA_ARGS__, NULL                                                                          \
    }
#define ENVIRONMENT(...)                                                                                               \
    environment = (const char *const[])                                                                                \
    {                                                                                                                  \
        __VA_ARGS__, NULL                                                                                              \
    }

static void parses(char **words, cf_options *options)
{
    cf_error err;
    if (parse_words(words, options, &err))
        fail_msg("%s", err.text);
}

static void refuses(char **words, const char *text)
{
    cf_options options;
    cf_error err;
    assert_int_equal(parse_words(words, &options, &err), CF_INPUT);
    assert_string_equal(err.text, text);
    cf_options_done(&options);
}

static int no_environment(void **state)
{
    (void)state;
    environment = NULL;
    return 0;
}

static void every_option_of_run_arrives(void **state)
{
    (void)state;
    cf_options o;
    parses(WORDS("run", "job.ini", "--device", "sim", "--model=copy-offload", "--set", "lane.a.count=4",
                 "--set=lane.b.count=5", "--instruments", "sync,timing", "--rounds", "40", "--min-rounds=13",
                 "--margin", "0.2", "--seed", "9007199254740991", "-o", "r.json", "--json", "-", "--expect",
                 "confounded", "--resume", "old.json", "--against", "two.ini", "-q", "--color", "never"),
           &o);
    assert_int_equal(o.command, CF_COMMAND_RUN);
    assert_string_equal(o.job_path, "job.ini");
    assert_string_equal(o.device, "sim");
    assert_string_equal(o.model, "copy-offload");
    assert_int_equal(o.sets.count, 2);
    assert_string_equal(o.sets.items[0], "lane.a.count=4");
    assert_string_equal(o.sets.items[1], "lane.b.count=5");
    assert_string_equal(o.instruments, "sync,timing");
    assert_true(o.rounds.set && o.rounds.value == 40);
    assert_true(o.min_rounds.set && o.min_rounds.value == 13);
    assert_true(o.margin.set && o.margin.value == 0.2);
    assert_true(o.seed.set && o.seed.value == UINT64_C(9007199254740991));
    assert_string_equal(o.output, "r.json");
    assert_string_equal(o.json, "-");
    assert_true(o.expect.set && o.expect.value == CF_EXPECT_CONFOUNDED);
    assert_string_equal(o.resume, "old.json");
    assert_string_equal(o.against, "two.ini");
    assert_true(o.quiet && !o.verbose);
    assert_true(o.color.set && o.color.value == CF_COLOR_NEVER);
    cf_options_done(&o);
}

static void what_is_left_out_is_not_set(void **state)
{
    (void)state;
    cf_options o;
    parses(WORDS("run"), &o);
    assert_null(o.job_path);
    assert_null(o.device);
    assert_null(o.output);
    assert_false(o.rounds.set || o.margin.set || o.seed.set || o.expect.set || o.color.set || o.quiet || o.verbose);
    assert_int_equal(o.sets.count, 0);
    cf_options_done(&o);
}

static void options_and_positionals_stand_in_any_order(void **state)
{
    (void)state;
    cf_options o;
    parses(WORDS("judge", "--json", "j.json", "r.json", "--margin=0.05"), &o);
    assert_string_equal(o.record_path, "r.json");
    assert_string_equal(o.json, "j.json");
    assert_true(o.margin.value == 0.05);
    cf_options_done(&o);
    parses(WORDS("report", "r.json", "--format", "csv",
                 "-"
                 "oout.csv"),
           &o);
    assert_string_equal(o.record_path, "r.json");
    assert_int_equal(o.format.value, CF_FORMAT_CSV);
    assert_string_equal(o.output, "out.csv");
    cf_options_done(&o);
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    cf_options o;
    parses(WORDS("run", "--device", "sim", "--", "--strange.ini"), &o);
    assert_string_equal(o.job_path, "--strange.ini");
    cf_options_done(&o);
}

static void a_dash_is_standard_input(void **state)
{
    (void)state;
    cf_options o;
    parses(WORDS("judge", "-"), &o);
    assert_string_equal(o.record_path, "-");
    cf_options_done(&o);
}

static void letters_can_be_joined(void **state)
{
    (void)state;
    cf_options o;
    parses(WORDS("run", "-qor.json"), &o);
    assert_true(o.quiet);
    assert_string_equal(o.output, "r.json");
    cf_options_done(&o);
}

static void json_is_a_flag_of_devices_and_a_file_elsewhere(void **state)
{
    (void)state;
    cf_options o;
    parses(WORDS("devices", "--json"), &o);
    assert_true(o.list_json);
    assert_null(o.json);
    cf_options_done(&o);
    refuses(WORDS("devices", "--json=x"), "--json: it takes no value");
}

static void help_and_version_stand_alone(void **state)
{
    (void)state;
    cf_options o;
    parses(WORDS("--help"), &o);
    assert_int_equal(o.command, CF_COMMAND_HELP);
    parses(WORDS("-h"), &o);
    assert_int_equal(o.command, CF_COMMAND_HELP);
    parses(WORDS("--version"), &o);
    assert_int_equal(o.command, CF_COMMAND_VERSION);
    parses(WORDS("help", "run"), &o);
    assert_string_equal(o.name, "run");
    parses(WORDS("judge", "--help"), &o); /* no record needed */
    assert_true(o.help && o.command == CF_COMMAND_JUDGE);
    cf_options_done(&o);
}

static void bad_usage_is_one_line_with_what_is_known(void **state)
{
    (void)state;
    refuses((char *[]){(char *)"confound", NULL},
            "a command is missing: run, exec, judge, report, devices, models, jobs, plan or help");
    refuses(WORDS("rnu"), "unknown command 'rnu'; did you mean run?");
    refuses(WORDS("measure-everything"), "unknown command 'measure-everything'; commands are run, exec, judge, report, "
                                         "devices, models, jobs, plan or help");
    refuses(WORDS("run", "--seeed", "3"), "run: unknown option --seeed; did you mean --seed?");
    refuses(WORDS("run", "--seeed=3"), "run: unknown option --seeed; did you mean --seed?");
    refuses(WORDS("run", "--zzzzzzzz"), "run: unknown option --zzzzzzzz; 'confound help run' lists them");
    refuses(WORDS("run", "-x"), "run: unknown option '-x'; 'confound help run' lists them");
    refuses(WORDS("judge", "r.json", "--seed", "3"), "judge takes no option --seed; run does");
    refuses(WORDS("--seed", "3"), "--seed stands after its command: confound run --seed");
    refuses(WORDS("--versoin"), "unknown option --versoin before a command; did you mean --version?");
    refuses(WORDS("run", "a.ini", "b.ini"), "run takes one argument, [JOB.ini], but 'b.ini' was given as well");
    refuses(WORDS("devices", "sim"), "devices takes no argument, but 'sim' was given");
    refuses(WORDS("--version", "x"), "--version takes no argument, but 'x' was given");
    refuses(WORDS("judge"), "judge: a record is missing: confound judge RECORD.json");
    refuses(WORDS("run", "--model"), "--model: it needs a value, NAME|FILE");
    refuses(WORDS("run", "--model="), "--model: it needs a value, NAME|FILE");
    refuses(WORDS("run", ""), "run: the argument [JOB.ini] is empty");
    refuses(WORDS("run", "--quiet=yes"), "--quiet: it takes no value");
}

static void bad_values_are_one_line_with_what_is_accepted(void **state)
{
    (void)state;
    refuses(WORDS("run", "--rounds", "0"), "--rounds: '0' is not a whole number from 1 to 1000000");
    refuses(WORDS("run", "--rounds", "-5"), "--rounds: '-5' is not a whole number from 1 to 1000000");
    refuses(WORDS("run", "--rounds", "1e3"), "--rounds: '1e3' is not a whole number from 1 to 1000000");
    refuses(WORDS("run", "--rounds", "99999999999999999999999"),
            "--rounds: '99999999999999999999999' is not a whole number from 1 to 1000000");
    refuses(WORDS("run", "--seed", "9007199254740992"),
            "--seed: '9007199254740992' is not a whole number from 0 to 9007199254740991");
    refuses(WORDS("run", "--margin", "0,1"), "--margin: '0,1' is not a number from 0.001 to 0.999");
    refuses(WORDS("run", "--margin", "nan"), "--margin: 'nan' is not a number from 0.001 to 0.999");
    refuses(WORDS("run", "--expect", "Clear"), "--expect: 'Clear' is not clear, confounded or inconclusive");
    refuses(WORDS("report", "r", "--format", "html"), "--format: 'html' is not text, markdown, csv or json");
    refuses(WORDS("run", "--min-rounds", "20", "--rounds", "10"), "--min-rounds 20 is more than --rounds 10");
    refuses(WORDS("run", "-q", "-v"), "quiet and verbose exclude each other");
}

static void a_line_from_the_user_can_not_break_the_message(void **state)
{
    (void)state;
    refuses(WORDS("run", "--expect", "a\nb\033[2J"), "--expect: 'a?b?[2J' is not clear, confounded or inconclusive");
}

static void the_environment_gives_defaults_and_the_command_line_wins(void **state)
{
    (void)state;
    ENVIRONMENT("CONFOUND_SEED", "7", "CONFOUND_MODEL", "own", "CONFOUND_VERBOSE", "yes", "CONFOUND_EXPECT", "clear");
    cf_options o;
    parses(WORDS("run", "--seed", "8", "-q"), &o);
    assert_int_equal(o.seed.value, 8);
    assert_string_equal(o.model, "own");
    assert_int_equal(o.expect.value, CF_EXPECT_CLEAR);
    assert_true(o.quiet && !o.verbose);
    cf_options_done(&o);
}

static void sets_of_the_environment_come_before_those_of_the_command_line(void **state)
{
    (void)state;
    ENVIRONMENT("CONFOUND_SET", " lane.a.count=4 ;instruments.use=sync timing;;");
    cf_options o;
    parses(WORDS("run", "--set", "lane.a.count=5"), &o);
    assert_int_equal(o.sets.count, 3);
    assert_string_equal(o.sets.items[0], "lane.a.count=4");
    assert_string_equal(o.sets.items[1], "instruments.use=sync timing");
    assert_string_equal(o.sets.items[2], "lane.a.count=5");
    cf_options_done(&o);
}

static void a_bad_value_in_a_variable_is_named_as_such(void **state)
{
    (void)state;
    ENVIRONMENT("CONFOUND_ROUNDS", "many");
    refuses(WORDS("run"), "CONFOUND_ROUNDS in the environment: 'many' is not a whole number from 1 to 1000000");
    ENVIRONMENT("CONFOUND_QUIET", "maybe");
    refuses(WORDS("run"), "CONFOUND_QUIET in the environment: 'maybe' is not yes or no");
    ENVIRONMENT("CONFOUND_COLOR", "red");
    refuses(WORDS("run"), "CONFOUND_COLOR in the environment: 'red' is not auto, always or never");
}

static void a_bad_variable_that_the_command_line_overrides_is_not_read(void **state)
{
    (void)state;
    ENVIRONMENT("CONFOUND_ROUNDS", "many");
    cf_options o;
    parses(WORDS("run", "--rounds", "20"), &o);
    assert_int_equal(o.rounds.value, 20);
    cf_options_done(&o);
    parses(WORDS("devices"), &o); /* nor by a command that has no such option */
    cf_options_done(&o);
}

static void an_empty_variable_is_none(void **state)
{
    (void)state;
    ENVIRONMENT("CONFOUND_ROUNDS", "", "CONFOUND_MODEL", "", "CONFOUND_SET", "");
    cf_options o;
    parses(WORDS("run"), &o);
    assert_false(o.rounds.set);
    assert_null(o.model);
    assert_int_equal(o.sets.count, 0);
    cf_options_done(&o);
}

static void the_output_of_run_is_not_where_a_report_goes(void **state)
{
    (void)state;
    ENVIRONMENT("CONFOUND_OUTPUT", "record.json");
    cf_options o;
    parses(WORDS("report", "record.json"), &o);
    assert_null(o.output);
    cf_options_done(&o);
}

static void contradicting_variables_are_refused(void **state)
{
    (void)state;
    ENVIRONMENT("CONFOUND_QUIET", "1", "CONFOUND_VERBOSE", "1");
    refuses(WORDS("run"), "quiet and verbose exclude each other");
}

/* The rules that the table's readers rely on. */
static void every_row_of_the_table_is_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < cf_option_spec_count; i++) {
        const cf_option_spec *a = &cf_option_specs[i];
        assert_non_null(a->name);
        assert_non_null(a->help);
        assert_true(a->commands != 0);
        assert_int_equal(a->kind == CF_VALUE_FLAG, a->argument == NULL);
        assert_int_equal(a->kind == CF_VALUE_CHOICE, a->words != NULL);
        if (a->variable)
            assert_int_equal(strncmp(a->variable, CF_ENV_PREFIX, strlen(CF_ENV_PREFIX)), 0);
        else
            assert_string_equal(a->name, "help");
        for (size_t k = 0; k < i; k++) {
            const cf_option_spec *b = &cf_option_specs[k];
            if (a->variable && b->variable)
                assert_string_not_equal(a->variable, b->variable);
            if (a->commands & b->commands) {
                assert_string_not_equal(a->name, b->name);
                assert_true(!a->letter || a->letter != b->letter);
            }
        }
    }
}

static void every_command_explains_itself_in_the_table(void **state)
{
    (void)state;
    for (int i = 0; cf_command_names[i]; i++) {
        assert_string_equal(cf_command_names[i], cf_command_specs[i].name);
        assert_non_null(cf_command_specs[i].summary);
        assert_non_null(cf_command_specs[i].detail);
        assert_non_null(cf_command_specs[i].example);
    }
    for (int i = 0; cf_plan_command_names[i]; i++) {
        const cf_command_spec *spec = &cf_command_specs[CF_COMMAND_PLAN_INIT + i];
        assert_int_equal(strncmp(spec->name, "plan ", 5), 0);
        assert_string_equal(spec->name + 5, cf_plan_command_names[i]);
        assert_non_null(spec->summary);
        assert_non_null(spec->detail);
        assert_non_null(spec->example);
    }
}

static void the_commands_of_plan_are_two_words(void **state)
{
    (void)state;
    cf_options o;
    parses(WORDS("plan", "claim", "copies overlap", "--verdict", "overlaps", "--about=speed", "--acted-on", "w"), &o);
    assert_int_equal(o.command, CF_COMMAND_PLAN_CLAIM);
    assert_string_equal(o.sentence, "copies overlap");
    assert_true(o.reading.set && o.about.set);
    assert_string_equal(o.acted_on, "w");
    cf_options_done(&o);
    parses(WORDS("plan", "check", "a.md", "--format", "sarif", "b.md"), &o);
    assert_int_equal(o.command, CF_COMMAND_PLAN_CHECK);
    assert_int_equal(o.check_format.value, CF_CHECK_SARIF);
    assert_int_equal(o.paths.count, 2);
    assert_string_equal(o.paths.items[1], "b.md");
    cf_options_done(&o);
    parses(WORDS("plan", "retract", "1", "--work", "a: b", "--work=c: d"), &o);
    assert_int_equal(o.work.count, 2);
    assert_string_equal(o.work.items[1], "c: d");
    cf_options_done(&o);
    parses(WORDS("plan", "--help"), &o);
    assert_true(o.help && o.command == CF_COMMAND_PLAN);
    cf_options_done(&o);
    parses(WORDS("help", "plan", "quote"), &o);
    assert_int_equal(o.command, CF_COMMAND_HELP);
    assert_string_equal(o.subname, "quote");
    cf_options_done(&o);
    refuses(WORDS("plan"), "plan: a command is missing: init, claim, accept, act, retract, show, quote or check");
    refuses(WORDS("plan", "chek"), "plan: unknown command 'chek'; did you mean check?");
    refuses(WORDS("plan", "show", "1", "2"), "plan show takes one argument, [ID], but '2' was given as well");
    refuses(WORDS("plan", "claim"), "plan claim: the claim is missing: confound plan claim SENTENCE");
    refuses(WORDS("plan", "check", "--format", "csv"), "--format: 'csv' is not text, json, sarif or github");
    refuses(WORDS("help", "run", "plan"), "help takes one argument, [COMMAND], but 'plan' was given as well");
}

#define TEST(name) cmocka_unit_test_setup(name, no_environment)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_option_of_run_arrives),
        TEST(the_commands_of_plan_are_two_words),
        TEST(what_is_left_out_is_not_set),
        TEST(options_and_positionals_stand_in_any_order),
        TEST(two_dashes_end_the_options),
        TEST(a_dash_is_standard_input),
        TEST(letters_can_be_joined),
        TEST(json_is_a_flag_of_devices_and_a_file_elsewhere),
        TEST(help_and_version_stand_alone),
        TEST(bad_usage_is_one_line_with_what_is_known),
        TEST(bad_values_are_one_line_with_what_is_accepted),
        TEST(a_line_from_the_user_can_not_break_the_message),
        TEST(the_environment_gives_defaults_and_the_command_line_wins),
        TEST(sets_of_the_environment_come_before_those_of_the_command_line),
        TEST(a_bad_value_in_a_variable_is_named_as_such),
        TEST(a_bad_variable_that_the_command_line_overrides_is_not_read),
        TEST(an_empty_variable_is_none),
        TEST(the_output_of_run_is_not_where_a_report_goes),
        TEST(contradicting_variables_are_refused),
        TEST(every_row_of_the_table_is_whole),
        TEST(every_command_explains_itself_in_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
