// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/storage_image.h"

#include <cstring>
#include <string>

#include "thimble/import/sha256.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

constexpr char kMagic[] = "THIMBLE";  // with its zero, two words

uint32_t word_of(const std::string& digits, size_t at) {
  constexpr size_t kDigits = 8;
  return static_cast<uint32_t>(std::stoul(digits.substr(at * kDigits, kDigits), nullptr, 16));
}

}  // namespace

StorageImage::StorageImage(const Program& program, MemoryId memory)
    : program_(program), memory_(memory) {
  // Of fingerprints, so that the records need not be held all at once.
  std::string fingerprints;
  each_record([&](int64_t address, const Bytes& record) {
    fingerprints += sha256(std::to_string(address) + " ", record);
  });
  for (const BufferId id : image_of(program, memory)) {
    const PlacedBuffer& buffer = program.buffer(id);
    label_address_ = image_label_address(buffer.address + buffer.size_bytes);
  }
  size_bytes_ = label_address_ + kImageLabelBytes;
  const std::string all = sha256(fingerprints);
  label_.number = word_of(all, 0);
  std::memcpy(label_.words, kMagic, sizeof(kMagic));
  constexpr size_t kAfterMagic = 2;
  label_.words[kAfterMagic] = static_cast<uint32_t>(label_address_);
  for (size_t k = kAfterMagic + 1; k < std::size(label_.words); ++k)
    label_.words[k] = word_of(all, k - kAfterMagic);
}

void StorageImage::each_record(
    const std::function<void(int64_t address, Bytes record)>& visit) const {
  for (const BufferId id : image_of(program_, memory_)) {
    const PlacedBuffer& buffer = program_.buffer(id);
    const ProgramParams& params = program_.params[static_cast<size_t>(buffer.packed)];
    std::vector<const PackedConstant*> constants;
    for (const BufferId constant : params.constants)
      constants.push_back(&program_.constant(constant)->content);
    const int64_t stride = buffer.size_bytes / params.records->count;
    for (int64_t r = 0; r < params.records->count; ++r)
      visit(buffer.address + r * stride, record_bytes(constants, *params.records, r));
  }
}

void StorageImage::write(const std::function<void(std::span<const uint8_t>)>& sink) const {
  int64_t at = 0;
  const auto fill = [&](int64_t end) {
    if (at < end) sink(Bytes(static_cast<size_t>(end - at)));
    at = end;
  };
  each_record([&](int64_t address, Bytes record) {
    fill(address);
    const uint32_t check = runtime::image_check(record.data(), static_cast<uint32_t>(record.size()),
                                                label_.number, static_cast<uint32_t>(address));
    for (uint32_t shift = 0; shift < 32; shift += 8)
      record.push_back(static_cast<uint8_t>(check >> shift));
    sink(record);
    at += std::ssize(record);
  });
  fill(label_address_);
  Bytes label(sizeof(label_));
  std::memcpy(label.data(), &label_, sizeof(label_));
  sink(label);
}

std::optional<StorageImage> storage_image(const Program& program, MemoryId memory) {
  if (image_of(program, memory).empty()) return std::nullopt;
  return StorageImage(program, memory);
}

}  // namespace thimble
