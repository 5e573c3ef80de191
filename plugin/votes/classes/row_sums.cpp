#include "plugin/votes/classes/row_sums.h"

#include <algorithm>
#include <utility>

#include "gpu/csr.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr std::uint32_t kTermsSummedAtOnce = 512;
constexpr std::uint32_t kDocumentsAtOnce = 8192;

/// Some rows of a segment, over the terms that they hold.
struct Rows {
  Rows(const Segment& segment, std::vector<std::uint32_t> numbers);

  std::vector<std::uint32_t> numbers;  ///< in the segment
  std::vector<std::uint32_t> terms;    ///< ascending
  Csr counts;                          ///< columns: indexes in `terms`
};

Rows::Rows(const Segment& segment, std::vector<std::uint32_t> some) : numbers(std::move(some)) {
  // The terms that any of them holds get new numbers, in their order.
  std::vector<std::uint32_t> index(segment.counts.columns);  // of each term; first, if it is held
  for (const std::uint32_t row : numbers)
    for (const std::uint32_t term : entries_of(segment.counts, row).columns) index[term] = 1;

  for (std::uint32_t term = 0; term < index.size(); ++term) {
    if (index[term] == 0) continue;
    index[term] = static_cast<std::uint32_t>(terms.size());
    terms.push_back(term);
  }

  counts.columns = static_cast<std::uint32_t>(terms.size());
  counts.row_begin.reserve(numbers.size() + 1);
  for (const std::uint32_t row : numbers) {
    const RowEntries own = entries_of(segment.counts, row);
    for (const std::uint32_t term : own.columns) counts.column.push_back(index[term]);
    counts.count.insert(counts.count.end(), own.counts.begin(), own.counts.end());
    counts.row_begin.push_back(counts.column.size());
  }
}

/// The lengths of the rows' vectors. `weight_of(term, count)`: the weight of an entry.
template <typename WeightOf>
std::vector<double> lengths_of(const Segment& segment, const Rows& rows, const WeightOf& weight_of,
                               std::size_t threads, const Pulse& pulse) {
  std::vector<double> lengths(rows.numbers.size());
  const auto measure = [&](std::uint32_t begin, std::uint32_t end) {
    pulse();
    for (std::uint32_t i = begin; i < end; ++i) {
      const RowEntries own = entries_of(segment.counts, rows.numbers[i]);
      lengths[i] = euclidean_length(own.size(), [&](std::size_t e) {
        return weight_of(own.columns[e], own.counts[e]);
      });
    }
  };
  for_each_chunk(rows.counts.rows(), kDocumentsAtOnce, threads, measure);
  return lengths;
}

/// Adds up the sums of one term. Reused from term to term.
class LabelAdder {
 public:
  explicit LabelAdder(std::uint32_t label_count)
      : of_label_(label_count, 0), met_(label_count, 0) {}

  void add(std::int64_t unit, std::span<const std::uint32_t> labels) {
    for (const std::uint32_t label : labels) {
      if (met_[label] == 0) present_.push_back(label);
      met_[label] = 1;
      of_label_[label] += unit;
    }
  }

  /// The sums; the next ones begin at 0.
  std::vector<LabelTotal> take() {
    std::vector<LabelTotal> sums;
    std::ranges::sort(present_);
    for (const std::uint32_t label : present_) {
      if (of_label_[label] != 0) sums.push_back({label, of_label_[label]});
      of_label_[label] = 0;
      met_[label] = 0;
    }
    present_.clear();
    return sums;
  }

 private:
  std::vector<std::int64_t> of_label_;
  std::vector<char> met_;
  std::vector<std::uint32_t> present_;
};

}  // namespace

std::vector<LabelTotal> added_up(std::span<const LabelTotal> a, std::span<const LabelTotal> b,
                                 int sign) {
  std::vector<LabelTotal> both;
  both.reserve(a.size() + b.size());

  auto other = b.begin();
  const auto move_on = [&] {
    both.push_back({other->label, sign * other->sum});
    ++other;
  };
  for (const LabelTotal& own : a) {
    while (other != b.end() && other->label < own.label) move_on();

    std::int64_t sum = own.sum;
    if (other != b.end() && other->label == own.label) {
      sum += sign * other->sum;
      ++other;
    }
    if (sum != 0) both.push_back({own.label, sum});
  }
  while (other != b.end()) move_on();
  return both;
}

