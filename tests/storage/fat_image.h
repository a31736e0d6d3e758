// SPDX-License-Identifier: Apache-2.0
// A FAT16 or FAT32 file system in memory, as a PC would leave it on a card, with faults on request
// by way of `bytes`. fsck.fat has nothing to say of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace thimble::testing {

class FatImage {
 public:
  struct Shape {
    bool fat32 = false;
    uint32_t first_block = 0;  ///< of the volume; not 0: there is an MBR
    uint32_t partition = 0;    ///< which one of the MBR it is
    uint32_t sector_bytes = 512;
    uint32_t cluster_sectors = 1;
    uint32_t clusters = 4085;
    uint32_t root_entries = 64;  ///< FAT16
  };

  explicit FatImage(const Shape& shape);

  std::vector<uint8_t> bytes;

  /// The root folder; others are the numbers of their first clusters.
  [[nodiscard]] uint32_t root() const { return shape_.fat32 ? 2 : 0; }
  /// Names are 11 characters, as they are stored. With `long_name` that one lies in front.
  uint32_t add_folder(uint32_t in, const std::string& name, const std::string& long_name = "");
  /// In the next clusters that were not used, numbered bytes: the first cluster, 0 if it is empty.
  uint32_t add_file(uint32_t in, const std::string& name, uint32_t size,
                    const std::string& long_name = "");
  /// Deletes the file that was added last, which leaves its bytes and entries marked.
  void delete_last();
  void skip_clusters(uint32_t count) { free_ += count; }

  void set_next(uint32_t cluster, uint32_t next);
  /// Where in `bytes`: a cluster, its number in the first FAT, the entry that was added last.
  [[nodiscard]] size_t place_of(uint32_t cluster) const;
  [[nodiscard]] size_t place_in_fat(uint32_t cluster) const;
  [[nodiscard]] size_t last_entry() const { return last_entries_.back(); }
  [[nodiscard]] size_t boot() const { return size_t{shape_.first_block} * 512; }
  [[nodiscard]] size_t root_place() const { return root_place_; }
  [[nodiscard]] uint32_t cluster_bytes() const {
    return shape_.cluster_sectors * shape_.sector_bytes;
  }
  [[nodiscard]] uint32_t blocks() const { return static_cast<uint32_t>(bytes.size() / 512); }
  [[nodiscard]] uint32_t last_of_chain() const { return shape_.fat32 ? 0x0fffffff : 0xffff; }

  /// What a file that add_file made has at byte `i`.
  static uint8_t content(uint32_t i) { return static_cast<uint8_t>(i * 7 + i / 256 + 1); }

 private:
  void put(size_t at, uint32_t value, int count);
  void put_text(size_t at, const std::string& text);
  void write_boot_sector();
  void add_entry(uint32_t in, const std::vector<uint8_t>& entry);
  void add_named(uint32_t in, const std::string& name, const std::string& long_name,
                 uint8_t attributes, uint32_t cluster, uint32_t size);
  uint32_t chain_of(uint32_t count);

  Shape shape_;
  uint32_t reserved_, fat_sectors_, root_sectors_;
  size_t root_place_, data_place_;
  uint32_t free_ = 2, last_cluster_ = 2;
  std::map<uint32_t, size_t> entries_;  ///< how many each folder has
  std::vector<size_t> last_entries_;
};

}  // namespace thimble::testing
