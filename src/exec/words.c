#include "exec/words.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS  " \t\n"
#define OPERATE "|&;<>()$`" /* what a shell acts on outside of quotes */
#define PLAIN   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

void cf_words_done(cf_strings *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (cf_strings){0};
}

static cf_status no_memory(cf_error *err)
{
    return cf_error_set(err, CF_MEMORY, "out of memory");
}

static cf_status add(cf_strings *words, const char *text, cf_error *err)
{
    char **items = realloc(words->items, (words->count + 1) * sizeof *items);
    if (!items)
        return no_memory(err);
    words->items = items;
    items[words->count] = cf_text_dup(text);
    if (!items[words->count])
        return no_memory(err);
    words->count++;
    return CF_OK;
}

typedef struct splitter {
    const char *what, *at;
    cf_text word;
    cf_error *err;
} splitter;

static cf_status refuse(const splitter *s, char c)
{
    return cf_error_set(s->err, CF_INPUT,
                        "%s: '%c' is for a shell, and none reads it; put it into quotes, or write sh -c '…'", s->what,
                        c);
}

/* Up to the quote that ends it; at is behind the one that began it. */
static cf_status take_quoted(splitter *s, char quote)
{
    for (; *s->at && *s->at != quote; s->at++) {
        if (quote == '"' && strchr("$`", *s->at))
            return refuse(s, *s->at);
        if (quote == '"' && *s->at == '\\' && s->at[1] && strchr("\"\\$`", s->at[1]))
            s->at++;
        cf_text_add_bytes(&s->word, s->at, 1);
    }
    if (!*s->at)
        return cf_error_set(s->err, CF_INPUT, "%s: a quote %c does not end", s->what, quote);
    s->at++;
    return CF_OK;
}

static cf_status take_word(splitter *s)
{
    cf_status status = CF_OK;
    s->word.size_bytes = 0;
    cf_text_add_bytes(&s->word, "", 0);
    while (!status && *s->at && !strchr(BLANKS, *s->at)) {
        const char c = *s->at++;
        if (c == '\'' || c == '"')
            status = take_quoted(s, c);
        else if (c == '\\' && !*s->at)
            status = cf_error_set(s->err, CF_INPUT, "%s: a backslash has nothing behind it", s->what);
        else if (strchr(OPERATE, c))
            status = refuse(s, c);
        else
            cf_text_add_bytes(&s->word, c == '\\' ? s->at++ : &c, 1);
    }
    return status ? status : s->word.failed ? no_memory(s->err) : CF_OK;
}

cf_status cf_words_split(const char *what, const char *text, cf_strings *ret, cf_error *err)
{
    splitter s = {.what = what, .at = text, .err = err};
    cf_strings words = {0};
    cf_status status = CF_OK;
    for (s.at += strspn(s.at, BLANKS); !status && *s.at; s.at += strspn(s.at, BLANKS)) {
        status = take_word(&s);
        if (!status)
            status = add(&words, s.word.data ? s.word.data : "", err);
    }
    cf_text_done(&s.word);
    if (status)
        cf_words_done(&words);
    else
        *ret = words;
    return status;
}

cf_status cf_words_copy(char *const *items, size_t count, cf_strings *ret, cf_error *err)
{
    cf_strings words = {0};
    cf_status status = CF_OK;
    for (size_t i = 0; !status && i < count; i++)
        status = add(&words, items[i], err);
    if (status)
        cf_words_done(&words);
    else
        *ret = words;
    return status;
}

static void add_word(const char *word, cf_text *out)
{
    if (*word && strspn(word, PLAIN) == strlen(word)) {
        cf_text_add(out, "%s", word);
        return;
    }
    cf_text_add(out, "'");
    for (; *word; word++)
        cf_text_add(out, *word == '\'' ? "'\\''" : "%c", *word);
    cf_text_add(out, "'");
}

void cf_words_join(const cf_strings *words, cf_text *out)
{
    for (size_t i = 0; i < words->count; i++) {
        cf_text_add(out, "%s", i ? " " : "");
        add_word(words->items[i], out);
    }
}
