/* The model file. Read by the launcher alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "base/text.h"
#include "emulator/model.h"

static const cf_emu_key *find_key(const char *section, const char *name)
{
    for (const cf_emu_key *key = cf_emu_keys; key->name; key++)
        if (strcmp(key->section, section) == 0 && strcmp(key->name, name) == 0)
            return key;
    return NULL;
}

static const char *const sections[] = {"model", "device", "time", "waits", "faults", NULL};

/* Whole numbers also in hexadecimal: device ids are written so everywhere. */
static bool parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *ret)
{
    if (strncmp(text, "0x", 2) != 0)
        return cf_text_parse_u64(text, min, max, ret);
    const size_t digits = strspn(text + 2, "0123456789abcdefABCDEF");
    const uint64_t value = strtoull(text, NULL, 16);
    if (!digits || digits > 16 || text[2 + digits] || value < min || value > max)
        return false;
    *ret = value;
    return true;
}

static bool parse_value(const cf_emu_key *key, const char *text, uint64_t *ret)
{
    bool flag;
    double number;
    switch (key->unit) {
    case CF_EMU_FLAG:
        if (!cf_text_parse_bool(text, &flag))
            return false;
        *ret = flag;
        return true;
    case CF_EMU_NS:
        return cf_text_parse_ns(text, key->max, ret) && *ret >= key->min;
    case CF_EMU_BYTES:
        if (cf_text_parse_bytes(text, key->max, ret))
            return *ret >= key->min;
        if (!cf_text_parse_double(text, (double)key->min, (double)key->max, &number)) /* 4e9 */
            return false;
        *ret = (uint64_t)number;
        return true;
    case CF_EMU_COUNT:
        break;
    }
    return parse_count(text, key->min, key->max, ret);
}

static const char *accepted(const cf_emu_key *key, char *buf, size_t bytes)
{
    if (key->unit == CF_EMU_FLAG)
        snprintf(buf, bytes, "yes or no");
    else
        snprintf(buf, bytes, "%s from %llu to %llu",
                 key->unit == CF_EMU_NS      ? "a time (2us, 1ms), in ns"
                 : key->unit == CF_EMU_BYTES ? "bytes (4096, 12GiB, 4e9)"
                                             : "a whole number",
                 (unsigned long long)key->min, (unsigned long long)key->max);
    return buf;
}

static cf_status refuse_section(const cf_ini *ini, const cf_ini_item *item, cf_error *err)
{
    char where[320], list[200];
    cf_ini_where(ini, item, where, sizeof where);
    cf_text_list(sections, list, sizeof list);
    if (!item->section[0])
        return cf_error_set(err, CF_INPUT, "%s'%s' stands before the first section; there are %s", where, item->key,
                            list);
    return cf_error_set(err, CF_INPUT, "%sno section [%s]; there are %s", where, item->section, list);
}

static cf_status take(const cf_ini *ini, const cf_ini_item *item, cf_emu_model *model, cf_error *err)
{
    char where[320], list[200];
    if (cf_text_find(sections, item->section) < 0)
        return refuse_section(ini, item, err);
    if (!item->key)
        return CF_OK;
    if (strcmp(item->section, "model") == 0 && strcmp(item->key, "name") == 0) {
        if (!item->value[0] || strlen(item->value) >= sizeof model->name)
            return cf_error_set(err, CF_INPUT, "%sa name has 1 to %zu bytes",
                                cf_ini_where(ini, item, where, sizeof where), sizeof model->name - 1);
        snprintf(model->name, sizeof model->name, "%s", item->value);
        return CF_OK;
    }
    const cf_emu_key *key = find_key(item->section, item->key);
    uint64_t value;
    if (!key)
        return cf_error_set(err, CF_INPUT, "%sno key '%s' in [%s]; confound-emulate --help-model lists them",
                            cf_ini_where(ini, item, where, sizeof where), item->key, item->section);
    if (!parse_value(key, item->value, &value))
        return cf_error_set(err, CF_INPUT, "%s'%s' is not %s", cf_ini_where(ini, item, where, sizeof where),
                            item->value, accepted(key, list, sizeof list));
    memcpy((char *)model + key->offset, &value, sizeof value);
    return CF_OK;
}

/* The shape is looked at here because the reader of all INI files would show a key of a job. */
static cf_status set(cf_ini *ini, const char *setting, cf_error *err)
{
    const size_t name = strcspn(setting, "=");
    const char *dot = memchr(setting, '.', name);
    if (!setting[name] || !dot || dot == setting || dot + 1 == setting + name)
        return cf_error_set(err, CF_INPUT,
                            "--set '%s': SECTION.KEY=VALUE is accepted (waits.stall=no); confound-emulate --help-model "
                            "lists the keys",
                            setting);
    return cf_ini_set(ini, setting, err);
}

cf_status cf_emu_model_parse(const char *name, const char *text, size_t size_bytes, const char *const *settings,
                             cf_emu_model *ret_model, cf_error *err)
{
    cf_ini ini;
    cf_emu_model model;
    cf_emu_model_standard(&model);
    cf_status status = cf_ini_parse(name, text, size_bytes, &ini, err);
    if (status != CF_OK)
        return status;
    for (size_t i = 0; settings && settings[i] && status == CF_OK; i++)
        status = set(&ini, settings[i], err);
    for (size_t i = 0; i < ini.count && status == CF_OK; i++)
        status = take(&ini, &ini.items[i], &model, err);
    cf_ini_done(&ini);
    if (status == CF_OK)
        *ret_model = model;
    return status;
}
