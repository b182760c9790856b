/* The models that are built in are the files of models/, byte for byte, and each is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>

#include "base/file.h"
#include "model/model.h"

static const cf_model_builtin *find(const char *name)
{
    for (const cf_model_builtin *b = cf_model_builtins; b->name; b++) {
        if (strcmp(b->name, name) == 0)
            return b;
    }
    return NULL;
}

static void every_file_of_the_folder_is_built_in(void **state)
{
    (void)state;
    DIR *folder = opendir(CF_SOURCE_DIR "/models");
    assert_non_null(folder);
    size_t files = 0, built_in = 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".ini") != 0)
            continue;
        char path[512], name[256];
        char *text;
        size_t size;
        cf_error err;
        files++;
        snprintf(path, sizeof path, CF_SOURCE_DIR "/models/%s", entry->d_name);
        snprintf(name, sizeof name, "%.*s", (int)(dot - entry->d_name), entry->d_name);
        const cf_model_builtin *b = find(name);
        assert_non_null(b);
        assert_int_equal(cf_file_read(path, 1 << 20, &text, &size, &err), CF_OK);
        assert_string_equal(b->text, text);
        free(text);
    }
    closedir(folder);
    for (const cf_model_builtin *b = cf_model_builtins; b->name; b++)
        built_in++;
    assert_int_equal(files, built_in);
    assert_true(files >= 15);
}

static void each_reads_under_its_own_name_and_says_what_it_is_for(void **state)
{
    (void)state;
    for (const cf_model_builtin *b = cf_model_builtins; b->name; b++) {
        cf_model model;
        cf_error err;
        if (cf_model_parse(b->name, b->text, strlen(b->text), &model, &err))
            fail_msg("%s", err.text);
        assert_string_equal(model.name, b->name);
        assert_non_null(model.about);
        assert_in_range(strlen(model.about), 20, 120);
        assert_true(b->text[0] == ';');
        assert_true(cf_model_engine_of(&model, CF_OP_H2D) >= 0);
        assert_true(cf_model_engine_of(&model, CF_OP_KERNEL) >= 0);
        cf_model_done(&model);
    }
}

static void the_default_offloads_copies_and_tags_the_compute_ring(void **state)
{
    (void)state;
    const cf_model_builtin *b = find("copy-offload");
    cf_model m;
    cf_error err;
    assert_non_null(b);
    assert_int_equal(cf_model_parse(b->name, b->text, strlen(b->text), &m, &err), CF_OK);
    assert_int_equal(m.engine_count, 2);
    assert_string_equal(m.engines[0].name, "ccs");
    assert_string_equal(m.engines[1].name, "bcs");
    assert_false(m.engines[0].ready || m.engines[1].ready);
    assert_int_equal(m.events[CF_EVENT_SYNC].lowering, CF_LOWER_NONE);
    assert_int_equal(m.events[CF_EVENT_TIMING].lowering, CF_LOWER_COMMAND);
    assert_int_equal(m.events[CF_EVENT_TIMING].engine, 0);
    assert_int_equal(m.events[CF_EVENT_TIMING].cost_ns, 2000);
    assert_false(m.noise.on);
    cf_model_done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_of_the_folder_is_built_in),
        cmocka_unit_test(each_reads_under_its_own_name_and_says_what_it_is_for),
        cmocka_unit_test(the_default_offloads_copies_and_tags_the_compute_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
