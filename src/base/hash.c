#include "base/hash.h"

#include <stdint.h>

#include <nettle/base16.h>
#include <nettle/sha2.h>

void cf_hash_sha256(const void *bytes, size_t size_bytes, char ret_hex[CF_HASH_TEXT_BYTES])
{
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, size_bytes, bytes);
    sha256_digest(&context, sizeof digest, digest);
    base16_encode_update(ret_hex, sizeof digest, digest);
    ret_hex[CF_HASH_TEXT_BYTES - 1] = 0;
}
