/* The page around what it says. */
#include "base/hash.h"
#include "report/html/assets.h"
#include "report/html/html.h"

static void add_asset(cf_text *out, const cf_html_asset *asset)
{
    cf_text_add_bytes(out, asset->text, asset->size_bytes);
}

static void add_source(cf_text *out, const cf_html_asset *asset)
{
    char hash[CF_HASH_BASE64_BYTES];
    cf_hash_sha256_base64(asset->text, asset->size_bytes, hash);
    cf_text_add(out, " 'sha256-%s'", hash);
}

/* Nothing is loaded, nothing is sent, and only what is named by its hash is run. */
static void add_policy(cf_text *out, const cf_html_asset *vega, const cf_html_asset *app, const cf_html_asset *style)
{
    cf_text_add(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
                     "form-action 'none'; style-src");
    add_source(out, style);
    cf_text_add(out, "; script-src");
    if (vega->size_bytes)
        add_source(out, vega);
    add_source(out, app);
    cf_text_add(out, "\">\n");
}

static void add_head(cf_text *out, const char *title)
{
    cf_html_asset vega = cf_html_vega(), app = cf_html_app(), style = cf_html_style();
    cf_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    add_policy(out, &vega, &app, &style);
    cf_text_add(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
    cf_html_add(out, title);
    cf_text_add(out, "</title>\n<style>");
    add_asset(out, &style);
    cf_text_add(out, "</style>\n</head>\n");
}

static void add_bar(cf_text *out, const char *where)
{
    cf_text_add(out, "<body>\n<header class=\"bar\"><span class=\"brand\">confound</span><span class=\"where\">");
    cf_html_add(out, where);
    cf_text_add(out, "</span><button type=\"button\" id=\"theme\" hidden>Dark</button></header>\n");
}

static void add_scripts(cf_text *out, const cf_text *data)
{
    cf_html_asset vega = cf_html_vega(), app = cf_html_app();
    cf_text_add(out, "<div id=\"tip\" role=\"tooltip\" hidden></div><div id=\"ring\" hidden></div>"
                     "<div id=\"live\" aria-live=\"polite\"></div>\n<script type=\"application/json\" id=\"data\">");
    cf_html_add_json(out, data);
    cf_text_add(out, "</script>\n");
    if (vega.size_bytes) {
        cf_text_add(out, "<script>");
        add_asset(out, &vega);
        cf_text_add(out, "</script>\n");
    }
    cf_text_add(out, "<script>");
    add_asset(out, &app);
    cf_text_add(out, "</script>\n");
}

void cf_html_page(cf_text *out, const char *title, const char *where, const cf_text *body, const cf_text *data)
{
    out->failed |= body->failed;
    add_head(out, title);
    add_bar(out, where);
    cf_text_add(out, "<main>\n");
    if (!cf_report_has_charts())
        cf_text_add(out, "<p class=\"note\">This confound was built without Vega (Debian and Ubuntu: libjs-vega), so "
                         "the page has its tables and no charts.</p>\n");
    cf_text_add_bytes(out, body->data ? body->data : "", body->size_bytes);
    cf_text_add(out,
                "</main>\n<footer>Made by confound %s. The verdict rests on the record alone, "
                "which holds what was measured: <code>confound judge</code> says the same of it on any "
                "machine.</footer>\n",
                CONFOUND_VERSION);
    add_scripts(out, data);
    cf_text_add(out, "</body>\n</html>\n");
}
