#include "plugin/votes/term_sums.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace kindred {
namespace {

std::int64_t sum_of(std::uint32_t label, std::span<const LabelTotal> known, const TermSums& first) {
  const auto own = std::ranges::lower_bound(known, label, {}, &LabelTotal::label);
  if (own != known.end() && own->label == label) return own->sum;
  const auto entry = std::ranges::lower_bound(first.entries, label, {}, &LabelSum::label);
  return entry != first.entries.end() && entry->label == label ? entry->sum : 0;
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

TermSums ChangedTermSums::whole(const TermSums& first) const {
  if (const OwnTermSums* made = whole_.load()) return made->view();
  auto whole = std::make_unique<const OwnTermSums>(joined(first));
  const OwnTermSums* made = nullptr;  // by another thread, meanwhile
  if (whole_.compare_exchange_strong(made, whole.get())) made = whole.release();
  return made->view();
}

OwnTermSums ChangedTermSums::joined(const TermSums& first) const {
  OwnTermSums whole{total_, fixed_log_odds(0, total_), {}};
  whole.entries.reserve(first.entries.size() + sums_.size());
  merge(
      first.entries, sums_, [](const LabelTotal& later) { return later.sum; },
      [&](std::uint32_t label, std::int64_t sum) {
        if (sum != 0)
          whole.entries.push_back({label, sum, fixed_log_odds(sum, total_ - sum) - whole.absent});
      });
  return whole;
}

std::size_t ChangedTermSums::bytes() const {
  std::size_t bytes = sizeof(*this) + sums_.capacity() * sizeof(LabelTotal);
  if (const OwnTermSums* whole = whole_.load())
    bytes += sizeof(*whole) + whole->entries.capacity() * sizeof(LabelSum);
  return bytes;
}

TermSumsChange::TermSumsChange(const ChangedTermSums* before, const TermSums& first,
                               std::span<const TermPart> parts)
    : total_before_(before != nullptr ? before->total() : first.total) {
  const std::span<const LabelTotal> known =
      before != nullptr ? before->sums() : std::span<const LabelTotal>();
  std::int64_t total = total_before_;
  for (const TermPart& part : parts) {
    total += part.unit;
    for (const std::uint32_t label : part.labels) steps_.push_back({label, 0, part.unit});
  }
  add_up_steps();
  for (Step& step : steps_) {
    step.before = sum_of(step.label, known, first);
    step.after += step.before;
  }
  after_ = std::make_shared<const ChangedTermSums>(total, with_steps(known));
}

/// Leaves one step for each label, whose `after` is the sum of its parts.
void TermSumsChange::add_up_steps() {
  std::ranges::sort(steps_, {}, &Step::label);
  std::size_t kept = 0;
  for (const Step& step : steps_) {
    if (kept > 0 && steps_[kept - 1].label == step.label) {
      steps_[kept - 1].after += step.after;
    } else {
      steps_[kept++] = step;
    }
  }
  steps_.resize(kept);
}

std::vector<LabelTotal> TermSumsChange::with_steps(std::span<const LabelTotal> known) const {
  std::vector<LabelTotal> sums;
  sums.reserve(known.size() + steps_.size());
  merge(
      known, steps_, [](const Step& step) { return step.after; },
      [&](std::uint32_t label, std::int64_t sum) {
        sums.push_back({label, sum});
      });
  return sums;
}

}  // namespace kindred
