// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/runtime_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>

#include "thimble/emit/licence.h"
#include "thimble/emit/uses.h"
#include "thimble/import/sha256.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr std::string_view kHeaders = "include/thimble_runtime/";
constexpr std::string_view kKernels = "include/thimble_runtime/kernels.h";
constexpr std::string_view kInclude = "#include \"";
/// How copies are made: other ways give other names to the same files.
constexpr const char* kCopying = "2";

/// What a copy is called.
struct Names {
  std::string folder, name_space;
};

std::string other_name(const std::string& name_space) {
  return fmt::format("\nnamespace thimble {{\nnamespace runtime = {};\n}}\n",
                     name_space.substr(name_space.rfind(':') + 1));
}

// The file of the runtime that `include` names, seen from `from`: beside it or in include/.
const RuntimeFile* included(std::span<const RuntimeFile> runtime, std::string_view from,
                            const std::string& include) {
  const std::string beside =
      (std::filesystem::path(from).parent_path() / include).lexically_normal().generic_string();
  for (const RuntimeFile& file : runtime) {
    if (file.path == beside || file.path == "include/" + include) return &file;
  }
  return nullptr;
}

// Calls edit(name) with what each of the file's includes names; what it returns is the new name.
template <class Edit>
std::string with_includes(std::string_view text, const Edit& edit) {
  std::string result;
  for (size_t at = text.find(kInclude); at != std::string_view::npos; at = text.find(kInclude)) {
    const size_t begin = at + kInclude.size();
    const size_t end = text.find('"', begin);
    result += text.substr(0, begin);
    result += edit(std::string(text.substr(begin, end - begin)));
    text.remove_prefix(end);
  }
  return result.append(text);
}

// Below the copy's folder.
std::filesystem::path emitted_path(std::string_view path) {
  return path.starts_with(kHeaders) ? path.substr(kHeaders.size()) : path;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// Whether a line defines a function, where no unnamed namespace is around it.
bool begins_function(std::string_view line) {
  return line.starts_with("void ") || line.starts_with("bool ") || line.starts_with("uint32_t ");
}

// Definitions of functions that other files call: those that begin a line and are in no unnamed
// namespace.
std::string with_weak_functions(const std::string& text, std::string_view path) {
  std::istringstream lines(text);
  std::string result;
  bool hidden = false;
  int functions = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line == "namespace {") hidden = true;
    if (line == "}  // namespace") hidden = false;
    if (!hidden && begins_function(line)) {
      line = "[[gnu::weak]] " + line;
      ++functions;
    }
    result += line + "\n";
  }
  check(functions > 0, ("no kernel is found in the runtime's " + std::string(path)).c_str());
  return result;
}

EmittedFile copy_of(const RuntimeFile& file, std::span<const RuntimeFile> runtime,
                    const Names& names) {
  const std::filesystem::path path = emitted_path(file.path);
  std::string text = with_includes(file.text, [&](const std::string& name) {
    const RuntimeFile* target = included(runtime, file.path, name);
    check(target != nullptr, "a file of the runtime includes one that is none");
    return emitted_path(target->path).lexically_relative(path.parent_path()).generic_string();
  });
  replace_all(text, "thimble::runtime", names.name_space);
  if (file.path.ends_with(".cc")) text = with_weak_functions(text, file.path);
  if (file.path == kKernels) text += other_name(names.name_space);
  return {names.folder + "/" + path.generic_string(), text};
}

std::string digits(std::span<const RuntimeFile> runtime) {
  std::string all = kCopying;
  for (const RuntimeFile& file : runtime) {
    all.append(file.path).append(1, '\0').append(file.text).append(1, '\0');
  }
  return sha256(all).substr(0, 8);
}

}  // namespace

std::string runtime_folder(std::span<const RuntimeFile> runtime) {
  return "thimble_runtime_" + digits(runtime);
}

std::string runtime_namespace(std::span<const RuntimeFile> runtime,
                              const std::set<std::string>& used) {
  return "thimble::runtime_" + digits(UsedRuntime(runtime, used).files());
}

std::vector<EmittedFile> runtime_copies(std::span<const RuntimeFile> whole,
                                        const std::set<std::string>& used,
                                        std::set<std::string> paths) {
  const UsedRuntime with_used(whole, used);
  const std::span<const RuntimeFile> runtime = with_used.files();
  std::map<std::string_view, const RuntimeFile*> known;
  for (const RuntimeFile& file : runtime) known.emplace(file.path, &file);
  const Names names{runtime_folder(whole), "thimble::runtime_" + digits(runtime)};
  std::vector<EmittedFile> copies;
  std::set<std::string> done;
  while (!paths.empty()) {
    const std::string path = paths.extract(paths.begin()).value();
    if (!done.insert(path).second) continue;
    const auto file = known.find(path);
    check(file != known.end(), "a kernel's source is not among the runtime's files");
    copies.push_back(copy_of(*file->second, runtime, names));
    with_includes(file->second->text, [&](const std::string& name) {
      paths.insert(std::string(included(runtime, path, name)->path));
      return name;
    });
  }
  for (const EmbeddedFile& licence : licence_files()) {
    copies.push_back({names.folder + "/" + std::string(licence.path), std::string(licence.text)});
  }
  std::ranges::sort(copies, {}, &EmittedFile::path);
  return copies;
}

std::vector<EmittedFile> runtime_copies(std::span<const RuntimeFile> runtime,
                                        const std::set<std::string>& used) {
  std::set<std::string> paths;
  for (const RuntimeFile& file : runtime) paths.insert(std::string(file.path));
  return runtime_copies(runtime, used, std::move(paths));
}

}  // namespace thimble
