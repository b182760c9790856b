#include "record/locate.h"

#include <limits.h>
#include <string.h>

#include <jansson.h>

size_t cf_json_skip_space(cf_json_text json, size_t at)
{
    while (at < json.size_bytes &&
           (json.text[at] == ' ' || json.text[at] == '\n' || json.text[at] == '\r' || json.text[at] == '\t'))
        at++;
    return at;
}

/* at is the opening quote. */
static size_t skip_string(cf_json_text json, size_t at)
{
    for (at++; at < json.size_bytes; at++) {
        if (json.text[at] == '"')
            return at + 1;
        if (json.text[at] == '\\')
            at++;
    }
    return CF_JSON_NOWHERE;
}

static size_t skip_container(cf_json_text json, size_t at)
{
    size_t depth = 0;
    while (at < json.size_bytes) {
        const char c = json.text[at];
        if (c == '"') {
            at = skip_string(json, at);
            if (at == CF_JSON_NOWHERE)
                return at;
            continue;
        }
        at++;
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth == 0)
            return at;
    }
    return CF_JSON_NOWHERE;
}

size_t cf_json_skip_value(cf_json_text json, size_t at)
{
    if (at >= json.size_bytes)
        return CF_JSON_NOWHERE;
    if (json.text[at] == '"')
        return skip_string(json, at);
    if (json.text[at] == '{' || json.text[at] == '[')
        return skip_container(json, at);
    const size_t begin = at;
    while (at < json.size_bytes && json.text[at] && !strchr(",:]}[{\" \t\r\n", json.text[at]))
        at++;
    return at == begin ? CF_JSON_NOWHERE : at;
}

cf_json_walk cf_json_walk_begin(cf_json_text json, size_t at)
{
    cf_json_walk walk = {.json = json, .at = CF_JSON_NOWHERE};
    if (at < json.size_bytes && (json.text[at] == '{' || json.text[at] == '[')) {
        walk.at = at + 1;
        walk.close = json.text[at] == '{' ? '}' : ']';
    }
    return walk;
}

static bool broken(cf_json_walk *walk, size_t at)
{
    walk->at = CF_JSON_NOWHERE;
    walk->broken = at;
    return false;
}

static char byte_at(cf_json_text json, size_t at)
{
    return at < json.size_bytes ? json.text[at] : 0;
}

/* Takes "key" and the colon behind it; returns the offset of the value. */
static size_t take_key(cf_json_walk *walk, size_t at)
{
    const cf_json_text json = walk->json;
    const size_t end = byte_at(json, at) == '"' ? skip_string(json, at) : CF_JSON_NOWHERE;
    if (end == CF_JSON_NOWHERE) {
        broken(walk, byte_at(json, at) == '"' ? json.size_bytes : at);
        return end;
    }
    walk->key = at + 1;
    walk->key_bytes = end - at - 2;
    at = cf_json_skip_space(json, end);
    if (byte_at(json, at) != ':') {
        broken(walk, at);
        return CF_JSON_NOWHERE;
    }
    return cf_json_skip_space(json, at + 1);
}

bool cf_json_walk_enter(cf_json_walk *walk)
{
    const cf_json_text json = walk->json;
    if (walk->at == CF_JSON_NOWHERE)
        return false;
    size_t at = cf_json_skip_space(json, walk->at);
    if (byte_at(json, at) == walk->close) {
        walk->at = at + 1;
        return false;
    }
    if (walk->began) {
        if (byte_at(json, at) != ',')
            return broken(walk, at);
        at = cf_json_skip_space(json, at + 1);
    }
    walk->began = true;
    walk->key = CF_JSON_NOWHERE;
    if (walk->close == '}') {
        at = take_key(walk, at);
        if (at == CF_JSON_NOWHERE)
            return false;
    }
    walk->value = at;
    return true;
}

bool cf_json_walk_skip(cf_json_walk *walk)
{
    const cf_json_text json = walk->json;
    const size_t at = walk->value;
    const size_t end = cf_json_skip_value(json, at);
    if (end == CF_JSON_NOWHERE)
        return broken(walk, byte_at(json, at) && strchr("\"[{", byte_at(json, at)) ? json.size_bytes : at);
    walk->value_bytes = end - at;
    walk->at = end;
    return true;
}

bool cf_json_walk_next(cf_json_walk *walk)
{
    return cf_json_walk_enter(walk) && cf_json_walk_skip(walk);
}

/* Keys compare as written, and where something is escaped, as jansson reads them. */
static bool key_is(const cf_json_walk *walk, const char *key)
{
    const char *written = walk->json.text + walk->key;
    if (!memchr(written, '\\', walk->key_bytes))
        return strlen(key) == walk->key_bytes && memcmp(key, written, walk->key_bytes) == 0;
    json_t *string = json_loadb(written - 1, walk->key_bytes + 2, JSON_DECODE_ANY, NULL);
    const bool same = json_is_string(string) && strcmp(json_string_value(string), key) == 0;
    json_decref(string);
    return same;
}

size_t cf_json_find_member(cf_json_text json, size_t at, const char *key)
{
    cf_json_walk walk = cf_json_walk_begin(json, at);
    while (cf_json_walk_next(&walk)) {
        if (walk.key != CF_JSON_NOWHERE && key_is(&walk, key))
            return walk.value;
    }
    return CF_JSON_NOWHERE;
}

size_t cf_json_find_element(cf_json_text json, size_t at, size_t index)
{
    cf_json_walk walk = cf_json_walk_begin(json, at);
    while (cf_json_walk_next(&walk)) {
        if (walk.key == CF_JSON_NOWHERE && index-- == 0)
            return walk.value;
    }
    return CF_JSON_NOWHERE;
}

int cf_json_line(cf_json_text json, size_t at)
{
    int line = 1;
    const char *text = json.text;
    const char *end = json.text + (at < json.size_bytes ? at : json.size_bytes);
    while (text < end && (text = memchr(text, '\n', (size_t)(end - text))) && line < INT_MAX) {
        line++;
        text++;
    }
    return line;
}
