// SPDX-License-Identifier: Apache-2.0
#include "tests/report/xml.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace thimble::testing {
namespace {

constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:";
constexpr std::string_view kSpace = " \n";

void require(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::vector<XmlElement> run() {
    if (take("<?xml ")) rest_.remove_prefix(rest_.find("?>") + 2);
    space();
    do {
      if (take("</")) {
        close();
      } else if (take("<")) {
        require(elements_.empty() || !open_.empty(), "two roots");
        open();
      } else {
        elements_[open_.back()].text += content("<");
      }
    } while (!open_.empty());
    space();
    require(rest_.empty(), "text behind the root");
    return std::move(elements_);
  }

 private:
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  std::string_view take_any(std::string_view characters) {
    const std::string_view taken = rest_.substr(0, rest_.find_first_not_of(characters));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  void space() { take_any(kSpace); }
  std::string name() {
    const std::string_view taken = take_any(kNameCharacters);
    require(!taken.empty(), "a name is missing");
    return std::string(taken);
  }

  // Up to one of the characters `ends`.
  std::string content(std::string_view ends) {
    const size_t size = rest_.find_first_of(ends);
    require(size != std::string_view::npos, "it ends too early");
    std::string_view raw = rest_.substr(0, size);
    rest_.remove_prefix(size);
    std::string result;
    for (; !raw.empty(); raw.remove_prefix(1)) {
      require(raw[0] != '<', "a bare <");
      if (raw[0] == '&') {
        const std::string entity(raw.substr(0, raw.find(';') + 1));
        static const std::map<std::string, char> kEntities = {
            {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
        require(kEntities.contains(entity), "a bare & or an unknown entity");
        result += kEntities.at(entity);
        raw.remove_prefix(entity.size() - 1);
        continue;
      }
      result += raw[0];
    }
    return result;
  }

  void open() {
    XmlElement element{.name = name(), .attributes = {}, .text = {}};
    if (!open_.empty()) element.parent = open_.back();
    open_.push_back(elements_.size());
    for (space(); !take(">"); space()) {
      if (take("/>")) {
        open_.pop_back();
        break;
      }
      const std::string key = name();
      require(take("=\""), "an attribute without quotes");
      require(element.attributes.emplace(key, content("\"")).second, "an attribute twice");
      require(take("\""), "an open attribute");
    }
    elements_.push_back(std::move(element));
  }

  void close() {
    require(!open_.empty() && name() == elements_[open_.back()].name, "tags do not match");
    require(take(">"), "an open tag");
    open_.pop_back();
  }

  std::string_view rest_;
  std::vector<XmlElement> elements_;
  std::vector<size_t> open_;  // numbers
};

}  // namespace

std::vector<XmlElement> parse_xml(std::string_view text) {
  const bool controls = std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<uint8_t>(c) < 0x20 && c != '\n') || c == 0x7F;
  });
  require(!controls, "a control character");
  // nlohmann's dump is strict about UTF-8.
  try {
    (void)nlohmann::json(std::string(text)).dump();
  } catch (const nlohmann::json::exception&) {
    require(false, "not UTF-8");
  }
  return Reader(text).run();
}

}  // namespace thimble::testing
