// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/refusal.h"

namespace thimble {

const char* sentence(Help help) {
  switch (help) {
    case Help::kNone:
      return "";
    case Help::kUnroll:
      return "unroll loops (recurrent layers of Keras: unroll=True) and take branches apart before "
             "converting";
    case Help::kFixShapes:
      return "fix the shapes of its inputs: --shape INPUT=1x96x96x3";
    case Help::kStateAsPorts:
      return "make the state an input and an output of the network before converting";
    case Help::kQuantise:
      return "quantise it to int8 when converting (docs/models.md)";
    case Help::kBeforeVela:
      return "give the file before Vela: what Vela compiled only an Ethos-U executes";
    case Help::kBeforeEdgeTpu:
      return "give the file before the Edge TPU's compiler: what that compiled only an Edge TPU "
             "executes";
  }
  throw InternalError("unknown Help");
}

}  // namespace thimble
