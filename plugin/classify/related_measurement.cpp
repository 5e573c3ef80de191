#include "plugin/classify/related_measurement.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "config/error.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kAskedAtOnce = 1000;  // documents whose neighbors are asked for at a time

/// The labels of each row, without those that do not count.
struct KeptLabels {
  std::vector<std::uint64_t> row_begin{0};
  std::vector<std::uint32_t> label;
  RowSet rows;  ///< that have one

  LabelView view() const {
    return {static_cast<std::uint32_t>(row_begin.size() - 1), row_begin.data(), label.data()};
  }
};

template <typename Keeps>
KeptLabels kept_labels(const Mirror& mirror, Keeps&& keeps) {
  KeptLabels kept;
  kept.rows = RowSet(mirror.rows());
  for (std::uint32_t row = 0; row < mirror.rows(); ++row) {
    for (const std::uint32_t label : mirror.labels.of(row))
      if (keeps(row, label)) kept.label.push_back(label);
    if (kept.label.size() > kept.row_begin.back()) kept.rows.set(row);
    kept.row_begin.push_back(kept.label.size());
  }
  return kept;
}

bool share_label(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

class RelatedMeasurement {
 public:
  RelatedMeasurement(const Snapshot& snapshot, std::int64_t k,
                     const RelatedEvaluationRequest& request)
      : snapshot_(snapshot), mirror_(snapshot.mirror()), k_(k), request_(request) {
    const auto teaches = [&](std::uint32_t row, std::uint32_t label) {
      const std::uint64_t number =
          request.held_out == HeldOut::kLabels ? label : mirror_.docids[row];
      return number % static_cast<std::uint64_t>(request.teach_every) == 0;
    };
    taught_ = kept_labels(mirror_, teaches);
    asked_ = kept_labels(
        mirror_, [&](std::uint32_t row, std::uint32_t label) { return !teaches(row, label); });
    rows_ = asked_.rows.to_vector();
  }

  RelatedEvaluation run() {
    RelatedEvaluation result;
    result.teachers = taught_.rows.count();
    result.asked = rows_.size();
    result.k = k_;
    if (result.teachers == 0 || result.asked == 0)
      throw Error(Errc::kNotFound, "expected labeled documents to learn from, and others to ask (" +
                                       std::to_string(result.teachers) + " and " +
                                       std::to_string(result.asked) + ")");
    const RelatedModel smart = snapshot_.related().of(RelatedWeights::kSmart);
    const Csr postings = transpose(mirror_.counts);
    const LabelInformation information =
        label_information({postings.view(), taught_.view(), taught_.rows},
                          mirror_.labels.names.size(), snapshot_.voting().threads());
    for (const std::string_view name : std::span(kRelatedWeightNames).first(kRelatedWeightKinds)) {
      const RelatedWeights kind = related_weights(name);
      const bool is_known = kind <= RelatedWeights::kIdf || information.tells();
      const OwnRelatedModel own(is_known ? kind : RelatedWeights::kIdf, information, mirror_,
                                smart.weighting, smart.backend);
      result.shares.push_back({std::string(name), share_by(own.model())});
    }
    return result;
  }

 private:
  double share_by(RelatedModel model) {
    std::uint64_t shared = 0;
    for (std::size_t begin = 0; begin < rows_.size(); begin += kAskedAtOnce) {
      const auto batch =
          std::span(rows_).subspan(begin, std::min(kAskedAtOnce, rows_.size() - begin));
      shared += count_shared(model, batch);
      told_ += batch.size();
      if (request_.on_progress && !request_.on_progress(told_, kRelatedWeightKinds * rows_.size()))
        throw Error(Errc::kCanceled, "canceled after " + std::to_string(told_) + " questions");
    }
    return static_cast<double>(shared) /
           (static_cast<double>(rows_.size()) * static_cast<double>(k_));
  }

  /// How many of the k nearest of each row, itself left out, share a label with it.
  std::uint64_t count_shared(RelatedModel model, std::span<const std::uint32_t> batch) {
    Queries queries;
    for (const std::uint32_t row : batch) snapshot_.weigh_row(row, model.weighting, queries);
    const auto k = std::min(static_cast<std::size_t>(k_), std::size_t{mirror_.rows()});
    const auto found = model.backend.nearest(queries, k + 1, &asked_.rows);
    std::uint64_t shared = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      std::size_t others = 0;
      for (const Neighbor& neighbor : std::span(found).subspan(i * (k + 1), k + 1)) {
        if (neighbor.row == Neighbor::kNoRow || others == k) break;
        if (neighbor.row == batch[i]) continue;
        ++others;
        shared += share_label(asked_.view().of(batch[i]), asked_.view().of(neighbor.row)) ? 1 : 0;
      }
    }
    return shared;
  }

  const Snapshot& snapshot_;
  const Mirror& mirror_;
  const std::int64_t k_;
  const RelatedEvaluationRequest& request_;
  KeptLabels taught_, asked_;
  std::vector<std::uint32_t> rows_;  // that ask
  std::uint64_t told_ = 0;           // questions so far, by all kinds of weights
};

}  // namespace

RelatedEvaluation measure_related(const Snapshot& snapshot, std::int64_t k,
                                  const RelatedEvaluationRequest& request) {
  if (request.teach_every < 2)
    throw Error(Errc::kInvalidArgument, "teach_every: expected at least 2");
  return RelatedMeasurement(snapshot, k, request).run();
}

}  // namespace kindred
