// SPDX-License-Identifier: Apache-2.0
// Names of things in emitted code.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "thimble/program/program.h"

namespace thimble {

/// The memories that the caller hands over a pointer to: the arena, and others where something is
/// laid out; and the names of these pointers: "arena", "psram_arena".
[[nodiscard]] std::vector<MemoryId> arenas(const Program& program);
/// The block storage that the caller brings, by its driver.
[[nodiscard]] std::vector<MemoryId> storages(const Program& program);
/// "qspi_transfers": of what goes to a storage and comes from it.
[[nodiscard]] std::string transfers_name(const Program& program, MemoryId storage);
[[nodiscard]] std::string arena_name(const Program& program, MemoryId memory);

/// Whether a line of code, which is no comment, has the identifier.
[[nodiscard]] bool mentions(const std::string& code, const std::string& identifier);

/// All of them.
[[nodiscard]] std::set<std::string> identifiers_in(const std::string& code);

/// The constants that hold buffers' addresses: "kT12", "kT12Accumulators", "kScratch3"; with the
/// buffer's number behind it where a tensor has several buffers of a kind.
class AddressNames {
 public:
  explicit AddressNames(const Program& program);  ///< which must outlive this
  [[nodiscard]] std::string operator()(BufferId buffer) const;

 private:
  const Program& program_;
  std::map<std::pair<TensorId, bool>, int> alike_;  ///< buffers, of a tensor's elements or sums
};

/// Where the image of a storage is, among what is emitted: "NAME_card.img".
[[nodiscard]] std::string image_file(const std::string& name, const std::string& storage);
/// The plan that the code was made from, among what is emitted: "NAME_plan.json".
[[nodiscard]] std::string plan_file(const std::string& name);
/// "kQspiImage": the header of what the storage holds before.
[[nodiscard]] std::string image_name(const std::string& storage);

/// C type of an element: "int8_t", "float".
[[nodiscard]] const char* c_type(DType type);

/// Where the text of a call's stage says which operator it runs: "conv_2d_0", "copy_t12".
[[nodiscard]] std::string stage_name(const Graph& graph, const Program& program, const Call& call);
/// "store_t3_in_qspi", "fetch_t3_from_qspi", "erase_qspi", "wait_for_qspi".
[[nodiscard]] std::string stage_name(const Program& program, const TransferCall& transfer);

/// Text in a comment, in one line and printable ASCII, whatever it contains: what could end the
/// comment, continue the line or turn the reader's display around is written as "<U+202E>".
[[nodiscard]] std::string comment_text(const std::string& text);

}  // namespace thimble
