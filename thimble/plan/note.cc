// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/note.h"

#include "thimble/model/one_of_members.h"

namespace thimble {

template class OneOf<AnyNote>;
template struct MadeOfEach<AnyNote>;

}  // namespace thimble
