/* The model file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "emulator/launcher.h"

static cf_status parse(const char *text, const char *const *settings, cf_emu_model *ret, cf_error *err)
{
    return cf_emu_model_parse("test.ini", text, strlen(text), settings, ret, err);
}

static void an_empty_file_is_the_standard(void **state)
{
    (void)state;
    cf_emu_model model, standard;
    cf_error err;
    cf_emu_model_standard(&standard);
    assert_int_equal(parse("", NULL, &model, &err), CF_OK);
    assert_memory_equal(&model, &standard, sizeof model);
    assert_true(cf_emu_model_valid(&model, sizeof model));
    assert_false(cf_emu_model_valid(&model, sizeof model - 1));
    model.magic++;
    assert_false(cf_emu_model_valid(&model, sizeof model));
}

static void the_built_in_model_is_the_standard_and_names_every_key(void **state)
{
    (void)state;
    cf_emu_model model, standard;
    cf_error err;
    cf_emu_model_standard(&standard);
    if (cf_emu_model_find("bmg", NULL, &model, &err) != CF_OK)
        fail_msg("%s", err.text);
    assert_memory_equal(&model, &standard, sizeof model);
    for (const cf_emu_key *key = cf_emu_keys; key->name; key++)
        if (strcmp(key->name, "revision") != 0 && strcmp(key->section, "faults") != 0 &&
            !strstr(cf_emu_builtins[0].text, key->name))
            fail_msg("bmg.ini does not name %s", key->name);
}

static void values_have_units(void **state)
{
    (void)state;
    cf_emu_model model;
    cf_error err;
    assert_int_equal(parse("[device]\ndevice_id = 0xe211\nmemory_bytes = 24GiB\n[time]\ncopy_rate = 2e9\ngroup_ns = "
                           "2us\n[waits]\nstall = no\n",
                           NULL, &model, &err),
                     CF_OK);
    assert_int_equal(model.device_id, 0xe211);
    assert_int_equal(model.memory_bytes, 24ull << 30);
    assert_int_equal(model.copy_rate, 2000000000);
    assert_int_equal(model.group_ns, 2000);
    assert_int_equal(model.wait_stall, 0);
    assert_int_equal(model.wait_barrier, 1);
}

static void a_setting_beats_the_file(void **state)
{
    (void)state;
    const char *settings[] = {"waits.barrier=no", "time.group_ns=5", NULL};
    cf_emu_model model;
    cf_error err;
    assert_int_equal(parse("[time]\ngroup_ns = 7\n", settings, &model, &err), CF_OK);
    assert_int_equal(model.wait_barrier, 0);
    assert_int_equal(model.group_ns, 5);
}

static void what_is_wrong_is_named_with_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {{"[time]\ncopy_rate = fast\n", "test.ini:2: 'fast' is not bytes"},
                 {"[time]\n\ngroups_at_once = 0\n", "test.ini:3: '0' is not a whole number from 1"},
                 {"[device]\ndevice_id = 0x12345\n", "test.ini:2: '0x12345'"},
                 {"[waits]\nstall = maybe\n", "test.ini:2: 'maybe' is not yes or no"},
                 {"[waits]\nstal = no\n", "test.ini:2: no key 'stal' in [waits]"},
                 {"[wait]\nstall = no\n", "test.ini:1: no section [wait]"},
                 {"stall = no\n", "test.ini:1: 'stall' stands before the first section"},
                 {"[model]\nname =\n", "test.ini:2: a name"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cf_emu_model model;
        cf_error err = {.status = CF_OK};
        assert_int_equal(parse(cases[i].text, NULL, &model, &err), CF_INPUT);
        if (strncmp(err.text, cases[i].says, strlen(cases[i].says)) != 0)
            fail_msg("'%s' does not begin with '%s'", err.text, cases[i].says);
    }
}

static void a_setting_that_is_none_is_told_by_a_key_of_this_file(void **state)
{
    (void)state;
    static const struct {
        const char *setting, *says;
    } cases[] = {{"x", "--set 'x': SECTION.KEY=VALUE is accepted (waits.stall=no)"},
                 {"x=1.5", "--set 'x=1.5': SECTION.KEY=VALUE is accepted (waits.stall=no)"},
                 {".x=1", "--set '.x=1': SECTION.KEY=VALUE"},
                 {"waits.=1", "--set 'waits.=1': SECTION.KEY=VALUE"},
                 {"wait.stall=no", "no section [wait]; there are model, device, time, waits or faults"},
                 {"device.engines=-4", "no key 'engines' in [device]; confound-emulate --help-model lists"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *settings[] = {cases[i].setting, NULL};
        cf_emu_model model;
        cf_error err = {.status = CF_OK};
        assert_int_equal(parse("", settings, &model, &err), CF_INPUT);
        if (!strstr(err.text, cases[i].says) || strstr(err.text, "lane."))
            fail_msg("'%s' lacks '%s'", err.text, cases[i].says);
    }
}

static void every_wait_that_can_be_taken_away_is_an_assumption(void **state)
{
    (void)state;
    size_t waits = 0;
    for (const cf_emu_key *key = cf_emu_keys; key->name; key++)
        if (strcmp(key->section, "waits") == 0) {
            assert_int_equal(key->unit, CF_EMU_FLAG);
            assert_int_equal(key->standard, 1);
            assert_non_null(key->assumption);
            waits++;
        }
    assert_int_equal(waits, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_file_is_the_standard),
        cmocka_unit_test(the_built_in_model_is_the_standard_and_names_every_key),
        cmocka_unit_test(values_have_units),
        cmocka_unit_test(a_setting_beats_the_file),
        cmocka_unit_test(what_is_wrong_is_named_with_file_and_line),
        cmocka_unit_test(a_setting_that_is_none_is_told_by_a_key_of_this_file),
        cmocka_unit_test(every_wait_that_can_be_taken_away_is_an_assumption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
