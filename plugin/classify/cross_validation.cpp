#include "plugin/classify/cross_validation.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/error.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kClassifiedAtOnce = 1000;  // documents classified at a time

using Rows = std::vector<std::uint32_t>;

/// Shuffles by Fisher and Yates, the same on every platform, and deals out. Each part ascends.
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

/// The voters (null: all labeled rows) that are not in a fold.
RowSet others(const Mirror& mirror, const Rows& fold, const RowSet* voters) {
  RowSet rows = mirror.labeled;
  if (voters != nullptr) rows &= *voters;
  for (const std::uint32_t row : fold) rows.reset(row);
  return rows;
}

std::vector<Classification> classify_batch(const Snapshot& snapshot, const Classifier& classifier,
                                           std::span<const std::uint32_t> rows,
                                           const ClassifyRequest& request, const RowSet* voters) {
  Queries queries;
  std::vector<QueriedDocument> documents;
  for (const std::uint32_t row : rows) {
    snapshot.weigh_for_tags(row, queries);
    documents.push_back(classifier.document_of(row));
  }
  return classifier.classify(queries, documents, request, voters);
}

}  // namespace

void classify_rows(
    const Snapshot& snapshot, const Classifier& classifier, const std::vector<std::uint32_t>& rows,
    const ClassifyRequest& request, const RowSet* voters,
    const std::function<void(std::uint32_t row, const Classification& prediction)>& on_classified) {
  for (std::size_t begin = 0; begin < rows.size(); begin += kClassifiedAtOnce) {
    const auto batch =
        std::span(rows).subspan(begin, std::min(kClassifiedAtOnce, rows.size() - begin));
    const auto results = classify_batch(snapshot, classifier, batch, request, voters);
    for (std::size_t i = 0; i < batch.size(); ++i) on_classified(batch[i], results[i]);
  }
}

void cross_validate(const Snapshot& snapshot, const Classifier& classifier,
                    const CrossValidation& how, const ClassifyRequest& request,
                    const RowSet* voters, const OnClassified& on_classified) {
  if (how.folds < 0 || how.folds == 1) {
    throw Error(Errc::kInvalidArgument, "folds: expected at least 2, or 0 for leave-one-out");
  }
  const Mirror& mirror = snapshot.mirror();
  const auto classify = [&](const Rows& rows, const RowSet* by) {
    classify_rows(snapshot, classifier, rows, request, by,
                  [&](std::uint32_t row, const Classification& prediction) {
                    on_classified(mirror.labels.names_of(row), prediction);
                  });
  };
  const Rows rows = mirror.labeled.to_vector();
  if (how.folds == 0) return classify(rows, voters);
  for (const Rows& fold : deal(rows, static_cast<std::size_t>(how.folds), how.seed)) {
    const RowSet rest = others(mirror, fold, voters);
    classify(fold, &rest);
  }
}

}  // namespace kindred
