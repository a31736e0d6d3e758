// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/licence.h"

namespace thimble {

std::string licence_lines(const std::string& begin, const std::string& end) {
  return begin + "SPDX-License-Identifier: LicenseRef-ModelOwner" + end + "\n" + begin +
         "Made of a model, and its owner's as the model is: Thimble claims no rights in it. Its "
         "runtime is Apache-2.0." +
         end + "\n";
}

}  // namespace thimble
