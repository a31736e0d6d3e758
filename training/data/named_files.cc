// SPDX-License-Identifier: Apache-2.0
#include "training/data/named_files.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <memory>

#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"

namespace thimble::training {
namespace {

constexpr int64_t kMostBytes = int64_t{64} << 20;  ///< of one file

std::vector<NamedFile> of_archive(const std::filesystem::path& path) {
  const std::unique_ptr<archive, int (*)(archive*)> in(archive_read_new(), archive_read_free);
  const auto refuse = [&] {
    const char* why = archive_error_string(in.get());
    throw CompileError(path.string(), std::string("is no archive that can be read: ") +
                                          (why == nullptr ? "it is damaged" : why));
  };
  archive_read_support_filter_all(in.get());
  archive_read_support_format_tar(in.get());
  if (archive_read_open_filename(in.get(), path.c_str(), 1 << 16) != ARCHIVE_OK) refuse();
  std::vector<NamedFile> files;
  archive_entry* entry = nullptr;
  for (;;) {
    const int status = archive_read_next_header(in.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    if (status != ARCHIVE_OK) refuse();
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    NamedFile& file = files.emplace_back();
    file.name = archive_entry_pathname(entry);
    const int64_t size = archive_entry_size(entry);
    if (size > kMostBytes) throw CompileError(path.string(), file.name + " has more than 64 MiB");
    file.bytes.resize(static_cast<size_t>(size));
    if (archive_read_data(in.get(), file.bytes.data(), file.bytes.size()) != size) refuse();
  }
  return files;
}

std::vector<NamedFile> of_folder(const std::filesystem::path& path) {
  std::vector<NamedFile> files;
  std::error_code fault;
  for (auto it = std::filesystem::recursive_directory_iterator(path, fault);
       !fault && it != std::filesystem::recursive_directory_iterator(); it.increment(fault)) {
    if (it->is_regular_file())
      files.push_back({std::filesystem::relative(it->path(), path).generic_string(), {}});
  }
  if (fault) throw CompileError(path.string(), "cannot be read: " + fault.message());
  return files;
}

}  // namespace

std::vector<NamedFile> named_files(const std::filesystem::path& path) {
  std::error_code fault;
  if (!std::filesystem::exists(path, fault))
    throw CompileError(path.string(), "there is no such folder or archive");
  std::vector<NamedFile> files =
      std::filesystem::is_directory(path) ? of_folder(path) : of_archive(path);
  std::ranges::sort(files, {}, &NamedFile::name);
  return files;
}

Bytes content(const std::filesystem::path& path, const NamedFile& file) {
  return file.bytes.empty() ? read_file(path / file.name, kMostBytes) : file.bytes;
}

}  // namespace thimble::training
