#include "plugin/snapshot/voting_model.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "gpu/workers.h"
#include "plugin/votes/frozen_weights.h"

namespace kindred {
namespace {

/// Term weights as the tuning has them.
TermWeighting frozen_weighting(const Mirror& mirror, const Tuning& tuning) {
  TermWeighting weighting;
  weighting.tf = tf_table(tuning.smart);
  tuning.weights->extend(mirror.dictionary, weighting.idf);
  return weighting;
}

/// Labeled documents, of those that match.
DocumentSet voters_of(const Mirror& mirror, const DocumentSet* matching) {
  DocumentSet voters = mirror.labeled;
  if (matching != nullptr) voters &= *matching;
  return voters;
}

std::vector<double> thresholds_of(const Mirror& mirror, const Tuning& tuning) {
  std::vector<double> thresholds;
  for (std::uint32_t label = 0; label < mirror.labels.names.size(); ++label) {
    const auto known = tuning.thresholds.find(std::string(mirror.labels.names[label]));
    double threshold = tuning.other_threshold;
    if (known != tuning.thresholds.end()) threshold = known->second;
    thresholds.push_back(threshold);
  }
  return thresholds;
}

/// Where documents have one label each, labels are compared with each other, and rare ones are no
/// likelier than they should be.
RareLabels rare_labels_of(const Mirror& mirror, const Tuning& tuning) {
  if (tuning.single_label) return {};
  return RareLabels(mirror.labels.documents);
}

/// Of a threshold in a map, whose nodes have three pointers and a color; but for long names.
constexpr std::size_t kThresholdBytes =
    sizeof(std::map<std::string, double>::value_type) + 4 * sizeof(void*);

}  // namespace

VotingModel::VotingModel(const Mirror& mirror, const View& base,
                         std::shared_ptr<const Tuning> tuning, const DocumentSet* matching,
                         std::size_t threads)
    : mirror_(mirror),
      tuning_(std::move(tuning)),
      threads_(threads),
      voters_(voters_of(mirror, tuning_ ? matching : nullptr)),
      view_(base) {
  if (!tuning_) return;

  // From here on, thresholds, term weights and classifiers are as the tuning stores them.
  thresholds_ = thresholds_of(mirror, *tuning_);
  rare_labels_ = rare_labels_of(mirror, *tuning_);
  view_ = reweighted(*base.backend, mirror,
                     std::make_shared<const TermWeighting>(frozen_weighting(mirror, *tuning_)));
  if (tuning_->classifiers) {
    linear_ = std::make_shared<const LinearVotes>(tuning_->classifiers, mirror.dictionary,
                                                  mirror.labels.names);
  }
}

VotingModel::VotingModel(const Mirror& mirror, const VotingModel& before,
                         const DocumentSet* matching)
    : mirror_(mirror),
      tuning_(before.tuning_),
      threads_(before.threads_),
      voters_(voters_of(mirror, matching)),
      view_(before.view_),
      thresholds_(thresholds_of(mirror, *tuning_)),
      rare_labels_(rare_labels_of(mirror, *tuning_)),
      linear_(before.linear_) {
  // Terms and labels keep their numbers in a mirror that follows. So what was made for them holds,
  // and only new ones are added.
  const StringTable& terms = mirror.dictionary;
  const StringTable& labels = mirror.labels.names;
  const bool is_same = has_same_documents(mirror, before.mirror_);
  const bool has_new_terms = !is_same && view_.weighting->idf.size() < terms.size();

  if (has_new_terms) {
    auto longer = std::make_shared<TermWeighting>(*view_.weighting);
    tuning_->weights->extend(terms, longer->idf);
    view_.weighting = std::move(longer);
  }

  if (linear_ && (has_new_terms || before.mirror_.labels.names.size() < labels.size()))
    linear_ = std::make_shared<const LinearVotes>(linear_->extended(terms, labels));

  // Sums follow the documents that came and went. Nobody may have asked for them yet; then they are
  // made when somebody does.
  for_each_task(2, 2, threads_, [&](std::size_t task) {  // neither needs the other
    if (task == 0 && before.has_class_sums()) {
      sums_.get([&] {
        return ClassSums(before.class_sums(), voters_, *view_.weighting, labels.size(), threads_);
      });
    } else if (task == 1 && !is_same) {
      view_.backend = before.backend().refreshed(mirror.list, weighting());
    }
  });
}

const ClassSums& VotingModel::class_sums() const {
  return sums_.get([this] {
    return class_sums_of(voters_);
  });
}

ClassSums VotingModel::class_sums_of(const DocumentSet& voters, const Pulse& pulse) const {
  return {voters, weighting(), mirror_.labels.names.size(), threads_, pulse};
}

std::size_t VotingModel::bytes() const {
  std::size_t bytes = voters_.bytes() + thresholds_.capacity() * sizeof(double);
  if (const ClassSums* const sums = sums_.get_if_made()) bytes += sums->bytes();
  if (tuning_) bytes += tuning_->thresholds.size() * kThresholdBytes + tuning_->weights->bytes();
  if (linear_) bytes += linear_->bytes();
  return bytes;
}

}  // namespace kindred
