// SPDX-License-Identifier: Apache-2.0
#include "tests/storage/fat_image.h"

#include <algorithm>

namespace thimble::testing {
namespace {

constexpr uint32_t kEntry = 32, kFats = 2;

uint8_t sum_of(const std::string& short_name) {
  uint8_t sum = 0;
  for (const char c : short_name)
    sum = static_cast<uint8_t>((sum << 7) + (sum >> 1) + static_cast<uint8_t>(c));
  return sum;
}

// The part of a long name with its characters from `first` on.
std::vector<uint8_t> part_of(const std::string& name, size_t first, uint8_t number, uint8_t sum) {
  static constexpr size_t kPlaces[13] = {1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30};
  std::vector<uint8_t> entry(kEntry, 0);
  entry[0] = number;
  entry[11] = 0x0f;
  entry[13] = sum;
  for (size_t i = 0; i < 13; ++i) {
    const size_t at = first + i;
    entry[kPlaces[i]] = at < name.size()    ? static_cast<uint8_t>(name[at])
                        : at == name.size() ? 0
                                            : 0xff;
    entry[kPlaces[i] + 1] = at > name.size() ? 0xff : 0;
  }
  return entry;
}

}  // namespace

FatImage::FatImage(const Shape& shape) : shape_(shape), reserved_(shape.fat32 ? 32 : 1) {
  const uint32_t entry = shape.fat32 ? 4 : 2, sector = shape.sector_bytes;
  fat_sectors_ = ((shape.clusters + 2) * entry + sector - 1) / sector;
  root_sectors_ = shape.fat32 ? 0 : (shape.root_entries * kEntry + sector - 1) / sector;
  root_place_ = boot() + size_t{reserved_ + kFats * fat_sectors_} * sector;
  data_place_ = root_place_ + size_t{root_sectors_} * sector;
  bytes.resize(data_place_ + size_t{shape.clusters} * cluster_bytes());
  if (shape.first_block != 0) {
    const size_t at = 446 + size_t{shape.partition} * 16;
    put(at + 4, shape.fat32 ? 0x0c : 0x06, 1);
    put(at + 8, shape.first_block, 4);
    put(at + 12, blocks() - shape.first_block, 4);
    put(510, 0xaa55, 2);
  }
  write_boot_sector();
  set_next(0, shape.fat32 ? 0x0ffffff8 : 0xfff8);
  set_next(1, last_of_chain());
  if (shape.fat32) chain_of(1);
}

void FatImage::put(size_t at, uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.at(at + i) = static_cast<uint8_t>(value >> 8 * i);
}

void FatImage::put_text(size_t at, const std::string& text) {
  std::copy(text.begin(), text.end(), bytes.data() + at);
}

void FatImage::write_boot_sector() {
  const size_t at = boot(), sector = shape_.sector_bytes;
  const auto sectors = static_cast<uint32_t>((bytes.size() - at) / sector);
  const bool is_small = sectors < 65536 && !shape_.fat32;
  put(at, shape_.fat32 ? 0x9058eb : 0x903ceb, 3);
  put_text(at + 3, "MSDOS5.0");
  put(at + 11, shape_.sector_bytes, 2);
  put(at + 13, shape_.cluster_sectors, 1);
  put(at + 14, reserved_, 2);
  put(at + 16, kFats, 1);
  put(at + 17, shape_.fat32 ? 0 : shape_.root_entries, 2);
  put(at + 19, is_small ? sectors : 0, 2);
  put(at + 21, 0xf8, 1);
  put(at + 22, shape_.fat32 ? 0 : fat_sectors_, 2);
  put(at + 24, 63, 2);
  put(at + 26, 255, 2);
  put(at + 28, shape_.first_block, 4);
  put(at + 32, is_small ? 0 : sectors, 4);
  const size_t rest = shape_.fat32 ? 64 : 36;
  put(at + rest, 0x290080, 3);
  put_text(at + rest + 7, "NO NAME    ");
  put_text(at + rest + 18, shape_.fat32 ? "FAT32   " : "FAT16   ");
  put(at + 510, 0xaa55, 2);
  if (!shape_.fat32) return;
  put(at + 36, fat_sectors_, 4);
  put(at + 44, root(), 4);
  put(at + 48, 1, 2);  // the sector that counts free clusters, which says that it does not know
  put(at + 50, 6, 2);  // the copy of this one
  const size_t info = at + sector;
  put(info, 0x41615252, 4);
  put(info + 484, 0x61417272, 4);
  put(info + 488, 0xffffffff, 4);
  put(info + 492, 0xffffffff, 4);
  put(info + 508, 0xaa550000, 4);
  std::copy_n(bytes.data() + at, sector, bytes.data() + at + 6 * sector);
}

size_t FatImage::place_of(uint32_t cluster) const {
  if (cluster == 0) return root_place_;
  return data_place_ + size_t{cluster - 2} * cluster_bytes();
}

size_t FatImage::place_in_fat(uint32_t cluster) const {
  return boot() + size_t{reserved_} * shape_.sector_bytes +
         size_t{cluster} * (shape_.fat32 ? 4 : 2);
}

void FatImage::set_next(uint32_t cluster, uint32_t next) {
  for (size_t copy = 0; copy < kFats; ++copy)
    put(place_in_fat(cluster) + copy * fat_sectors_ * shape_.sector_bytes, next,
        shape_.fat32 ? 4 : 2);
}

uint32_t FatImage::chain_of(uint32_t count) {
  const uint32_t first = free_;
  for (uint32_t i = 0; i < count; ++i, ++free_)
    set_next(free_, i + 1 < count ? free_ + 1 : last_of_chain());
  return first;
}

void FatImage::add_entry(uint32_t in, const std::vector<uint8_t>& entry) {
  size_t at = entries_[in]++ * kEntry;
  uint32_t cluster = in;
  while (in != 0 && at >= cluster_bytes()) {
    const size_t next_at = place_in_fat(cluster);
    uint32_t next = bytes[next_at] | uint32_t{bytes[next_at + 1]} << 8;
    if (shape_.fat32)
      next |= uint32_t{bytes[next_at + 2]} << 16 | uint32_t{bytes[next_at + 3]} << 24;
    if (next == last_of_chain()) {
      next = chain_of(1);
      set_next(cluster, next);
    }
    cluster = next;
    at -= cluster_bytes();
  }
  last_entries_.push_back(place_of(cluster) + at);
  std::copy(entry.begin(), entry.end(), bytes.data() + last_entries_.back());
}

void FatImage::add_named(uint32_t in, const std::string& name, const std::string& long_name,
                         uint8_t attributes, uint32_t cluster, uint32_t size) {
  last_entries_.clear();
  const auto parts = static_cast<uint8_t>((long_name.size() + 12) / 13);
  for (uint8_t left = parts; left > 0; --left)
    add_entry(in, part_of(long_name, (left - 1) * size_t{13},
                          static_cast<uint8_t>(left | (left == parts ? 0x40 : 0)), sum_of(name)));
  std::vector<uint8_t> entry(kEntry, 0);
  std::copy(name.begin(), name.end(), entry.begin());
  entry[11] = attributes;
  entry[16] = entry[18] = entry[24] = 0x21;  // 1 January 1980
  for (int i = 0; i < 2; ++i) {
    entry[20 + i] = static_cast<uint8_t>(cluster >> (16 + 8 * i));
    entry[26 + i] = static_cast<uint8_t>(cluster >> 8 * i);
  }
  for (int i = 0; i < 4; ++i) entry[28 + i] = static_cast<uint8_t>(size >> 8 * i);
  add_entry(in, entry);
}

uint32_t FatImage::add_folder(uint32_t in, const std::string& name, const std::string& long_name) {
  const uint32_t cluster = chain_of(1);
  add_named(cluster, ".          ", "", 0x10, cluster, 0);
  add_named(cluster, "..         ", "", 0x10, in == root() ? 0 : in, 0);
  add_named(in, name, long_name, 0x10, cluster, 0);
  return cluster;
}

uint32_t FatImage::add_file(uint32_t in, const std::string& name, uint32_t size,
                            const std::string& long_name) {
  last_cluster_ = free_;
  const uint32_t cluster = size == 0 ? 0 : chain_of((size - 1) / cluster_bytes() + 1);
  for (uint32_t i = 0; i < size; ++i) bytes.at(place_of(cluster) + i) = content(i);
  add_named(in, name, long_name, 0x20, cluster, size);
  return cluster;
}

void FatImage::delete_last() {
  for (const size_t at : last_entries_) bytes[at] = 0xe5;
  for (uint32_t cluster = last_cluster_; cluster < free_; ++cluster) set_next(cluster, 0);
}

}  // namespace thimble::testing
