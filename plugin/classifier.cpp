#include "plugin/classifier.h"

#include <algorithm>
#include <optional>
#include <string>

#include "gpu/workers.h"
#include "plugin/explanation.h"
#include "plugin/label_scoring.h"
#include "plugin/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kQueriesAtOnce = 64;

/// Classifies one batch of queries by one rule.
class Batch {
 public:
  Batch(const Snapshot& snapshot, const TaggingRule& rule, const ClassifyRequest& request,
        const Queries& queries, std::span<const std::uint32_t> exclude, const RowBits& voters)
      : snapshot_(snapshot),
        model_(snapshot.tagging()),
        rule_(rule),
        request_(request),
        queries_(queries),
        exclude_(exclude),
        voters_(voters) {}

  /// Where the backend's own vote is what is asked for: it may be taken on a device.
  std::vector<Classification> count() const {
    const Vote vote{rule_.k, shares_wanted(), &voters_, exclude_};
    std::vector<LabelShare> shares(queries_.rows() * vote.labels);
    model_.backend().vote(queries_.view(), vote, shares);
    std::vector<Classification> results;
    std::vector<double> scores(label_count());
    for (std::size_t q = 0; q < queries_.rows(); ++q) {
      std::fill(scores.begin(), scores.end(), 0.0);
      for (const auto& [label, share] : std::span(shares).subspan(q * vote.labels, vote.labels)) {
        if (label != LabelShare::kNoLabel) scores[label] = share;
      }
      results.push_back(tag(scores));
    }
    return results;
  }

  /// Any vote, taken here from the neighbors. `sums`: of the voters, if the vote needs them.
  std::vector<Classification> score(const ClassSums* sums) const {
    const VotingNeighbors neighbors =
        find_voters(model_.backend(), queries_.view(), rule_, voters_, exclude_);
    std::vector<Classification> results(queries_.rows());
    const std::size_t chunks = (queries_.rows() + kQueriesAtOnce - 1) / kQueriesAtOnce;
    for_each_item(chunks, model_.threads(), [&](std::size_t chunk) {
      LabelScoring scoring(snapshot_, rule_, sums, voters_);
      const std::size_t end = std::min(queries_.rows(), (chunk + 1) * kQueriesAtOnce);
      for (std::size_t q = chunk * kQueriesAtOnce; q < end; ++q) {
        const SparseVector query{queries_.terms(q), queries_.weights(q)};
        const std::uint32_t excluded = exclude_.empty() ? Neighbor::kNoRow : exclude_[q];
        results[q] = tag(scoring.score(query, neighbors.of(q), excluded));
        explain(snapshot_, rule_, request_, query, neighbors.of(q), results[q]);
      }
    });
    return results;
  }

 private:
  std::size_t label_count() const { return snapshot_.mirror().labels.names.size(); }

  /// Shares that tags and scores are made of: never more than there are labels.
  std::size_t shares_wanted() const {
    std::size_t most = rule_.max_labels;
    if (request_.scores) most = labels_of_voters();
    return std::clamp<std::size_t>(label_count(), 1, std::max<std::size_t>(1, most));
  }

  /// The most labels that k documents can have.
  std::size_t labels_of_voters() const {
    const Mirror& mirror = snapshot_.mirror();
    std::size_t most = 0;
    for (std::uint32_t row = 0; row < mirror.docids.size(); ++row)
      most = std::max(most, mirror.labels.of(row).size());
    return rule_.k * most;
  }

  Classification tag(std::span<const double> scores) const {
    const Mirror& mirror = snapshot_.mirror();
    Classification result;
    result.revision = mirror.revision;
    for (const RankedLabel& ranked : decide(rule_, scores, model_.thresholds())) {
      const bool wanted = ranked.given || request_.scores || request_.explain || !result.best;
      if (!wanted) continue;
      Tag tag{std::string(mirror.labels.names[ranked.label]), ranked.score};
      if (!result.best) result.best = tag;
      if (request_.scores) result.scores.push_back(tag);
      if (ranked.given) {
        result.tags.push_back(std::move(tag));
      } else if (request_.explain) {
        result.near_misses.push_back({std::move(tag.label), ranked.score,
                                      rule_.threshold_of(ranked.label, model_.thresholds())});
      }
    }
    return result;
  }

  const Snapshot& snapshot_;
  const TaggingModel& model_;
  const TaggingRule& rule_;
  const ClassifyRequest& request_;
  const Queries& queries_;
  const std::span<const std::uint32_t> exclude_;
  const RowBits& voters_;
};

/// The rows that may vote under a filter.
std::vector<std::uint64_t> limited(const RowBits& voters, const RowBits& allowed) {
  std::vector<std::uint64_t> bits(voters.begin(), voters.end());
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] &= allowed[i];
  return bits;
}

}  // namespace

std::vector<Classification> Classifier::classify(const Queries& queries,
                                                 const ClassifyRequest& request,
                                                 std::span<const std::uint32_t> exclude,
                                                 const RowBits* allowed) const {
  const TaggingModel& model = snapshot_.tagging();
  TaggingRule rule = tagging_rule(request, settings_, model);
  rule.k = std::min(rule.k, snapshot_.mirror().docids.size() + 1);
  std::vector<std::uint64_t> bits;
  if (allowed != nullptr) bits = limited(model.voters(), *allowed);
  // Without a filter always the same words: the backend may take such calls together.
  const RowBits voters = allowed != nullptr ? RowBits(bits) : model.voters();
  const Batch batch(snapshot_, rule, request, queries, exclude, voters);
  const bool plain = rule.vote == VoteKind::kSimilarity && rule.power == 1 &&
                     rule.min_similarity == 0 && rule.cut == CutKind::kThreshold;
  if (plain && !request.neighbors && !request.explain) return batch.count();
  if (!needs_class_sums(rule.vote)) return batch.score(nullptr);
  if (allowed == nullptr) return batch.score(&model.class_sums());
  const ClassSums sums = model.class_sums_of(voters);
  return batch.score(&sums);
}

}  // namespace kindred
