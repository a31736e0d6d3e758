// SPDX-License-Identifier: Apache-2.0
#include "training/learn/picture.h"

#include <array>
#include <string_view>

#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"
#include "thimble/toolchain/process.h"

namespace thimble::training {
namespace {

// Rows in order, whatever stage they are of; a line where one begins.
constexpr const char* kScript = R"(
set datafile separator ','
set terminal svg size 760,560 background 'white' font 'sans,11'
set output 'curve.svg'
set key above right horizontal
set xtics nomirror
set ytics nomirror
set border 3
set grid ytics lc rgb '#e0e0e0'
stats 'curve.csv' using 4 every ::1 nooutput
set xrange [0:STATS_records * 1.06 + 1]
last = ''
starts(stage) = (stage eq last) ? NaN : (last = stage, 1)
set multiplot layout 2,1
set ylabel 'right, %'
set yrange [0:100]
plot 'curve.csv' using ($0 + 1):(100 * $5) every ::1 with lines lw 2 lc rgb '#8fb0c8' title 'learnt from', '' using ($0 + 1):(100 * $6) every ::1 with lines lw 2 lc rgb '#14507a' title 'the others', '' using (($0 + 1) * starts(strcol(1))):(4):(strcol(1)) every ::1 with labels left notitle
set ylabel 'arena, KiB'
set yrange [0:*]
set xlabel 'epochs'
plot 'curve.csv' using ($0 + 1):($7 / 1024) every ::1 with steps lw 2 lc rgb '#b03030' notitle
unset multiplot
)";

}  // namespace

bool draw_curve(const std::filesystem::path& folder) {
  try {
    require_program("gnuplot", "gnuplot-nox");
  } catch (const CompileError&) {
    return false;
  }
  const std::filesystem::path script = folder / "curve.gnuplot";
  write_file(script, std::array{std::string_view(kScript)});
  const ProcessResult result = run_process({.arguments = {"gnuplot", script.filename().string()},
                                            .working_folder = folder,
                                            .timeout_seconds = 60});
  std::filesystem::remove(script);
  if (!result.succeeded())
    throw CompileError((folder / "curve.svg").string(), "gnuplot does not draw it: " + result.err);
  return true;
}

}  // namespace thimble::training
