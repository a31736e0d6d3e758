// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes are read as a picture, as sound, as a table, as labels and as the
// archive behind a model, or refused with CompileError. Built like import_fuzz.cc, target
// fuzz_inputs.
#include <string>

#include "thimble/import/labels.h"
#include "thimble/import/zip.h"
#include "thimble/inputs/fit.h"
#include "thimble/inputs/image.h"
#include "thimble/inputs/sound.h"
#include "thimble/inputs/table.h"
#include "thimble/model/error.h"

namespace {

/// Whether f refuses its input, which is no fault.
template <class F>
void allow_refusal(F f) {
  try {
    f();
  } catch (const thimble::CompileError&) {
    // The input's fault, and said so.
  }
}

void read_picture(const thimble::Bytes& bytes) {
  // Larger ones take time in proportion, and show nothing that small ones do not.
  constexpr int64_t kMostFitted = 1 << 20;
  const thimble::Image image = thimble::decoded_image(bytes, "fuzz");
  if (int64_t{image.width} * image.height > kMostFitted) return;
  for (const thimble::Fit fit : {thimble::Fit::kStretch, thimble::Fit::kCrop, thimble::Fit::kPad}) {
    (void)thimble::fitted(image, 7, 5, thimble::Resize::kBilinear, fit);
    (void)thimble::fitted(image, 5, 9, thimble::Resize::kArea, fit);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const thimble::Bytes bytes(data, data + size);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  allow_refusal([&] { read_picture(bytes); });
  allow_refusal([&] { (void)thimble::decoded_wav(bytes, "fuzz"); });
  allow_refusal([&] { (void)thimble::numbers_in(thimble::table_in(text, "fuzz"), "fuzz"); });
  allow_refusal([&] { (void)thimble::labels_in(text, "fuzz"); });
  allow_refusal([&] { (void)thimble::zip_member(bytes, "labels.txt", 1 << 20, "fuzz"); });
  return 0;
}
