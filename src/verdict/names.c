#include "verdict/verdict.h"

#include "record/names.h"

const char *cf_reading_name(cf_reading reading)
{
    static const char *const names[] = {
#define X(name, text) [CF_READING_##name] = text,
        CF_READING_TABLE(X)
#undef X
    };
    return names[reading];
}

const char *cf_effect_name(cf_effect effect)
{
    static const char *const names[] = {
        [CF_EFFECT_NONE] = NULL,
        [CF_EFFECT_INCONCLUSIVE] = "inconclusive",
        [CF_EFFECT_CLEAR] = "clear",
        [CF_EFFECT_CONFOUNDED] = "confounded",
    };
    return names[effect];
}

const char *cf_verdict_name(cf_verdict verdict)
{
    static const char *const names[] = {
        [CF_VERDICT_INVALID] = "invalid",
        [CF_VERDICT_CONFOUNDED] = "confounded",
        [CF_VERDICT_INCONCLUSIVE] = "inconclusive",
        [CF_VERDICT_CLEAR] = "clear",
    };
    return names[verdict];
}

const char *cf_because_word(cf_because because)
{
    static const char *const words[] = {
#define X(name, word, meaning) [CF_BECAUSE_##name] = word,
        CF_BECAUSE_TABLE(X)
#undef X
    };
    return words[because];
}

const char *cf_because_meaning(cf_because because)
{
    static const char *const meanings[] = {
#define X(name, word, meaning) [CF_BECAUSE_##name] = meaning,
        CF_BECAUSE_TABLE(X)
#undef X
    };
    return meanings[because];
}

const char *cf_finding_word(cf_finding_kind kind)
{
    static const char *const texts[] = {
#define X(name, word, number, meaning) [CF_FINDING_##name] = word,
        CF_FINDING_TABLE(X)
#undef X
    };
    return texts[kind];
}

const char *cf_finding_number(cf_finding_kind kind)
{
    static const char *const texts[] = {
#define X(name, word, number, meaning) [CF_FINDING_##name] = number,
        CF_FINDING_TABLE(X)
#undef X
    };
    return texts[kind];
}

const char *cf_finding_meaning(cf_finding_kind kind)
{
    static const char *const texts[] = {
#define X(name, word, number, meaning) [CF_FINDING_##name] = meaning,
        CF_FINDING_TABLE(X)
#undef X
    };
    return texts[kind];
}

const char *cf_mark_word(int mark)
{
    return cf_mark_names[mark];
}
