// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

// "stack 812 B estimated, up to 96 B more"
std::string part_text(const char* name, const EstimatedBytes& bytes, bool measured) {
  if (measured) return fmt::format("{} {} measured", name, human_size(bytes.bytes));
  return fmt::format("{} {} estimated, up to {} more", name, human_size(bytes.bytes),
                     human_size(bytes.margin_bytes));
}

std::string line(const char* memory, bool fits, int64_t needed, std::optional<int64_t> limit,
                 const std::vector<std::string>& parts) {
  const std::string of = fmt::format("({})", fmt::join(parts, "; "));
  if (!limit) return fmt::format("{} in all: {} {}\n", memory, human_size(needed), of);
  if (fits) {
    return fmt::format("fits: {} of {} left of {} {}\n", human_size(*limit - needed), memory,
                       human_size(*limit), of);
  }
  if (needed <= *limit)  // no piece of it is large enough
    return fmt::format("does not fit: no {} of contiguous addresses is large enough {}\n", memory,
                       of);
  return fmt::format("does not fit: {} more {} needed than the {} there are {}\n",
                     human_size(needed - *limit), memory, human_size(*limit), of);
}

Json estimated_json(const EstimatedBytes& bytes) {
  return {{"bytes", bytes.bytes}, {"margin_bytes", bytes.margin_bytes}};
}

}  // namespace

int64_t Verdict::sram_bytes() const {
  return arena_bytes + caller_bytes + static_bytes + (code ? code->stack.most() : 0);
}

int64_t Verdict::flash_bytes() const { return weight_bytes + (code ? code->code.most() : 0); }

bool Verdict::fits_sram() const {
  return arena_fits && (!sram_limit_bytes || sram_bytes() <= *sram_limit_bytes);
}

bool Verdict::fits_flash() const {
  return !flash_limit_bytes || flash_bytes() <= *flash_limit_bytes;
}

std::string verdict_text(const Verdict& verdict) {
  std::vector<std::string> sram = {"arena " + human_size(verdict.arena_bytes)};
  std::vector<std::string> flash = {"weights " + human_size(verdict.weight_bytes)};
  if (verdict.caller_bytes > 0) sram.push_back("the caller's " + human_size(verdict.caller_bytes));
  if (verdict.static_bytes > 0) sram.push_back("static " + human_size(verdict.static_bytes));
  if (verdict.code) {
    const CodeBytes& code = *verdict.code;
    sram.push_back(part_text("stack", code.stack, code.measured));
    flash.push_back(part_text("code", code.code, code.measured));
  } else {
    sram.emplace_back("stack not known");
    flash.emplace_back("code not known");
  }
  return line("SRAM", verdict.fits_sram(), verdict.sram_bytes(), verdict.sram_limit_bytes, sram) +
         line("flash", verdict.fits_flash(), verdict.flash_bytes(), verdict.flash_limit_bytes,
              flash);
}

Json verdict_json(const Verdict& verdict) {
  const auto limit = [](std::optional<int64_t> bytes) { return bytes ? Json(*bytes) : Json(); };
  const auto part = [&](EstimatedBytes CodeBytes::*which) {
    return verdict.code ? estimated_json((*verdict.code).*which) : Json();
  };
  return {{"fits", verdict.fits()},
          {"measured", verdict.code && verdict.code->measured},
          {"core", verdict.code ? Json(verdict.code->core) : Json()},
          {"sram",
           {{"fits", verdict.fits_sram()},
            {"needed_bytes", verdict.sram_bytes()},
            {"limit_bytes", limit(verdict.sram_limit_bytes)},
            {"arena_bytes", verdict.arena_bytes},
            {"caller_bytes", verdict.caller_bytes},
            {"static_bytes", verdict.static_bytes},
            {"stack", part(&CodeBytes::stack)}}},
          {"flash",
           {{"fits", verdict.fits_flash()},
            {"needed_bytes", verdict.flash_bytes()},
            {"limit_bytes", limit(verdict.flash_limit_bytes)},
            {"weight_bytes", verdict.weight_bytes},
            {"code", part(&CodeBytes::code)}}}};
}

}  // namespace thimble
