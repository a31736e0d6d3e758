// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/file_bytes.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "thimble/import/temporary.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

#ifdef _WIN32
constexpr const char* kNewFile = "wb";  // its C library has no x
#else
constexpr const char* kNewFile = "wbx";
#endif

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// 0, or the errno of the first call that failed. The buffer is flushed by close, so a full disk
/// may show only there.
int write_pieces(const fs::path& file, const char* mode, std::span<const std::string_view> pieces) {
  File out(std::fopen(file.string().c_str(), mode));
  if (out == nullptr) return errno;
  for (std::string_view piece : pieces) {
    if (piece.empty()) continue;  // its pointer may be null
    if (std::fwrite(piece.data(), 1, piece.size(), out.get()) != piece.size()) return errno;
  }
  if (std::fflush(out.get()) != 0) return errno;
  return std::fclose(out.release()) == 0 ? 0 : errno;
}

[[noreturn]] void fail_write(const fs::path& file, int error) {
  throw CompileError(file.string(), fmt::format("cannot write: {}", std::strerror(error)));
}

}  // namespace

fs::path resolved(const fs::path& file) {
  constexpr int kMostLinks = 40;  // as in Linux
  std::error_code error;
  fs::path at = file;
  for (int links = 0; fs::is_symlink(at, error) && links < kMostLinks; ++links)
    at = at.parent_path() / fs::read_symlink(at, error);
  const fs::path target = fs::weakly_canonical(fs::absolute(at, error), error);
  return error ? file.lexically_normal() : target;
}

Bytes read_file(const fs::path& file, int64_t limit_bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) throw CompileError(file.string(), "no such file");
  if (!fs::exists(status)) throw CompileError(file.string(), "cannot read: " + error.message());
  if (!fs::is_regular_file(status)) {
    throw CompileError(file.string(), fs::is_directory(status) ? "is a folder, not a file"
                                                               : "is not a regular file");
  }
  const auto size = static_cast<int64_t>(fs::file_size(file, error));
  if (error) throw CompileError(file.string(), error.message());
  if (size > limit_bytes) {
    throw CompileError(file.string(),
                       fmt::format("has {} bytes; at most {} are supported", size, limit_bytes));
  }
  File in(std::fopen(file.string().c_str(), "rb"));
  if (in == nullptr) {
    throw CompileError(file.string(), fmt::format("cannot read: {}", std::strerror(errno)));
  }
  Bytes bytes(static_cast<size_t>(size));
  if (!bytes.empty() && std::fread(bytes.data(), 1, bytes.size(), in.get()) != bytes.size()) {
    throw CompileError(file.string(), "cannot read: it ended early");
  }
  return bytes;
}

bool is_stream(const fs::path& file) {
  const std::string name = file.lexically_normal().string();
  if (name == "/dev/stdout" || name == "/dev/stderr") return true;
  if (name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/")) return true;
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void write_file(const fs::path& file, std::span<const std::string_view> pieces) {
  if (is_stream(file)) {
    // Appended: a standard stream may be a file that has content already.
    if (const int code = write_pieces(file, "ab", pieces); code != 0) fail_write(file, code);
    return;
  }
  const fs::path target = resolved(file);
  try {
    const fs::file_status status = fs::status(target);
    if (fs::is_directory(status)) throw CompileError(file.string(), "cannot write: is a folder");
    Temporary temporary(Temporary::Kind::kFile, target.parent_path());
    if (const int code = write_pieces(temporary.path(), "wb", pieces); code != 0)
      fail_write(file, code);
    if (fs::exists(status)) fs::permissions(temporary.path(), status.permissions());
    const Uninterrupted renamed_and_kept;
    fs::rename(temporary.path(), target);
    temporary.keep();
  } catch (const fs::filesystem_error& error) {
    fail_write(file, error.code().value());
  }
}

void write_new_file(const fs::path& file, std::string_view text) {
  if (const int code = write_pieces(file, kNewFile, {&text, 1}); code != 0)
    throw fs::filesystem_error("write", file, std::error_code(code, std::generic_category()));
}

}  // namespace thimble
