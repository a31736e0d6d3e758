// SPDX-License-Identifier: Apache-2.0
// The stack of the deepest chain of calls, whatever the data: frames and calls as the compiler
// writes them beside objects (-fcallgraph-info=su), and of libraries as they are disassembled.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace thimble {

/// Adds up frames along calls. A call through a pointer is taken to reach every function of the
/// same object that nobody there calls by name, but for those with C names, which are for callers:
/// kernels and steps keep such tables to themselves. A function whose frame nobody knows counts
/// nothing, and neither does a call back into a chain.
class StackUsage {
 public:
  /// The text of a .ci file, of one object.
  void add_call_graph(const std::string& text);
  /// What objdump -d prints: functions that no call graph has.
  void add_disassembly(const std::string& text);

  /// Functions with C names that call graphs define.
  [[nodiscard]] std::vector<std::string> entries() const;
  /// Bytes that a call of the function takes; 0 if it is not known.
  [[nodiscard]] int64_t deepest_bytes(const std::string& function) const;
  /// The function's own share of these.
  [[nodiscard]] int64_t frame_bytes(const std::string& function) const;
  /// Mangled names with this text in them.
  [[nodiscard]] std::vector<std::string> named(const std::string& part) const;

 private:
  struct Function {
    int64_t frame_bytes = 0;
    std::vector<std::string> calls;
    bool calls_pointers = false;
    bool is_called = false;  ///< by name, in its object
  };
  using Object = std::map<std::string, Function>;  ///< by name

  struct Place {
    size_t object = 0;
    const Function* function = nullptr;
  };
  [[nodiscard]] Place find(size_t object, const std::string& name) const;
  [[nodiscard]] int64_t deepest(const Place& place, std::set<const Function*>& chain) const;

  std::vector<Object> objects_;
  Object library_;
};

}  // namespace thimble
