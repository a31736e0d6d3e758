// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/stack_usage.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

namespace thimble {
namespace {

constexpr std::string_view kPointer = "__indirect_call";

// What stands in quotes behind `field`; empty if it is not there.
std::string quoted(const std::string& line, const std::string& field) {
  const size_t begin = line.find(field + ": \"");
  if (begin == std::string::npos) return "";
  const size_t first = begin + field.size() + 3;
  return line.substr(first, line.find('"', first) - first);
}

// "file.cc:_Zname" of one that is defined in the file.
std::string bare(const std::string& title) { return title.substr(title.rfind(':') + 1); }

int64_t number_at(const std::string& text, size_t at) {
  int64_t value = 0;
  const bool hexadecimal = text.compare(at, 2, "0x") == 0;
  std::from_chars(text.data() + at + (hexadecimal ? 2 : 0), text.data() + text.size(), value,
                  hexadecimal ? 16 : 10);
  return value;
}

// "...\\n24 bytes (static)"
std::optional<int64_t> labelled_bytes(const std::string& label) {
  const size_t end = label.find(" bytes (");
  if (end == std::string::npos) return std::nullopt;
  const size_t begin = label.rfind("\\n", end) + 2;
  return number_at(label, begin);
}

// Bytes of "{r4, r5-r7, lr}".
int64_t registers_bytes(const std::string& list, int64_t each) {
  int64_t count = 0;
  std::istringstream items(list.substr(1, list.find('}') - 1));
  for (std::string item; std::getline(items, item, ',');) {
    item.erase(0, item.find_first_not_of(' '));
    const size_t dash = item.find('-');
    count += dash == std::string::npos
                 ? 1
                 : number_at(item, dash + 2) - number_at(item, 1) + 1;  // "d8-d15", "r4-r7"
  }
  return count * each;
}

// What an instruction takes off the stack pointer: pushes, "sub sp, #24", "addi sp,sp,-32",
// "str lr, [sp, #-4]!".
int64_t pushed_bytes(const std::string& instruction, const std::string& operands) {
  const size_t list = operands.find('{');
  const bool onto_stack =
      instruction.starts_with("push") || instruction == "vpush" ||
      ((instruction.starts_with("stmdb") || instruction.starts_with("vstmdb")) &&
       operands.starts_with("sp!"));
  if (onto_stack && list != std::string::npos) {
    const bool doubles = operands.compare(list + 1, 1, "d") == 0;
    return registers_bytes(operands.substr(list), doubles ? 8 : 4);
  }
  const size_t amount = operands.rfind("#-");
  if (instruction.starts_with("str") && operands.find("[sp, #-") != std::string::npos &&
      operands.ends_with("]!"))
    return number_at(operands, amount + 2);
  if (instruction.starts_with("sub") && operands.starts_with("sp,")) {
    const size_t number = operands.rfind('#');
    return number == std::string::npos ? 0 : number_at(operands, number + 1);
  }
  if (instruction.starts_with("add") && operands.starts_with("sp,sp,-"))
    return number_at(operands, operands.rfind('-') + 1);
  return 0;
}

}  // namespace

void StackUsage::add_call_graph(const std::string& text) {
  Object object;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("node:")) {
      const std::optional<int64_t> bytes = labelled_bytes(quoted(line, "label"));
      if (bytes) object[bare(quoted(line, "title"))].frame_bytes = *bytes;
    } else if (line.starts_with("edge:")) {
      const std::string target = bare(quoted(line, "targetname"));
      Function& source = object[bare(quoted(line, "sourcename"))];
      if (target == kPointer) {
        source.calls_pointers = true;
      } else {
        source.calls.push_back(target);
      }
    }
  }
  for (auto& [name, function] : object) {
    for (const std::string& target : function.calls) {
      const auto called = object.find(target);
      if (called != object.end()) called->second.is_called = true;
    }
  }
  objects_.push_back(std::move(object));
}

void StackUsage::add_disassembly(const std::string& text) {
  Function* current = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t name = line.find('<');
    if (line.ends_with(">:") && name != std::string::npos) {
      current = &library_[line.substr(name + 1, line.size() - name - 3)];
      continue;
    }
    // "    8000:\tpush\t{r4, lr}"
    std::vector<std::string> columns;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, '\t');) columns.push_back(field);
    if (current == nullptr || columns.size() < 2) continue;
    const std::string operands = columns.size() > 2 ? columns[2] : "";
    std::string instruction = columns[1];
    instruction.erase(instruction.find_last_not_of(' ') + 1);
    current->frame_bytes += pushed_bytes(instruction, operands);
    const size_t begin = operands.find('<'), end = operands.find_first_of("+>", begin);
    if (begin != std::string::npos && end != std::string::npos && operands[end] == '>')
      current->calls.push_back(operands.substr(begin + 1, end - begin - 1));
  }
}

std::vector<std::string> StackUsage::entries() const {
  std::vector<std::string> names;
  for (const Object& object : objects_) {
    for (const auto& [name, function] : object) {
      if (!name.starts_with("_Z")) names.push_back(name);
    }
  }
  return names;
}

std::vector<std::string> StackUsage::named(const std::string& part) const {
  std::vector<std::string> names;
  for (const Object& object : objects_) {
    for (const auto& [name, function] : object) {
      if (name.find(part) != std::string::npos) names.push_back(name);
    }
  }
  return names;
}

StackUsage::Place StackUsage::find(size_t object, const std::string& name) const {
  if (object < objects_.size()) {
    const auto here = objects_[object].find(name);
    if (here != objects_[object].end()) return {object, &here->second};
  }
  for (size_t k = 0; k < objects_.size(); ++k) {
    const auto there = objects_[k].find(name);
    if (there != objects_[k].end()) return {k, &there->second};
  }
  const auto library = library_.find(name);
  return {objects_.size(), library == library_.end() ? nullptr : &library->second};
}

int64_t StackUsage::deepest(const Place& place, std::set<const Function*>& chain) const {
  if (place.function == nullptr || !chain.insert(place.function).second) return 0;
  int64_t below = 0;
  for (const std::string& name : place.function->calls)
    below = std::max(below, deepest(find(place.object, name), chain));
  if (place.function->calls_pointers && place.object < objects_.size()) {
    for (const auto& [name, function] : objects_[place.object]) {
      if (!function.is_called && name.starts_with("_Z"))
        below = std::max(below, deepest({place.object, &function}, chain));
    }
  }
  chain.erase(place.function);
  return place.function->frame_bytes + below;
}

int64_t StackUsage::deepest_bytes(const std::string& function) const {
  std::set<const Function*> chain;
  return deepest(find(objects_.size(), function), chain);
}

int64_t StackUsage::frame_bytes(const std::string& function) const {
  const Place place = find(objects_.size(), function);
  return place.function == nullptr ? 0 : place.function->frame_bytes;
}

}  // namespace thimble
