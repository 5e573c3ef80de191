#include "plugin/votes/classes/shortlist.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plugin/votes/votes.h"

namespace kindred {
namespace {

float log_share(double share) { return static_cast<float>(std::log(share + 0.01)); }

float log_cosine(double cosine) { return static_cast<float>(std::log1p(20 * cosine)); }

}  // namespace

Shortlister::Shortlister(const ClassSums& sums, const LinearVotes* linear,
                         const SegmentList& mirror, const StringTable& names)
    : mirror_(mirror),
      names_(names),
      comparison_(sums),
      votes_(sums.labels()),
      few_votes_(sums.labels()) {
  if (linear != nullptr) linear_.emplace(*linear);
}

const Shortlist& Shortlister::list(const ListedDocument& document) {
  choose(document);
  comparison_.compare(document.query, candidates_, document.left_out);
  if (document.few != nullptr) few_votes_.count(*document.few, mirror_, kFewPower, document.silent);

  auto named = document.named.begin();
  list_.labels.clear();
  list_.features.resize(candidates_.size() * kLabelFeatures);
  float* row = list_.features.data();
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (std::isinf(comparison_.profiles()[i])) continue;  // it has no documents
    const std::uint32_t label = candidates_[i];
    list_.labels.push_back(label);

    const double share = votes_.share(label);
    row[kLogShare] = log_share(share);
    row[kShare] = static_cast<float>(share);
    row[kBestSimilarity] = static_cast<float>(votes_.best(label));
    row[kCosine] = static_cast<float>(comparison_.cosines()[i]);
    row[kProfile] = static_cast<float>(comparison_.profiles()[i]);

    // A label without a classifier has the value that its share speaks for.
    double value = 0;
    if (linear_) value = linear_->value(label);
    if (std::isnan(value)) value = 2 * share - 1;
    row[kLinear] = static_cast<float>(value);

    row[kFewShare] = 0;
    if (document.few != nullptr) row[kFewShare] = log_share(few_votes_.share(label));

    while (named != document.named.end() && named->label < label) ++named;
    row[kNamed] = 0;
    row[kWholeName] = 0;
    if (named != document.named.end() && named->label == label) {
      row[kNamed] = log_cosine(named->similarity);
      row[kWholeName] = static_cast<float>(std::log1p(named->whole_length));
    }
    row += kLabelFeatures;
  }
  list_.features.resize(list_.labels.size() * kLabelFeatures);
  return list_;
}

/// All labels if they are few; else those of the neighbors, and those that the classifiers find
/// most likely. Ascending.
void Shortlister::choose(const ListedDocument& document) {
  votes_.count(document.neighbors, mirror_, kFeaturePower, document.silent);
  if (linear_) linear_->compare(document.query, document.learned);

  if (names_.size() <= kFewLabels) {
    candidates_.resize(names_.size());
    std::iota(candidates_.begin(), candidates_.end(), 0U);
    return;
  }

  candidates_.assign(votes_.labels().begin(), votes_.labels().end());
  if (linear_) linear_->append_best(kListedByLinear, names_, candidates_);
  for (const NamedLabel& named : document.named) candidates_.push_back(named.label);
  std::ranges::sort(candidates_);
  candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
}

}  // namespace kindred
