/* confound devices: every device of every backend, what each can do, why a backend is absent, and which one auto
   takes. */
#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/pick.h"
#include "device/device.h"
#include "instrument/instrument.h"
#include "model/model.h"
#include "report/wrap.h"

#define NAME_COLUMNS 14
#define WORD_COLUMNS 28

typedef struct found {
    const cf_device_ops *ops;
    const cf_pick *taken;
    bool usable;
    cf_error err; /* why it is not */
    bool opened;  /* info holds what it says of itself */
    cf_device_info info;
    cf_text *out; /* text; NULL = json */
    cf_json *json;
} found;

/* Opens the device with a built-in model, which only modelled devices look at, and closes it again. */
static void look(found *f)
{
    cf_model model;
    const cf_model_builtin *builtin = &cf_model_builtins[0];
    if (cf_model_parse(builtin->name, builtin->text, strlen(builtin->text), &model, &f->err))
        return;
    const cf_device_config config = {.model = &model};
    cf_device *device = NULL;
    if (!cf_device_open(f->ops, &config, &device, &f->err)) {
        f->usable = true;
        f->opened = true;
        cf_device_info_get(device, &f->info);
        cf_device_close(device);
    }
    cf_model_done(&model);
}

static bool offers(const cf_device_ops *ops, const cf_instrument_type *type)
{
    bool is_choice = type->role == CF_ROLE_INSTRUMENT || (type->role == CF_ROLE_CONTROL && !type->by_default);
    return is_choice && (type->backend == NULL || strcmp(type->backend, ops->name) == 0);
}

static bool is_taken(const found *f)
{
    return f->ops == f->taken->backend;
}

static bool is_taken_index(const found *f, int index)
{
    return is_taken(f) && f->taken->index == index;
}

/* ---- text ---- */

/* "  word        sentence", wrapped beside the word. */
static void add_line(const found *f, int indent, const char *word, int columns, const char *text)
{
    char before[96], safe[1536];
    snprintf(before, sizeof before, "%*s%s", indent, "", word);
    cf_report_wrap(f->out, before, cf_text_safe(text, safe, sizeof safe), CF_REPORT_COLUMNS, columns, columns);
}

static void add_instruments(const found *f)
{
    cf_text names = {0};
    for (const cf_instrument_type *const *type = cf_instruments; *type != NULL; type++)
        if (offers(f->ops, *type))
            cf_text_add(&names, "%s%s", names.size_bytes > 0 ? ", " : "", (*type)->name);
    add_line(f, NAME_COLUMNS, "instruments", WORD_COLUMNS, names.data != NULL ? names.data : "none");
    f->out->failed |= names.failed;
    cf_text_done(&names);
}

static void add_settings(const found *f)
{
    for (const cf_device_setting *s = f->ops->settings; s != NULL && s->name != NULL; s++) {
        char text[512], list[256];
        snprintf(text, sizeof text, "%s = %s: %s", s->name,
                 s->values != NULL ? cf_text_list(s->values, list, sizeof list) : "a whole number", s->about);
        add_line(f, NAME_COLUMNS, s == f->ops->settings ? "settings" : "", WORD_COLUMNS, text);
    }
}

static void add_backend(const found *f)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s%s%s", f->ops->about, f->opened && f->info.simulated ? "; simulated" : "",
             f->opened ? "; clock: " : "", f->opened ? f->info.clock_name : "");
    add_line(f, 0, f->ops->name, NAME_COLUMNS, text);
    if (!f->usable) {
        add_line(f, NAME_COLUMNS, "absent", WORD_COLUMNS, f->err.text);
        return;
    }
    add_instruments(f);
    add_settings(f);
}

