// SPDX-License-Identifier: Apache-2.0
// The format as PKWARE's APPNOTE has it, without zip64, encryption and several volumes.
#include "thimble/import/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <optional>

#include "thimble/import/utf8.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr uint32_t kZipEnd = 0x06054b50, kZipEntry = 0x02014b50, kZipLocal = 0x04034b50;
constexpr size_t kEndBytes = 22, kEntryBytes = 46, kLocalBytes = 30, kMostComment = 0xFFFF;

/// Little-endian numbers of bytes that a file says to have. Throws CompileError beyond its end.
class ZipRecords {
 public:
  ZipRecords(std::span<const uint8_t> bytes, const std::string& where)
      : bytes_(bytes), where_(where) {}

  [[nodiscard]] uint32_t u16(size_t at) const {
    const auto b = part(at, 2);
    return b[0] | uint32_t{b[1]} << 8;
  }
  [[nodiscard]] uint32_t u32(size_t at) const { return u16(at) | u16(at + 2) << 16; }
  [[nodiscard]] std::span<const uint8_t> part(size_t at, size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) fail("a part of it ends behind the file");
    return bytes_.subspan(at, size);
  }
  [[nodiscard]] std::string_view text(size_t at, size_t size) const {
    const auto b = part(at, size);
    return {reinterpret_cast<const char*>(b.data()), b.size()};
  }
  [[nodiscard]] size_t size() const { return bytes_.size(); }
  [[noreturn]] void fail(const std::string& what) const {
    throw CompileError(where_, "its zip archive cannot be read: " + what);
  }

 private:
  std::span<const uint8_t> bytes_;
  const std::string& where_;
};

/// Where the record at the end begins; nothing: there is no archive.
std::optional<size_t> end_record(const ZipRecords& file) {
  if (file.size() < kEndBytes) return std::nullopt;
  const size_t last = file.size() - kEndBytes;
  for (size_t at = last;; --at) {
    if (file.u32(at) == kZipEnd && file.u16(at + 20) == last - at) return at;
    if (at == 0 || last - at == kMostComment) return std::nullopt;
  }
}

std::string inflated(std::span<const uint8_t> packed, size_t size, const ZipRecords& file) {
  std::string result(size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw InternalError("zlib does not start");
  stream.next_in = const_cast<uint8_t*>(packed.data());  // which it only reads
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<uint8_t*>(result.data());
  stream.avail_out = static_cast<uInt>(size);
  const int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.avail_out != 0) file.fail("what is deflated is damaged");
  return result;
}

/// Calls `take` with where each member's entry begins, its name, and what offsets are too small by,
/// until that is true.
template <class Take>
void for_each_entry(const ZipRecords& file, Take take) {
  const std::optional<size_t> end = end_record(file);
  if (!end) file.fail("there is none at the end of the file");
  const size_t directory_bytes = file.u32(*end + 12), directory = file.u32(*end + 16);
  if (directory_bytes > *end || directory > *end - directory_bytes)
    file.fail("its directory ends behind itself");
  // Offsets count from the beginning of the file, or from that of the archive.
  const size_t start = *end - directory_bytes;
  for (size_t at = start, n = file.u16(*end + 10); n > 0; --n) {
    if (file.u32(at) != kZipEntry) file.fail("its directory is damaged");
    const size_t name_bytes = file.u16(at + 28);
    if (take(at, file.text(at + kEntryBytes, name_bytes), start - directory)) return;
    at += kEntryBytes + name_bytes + file.u16(at + 30) + file.u16(at + 32);
  }
}

}  // namespace

std::vector<std::string> zip_members(std::span<const uint8_t> bytes, const std::string& where) {
  std::vector<std::string> names;
  for_each_entry(ZipRecords(bytes, where), [&](size_t, std::string_view name, size_t) {
    names.emplace_back(name);
    return false;
  });
  return names;
}

std::string zip_member(std::span<const uint8_t> bytes, std::string_view name, int64_t limit_bytes,
                       const std::string& where) {
  const ZipRecords file(bytes, where);
  std::optional<std::string> found;
  for_each_entry(file, [&](size_t at, std::string_view candidate, size_t offset) {
    if (candidate != name) return false;
    const uint32_t method = file.u16(at + 10);
    const size_t packed_bytes = file.u32(at + 20), size = file.u32(at + 24);
    if (static_cast<int64_t>(std::max(size, packed_bytes)) > limit_bytes)
      file.fail(fmt::format("{} has {} bytes, {} are supported", printable(name),
                            std::max(size, packed_bytes), limit_bytes));
    const size_t local = file.u32(at + 42) + offset;
    if (file.u32(local) != kZipLocal) file.fail("a member does not begin where its directory says");
    const auto packed =
        file.part(local + kLocalBytes + file.u16(local + 26) + file.u16(local + 28), packed_bytes);
    if (method == 0 && packed_bytes == size) {
      found.emplace(packed.begin(), packed.end());
      return true;
    }
    if (method != 8) file.fail(fmt::format("{} is not stored or deflated", printable(name)));
    found = inflated(packed, size, file);
    return true;
  });
  if (!found) file.fail(fmt::format("it has no {}", printable(name)));
  return std::move(*found);
}

}  // namespace thimble
