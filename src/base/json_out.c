#include "base/json_out.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

static void add(cf_json *json, const char *s)
{
    cf_text_add_bytes(json->out, s, strlen(s));
}

static void indent(cf_json *json, int depth)
{
    static const char blanks[] = "                                                                ";
    _Static_assert(sizeof blanks > 2 * CF_JSON_DEPTH, "an indent of two for every level");
    cf_text_add_bytes(json->out, "\n", 1);
    cf_text_add_bytes(json->out, blanks, 2 * (size_t)depth);
}

static const char *escape(unsigned char c, char buf[8])
{
    static const char hex[] = "0123456789abcdef";
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (size_t i = 0; letters[i]; i += 2) {
        if ((unsigned char)letters[i] == c) {
            memcpy(buf, (const char[]){'\\', letters[i + 1], 0}, 3);
            return buf;
        }
    }
    memcpy(buf, (const char[]){'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15], 0}, 7);
    return buf;
}

static void quote(cf_json *json, const char *s)
{
    cf_text_add_bytes(json->out, "\"", 1);
    while (*s) {
        uint32_t code;
        const size_t length = cf_utf8_decode(s, &code);
        char buf[8];
        if (!length)
            add(json, "\xef\xbf\xbd"); /* U+FFFD */
        else if (code < 0x20 || code == '"' || code == '\\' || code == 0x7f)
            add(json, escape((unsigned char)code, buf));
        else
            cf_text_add_bytes(json->out, s, length);
        s += length ? length : 1;
    }
    cf_text_add_bytes(json->out, "\"", 1);
}

/* Comma, line and key before a value. */
static void lead(cf_json *json, const char *key)
{
    if (json->depth >= CF_JSON_DEPTH) {
        json->out->failed = true;
        return;
    }
    if (json->has_items[json->depth])
        add(json, json->compact_from ? ", " : ",");
    json->has_items[json->depth] = true;
    if (json->depth && !json->compact_from)
        indent(json, json->depth);
    if (key) {
        quote(json, key);
        add(json, ": ");
    }
}

static void begin(cf_json *json, const char *key, bool compact, const char *bracket)
{
    lead(json, key);
    add(json, bracket);
    if (++json->depth >= CF_JSON_DEPTH) {
        json->out->failed = true;
        return;
    }
    json->has_items[json->depth] = false;
    if (compact && !json->compact_from)
        json->compact_from = json->depth;
}

static void end(cf_json *json, const char *bracket)
{
    if (json->depth <= 0) {
        json->out->failed = true;
        return;
    }
    const bool lined = !json->compact_from && json->depth < CF_JSON_DEPTH && json->has_items[json->depth];
    if (json->compact_from == json->depth)
        json->compact_from = 0;
    json->depth--;
    if (lined)
        indent(json, json->depth);
    add(json, bracket);
    if (json->depth == 0)
        cf_text_add_bytes(json->out, "\n", 1);
}

void cf_json_object_begin(cf_json *json, const char *key, bool compact)
{
    begin(json, key, compact, "{");
}

void cf_json_object_end(cf_json *json)
{
    end(json, "}");
}

void cf_json_array_begin(cf_json *json, const char *key, bool compact)
{
    begin(json, key, compact, "[");
}

void cf_json_array_end(cf_json *json)
{
    end(json, "]");
}

void cf_json_string(cf_json *json, const char *key, const char *value)
{
    if (!value) {
        cf_json_null(json, key);
        return;
    }
    lead(json, key);
    quote(json, value);
}

void cf_json_int(cf_json *json, const char *key, int64_t value)
{
    lead(json, key);
    cf_text_add(json->out, "%lld", (long long)value);
}

void cf_json_uint(cf_json *json, const char *key, uint64_t value)
{
    lead(json, key);
    cf_text_add(json->out, "%llu", (unsigned long long)value);
}

void cf_json_double(cf_json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        cf_json_null(json, key);
        return;
    }
    char buf[32];
    lead(json, key);
    add(json, cf_text_shortest(value, buf, sizeof buf));
}

void cf_json_bool(cf_json *json, const char *key, bool value)
{
    lead(json, key);
    add(json, value ? "true" : "false");
}

void cf_json_null(cf_json *json, const char *key)
{
    lead(json, key);
    add(json, "null");
}

void cf_json_raw(cf_json *json, const char *key, const void *value, size_t size_bytes)
{
    lead(json, key);
    cf_text_add_bytes(json->out, value, size_bytes);
}
