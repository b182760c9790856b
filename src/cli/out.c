#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"

int cf_cli_fail(const cf_error *err)
{
    if (err->text[0] && err->call[0])
        fprintf(stderr, "confound: %s (%s: %lld)\n", err->text, err->call, (long long)err->native);
    else if (err->text[0])
        fprintf(stderr, "confound: %s\n", err->text);
    return cf_status_exit(err->status);
}

void cf_cli_note(const char *fmt, ...)
{
    cf_error note = {0};
    char text[sizeof note.text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    cf_error_set(&note, CF_OK, "%s", text); /* makes it one line without control characters */
    fprintf(stderr, "confound: %s\n", note.text);
}

static cf_status write_stdout(const cf_text *text, cf_error *err)
{
    for (size_t done = 0; done < text->size_bytes;) {
        ssize_t taken = write(STDOUT_FILENO, text->data + done, text->size_bytes - done);
        if (taken >= 0) {
            done += (size_t)taken;
            continue;
        }
        if (errno == EINTR)
            continue;
        if (errno == EPIPE)
            return cf_error_set(err, CF_IO, "%s", "");
        return cf_error_set(err, CF_IO, "standard output: %s", strerror(errno));
    }
    return CF_OK;
}

bool cf_cli_is_stdout(const char *path)
{
    return !path || !strcmp(path, "-");
}

cf_status cf_cli_check_apart(const char *in, const char *out, cf_error *err)
{
    struct stat a, b;
    if (cf_cli_is_stdout(out) || stat(in, &a) || stat(out, &b))
        return CF_OK;
    if (a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return cf_error_set(err, CF_INPUT, "%s: it is the record itself; choose another name for what is written", out);
    return CF_OK;
}

cf_status cf_cli_write(const char *path, const cf_text *text, cf_error *err)
{
    if (text->failed)
        return cf_error_set(err, CF_MEMORY, "out of memory");
    if (!cf_cli_is_stdout(path))
        return cf_file_write_atomic(path, text->data ? text->data : "", text->size_bytes, err);
    if (fflush(stdout)) /* what was printed before stays before */
        return cf_error_set(err, CF_IO, "standard output: %s", strerror(errno));
    return write_stdout(text, err);
}

int cf_cli_finish(cf_text *text, int exit_status)
{
    cf_error err = {0};
    cf_status status = cf_cli_write(NULL, text, &err);
    cf_text_done(text);
    return status ? cf_cli_fail(&err) : exit_status;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return term && !strcmp(term, "dumb");
}

static bool wants_color(const cf_options *options, FILE *stream)
{
    cf_color color = options->color.set ? (cf_color)options->color.value : CF_COLOR_AUTO;
    if (color != CF_COLOR_AUTO)
        return color == CF_COLOR_ALWAYS;
    return stream && isatty(fileno(stream)) && is_set("TERM") && !is_dumb() && !is_set("NO_COLOR");
}

/* The locale of the environment is asked in an object of its own: the process stays in "C", in which numbers are read
   and written. */
static bool locale_is_utf8(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (locale == (locale_t)0)
        return false;
    bool utf8 = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
    freelocale(locale);
    return utf8;
}

void cf_cli_style(const cf_options *options, FILE *stream, const char *record_path, cf_report_style *ret_style)
{
    *ret_style = (cf_report_style){
        .color = wants_color(options, stream),
        .utf8 = locale_is_utf8() && !is_dumb(),
        .verbose = options->verbose,
        .columns = CF_REPORT_COLUMNS,
        .record_path = record_path,
    };
}
