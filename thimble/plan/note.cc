// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/note.h"

namespace thimble {

template <class Kind>
requires kIsKindOf<Kind, AnyNote>
[[gnu::noinline]] Note::Note(Kind kind) : AnyNote(std::move(kind)) {}
template struct ConstructsEach<Note, AnyNote>;

Note::Note(const Note& other) = default;
Note::Note(Note&& other) noexcept = default;
Note& Note::operator=(const Note& other) = default;
Note& Note::operator=(Note&& other) noexcept = default;
Note::~Note() = default;
bool Note::operator==(const Note& other) const {
  return static_cast<const AnyNote&>(*this) == static_cast<const AnyNote&>(other);
}

}  // namespace thimble
