/* Files of the preloaded library come from somebody else's process: no byte of them is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "toggle/needed.h"
#include "toggle/read.h"

static char folder[] = "/tmp/confound-test-toggle-XXXXXX";

static cf_wire_step sealed(cf_wire_step step)
{
    step.seal = cf_wire_seal(&step);
    return step;
}

static cf_wire *sample(uint32_t steps)
{
    cf_wire *wire = calloc(1, sizeof *wire);
    assert_non_null(wire);
    wire->magic = CF_WIRE_MAGIC;
    wire->bytes = sizeof *wire;
    wire->rounds_wanted = 3;
    wire->step_count = steps;
    for (uint32_t i = 0; i < steps; i++)
        wire->steps[i] =
            sealed((cf_wire_step){.begin_ns = i, .end_ns = i + 1, .variant = (uint16_t)(i % CF_VARIANT_COUNT)});
    return wire;
}

static void write_file(const char *name, const void *data, size_t bytes)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/confound-test-toggle-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void the_process_with_the_most_steps_is_read(void **state)
{
    (void)state;
    cf_wire *few = sample(2), *many = sample(9), *none = sample(0);
    write_file("1.toggle", few, sizeof *few);
    write_file("2.toggle", many, sizeof *many);
    write_file("3.toggle", none, sizeof *none);
    write_file("other.txt", "x", 1);
    cf_toggled toggled;
    cf_error err = {0};
    assert_int_equal(cf_toggled_read(folder, &toggled, &err), CF_OK);
    assert_int_equal(toggled.wire->step_count, 9);
    assert_int_equal(toggled.processes, 3);
    assert_int_equal(toggled.others, 1);
    cf_toggled_done(&toggled);
    free(few);
    free(many);
    free(none);
}

/* Whichever file the folder names first. */
static void of_several_with_all_their_steps_the_one_that_began_first_is_read(void **state)
{
    (void)state;
    cf_wire *early = sample(9), *late = sample(9);
    early->steps[0] = sealed((cf_wire_step){.begin_ns = 5, .end_ns = 6});
    late->steps[0] = sealed((cf_wire_step){.begin_ns = 7, .end_ns = 8});
    for (int turned = 0; turned < 2; turned++) {
        cf_toggled toggled;
        write_file(turned ? "2.toggle" : "1.toggle", early, sizeof *early);
        write_file(turned ? "1.toggle" : "2.toggle", late, sizeof *late);
        assert_int_equal(cf_toggled_read(folder, &toggled, NULL), CF_OK);
        assert_int_equal(toggled.wire->steps[0].begin_ns, 5);
        assert_int_equal(toggled.others, 1);
        cf_toggled_done(&toggled);
    }
    free(early);
    free(late);
}

static void no_file_is_no_error(void **state)
{
    (void)state;
    cf_toggled toggled;
    assert_int_equal(cf_toggled_read(folder, &toggled, NULL), CF_OK);
    assert_null(toggled.wire);
}

static void a_file_that_was_never_begun_is_passed_over(void **state)
{
    (void)state;
    cf_wire *wire = sample(0);
    memset(wire, 0, sizeof *wire);
    write_file("1.toggle", wire, sizeof *wire);
    cf_toggled toggled;
    assert_int_equal(cf_toggled_read(folder, &toggled, NULL), CF_OK);
    assert_null(toggled.wire);
    free(wire);
}

static void what_is_out_of_range_is_refused(void **state)
{
    (void)state;
    cf_wire *good = sample(4), *bad = sample(4);
    cf_error err = {0};
    assert_int_equal(cf_wire_check("good", good, sizeof *good, &err), CF_OK);
#define REFUSED(change)                                                                                                \
    do {                                                                                                               \
        *bad = *good;                                                                                                  \
        change;                                                                                                        \
        assert_int_equal(cf_wire_check("bad", bad, sizeof *bad, &err), CF_INPUT);                                      \
        assert_memory_equal(err.text, "bad: ", 5);                                                                     \
    } while (0)
    REFUSED(bad->magic++);
    REFUSED(bad->bytes--);
    REFUSED(bad->step_count = CF_WIRE_STEPS + 1);
    REFUSED(bad->site_count = CF_WIRE_SITES + 1);
    REFUSED(bad->state = CF_WIRE_DONE + 1);
    REFUSED(bad->rounds_wanted = CF_WIRE_ROUNDS_MAX + 1);
#define STEP_REFUSED(change)                                                                                           \
    REFUSED({                                                                                                          \
        change;                                                                                                        \
        bad->steps[3] = sealed(bad->steps[3]);                                                                         \
    })
    STEP_REFUSED(bad->steps[3].variant = CF_VARIANT_COUNT);
    STEP_REFUSED(bad->steps[3].end_ns = bad->steps[3].begin_ns - 1);
    STEP_REFUSED(bad->steps[3].round = UINT32_MAX);
    REFUSED(bad->steps[2].counts.toggled++);
    assert_int_equal(cf_wire_check("short", good, sizeof *good - 1, &err), CF_INPUT);
    free(good);
    free(bad);
}

