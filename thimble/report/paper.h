// SPDX-License-Identifier: Apache-2.0
// Published figures (bench/papers/*.json, docs/papers.md): what a paper says, where, in which unit
// and under which accounting; and what reproduces it here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thimble/report/metric.h"
#include "thimble/report/paper_device.h"
#include "thimble/target/embedded_file.h"

namespace thimble {

/// bench/papers/*.json.
[[nodiscard]] std::span<const EmbeddedFile> paper_files();

/// Whose algorithms count a figure, where no plan has it.
enum class Counter : uint8_t { kNone, kTinySeg, kSwapNN };

/// How a figure is meant: as it is, as a bound that the paper keeps, or as a point of a curve that
/// is drawn without its number.
enum class PaperRelation : uint8_t { kEqual, kAtMost, kDrawn };

struct PublishedFigure {
  std::string source;  ///< "Table 3, row 1"
  std::string what;    ///< in the paper's words: "Original, partial"
  Metric metric = Metric::kPeakBytes;
  std::optional<double> value;  ///< none: kDrawn
  std::string unit;             ///< as printed, a key of Paper::units
  PaperRelation relation = PaperRelation::kEqual;
  std::string accounting;  ///< a key of Paper::accountings
  std::string model;       ///< as on the command line: "zoo:NAME:key=value"
  std::string planner;  ///< as on the command line; counted figures: "tinyseg:STEPS", "swapnn:.."
  bool in_place = true, rewrite = true;
  std::string layout = "exact";
  std::optional<int> step;  ///< kLiveBytes: position in the schedule
  std::string device;       ///< of times: a key of Paper::devices; empty: a board that nobody has
  std::string cause;        ///< why what is measured differs, where known
};

struct Paper {
  std::string name;  ///< of the file, without extension
  std::string title, citation;
  std::string left_out;                            ///< which figures are not here, and why
  std::map<std::string, double> units;             ///< "kB" -> 1000
  std::map<std::string, std::string> accountings;  ///< short name -> what counts
  std::map<std::string, PaperDevice> devices;      ///< that are simulated
  std::vector<PublishedFigure> figures;

  /// In bytes, MACs, percent, seconds, ...; none if the figure has no number.
  [[nodiscard]] std::optional<double> base_value(const PublishedFigure& figure) const;
};

[[nodiscard]] Counter counter_of(const PublishedFigure& figure);
/// `thimble compare` can measure it.
[[nodiscard]] bool measurable(const PublishedFigure& figure);

/// Throws CompileError that names the field and the figure.
[[nodiscard]] Paper parse_paper(const std::string& json, const std::string& name);
/// A paper that is built in, or a file if `name` ends in ".json". Throws CompileError, listing what
/// exists.
[[nodiscard]] Paper find_paper(const std::string& name);

/// A figure as found here: a number, or why there is none.
struct ReproducedFigure {
  std::optional<double> measured;  ///< in base units
  std::string not_measured;
};

/// results: one per figure.
[[nodiscard]] std::string paper_text(const Paper& paper,
                                     const std::vector<ReproducedFigure>& results);
[[nodiscard]] std::string paper_markdown(const Paper& paper,
                                         const std::vector<ReproducedFigure>& results);
[[nodiscard]] std::string paper_csv(const Paper& paper,
                                    const std::vector<ReproducedFigure>& results);
[[nodiscard]] std::string paper_json(const Paper& paper,
                                     const std::vector<ReproducedFigure>& results);

}  // namespace thimble
