// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <memory>

#include "thimble/model/error.h"

namespace thimble {

std::string sha256(std::string_view text) { return sha256(text, {}); }

std::string sha256(const Bytes& bytes) { return sha256("", bytes); }

std::string sha256(std::string_view text, const Bytes& bytes) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  check(context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1 &&
            EVP_DigestUpdate(context.get(), text.data(), text.size()) == 1 &&
            EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
            EVP_DigestFinal_ex(context.get(), digest, &length) == 1,
        "no SHA-256");
  std::string digits;
  for (unsigned int k = 0; k < length; ++k) digits += fmt::format("{:02x}", digest[k]);
  return digits;
}

}  // namespace thimble
