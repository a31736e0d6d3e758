/* SPDX-License-Identifier: Apache-2.0
   AES-GCM of mbedTLS (2.28 and 3) for sealed.h.

     static mbedtls_gcm_context gcm;
     mbedtls_gcm_init(&gcm);
     mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES, key, 256);
     const thimble_aead aead = thimble_aead_mbedtls(&gcm);

   A chip whose engine mbedTLS knows (MBEDTLS_GCM_ALT) is used so, too. */
#ifndef THIMBLE_RUNTIME_AEAD_MBEDTLS_H_
#define THIMBLE_RUNTIME_AEAD_MBEDTLS_H_

#include <mbedtls/gcm.h>

#include "sealed.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Has the key; must outlive what seals with it. */
thimble_aead thimble_aead_mbedtls(mbedtls_gcm_context* gcm);

#ifdef __cplusplus
}
#endif

#endif /* THIMBLE_RUNTIME_AEAD_MBEDTLS_H_ */