/* A power failure: what was never on disk reads as zeros, and the step that was being written is cut. */
static void a_step_that_is_not_whole_does_not_count(void **state)
{
    (void)state;
    cf_wire *wire = sample(9);
    wire->steps[2] = wire->steps[5] = (cf_wire_step){.begin_ns = 0};
    wire->steps[8].counts.calls++;
    assert_int_equal(cf_wire_check("torn", wire, sizeof *wire, NULL), CF_OK);
    assert_int_equal(wire->step_count, 6);
    assert_int_equal(wire->notes.lost, 3);
    static const uint64_t whole[] = {0, 1, 3, 4, 6, 7};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(wire->steps[i].begin_ns, whole[i]);
    free(wire);
}

static void every_text_ends(void **state)
{
    (void)state;
    cf_wire *wire = sample(0);
    wire->site_count = 1;
    memset(wire->command, 'x', sizeof wire->command);
    memset(wire->device, 'x', sizeof wire->device);
    memset(wire->emulated, 'x', sizeof wire->emulated);
    memset(wire->sites[0].library, 'x', sizeof wire->sites[0].library);
    assert_int_equal(cf_wire_check("texts", wire, sizeof *wire, NULL), CF_OK);
    assert_int_equal(strlen(wire->command), sizeof wire->command - 1);
    assert_int_equal(strlen(wire->device), sizeof wire->device - 1);
    assert_int_equal(strlen(wire->emulated), sizeof wire->emulated - 1);
    assert_int_equal(strlen(wire->sites[0].library), sizeof wire->sites[0].library - 1);
    free(wire);
}

static void a_file_of_another_size_is_refused_by_name(void **state)
{
    (void)state;
    cf_toggled toggled;
    cf_error err = {0};
    write_file("9.toggle", "toggle1", 8);
    assert_int_equal(cf_toggled_read(folder, &toggled, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "9.toggle"));
    assert_null(toggled.wire);
}

/* It would wait for a writer for ever. */
static void a_pipe_is_refused_and_an_empty_file_passed_over(void **state)
{
    (void)state;
    char path[256];
    cf_toggled toggled;
    cf_error err = {0};
    write_file("1.toggle", "", 0);
    assert_int_equal(cf_toggled_read(folder, &toggled, &err), CF_OK);
    assert_null(toggled.wire);
    snprintf(path, sizeof path, "%s/2.toggle", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(cf_toggled_read(folder, &toggled, &err), CF_INPUT);
    assert_non_null(strstr(err.text, "2.toggle"));
}

/* What is no program needs no sanitizer, whatever its bytes. */
static void only_a_program_needs_a_sanitizer(void **state)
{
    (void)state;
    char path[256], found[64] = "x";
    write_file("empty", "", 0);
    write_file("script", "#!/bin/sh\n", 10);
    unsigned char header[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    memset(header + 32, 0xff, 32);
    write_file("broken", header, sizeof header);
    for (const char *const *name = (const char *const[]){"empty", "script", "broken", "absent", NULL}; *name; name++) {
        snprintf(path, sizeof path, "%s/%s", folder, *name);
        assert_string_equal(cf_needed_sanitizer(path, found, sizeof found), "");
    }
    assert_string_equal(cf_needed_sanitizer("/proc/self/exe", found, sizeof found), found);
    assert_true(found[0] == '\0' || strncmp(found, "libasan.so", 10) == 0);
    assert_string_equal(cf_needed_find("/a/path", path, sizeof path), "/a/path");
    assert_non_null(strstr(cf_needed_find("sh", path, sizeof path), "/sh"));
    assert_string_equal(cf_needed_find("no-such-program-here", path, sizeof path), "no-such-program-here");
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(the_process_with_the_most_steps_is_read),
        IN_FOLDER(of_several_with_all_their_steps_the_one_that_began_first_is_read),
        IN_FOLDER(no_file_is_no_error),
        IN_FOLDER(a_file_that_was_never_begun_is_passed_over),
        cmocka_unit_test(what_is_out_of_range_is_refused),
        cmocka_unit_test(a_step_that_is_not_whole_does_not_count),
        cmocka_unit_test(every_text_ends),
        IN_FOLDER(a_file_of_another_size_is_refused_by_name),
        IN_FOLDER(a_pipe_is_refused_and_an_empty_file_passed_over),
        IN_FOLDER(only_a_program_needs_a_sanitizer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
