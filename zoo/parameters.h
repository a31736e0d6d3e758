// SPDX-License-Identifier: Apache-2.0
// What stands behind a network's name: "width=0.5,resolution=96".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace thimble::zoo {

/// A number in [least, most], a multiple of `unit` if it is whole, or, if there are choices, one of
/// these.
struct Parameter {
  std::string key;
  std::string initial;  ///< the value where none is given
  std::string meaning;
  double least = 0, most = 0;
  bool whole = true;  ///< an integer
  int64_t unit = 1;   ///< of what is whole
  std::vector<std::string> choices;
};

[[nodiscard]] Parameter whole_number(const std::string& key, int64_t initial, int64_t least,
                                     int64_t most, const std::string& meaning);
/// least, most: multiples of `unit`.
[[nodiscard]] Parameter multiple_of(int64_t unit, const std::string& key, int64_t initial,
                                    int64_t least, int64_t most, const std::string& meaning);
[[nodiscard]] Parameter real_number(const std::string& key, const std::string& initial,
                                    double least, double most, const std::string& meaning);
/// The first choice is the initial one.
[[nodiscard]] Parameter one_of(const std::string& key, const std::vector<std::string>& choices,
                               const std::string& meaning);

/// A value for each of a network's parameters.
class Parameters {
 public:
  /// where: what messages begin with. Throws CompileError for an unknown or repeated key and for a
  /// value that the parameter does not take, with what would do.
  Parameters(const std::string& where, const std::vector<Parameter>& known,
             const std::string& given);

  [[nodiscard]] int64_t integer(const std::string& key) const;
  [[nodiscard]] double real(const std::string& key) const;
  [[nodiscard]] const std::string& text(const std::string& key) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace thimble::zoo
