#include "plugin/votes/classes/linear_votes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "plugin/store/string_table.h"

namespace kindred {
namespace {

constexpr double kQueryStep = 0x1p-36;  // of the weights of a query

/// Appends the numbers of the terms that `vocabulary` has and `numbers` does not have yet.
void append_numbers(const StringTable& terms, const StringTable& vocabulary, std::uint32_t none,
                    std::vector<std::uint32_t>& numbers) {
  numbers.reserve(vocabulary.size());
  look_up_all(
      terms, vocabulary, static_cast<std::uint32_t>(numbers.size()),
      [&](std::optional<std::uint32_t> number) { numbers.push_back(number.value_or(none)); });
}

}  // namespace

LinearVotes::LinearVotes(std::shared_ptr<const LinearClassifiers> classifiers,
                         const StringTable& vocabulary, const StringTable& labels)
    : classifiers_(std::move(classifiers)) {
  extend(vocabulary, labels);
}

LinearVotes LinearVotes::extended(const StringTable& vocabulary, const StringTable& labels) const {
  LinearVotes longer = *this;
  longer.extend(vocabulary, labels);
  return longer;
}

void LinearVotes::extend(const StringTable& vocabulary, const StringTable& labels) {
  append_numbers(classifiers_->terms(), vocabulary, kNone, term_of_column_);
  for (auto label = static_cast<std::uint32_t>(own_of_label_.size()); label < labels.size();
       ++label)
    own_of_label_.push_back(classifiers_->labels().find(labels[label]).value_or(kNone));
}

std::size_t LinearVotes::bytes() const {
  return classifiers_->bytes() +
         (term_of_column_.capacity() + own_of_label_.capacity()) * sizeof(std::uint32_t);
}

void LinearVotes::compare(const SparseVector& query, std::span<double> values) const {
  std::vector<std::int64_t> sums(classifiers_->labels().size(), 0);
  for (std::size_t i = 0; i < query.terms.size(); ++i) {
    const std::uint32_t term = term_of_column_[query.terms[i]];
    if (term == kNone) continue;
    const std::int64_t q = std::llrint(query.weights[i] / kQueryStep);
    for (const auto& [label, weight] : classifiers_->entries(term)) sums[label] += q * weight;
  }
  for (std::size_t label = 0; label < values.size(); ++label) {
    const std::uint32_t own = own_of_label_[label];
    values[label] =
        own == kNone ? std::numeric_limits<double>::quiet_NaN()
                     : (static_cast<double>(sums[own]) * kQueryStep + classifiers_->offset(own)) *
                           LinearClassifiers::kUnit;
  }
}

void LinearVotes::leave_out(std::span<const std::uint32_t> own, std::span<double> values) const {
  const LeftOutGrowth& growth = classifiers_->growth();
  for (std::uint32_t label = 0; label < values.size(); ++label) {
    const bool is_own = std::ranges::binary_search(own, label);
    const double y = is_own ? 1 : -1, missing = 1 - y * values[label];
    if (missing > 0) values[label] = y * (1 - (is_own ? growth.own : growth.others) * missing);
  }
}

}  // namespace kindred
