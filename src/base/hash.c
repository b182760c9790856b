#include "base/hash.h"

#include <stdint.h>

#include <nettle/base16.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>

static void digest_of(const void *bytes, size_t size_bytes, uint8_t ret_digest[SHA256_DIGEST_SIZE])
{
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, size_bytes, bytes);
    sha256_digest(&context, SHA256_DIGEST_SIZE, ret_digest);
}

void cf_hash_sha256(const void *bytes, size_t size_bytes, char ret_hex[CF_HASH_TEXT_BYTES])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    digest_of(bytes, size_bytes, digest);
    base16_encode_update(ret_hex, sizeof digest, digest);
    ret_hex[CF_HASH_TEXT_BYTES - 1] = 0;
}

void cf_hash_sha256_base64(const void *bytes, size_t size_bytes, char ret_base64[CF_HASH_BASE64_BYTES])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    digest_of(bytes, size_bytes, digest);
    base64_encode_raw(ret_base64, sizeof digest, digest);
    ret_base64[CF_HASH_BASE64_BYTES - 1] = 0;
}
