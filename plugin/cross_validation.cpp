#include "plugin/cross_validation.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/error.h"
#include "plugin/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kBatch = 1000;  // documents classified at a time

using Rows = std::vector<std::uint32_t>;

bool is_set(std::span<const std::uint64_t> bits, std::uint32_t row) {
  return (bits[row / 64] >> (row % 64) & 1) != 0;
}

Rows labeled_rows(const Mirror& mirror) {
  Rows rows;
  for (std::uint32_t row = 0; row < mirror.docids.size(); ++row) {
    if (is_set(mirror.labeled, row)) rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> truth_of(const Mirror& mirror, std::uint32_t row) {
  std::vector<std::string> labels;
  for (std::uint64_t i = mirror.labels.row_begin[row]; i < mirror.labels.row_begin[row + 1]; ++i) {
    labels.emplace_back(mirror.labels.names[mirror.labels.label[i]]);
  }
  return labels;
}

/// Shuffles by Fisher and Yates, the same on every platform, and deals out; each part ascends.
std::vector<Rows> deal(Rows rows, std::size_t folds, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = rows.size(); left > 1; --left) {
    std::swap(rows[left - 1], rows[random() % left]);
  }
  std::vector<Rows> dealt(std::min(folds, rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) dealt[i % dealt.size()].push_back(rows[i]);
  for (Rows& fold : dealt) std::sort(fold.begin(), fold.end());
  return dealt;
}

/// All rows that may vote, less those of a fold.
std::vector<std::uint64_t> others(const Mirror& mirror, const Rows& fold, const RowBits* allowed) {
  std::vector<std::uint64_t> bits = mirror.labeled;
  if (allowed != nullptr) {
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= (*allowed)[i];
  }
  for (const std::uint32_t row : fold) bits[row / 64] &= ~(std::uint64_t{1} << (row % 64));
  return bits;
}

/// What all parts of a cross-validation have in common.
struct Course {
  const Snapshot& snapshot;
  const Classifier& classifier;
  const ClassifyRequest& request;
  const OnClassified& on_classified;

  /// Classifies rows, batch by batch. `leave_one_out`: none votes for itself.
  void run(const Rows& rows, const RowBits* voters, bool leave_one_out) const;
};

void Course::run(const Rows& rows, const RowBits* voters, bool leave_one_out) const {
  for (std::size_t begin = 0; begin < rows.size(); begin += kBatch) {
    const auto batch = std::span(rows).subspan(begin, std::min(kBatch, rows.size() - begin));
    Queries queries;
    for (const std::uint32_t row : batch) snapshot.weigh_row(row, queries);
    const auto own = leave_one_out ? batch : std::span<const std::uint32_t>();
    const auto results = classifier.classify(queries, request, own, voters);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      on_classified(truth_of(snapshot.mirror(), batch[i]), results[i]);
    }
  }
}

}  // namespace

void cross_validate(const Snapshot& snapshot, const Classifier& classifier,
                    const CrossValidation& how, const ClassifyRequest& request,
                    const RowBits* allowed, const OnClassified& on_classified) {
  if (how.folds < 0 || how.folds == 1) {
    throw Error(Errc::kInvalidArgument, "folds: expected at least 2, or 0 for leave-one-out");
  }
  const Course course{snapshot, classifier, request, on_classified};
  const Rows rows = labeled_rows(snapshot.mirror());
  if (how.folds == 0) return course.run(rows, allowed, true);
  for (const Rows& fold : deal(rows, static_cast<std::size_t>(how.folds), how.seed)) {
    const std::vector<std::uint64_t> bits = others(snapshot.mirror(), fold, allowed);
    const RowBits voters(bits);
    course.run(fold, &voters, false);
  }
}

}  // namespace kindred