RowSums::RowSums(const Segment& segment, const RowSet& come, const RowSet& gone,
                 const TermWeighting& weighting, std::uint32_t label_count, std::size_t threads,
                 const Pulse& pulse) {
  // Rows that come, and behind them those that go. Those without labels are in no sum.
  std::vector<std::uint32_t> numbers;
  const auto add_labeled = [&](std::uint32_t row) {
    if (!segment.labels.of(row).empty()) numbers.push_back(row);
  };
  come.for_each(add_labeled);
  const std::size_t came = numbers.size();
  gone.for_each(add_labeled);

  const Rows rows(segment, std::move(numbers));
  const auto sign = [&](std::uint32_t i) {
    return i < came ? 1 : -1;
  };

  // Vectors are divided by their lengths.
  const auto weight_of = [&](std::uint32_t term, std::uint16_t count) {
    return weighting.tf[count] * weighting.idf[term];
  };
  const std::vector<double> lengths = lengths_of(segment, rows, weight_of, threads, pulse);

  // Each term's sums are added up over the rows that hold it.
  const Csr postings = transpose(rows.counts.view());
  std::vector<std::int64_t> totals(rows.terms.size());
  std::vector<std::vector<LabelTotal>> sums(rows.terms.size());
  const auto add_up = [&](std::uint32_t begin, std::uint32_t end) {
    pulse();
    LabelAdder adder(label_count);
    for (std::uint32_t t = begin; t < end; ++t) {
      for (std::uint64_t e = postings.row_begin[t]; e < postings.row_begin[t + 1]; ++e) {
        const std::uint32_t i = postings.column[e];
        if (!(lengths[i] > 0)) continue;

        const double weight = weight_of(rows.terms[t], postings.count[e]);
        const std::int64_t unit = sign(i) * fixed_point(weight / lengths[i], kSumUnit);
        totals[t] += unit;
        adder.add(unit, segment.labels.of(rows.numbers[i]));
      }
      sums[t] = adder.take();
    }
  };
  for_each_chunk(postings.rows(), kTermsSummedAtOnce, threads, add_up);

  std::size_t labels = 0;
  for (const std::vector<LabelTotal>& own : sums) labels += own.size();
  labels_.reserve(labels);
  for (std::size_t t = 0; t < sums.size(); ++t) append(rows.terms[t], {totals[t], sums[t]});

  // How many documents each label has.
  LabelAdder documents(label_count);
  for (std::uint32_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] > 0) documents.add(sign(i), segment.labels.of(rows.numbers[i]));
  documents_ = documents.take();
}

RowSums::RowSums(const RowSums& a, const RowSums& b, int sign)
    : documents_(added_up(a.documents_, b.documents_, sign)) {
  const auto add = [&](std::uint32_t term, const Term& own, const Term& others) {
    if (others.labels.empty() && others.total == 0) return append(term, own);
    append(term, {own.total + sign * others.total, added_up(own.labels, others.labels, sign)});
  };

  // Both lists ascend.
  std::size_t other = 0;
  for (std::size_t i = 0; i < a.terms_.size(); ++i) {
    for (; other < b.terms_.size() && b.terms_[other] < a.terms_[i]; ++other)
      add(b.terms_[other], {}, b.at(other));

    Term of_b;
    if (other < b.terms_.size() && b.terms_[other] == a.terms_[i]) {
      of_b = b.at(other);
      ++other;
    }
    add(a.terms_[i], a.at(i), of_b);
  }
  for (; other < b.terms_.size(); ++other) add(b.terms_[other], {}, b.at(other));
}

void RowSums::append(std::uint32_t term, const Term& sums) {
  if (sums.total == 0 && sums.labels.empty()) return;
  terms_.push_back(term);
  total_.push_back(sums.total);
  labels_.insert(labels_.end(), sums.labels.begin(), sums.labels.end());
  begin_.push_back(labels_.size());
}

RowSums::Term RowSums::of(std::uint32_t term, std::size_t& index) const {
  // In steps that double, since the next term that is asked for is seldom far.
  std::size_t end = index;
  for (std::size_t step = 1; end < terms_.size() && terms_[end] < term; step *= 2) {
    index = end + 1;
    end = std::min(terms_.size(), end + step);
  }

  const auto known = std::lower_bound(terms_.begin() + static_cast<std::ptrdiff_t>(index),
                                      terms_.begin() + static_cast<std::ptrdiff_t>(end), term);
  index = static_cast<std::size_t>(known - terms_.begin());

  if (index == terms_.size() || terms_[index] != term) return {};
  return at(index);
}

std::size_t RowSums::bytes() const {
  return sizeof(*this) + terms_.capacity() * sizeof(terms_[0]) +
         total_.capacity() * sizeof(total_[0]) + begin_.capacity() * sizeof(begin_[0]) +
         (labels_.capacity() + documents_.capacity()) * sizeof(LabelTotal);
}

}  // namespace kindred
