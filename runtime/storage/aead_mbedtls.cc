// SPDX-License-Identifier: Apache-2.0
#include "aead_mbedtls.h"

namespace thimble::runtime {
namespace {

int seal_gcm(void* context, const uint8_t nonce[THIMBLE_SEALED_NONCE], const uint8_t* data,
             uint32_t data_size, uint8_t* bytes, uint32_t size, uint8_t tag[THIMBLE_SEALED_TAG]) {
  return mbedtls_gcm_crypt_and_tag(static_cast<mbedtls_gcm_context*>(context), MBEDTLS_GCM_ENCRYPT,
                                   size, nonce, THIMBLE_SEALED_NONCE, data, data_size, bytes, bytes,
                                   THIMBLE_SEALED_TAG, tag);
}

int open_gcm(void* context, const uint8_t nonce[THIMBLE_SEALED_NONCE], const uint8_t* data,
             uint32_t data_size, uint8_t* bytes, uint32_t size,
             const uint8_t tag[THIMBLE_SEALED_TAG]) {
  return mbedtls_gcm_auth_decrypt(static_cast<mbedtls_gcm_context*>(context), size, nonce,
                                  THIMBLE_SEALED_NONCE, data, data_size, tag, THIMBLE_SEALED_TAG,
                                  bytes, bytes);
}

}  // namespace
}  // namespace thimble::runtime

thimble_aead thimble_aead_mbedtls(mbedtls_gcm_context* gcm) {
  return {gcm, thimble::runtime::seal_gcm, thimble::runtime::open_gcm};
}
