// SPDX-License-Identifier: Apache-2.0
#include "fat_file.h"

namespace {

constexpr uint32_t kFatBlock = THIMBLE_FAT_BLOCK, kFatBlockBits = 9;
constexpr uint32_t kReach = 1U << (32 - kFatBlockBits);         // blocks that offsets reach
constexpr uint32_t kEntry = 32;                                 // bytes of a folder's entry
constexpr uint32_t kFolderBlocks = 65536 * kEntry / kFatBlock;  // a folder has no more
constexpr uint32_t kSignature = 510, kSigned = 0xaa55;
constexpr uint32_t kPartitions = 4, kPartitionTable = 446, kPartition = 16;

// Clusters: numbers of the first one, and in the FAT.
constexpr uint32_t kFirst = 2, kFat16From = 4085, kFat32From = 65525;
constexpr uint32_t kSpecial16 = 0xfff7, kLast = 0x0ffffff8, kMaxClusters = 0x0ffffff5;

// First byte of a folder's entry.
constexpr uint8_t kNoMore = 0, kDeleted = 0xe5;
// Attributes.
constexpr uint8_t kReadOnly = 0x01, kLabel = 0x08, kFolder = 0x10, kLong = 0x0f, kAllBits = 0x3f;

uint32_t half(const uint8_t* bytes) { return bytes[0] | uint32_t{bytes[1]} << 8; }
uint32_t word(const uint8_t* bytes) { return half(bytes) | half(bytes + 2) << 16; }

bool is_power_of_two(uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

uint32_t log2_of(uint32_t power) {
  uint32_t bits = 0;
  while (power >> bits != 1) ++bits;
  return bits;
}

uint8_t lower(uint8_t c) { return c >= 'A' && c <= 'Z' ? static_cast<uint8_t>(c + 32) : c; }

// The card, a block at a time.
struct Card {
  const thimble_storage& storage;
  uint32_t blocks;  // at most kReach
  uint8_t* sector;
  uint32_t held;  // which block that is, from 1 on
};

int load(Card& card, uint64_t block) {
  if (block >= card.blocks) return THIMBLE_FAT_TOO_FAR;
  const auto number = static_cast<uint32_t>(block);
  if (card.held == number + 1) return THIMBLE_STORAGE_OK;
  card.held = 0;
  const thimble_storage& from = card.storage;
  int status = from.read_async(from.context, 0, number * kFatBlock, card.sector, kFatBlock);
  if (status == THIMBLE_STORAGE_OK) status = from.wait(from.context, 0);
  if (status == THIMBLE_STORAGE_OK) card.held = number + 1;
  return status;
}

// A file system. Blocks are those of the card.
struct Volume {
  bool is_fat32;
  uint64_t fat;   // its first block, which is followed by all that clusters need
  uint64_t root;  // FAT16: first block of the root folder
  uint32_t root_blocks;
  uint32_t root_cluster;  // FAT32
  uint64_t data;          // first block of cluster kFirst
  uint32_t clusters;
  uint32_t cluster_bits;  // its blocks, as a power of two

  [[nodiscard]] bool has(uint32_t cluster) const {
    return cluster >= kFirst && cluster - kFirst < clusters;
  }
  [[nodiscard]] uint64_t block_of(uint32_t cluster) const {
    return data + (uint64_t{cluster - kFirst} << cluster_bits);
  }
};

// How many clusters there are: what is behind FATs and root, as far as the FAT has entries.
uint32_t clusters_of(const Volume& volume, uint64_t sectors, uint64_t fat_bytes) {
  const uint64_t entries = fat_bytes >> (volume.is_fat32 ? 2 : 1);  // at least 128
  const uint64_t most = entries - kFirst < kMaxClusters ? entries - kFirst : kMaxClusters;
  return static_cast<uint32_t>(sectors < most ? sectors : most);
}

bool is_exfat(const uint8_t* boot) {
  for (uint32_t i = 0; i < 8; ++i) {
    if (boot[3 + i] != static_cast<uint8_t>("EXFAT   "[i])) return false;
  }
  return true;
}

// Reads the boot sector in block `first` of a volume of at most `blocks`.
int mount(Card& card, uint64_t first, uint64_t blocks, Volume& volume) {
  const int status = load(card, first);
  if (status != THIMBLE_STORAGE_OK) return status;
  const uint8_t* const boot = card.sector;
  if (half(boot + kSignature) != kSigned) return THIMBLE_FAT_NO_VOLUME;
  if (is_exfat(boot)) return THIMBLE_FAT_EXFAT;

  const uint32_t sector_bytes = half(boot + 11), cluster_sectors = boot[13];
  const uint32_t reserved = half(boot + 14), fats = boot[16], root_entries = half(boot + 17);
  const uint32_t sectors = half(boot + 19) != 0 ? half(boot + 19) : word(boot + 32);
  const uint32_t fat16_sectors = half(boot + 22);
  const uint32_t fat_sectors = fat16_sectors != 0 ? fat16_sectors : word(boot + 36);
  const bool has_medium = boot[21] == 0xf0 || boot[21] >= 0xf8;
  if (!is_power_of_two(sector_bytes) || sector_bytes < kFatBlock || sector_bytes > 4096 ||
      !is_power_of_two(cluster_sectors) || reserved == 0 || fats == 0 || fat_sectors == 0 ||
      !has_medium)
    return THIMBLE_FAT_NO_VOLUME;

  const uint32_t sector_bits = log2_of(sector_bytes) - kFatBlockBits;  // blocks, as a power of two
  const uint32_t root_sectors =
      (root_entries * kEntry + sector_bytes - 1) >> (sector_bits + kFatBlockBits);
  const uint64_t root = reserved + uint64_t{fats} * fat_sectors;  // sectors of the volume
  const uint64_t data = root + root_sectors;
  if (data >= sectors) return THIMBLE_FAT_NO_VOLUME;
  const uint64_t clusters = (sectors - data) >> log2_of(cluster_sectors);

  volume.is_fat32 = fat16_sectors == 0;
  uint32_t used_fat = 0;
  if (volume.is_fat32) {
    const uint32_t flags = half(boot + 40), version = half(boot + 42);
    if ((flags & 0x80) != 0) used_fat = flags & 0x0f;  // else all of them are alike
    if (root_entries != 0 || version != 0 || used_fat >= fats) return THIMBLE_FAT_NO_VOLUME;
  } else if (root_entries == 0 || clusters < kFat16From || clusters >= kFat32From) {
    return THIMBLE_FAT_NO_VOLUME;
  }
  volume.clusters = clusters_of(volume, clusters, uint64_t{fat_sectors} * sector_bytes);
  if (uint64_t{sectors} << sector_bits > blocks) return THIMBLE_FAT_DAMAGED;
  volume.fat = first + ((reserved + uint64_t{used_fat} * fat_sectors) << sector_bits);
  volume.root = first + (root << sector_bits);
  volume.root_blocks = root_sectors << sector_bits;
  volume.root_cluster = word(boot + 44);
  volume.data = first + (data << sector_bits);
  volume.cluster_bits = log2_of(cluster_sectors) + sector_bits;
  return THIMBLE_STORAGE_OK;
}

// Finds the volume that is the whole card, or the first one in its partitions.
int mount_any(Card& card, Volume& volume) {
  int result = mount(card, 0, UINT64_MAX, volume);
  if (result != THIMBLE_FAT_NO_VOLUME || half(card.sector + kSignature) != kSigned) return result;
  for (uint32_t i = 0; i < kPartitions; ++i) {
    int status = load(card, 0);
    if (status != THIMBLE_STORAGE_OK) return status;
    const uint8_t* const entry = card.sector + kPartitionTable + i * kPartition;
    const uint32_t first = word(entry + 8), blocks = word(entry + 12);
    if ((entry[0] & 0x7f) != 0 || entry[4] == 0 || blocks == 0) continue;
    status = mount(card, first, blocks, volume);
    const bool goes_on = status <= THIMBLE_FAT_NO_VOLUME && status >= THIMBLE_FAT_TOO_FAR;
    if (!goes_on) return status;
    if (result == THIMBLE_FAT_NO_VOLUME) result = status;
  }
  return result;
}

// What the FAT has for a cluster, which there is: the next one, or kLast and above.
int next_of(Card& card, const Volume& volume, uint32_t cluster, uint32_t& next) {
  const uint32_t at = cluster * (volume.is_fat32 ? 4 : 2);  // below 2^30
  const int status = load(card, volume.fat + at / kFatBlock);
  if (status != THIMBLE_STORAGE_OK) return status;
  const uint8_t* const entry = card.sector + at % kFatBlock;
  if (volume.is_fat32) {
    next = word(entry) & 0x0fffffff;
  } else {
    next = half(entry);
    if (next >= kSpecial16) next |= 0x0fff0000;
  }
  return THIMBLE_STORAGE_OK;
}

// A name of a path.
struct Name {
  const uint8_t* text;
  uint32_t length;
};

// How much of a part of a short name is none of the spaces behind it.
uint32_t length_of(const uint8_t* part, uint32_t size) {
  while (size > 0 && part[size - 1] == ' ') --size;
  return size;
}

// "NAME    EXT" against name.ext.
bool is_short(const uint8_t* entry, const Name& name) {
  const uint32_t base = length_of(entry, 8), extension = length_of(entry + 8, 3);
  if (name.length != (extension == 0 ? base : base + 1 + extension)) return false;
  for (uint32_t i = 0; i < name.length; ++i) {
    const uint8_t has = i < base ? entry[i] : i == base ? '.' : entry[8 + i - base - 1];
    if (lower(has) != lower(name.text[i])) return false;
  }
  return true;
}

// Long names lie in front of the entry that has the short one, 13 characters each, the last first.
class LongName {
 public:
  explicit LongName(const Name& name) : name_(name), parts_((name.length + kPart - 1) / kPart) {}

  void forget() { left_ = kNone; }

  void take(const uint8_t* entry) {
    const uint32_t number = entry[0] & 0x3f;
    if ((entry[0] & 0x40) != 0) {
      left_ = parts_;
      check_ = entry[13];
    }
    if (left_ == kNone || left_ == 0 || number != left_ || entry[13] != check_ ||
        !is_part(entry, (number - 1) * kPart))
      return forget();
    --left_;
  }

  [[nodiscard]] bool belongs_to(const uint8_t* entry) const {
    uint32_t sum = 0;
    for (int i = 0; i < 11; ++i) sum = ((sum >> 1 | sum << 7) + entry[i]) & 0xff;
    return left_ == 0 && sum == check_;
  }

 private:
  static constexpr uint32_t kPart = 13, kNone = UINT32_MAX;

  [[nodiscard]] bool is_part(const uint8_t* entry, uint32_t first) const {
    for (uint32_t i = 0; i < kPart && first + i <= name_.length; ++i) {
      const uint32_t unit = half(entry + (i < 5 ? 1 : i < 11 ? 4 : 6) + 2 * i);
      const uint32_t wanted = first + i < name_.length ? name_.text[first + i] : 0;
      if (unit > 0x7f || lower(static_cast<uint8_t>(unit)) != lower(static_cast<uint8_t>(wanted)))
        return false;
    }
    return true;
  }

  const Name& name_;
  uint32_t parts_;
  uint32_t left_ = kNone;  // parts that are still to come; kNone: it is another name
  uint8_t check_ = 0;
};

// What a folder says of a file or of a folder in it.
struct Found {
  uint32_t cluster;  // 0: the root of FAT16
  uint32_t bytes;
  uint8_t attributes;
};

// Looks for a name in the block that is held. `ended`: behind it there are no more.
bool is_in_block(const uint8_t* sector, const Name& name, LongName& long_name, bool is_fat32,
                 Found& found, bool& ended) {
  for (const uint8_t* entry = sector; entry < sector + kFatBlock; entry += kEntry) {
    ended = entry[0] == kNoMore;
    if (ended) return false;
    const uint8_t attributes = entry[11];
    if (entry[0] != kDeleted && (attributes & kAllBits) == kLong) {
      long_name.take(entry);
      continue;
    }
    // "." and ".." lead back.
    const bool is_other = entry[0] == kDeleted || entry[0] == '.' || (attributes & kLabel) != 0;
    if (!is_other && (is_short(entry, name) || long_name.belongs_to(entry))) {
      const uint32_t high = is_fat32 ? half(entry + 20) << 16 : 0;
      found = {high | half(entry + 26), word(entry + 28), attributes};
      return true;
    }
    long_name.forget();
  }
  return false;
}

int find_in(Card& card, const Volume& volume, uint32_t cluster, const Name& name, Found& found) {
  const bool is_root16 = cluster == 0 && !volume.is_fat32;
  if (!is_root16 && !volume.has(cluster)) return THIMBLE_FAT_DAMAGED;
  LongName long_name(name);
  uint64_t block = is_root16 ? volume.root : volume.block_of(cluster);
  uint32_t left = is_root16 ? volume.root_blocks : 1U << volume.cluster_bits;
  for (uint32_t n = 0; n < kFolderBlocks; ++n, ++block, --left) {
    if (left == 0) {
      if (is_root16) return THIMBLE_FAT_NO_FILE;
      const int status = next_of(card, volume, cluster, cluster);
      if (status != THIMBLE_STORAGE_OK) return status;
      if (cluster >= kLast) return THIMBLE_FAT_NO_FILE;
      if (!volume.has(cluster)) return THIMBLE_FAT_DAMAGED;
      block = volume.block_of(cluster);
      left = 1U << volume.cluster_bits;
    }
    const int status = load(card, block);
    if (status != THIMBLE_STORAGE_OK) return status;
    bool ended = false;
    if (is_in_block(card.sector, name, long_name, volume.is_fat32, found, ended))
      return THIMBLE_STORAGE_OK;
    if (ended) return THIMBLE_FAT_NO_FILE;
  }
  return is_root16 ? THIMBLE_FAT_NO_FILE : THIMBLE_FAT_DAMAGED;
}

int find_path(Card& card, const Volume& volume, const char* path, Found& found) {
  found = {volume.is_fat32 ? volume.root_cluster : 0, 0, kFolder};
  const auto* at = reinterpret_cast<const uint8_t*>(path);
  while (*at == '/') ++at;
  while (*at != 0) {
    Name name{at, 0};
    while (*at != 0 && *at != '/') ++at;
    name.length = static_cast<uint32_t>(at - name.text);
    while (*at == '/') ++at;
    if ((found.attributes & kFolder) == 0) return THIMBLE_FAT_NO_FILE;
    const int status = find_in(card, volume, found.cluster, name, found);
    if (status != THIMBLE_STORAGE_OK) return status;
    // Only the root has cluster 0.
    if ((found.attributes & kFolder) != 0 && found.cluster == 0) return THIMBLE_FAT_DAMAGED;
  }
  if ((found.attributes & kFolder) != 0) return THIMBLE_FAT_NO_FILE;
  return THIMBLE_STORAGE_OK;
}

// Follows the whole chain of a file, which ends with the cluster that has its last byte.
int check_chain(Card& card, const Volume& volume, const Found& found) {
  if (!volume.has(found.cluster)) return THIMBLE_FAT_DAMAGED;
  uint32_t left = (found.bytes - 1) >> (kFatBlockBits + volume.cluster_bits);  // behind this one
  for (uint32_t cluster = found.cluster;; ++cluster, --left) {
    uint32_t next = 0;
    const int status = next_of(card, volume, cluster, next);
    if (status != THIMBLE_STORAGE_OK) return status;
    if (left == 0 && next >= kLast) return THIMBLE_STORAGE_OK;
    const bool leads_back = next >= found.cluster && next <= cluster;
    if (left == 0 || !volume.has(next) || leads_back) return THIMBLE_FAT_DAMAGED;
    if (next != cluster + 1) return THIMBLE_FAT_FRAGMENTED;
  }
}

thimble_fat_file& file_of(void* context) { return *static_cast<thimble_fat_file*>(context); }

bool is_inside(const thimble_fat_file& file, uint32_t offset, uint32_t size) {
  return size != 0 && offset <= file.bytes && size <= file.bytes - offset;
}

int read_file(void* context, uint32_t token, uint32_t offset, void* bytes, uint32_t size) {
  const thimble_fat_file& file = file_of(context);
  if (!is_inside(file, offset, size)) return THIMBLE_STORAGE_FULL;
  return file.inner->read_async(file.inner->context, token, file.offset + offset, bytes, size);
}

int write_file(void* context, uint32_t token, uint32_t offset, const void* bytes, uint32_t size) {
  const thimble_fat_file& file = file_of(context);
  if (!is_inside(file, offset, size)) return THIMBLE_STORAGE_FULL;
  if (file.read_only != 0) return THIMBLE_STORAGE_WRITE_FAILED;
  return file.inner->write_async(file.inner->context, token, file.offset + offset, bytes, size);
}

int erase_file(void* context, uint32_t token, uint32_t offset, uint32_t size) {
  const thimble_fat_file& file = file_of(context);
  if (!is_inside(file, offset, size)) return THIMBLE_STORAGE_FULL;
  if (file.read_only != 0) return THIMBLE_STORAGE_ERASE_FAILED;
  return file.inner->erase_async(file.inner->context, token, file.offset + offset, size);
}

int wait_for_file(void* context, uint32_t token) {
  const thimble_storage& inner = *file_of(context).inner;
  return inner.wait(inner.context, token);
}

void cancel_file(void* context) {
  const thimble_storage& inner = *file_of(context).inner;
  inner.cancel(inner.context);
}

}  // namespace

int thimble_fat_file_find(thimble_fat_file* file, const char* path,
                          uint8_t sector[THIMBLE_FAT_BLOCK]) {
  file->offset = file->bytes = 0;
  file->read_only = 0;
  Card card{*file->inner, file->blocks < kReach ? file->blocks : kReach, sector, 0};
  Volume volume{};
  int status = mount_any(card, volume);
  if (status != THIMBLE_STORAGE_OK) return status;
  Found found{};
  status = find_path(card, volume, path, found);
  if (status != THIMBLE_STORAGE_OK || found.bytes == 0) return status;
  status = check_chain(card, volume, found);
  if (status != THIMBLE_STORAGE_OK) return status;
  const uint64_t offset = volume.block_of(found.cluster) * kFatBlock;
  if (offset + found.bytes > uint64_t{card.blocks} * kFatBlock) return THIMBLE_FAT_TOO_FAR;
  file->offset = static_cast<uint32_t>(offset);
  file->bytes = found.bytes;
  file->read_only = (found.attributes & kReadOnly) != 0 ? 1 : 0;
  return THIMBLE_STORAGE_OK;
}

thimble_storage thimble_fat_file_open(thimble_fat_file* file) {
  return {file,          read_file,
          write_file,    file->inner->erase_async == nullptr ? nullptr : erase_file,
          wait_for_file, file->inner->cancel == nullptr ? nullptr : cancel_file};
}
