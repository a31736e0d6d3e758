// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/note_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/operators/operators.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

double percent_of(int64_t part, int64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(std::max<int64_t>(whole, 1));
}

double millions(int64_t count) { return static_cast<double>(count) / 1e6; }

/// "1 loop", "2 loops".
std::string counted(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// One sentence for each kind of note.
struct Sentence {
  const Graph& graph;

  std::string operator()(const note::BroughtConstants& n) const {
    const std::string slower =
        n.wait_share > 0
            ? fmt::format("; waits for {} make it {:.1f} % slower", n.storage, 100 * n.wait_share)
            : "";
    return fmt::format(
        "the weights of {} of {} operators come from {}: {} B there, {} B read per "
        "inference{}",
        n.ops, n.of, n.storage, with_separators(n.image_bytes), with_separators(n.read_bytes),
        slower);
  }
  std::string operator()(const note::Spilled& n) const {
    return fmt::format(
        "{} tensor{} in {} while nothing reads {}: {}{} B written and {} B read per "
        "inference{}",
        n.tensors, n.tensors == 1 ? " lies" : "s lie", n.storage, n.tensors == 1 ? "it" : "them",
        n.compressed > 0 ? "at most " : "", with_separators(n.written_bytes),
        with_separators(n.read_bytes),
        n.compressed == 0           ? ""
        : n.compressed == n.tensors ? ", compressed"
                                    : fmt::format(", {} of them compressed", n.compressed));
  }
  std::string operator()(const note::LeastOrder& n) const {
    return "no order of whole operators has a smaller peak" +
           (n.states == 0 ? std::string(" (it is the largest working set that none can avoid)")
                          : fmt::format(" ({} states searched)", n.states));
  }
  std::string operator()(const note::BestOrder& n) const {
    return fmt::format(
        "{} states searched without a proof (option states): peak {} B, no order has less than {} "
        "B (gap {:.1f} %)",
        n.states, n.peak_bytes, n.lower_bound_bytes,
        percent_of(n.peak_bytes - n.lower_bound_bytes, n.lower_bound_bytes));
  }
  std::string operator()(const note::NoPatches&) const {
    return "no patches: none need less memory than whole operators in the best order";
  }
  std::string operator()(const note::Patches& n) const {
    return fmt::format(
        "{} x {} patches of {} x {}, split behind {} ({}); {:+.3f} M MACs: {:+.1f} % in the stage, "
        "{:+.1f} % in all",
        n.down, n.across, n.rows, n.columns, label(graph.op(n.last)),
        to_string(graph.tensor(n.split).shape), millions(n.recomputed_macs),
        percent_of(n.recomputed_macs, n.stage_macs), percent_of(n.recomputed_macs, n.network_macs));
  }
  std::string operator()(const note::PatchBytes& n) const {
    return fmt::format(
        "the stage needs {} B: inputs {}, split tensor {}{}, slices {}; the rest {} B",
        n.stage_bytes, n.input_bytes, n.split_bytes, n.split_over_inputs ? " beyond them" : "",
        n.slice_bytes, n.rest_bytes);
  }
  std::string operator()(const note::ChannelLoops& n) const {
    if (n.ops_in_loops == 0) return "";
    std::string sums;
    for (const auto& [count, bits] :
         {std::pair{n.sums_of_32, 32}, {n.sums_of_16, 16}, {n.sums_of_8, 8}}) {
      if (count == 0) continue;
      sums +=
          fmt::format("{}{} in {} bits", sums.empty() ? ", tensors summed: " : ", ", count, bits);
    }
    return fmt::format("{} of {} operators execute in {} over channels{}; peak {} B",
                       n.ops_in_loops, n.ops, counted(n.loops, "loop"), sums,
                       with_separators(n.peak_bytes));
  }
  std::string operator()(const note::ChannelLoopSearch& n) const {
    std::string text = "there is one order, and no other cut of it into loops has a smaller peak";
    if (n.states) {
      text = fmt::format("{} states of orders and loops searched{}", *n.states,
                         n.ended ? ": no single loop more, less or instead lowers the peak"
                                 : "; with more there may be a smaller peak (option states)");
    }
    if (n.peak_bytes <= n.lower_bound_bytes) return text;
    return text + fmt::format("; no loops need less than {} B (gap {:.1f} %)", n.lower_bound_bytes,
                              percent_of(n.peak_bytes - n.lower_bound_bytes, n.lower_bound_bytes));
  }
  std::string operator()(const note::Spans& n) const {
    if (n.ops_in_spans == 0 && n.ops_in_loops == 0) return "";
    std::string text = fmt::format("{} of {} operators execute row by row in {}", n.ops_in_spans,
                                   n.ops, counted(n.spans, "span"));
    if (n.ops_by_pixels > 0) text += fmt::format(" ({} of them pixel by pixel)", n.ops_by_pixels);
    if (n.ops_in_loops > 0)
      text += fmt::format(", {} in {} over channels", n.ops_in_loops, counted(n.loops, "loop"));
    if (n.ops_in_both > 0) text += fmt::format(" ({} of them both)", n.ops_in_both);
    return text + fmt::format("; peak {} B", with_separators(n.peak_bytes));
  }
  std::string operator()(const note::InputCollected& n) const {
    return "the input is collected whole first: " +
           (n.obstacle.empty() ? fmt::format("passing by, it would need {} B", n.passing_peak_bytes)
                               : n.obstacle);
  }
  std::string operator()(const note::ByColumns&) const {
    return "images lie column by column; ports are brought there and back in place";
  }
  std::string operator()(const note::InputRelaid&) const {
    return "the input is brought to row-major order first, in place";
  }
  std::string operator()(const note::Rematerialised& n) const {
    return fmt::format("{} tensors are computed twice instead of kept: {:+.3f} M MACs", n.tensors,
                       millions(n.macs));
  }
  std::string operator()(const note::Partitions& n) const {
    if (n.schemes == 0) return "";
    return fmt::format(
        "{} of {} operators execute in parts, {} schemes, {} steps; estimated {:+.2f} % "
        "instructions; peak {} B",
        n.ops_in_parts, n.ops, n.schemes, n.steps,
        100 * (n.instructions / n.whole_instructions - 1), n.peak_bytes);
  }
  std::string operator()(const note::ConstantChannels& n) const {
    return fmt::format(
        "{} of {} channels are left out, the same for every input or needed by none: {:.3f} M MAC "
        "instead of {:.3f}, weights {} instead of {} (--keep-channels keeps them)",
        with_separators(n.removed), with_separators(n.of), millions(n.macs),
        millions(n.macs_before), human_size(n.weight_bytes), human_size(n.weight_bytes_before));
  }
  std::string operator()(const note::TimeLimitStruck& n) const {
    return fmt::format(
        "--time-limit of {} s struck: this is the best plan so far, and may be another elsewhere",
        n.seconds);
  }
};

}  // namespace

std::string sentence(const Note& note, const Graph& graph) {
  return std::visit(Sentence{graph}, note);
}

std::vector<std::string> sentences(const std::vector<Note>& notes, const Graph& graph) {
  std::vector<std::string> texts;
  for (const Note& note : notes) {
    if (std::string text = sentence(note, graph); !text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace thimble
