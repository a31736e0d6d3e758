// SPDX-License-Identifier: Apache-2.0
// Sections by one pass over the events of the lives; conflicts from the sections.
#include "thimble/layout/sweep.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "thimble/model/error.h"

namespace thimble::layout {
namespace {

struct Event {
  int64_t time;
  bool begins;  // ends come first at equal times: intervals are half-open
  int buffer;
};

std::vector<Event> events_of(const Problem& problem) {
  std::vector<Event> events;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (problem.buffers[i].size_bytes == 0) continue;
    for (const Life& life : problem.buffers[i].lives) {
      events.push_back({life.begin, true, static_cast<int>(i)});
      events.push_back({life.end, false, static_cast<int>(i)});
    }
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    if (a.time != b.time) return a.time < b.time;
    if (a.begins != b.begins) return !a.begins;
    return a.buffer < b.buffer;
  });
  return events;
}

void find_sections(const Problem& problem, Sweep& result) {
  for_each_section(problem, [&](const std::vector<int>& live) { result.sections.push_back(live); });
  for (size_t s = 0; s < result.sections.size(); ++s) {
    for (const int buffer : result.sections[s]) {
      result.sections_of[static_cast<size_t>(buffer)].push_back(static_cast<int>(s));
    }
  }
}

/// Calls visit(a, b) when b begins to live while a does: once per pair, or once per life.
template <typename Visit>
void for_each_pair(const Problem& problem, Visit visit) {
  std::vector<int> live;
  for (const Event& event : events_of(problem)) {
    if (event.begins) {
      for (const int other : live) visit(other, event.buffer);
      live.push_back(event.buffer);
    } else {
      live.erase(std::find(live.begin(), live.end(), event.buffer));
    }
  }
}

void find_conflicts(const Problem& problem, Sweep& result) {
  const auto add = [&](int self, int other) {
    result.conflicts[index(self)].push_back({other, -problem.buffers[index(other)].size_bytes,
                                             problem.buffers[index(self)].size_bytes, false});
  };
  for_each_pair(problem, [&](int a, int b) {
    add(a, b);
    add(b, a);
  });
  for (std::vector<Conflict>& row : result.conflicts) {
    std::ranges::sort(row, {}, &Conflict::other);
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
}

Conflict mirrored(const Conflict& conflict, int self) {
  return {.other = self, .below = -conflict.above, .above = -conflict.below, .same = conflict.same};
}

void set_conflict(std::vector<Conflict>& row, const Conflict& conflict) {
  const auto at = std::lower_bound(row.begin(), row.end(), conflict.other,
                                   [](const Conflict& c, int other) { return c.other < other; });
  if (at == row.end() || at->other != conflict.other) return;  // never live together
  *at = conflict;
}

}  // namespace

void check_problem(const Problem& problem) {
  const auto count = static_cast<int>(problem.buffers.size());
  for (const Buffer& buffer : problem.buffers) {
    check(buffer.size_bytes >= 0, "layout: a buffer of negative size");
    check(buffer.alignment > 0 && std::has_single_bit(static_cast<uint64_t>(buffer.alignment)),
          "layout: an alignment that is not a power of two");
    int64_t previous_end = std::numeric_limits<int64_t>::min();
    for (const Life& life : buffer.lives) {
      check(life.begin < life.end && life.begin >= previous_end, "layout: lives out of order");
      previous_end = life.end;
    }
    check(!buffer.address || (*buffer.address >= 0 && *buffer.address % buffer.alignment == 0),
          "layout: a fixed address that is negative or not aligned");
  }
  for (const Overlap& overlap : problem.overlaps) {
    check(overlap.in >= 0 && overlap.in < count && overlap.out >= 0 && overlap.out < count &&
              overlap.in != overlap.out,
          "layout: an overlap of buffers that do not exist");
  }
}

void for_each_section(const Problem& problem,
                      const std::function<void(const std::vector<int>&)>& visit) {
  check_problem(problem);
  std::vector<int> live;
  bool grown = false;  // since the last section; a set that only shrank is a subset of that one
  for (const Event& event : events_of(problem)) {
    if (event.begins) {
      live.insert(std::lower_bound(live.begin(), live.end(), event.buffer), event.buffer);
      grown = true;
      continue;
    }
    if (grown) visit(live);
    grown = false;
    live.erase(std::lower_bound(live.begin(), live.end(), event.buffer));
  }
}

