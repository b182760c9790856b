/* Built-in texts with a name and, in their leading comment, what they are for: ready jobs and models. */
#ifndef CF_CLI_LISTING_H
#define CF_CLI_LISTING_H

#include <stddef.h>

#define CF_LISTING_MAX 64

/* Zero-initialise with the two strings set. All is borrowed. */
typedef struct cf_listing {
    const char *noun;       /* "job" */
    const char *print_hint; /* the last line of the list */
    size_t count;
    const char *names[CF_LISTING_MAX + 1]; /* NULL-terminated */
    const char *texts[CF_LISTING_MAX];
} cf_listing;

/* More than CF_LISTING_MAX are left out of the list. */
void cf_listing_add(cf_listing *listing, const char *name, const char *text);
/* Prints the list, or the text of `name` if it is not NULL. Returns the exit status, having printed its error line. */
int cf_listing_show(const cf_listing *listing, const char *name);
/* What a text says it is for: its key `about`, else the first sentence of its leading comment. Returns buf. */
const char *cf_listing_about(const char *text, char *buf, size_t buf_bytes);

#endif
