#include "plugin/votes/classes/term_sums.h"

#include <algorithm>
#include <utility>

namespace kindred {
namespace {

/// The sum of a label in `sums`, whose labels ascend, or null. Nearly all labels have a sum over a
/// frequent term. So the search begins where the label is if all before it have one, which saves
/// most of the cache misses of a binary search.
template <typename Sum>
auto* find_sum(std::uint32_t label, std::span<Sum> sums) {
  std::size_t end = std::min<std::size_t>(label + std::size_t{1}, sums.size());
  std::size_t begin = end - std::min<std::size_t>(1, end);
  for (std::size_t step = 1; begin > 0 && sums[begin].label > label; step *= 2) {
    end = begin;
    begin -= std::min(step, begin);
  }
  const auto among = sums.subspan(begin, end - begin);
  const auto own = std::ranges::lower_bound(among, label, {}, &Sum::label);
  return own != among.end() && own->label == label ? &own->sum : nullptr;
}

/// Calls add(label, sum) for all labels, ascending. Where both know a label, `later` has its sum.
template <typename Sums, typename LaterSums, typename After, typename Add>
void merge(const Sums& sums, const LaterSums& later, After&& after, Add&& add) {
  std::size_t next = 0;
  for (const auto& entry : sums) {
    for (; next < later.size() && later[next].label < entry.label; ++next)
      add(later[next].label, after(later[next]));
    const bool differs = next < later.size() && later[next].label == entry.label;
    add(entry.label, differs ? after(later[next++]) : entry.sum);
  }
  for (; next < later.size(); ++next) add(later[next].label, after(later[next]));
}

/// Leaves one step for each label from `begin` on, whose `after` is the sum of its parts.
void add_up(std::vector<LabelStep>& steps, std::size_t begin) {
  std::ranges::sort(std::span(steps).subspan(begin), {}, &LabelStep::label);
  std::size_t kept = begin;
  for (std::size_t i = begin; i < steps.size(); ++i) {
    if (kept > begin && steps[kept - 1].label == steps[i].label) {
      steps[kept - 1].after += steps[i].after;
    } else {
      steps[kept++] = steps[i];
    }
  }
  steps.resize(kept);
}

}  // namespace

void TermAdder::add(std::int64_t unit, std::span<const std::uint32_t> labels) {
  total_ += unit;
  for (const std::uint32_t label : labels) {
    if (met_[label] == 0) present_.push_back(label);
    met_[label] = 1;
    of_label_[label] += unit;
  }
}

OwnTermSums TermAdder::take() {
  OwnTermSums term;
  term.total = std::exchange(total_, 0);
  term.absent = fixed_log_odds(0, term.total);
  std::sort(present_.begin(), present_.end());
  for (const std::uint32_t label : present_) {
    met_[label] = 0;
    const std::int64_t sum = std::exchange(of_label_[label], 0);
    if (sum == 0) continue;
    term.entries.push_back({label, sum, fixed_log_odds(sum, term.total - sum) - term.absent});
  }
  present_.clear();
  return term;
}

ChangedTerms::ChangedTerms(std::size_t terms, std::size_t sums) : whole_(terms) {
  term_.reserve(terms);
  total_.reserve(terms);
  begin_.reserve(terms + 1);
  sums_.reserve(sums);
}

void ChangedTerms::add(std::uint32_t term, const Known& known, std::span<const TermPart> parts,
                       LabelLists labels_of, std::vector<LabelStep>& steps) {
  const std::size_t begin = steps.size();
  std::int64_t total = known.total;
  for (const TermPart& part : parts) {
    total += part.unit;
    for (const std::uint32_t label : labels_of[part.document])
      steps.push_back({label, 0, part.unit});
  }
  add_up(steps, begin);
  const std::span<LabelStep> own = std::span(steps).subspan(begin);
  std::size_t differed = 0;  // before
  for (LabelStep& step : own) {
    const std::int64_t* sum = find_sum(step.label, known.sums);
    differed += sum != nullptr ? 1 : 0;
    if (sum == nullptr) sum = find_sum(step.label, known.first.entries);
    step.before = sum != nullptr ? *sum : 0;
    step.after += step.before;
  }
  if (differed == own.size()) {
    const auto copy = sums_.insert(sums_.end(), known.sums.begin(), known.sums.end());
    for (const LabelStep& step : own)
      *find_sum(step.label, std::span(copy, sums_.end())) = step.after;
  } else {
    merge(
        known.sums, own, [](const LabelStep& step) { return step.after; },
        [&](std::uint32_t label, std::int64_t sum) {
          sums_.push_back({label, sum});
        });
  }
  term_.push_back(term);
  total_.push_back(total);
  begin_.push_back(sums_.size());
}

TermSums ChangedTerms::whole(std::uint32_t i, const TermSums& first) const {
  const auto make = [&] { return std::make_unique<const OwnTermSums>(joined(i, first)); };
  return whole_[i].get(make)->view();
}

OwnTermSums ChangedTerms::joined(std::uint32_t i, const TermSums& first) const {
  const std::int64_t total = total_[i];
  OwnTermSums whole{total, fixed_log_odds(0, total), {}};
  whole.entries.reserve(first.entries.size() + sums(i).size());
  merge(
      first.entries, sums(i), [](const LabelTotal& later) { return later.sum; },
      [&](std::uint32_t label, std::int64_t sum) {
        if (sum != 0)
          whole.entries.push_back({label, sum, fixed_log_odds(sum, total - sum) - whole.absent});
      });
  return whole;
}

std::size_t ChangedTerms::bytes() const {
  std::size_t bytes = sizeof(*this) + term_.capacity() * sizeof(term_[0]) +
                      total_.capacity() * sizeof(total_[0]) +
                      begin_.capacity() * sizeof(begin_[0]) +
                      sums_.capacity() * sizeof(LabelTotal) + whole_.capacity() * sizeof(whole_[0]);
  for (const auto& each : whole_)
    if (const auto* const whole = each.get_if_made())
      bytes += sizeof(**whole) + (*whole)->entries.capacity() * sizeof(LabelSum);
  return bytes;
}

}  // namespace kindred
