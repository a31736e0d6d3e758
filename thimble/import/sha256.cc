// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "thimble/model/error.h"

namespace thimble {

std::string sha256(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  check(EVP_Digest(text.data(), text.size(), digest, &length, EVP_sha256(), nullptr) == 1,
        "no SHA-256");
  std::string digits;
  for (unsigned int k = 0; k < length; ++k) digits += fmt::format("{:02x}", digest[k]);
  return digits;
}

std::string sha256(const Bytes& bytes) {
  return sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace thimble
