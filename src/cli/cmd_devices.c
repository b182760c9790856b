#include <string.h>

#include "base/json_out.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "device/device.h"
#include "model/model.h"
#include "report/wrap.h"

typedef struct found {
    const cf_device_ops *ops;
    bool usable;
    cf_device_info info;
    cf_error err; /* why it is not */
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
        cf_device_info_get(device, &f->info);
        cf_device_close(device);
    }
    cf_model_done(&model);
}

static bool is_default(const found *f)
{
    return !strcmp(f->ops->name, CF_CLI_DEVICE_DEFAULT);
}

static void add_text(const found *f, cf_text *out)
{
    cf_text text = {0};
    cf_text_add(&text, "%s", f->ops->about);
    if (f->usable)
        cf_text_add(&text, "; %sclock: %s", f->info.simulated ? "simulated; " : "", f->info.clock_name);
    else
        cf_text_add(&text, "; not usable here: %s", f->err.text);
    if (is_default(f))
        cf_text_add(&text, "; taken when no device is named");
    char safe[1024];
    cf_report_wrap(out, f->ops->name, cf_text_safe(text.data ? text.data : "", safe, sizeof safe), CF_REPORT_COLUMNS, 8,
                   8);
    out->failed |= text.failed;
    cf_text_done(&text);
}

static void add_info(const cf_device_info *info, cf_json *json)
{
    if (!info->simulated) /* the name of a modelled device is that of its model */
        cf_json_string(json, "device", info->name);
    cf_json_string(json, "driver", info->driver[0] ? info->driver : NULL);
    cf_json_bool(json, "simulated", info->simulated);
    cf_json_string(json, "clock", info->clock_name);
    cf_json_bool(json, "moves", info->moves);
    cf_json_bool(json, "computes", info->computes);
}

static void add_json(const found *f, cf_json *json)
{
    cf_json_object_begin(json, NULL, false);
    cf_json_string(json, "name", f->ops->name);
    cf_json_string(json, "about", f->ops->about);
    cf_json_bool(json, "usable", f->usable);
    cf_json_string(json, "because", f->usable ? NULL : f->err.text);
    cf_json_bool(json, "default", is_default(f));
    if (f->usable)
        add_info(&f->info, json);
    cf_json_object_end(json);
}

int cf_cmd_devices(const cf_options *options)
{
    cf_text text = {0};
    cf_json json = {.out = &text};
    if (options->list_json)
        cf_json_array_begin(&json, NULL, false);
    for (const cf_device_ops *const *ops = cf_device_backends; *ops; ops++) {
        found f = {.ops = *ops};
        look(&f);
        if (options->list_json)
            add_json(&f, &json);
        else
            add_text(&f, &text);
    }
    if (options->list_json)
        cf_json_array_end(&json);
    else
        cf_text_add(&text, "\nA simulated device is a self-test: it says nothing about anyone's GPU.\n");
    return cf_cli_finish(&text, cf_status_exit(CF_OK));
}