static void add_device_text(const found *f, const cf_device_listing *listing)
{
    char name[48], what[512];
    snprintf(name, sizeof name, "%s:%d%s", f->ops->name, listing->index, is_taken_index(f, listing->index) ? " *" : "");
    snprintf(what, sizeof what, "%s (%s)", listing->name, listing->kind);
    add_line(f, 2, name, NAME_COLUMNS, what);
    const struct {
        const char *word, *text;
    } lines[] = {{"driver", listing->driver}, {"engines", listing->engines}, {"host memory", listing->memory}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        add_line(f, NAME_COLUMNS, lines[i].word, WORD_COLUMNS,
                 lines[i].text != NULL && lines[i].text[0] != '\0' ? lines[i].text : "not known");
}

/* ---- JSON ---- */

static void add_words(cf_json *json, const char *key, const char *words)
{
    if (words == NULL) {
        cf_json_null(json, key);
        return;
    }
    cf_json_array_begin(json, key, true);
    while (*words != '\0') {
        char word[64];
        size_t length = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        cf_json_string(json, NULL, word);
        words += length + strspn(words + length, " ");
    }
    cf_json_array_end(json);
}

static void add_device_json(const found *f, const cf_device_listing *listing)
{
    char name[48];
    snprintf(name, sizeof name, "%s:%d", f->ops->name, listing->index);
    cf_json_object_begin(f->json, NULL, false);
    cf_json_string(f->json, "name", name);
    cf_json_string(f->json, "device", listing->name);
    cf_json_string(f->json, "driver", listing->driver);
    cf_json_string(f->json, "kind", listing->kind);
    cf_json_string(f->json, "engines", listing->engines);
    add_words(f->json, "memory", listing->memory);
    cf_json_bool(f->json, "auto", is_taken_index(f, listing->index));
    cf_json_object_end(f->json);
}

static void add_info(const cf_device_info *info, cf_json *json)
{
    cf_json_bool(json, "simulated", info->simulated);
    cf_json_string(json, "clock", info->clock_name);
    cf_json_bool(json, "moves", info->moves);
    cf_json_bool(json, "computes", info->computes);
}

static void add_offers(const found *f)
{
    cf_json_array_begin(f->json, "instruments", false);
    for (const cf_instrument_type *const *type = cf_instruments; *type != NULL; type++) {
        if (!offers(f->ops, *type))
            continue;
        cf_json_object_begin(f->json, NULL, true);
        cf_json_string(f->json, "name", (*type)->name);
        cf_json_string(f->json, "about", (*type)->about);
        cf_json_string(f->json, "process_only", (*type)->process_only);
        cf_json_object_end(f->json);
    }
    cf_json_array_end(f->json);
    cf_json_array_begin(f->json, "settings", false);
    for (const cf_device_setting *s = f->ops->settings; s != NULL && s->name != NULL; s++) {
        cf_json_object_begin(f->json, NULL, true);
        cf_json_string(f->json, "name", s->name);
        cf_json_string(f->json, "about", s->about);
        if (s->values == NULL)
            cf_json_null(f->json, "values");
        else
            cf_json_array_begin(f->json, "values", true);
        for (size_t i = 0; s->values != NULL && s->values[i] != NULL; i++)
            cf_json_string(f->json, NULL, s->values[i]);
        if (s->values != NULL)
            cf_json_array_end(f->json);
        cf_json_object_end(f->json);
    }
    cf_json_array_end(f->json);
}

static void tell(void *user, const cf_device_listing *listing)
{
    const found *f = user;
    if (f->json != NULL)
        add_device_json(f, listing);
    else
        add_device_text(f, listing);
}

static void ignore(void *user, const cf_device_listing *listing)
{
    (void)user;
    (void)listing;
}

/* A backend that cannot list has one device, which is asked by opening it. */
static void ask(found *f)
{
    if (f->ops->list == NULL)
        look(f);
    else
        f->usable = f->ops->list(ignore, f, &f->err) == CF_OK;
}

static void list_json(found *f)
{
    cf_error err = {0};
    cf_json_object_begin(f->json, NULL, false);
    cf_json_string(f->json, "name", f->ops->name);
    cf_json_string(f->json, "about", f->ops->about);
    cf_json_bool(f->json, "usable", f->usable);
    cf_json_string(f->json, "because", f->usable ? NULL : f->err.text);
    cf_json_bool(f->json, "default", is_taken(f));
    cf_json_string(f->json, "auto", is_taken(f) ? f->taken->name : NULL);
    cf_json_string(f->json, "why", is_taken(f) ? f->taken->why : NULL);
    if (f->opened)
        add_info(&f->info, f->json);
    add_offers(f);
    cf_json_array_begin(f->json, "devices", false);
    if (f->usable && f->ops->list != NULL)
        (void)f->ops->list(tell, f, &err);
    cf_json_array_end(f->json);
    cf_json_object_end(f->json);
}

static void list_text(found *f)
{
    cf_error err = {0};
    add_backend(f);
    if (f->usable && f->ops->list != NULL)
        (void)f->ops->list(tell, f, &err);
    cf_text_add(f->out, "\n");
}

int cf_cmd_devices(const cf_options *options)
{
    cf_text text = {0};
    cf_json json = {.out = &text};
    cf_pick taken;
    cf_error err = {0};
    if (cf_pick_device("auto", &taken, &err) != CF_OK)
        return cf_cli_fail(&err);
    if (options->list_json)
        cf_json_array_begin(&json, NULL, false);
    for (const cf_device_ops *const *ops = cf_device_backends; *ops; ops++) {
        found f = {.ops = *ops, .taken = &taken, .out = &text, .json = options->list_json ? &json : NULL};
        ask(&f);
        if (options->list_json)
            list_json(&f);
        else
            list_text(&f);
    }
    if (options->list_json) {
        cf_json_array_end(&json);
        return cf_cli_finish(&text, cf_status_exit(CF_OK));
    }
    char safe[600];
    cf_report_wrap(&text, "auto", cf_text_safe(taken.why, safe, sizeof safe), CF_REPORT_COLUMNS, NAME_COLUMNS,
                   NAME_COLUMNS);
    cf_text_add(&text, "\nA simulated device is a self-test: it says nothing about anyone's GPU.\n");
    return cf_cli_finish(&text, cf_status_exit(CF_OK));
}
