/* SHA-256 by nettle: packaged everywhere, uses the processor's own instructions. */
#ifndef CF_BASE_HASH_H
#define CF_BASE_HASH_H

#include <stddef.h>

#define CF_HASH_TEXT_BYTES 65

/* 64 lower-case hex digits and NUL into ret_hex. */
void cf_hash_sha256(const void *bytes, size_t size_bytes, char ret_hex[CF_HASH_TEXT_BYTES]);

#define CF_HASH_BASE64_BYTES 45
/* The same as 44 characters of base64 and NUL: what a content security policy names a script by. */
void cf_hash_sha256_base64(const void *bytes, size_t size_bytes, char ret_base64[CF_HASH_BASE64_BYTES]);

#endif
