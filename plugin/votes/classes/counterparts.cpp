#include "plugin/votes/classes/counterparts.h"

#include <algorithm>

namespace kindred {

Counterparts::Counterparts(const ClassSums& sums, const Queries& vectors)
    : square_(sums.labels()), mass_(sums.labels()), is_there_(sums.labels()) {
  struct Entry {
    std::uint32_t term;
    LabelTotal of;
  };

  // The counterparts' vectors, sorted by term.
  std::vector<Entry> entries;
  for (std::uint32_t label = 0; label < sums.labels(); ++label) {
    const auto terms = vectors.terms(label);
    if (!terms.empty()) is_there_[label] = 1;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const std::int64_t x = fixed_point(vectors.weights(label)[i], kSumUnit);
      if (x != 0) entries.push_back({terms[i], {label, x}});
    }
  }
  std::ranges::stable_sort(entries, {}, &Entry::term);

  // Term by term, beside the sums of its labels: what the labels' squares and masses lose.
  for (std::size_t i = 0; i < entries.size();) {
    const std::uint32_t term = entries[i].term;
    const TermSums& of_term = sums.term(term);
    std::size_t place = 0;
    for (; i < entries.size() && entries[i].term == term; ++i) {
      const auto& [label, x] = entries_.emplace_back(entries[i].of);
      while (of_term.labels[place] != label) ++place;  // it is there: the document has the label
      square_[label] += 2 * Wide{x} * of_term.sums[place].sum - Wide{x} * x;
      mass_[label] += x;
    }
    terms_.push_back(term);
    begin_.push_back(entries_.size());
  }
}

std::span<const LabelTotal> Counterparts::of(std::uint32_t term) const {
  const auto found = std::ranges::lower_bound(terms_, term);
  if (found == terms_.end() || *found != term) return {};
  const auto i = static_cast<std::size_t>(found - terms_.begin());
  return std::span(entries_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
}

}  // namespace kindred