void for_each_live_set(const Problem& problem,
                       const std::function<void(const std::vector<int>&, const Life&)>& visit) {
  check_problem(problem);
  std::vector<int> live;
  int64_t since = 0;
  for (const Event& event : events_of(problem)) {
    if (event.time > since && !live.empty()) visit(live, {since, event.time});
    since = event.time;
    const auto at = std::lower_bound(live.begin(), live.end(), event.buffer);
    if (event.begins) {
      live.insert(at, event.buffer);
    } else {
      live.erase(at);
    }
  }
}

int64_t live_pairs(const Problem& problem) {
  int64_t live = 0, pairs = 0;
  for (const Event& event : events_of(problem)) {
    if (event.begins) pairs += live;
    live += event.begins ? 1 : -1;
  }
  return pairs;
}

Conflict relation(const Problem& problem, const Overlap& overlap) {
  const int64_t size_in = problem.buffers[static_cast<size_t>(overlap.in)].size_bytes;
  const int64_t size_out = problem.buffers[static_cast<size_t>(overlap.out)].size_bytes;
  Conflict result{.other = overlap.in, .below = -size_in, .above = size_out, .same = false};
  if (overlap.lead_bytes) result.above = std::min(size_out, *overlap.lead_bytes);
  result.same = overlap.same_address && result.above > 0;
  return result;
}

Sweep sweep(const Problem& problem) {
  check_problem(problem);
  const size_t count = problem.buffers.size();
  Sweep result;
  result.sections_of.resize(count);
  result.conflicts.resize(count);
  find_sections(problem, result);

  find_conflicts(problem, result);
  for (const Overlap& overlap : problem.overlaps) {
    const Conflict conflict = relation(problem, overlap);
    set_conflict(result.conflicts[static_cast<size_t>(overlap.out)], conflict);
    set_conflict(result.conflicts[static_cast<size_t>(overlap.in)],
                 mirrored(conflict, overlap.out));
  }
  for (std::vector<Conflict>& row : result.conflicts) {
    std::erase_if(row, [](const Conflict& c) { return !forbids_something(c); });
  }
  return result;
}

int64_t least_alignment(const Problem& problem) {
  if (problem.buffers.empty()) return 1;
  return std::ranges::min(problem.buffers, {}, &Buffer::alignment).alignment;
}

std::vector<int> twins(const Problem& problem, const Sweep& sweep,
                       const std::function<bool(size_t buffer)>& of) {
  const std::vector<Buffer>& buffers = problem.buffers;
  std::vector<int> result(buffers.size(), -1);
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!of(i)) continue;
    for (const Conflict& c : sweep.conflicts[i]) {
      const size_t j = index(c.other);
      if (j >= i) break;
      if (of(j) && buffers[i].size_bytes == buffers[j].size_bytes &&
          buffers[i].alignment == buffers[j].alignment &&
          sweep.sections_of[i] == sweep.sections_of[j])
        result[i] = c.other;
    }
  }
  return result;
}

std::vector<std::vector<int>> parts(const Sweep& sweep) {
  const size_t count = sweep.conflicts.size();
  std::vector<bool> seen(count, false);
  std::vector<std::vector<int>> result;
  for (size_t root = 0; root < count; ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    std::vector<int> part{static_cast<int>(root)};
    for (size_t next = 0; next < part.size(); ++next) {
      for (const Conflict& conflict : sweep.conflicts[static_cast<size_t>(part[next])]) {
        if (seen[static_cast<size_t>(conflict.other)]) continue;
        seen[static_cast<size_t>(conflict.other)] = true;
        part.push_back(conflict.other);
      }
    }
    std::sort(part.begin(), part.end());
    result.push_back(std::move(part));
  }
  return result;
}

std::vector<Problem> restricted(const Problem& problem,
                                const std::vector<std::vector<int>>& parts) {
  struct Number {
    int part = -1, buffer = -1;
  };
  std::vector<Number> number(problem.buffers.size());
  std::vector<Problem> result(parts.size());
  for (size_t p = 0; p < parts.size(); ++p) {
    for (const int buffer : parts[p]) {
      number[index(buffer)] = {static_cast<int>(p), static_cast<int>(result[p].buffers.size())};
      result[p].buffers.push_back(problem.buffers[index(buffer)]);
    }
  }
  for (Overlap overlap : problem.overlaps) {
    const Number in = number[index(overlap.in)], out = number[index(overlap.out)];
    if (in.part != out.part || in.part < 0) continue;
    overlap.in = in.buffer;
    overlap.out = out.buffer;
    result[index(in.part)].overlaps.push_back(overlap);
  }
  return result;
}

}  // namespace thimble::layout
