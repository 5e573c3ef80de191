#include "plugin/snapshot/related_models.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "plugin/snapshot/voting_model.h"
#include "plugin/store/ascending_strings.h"
#include "plugin/votes/weights/frozen_weights.h"

namespace kindred {
namespace {

constexpr std::array kOwnKinds = {RelatedWeights::kIdf, RelatedWeights::kLabels,
                                  RelatedWeights::kBoth};

std::size_t index_of(RelatedWeights kind) { return static_cast<std::size_t>(kind); }

TermWeighting related_weighting(RelatedWeights kind, const LabelInformation& information,
                                const TermWeighting& weighting) {
  return {related_term_weights(kind, weighting.idf, information), weighting.tf, weighting.divisor};
}

}  // namespace

OwnRelatedModel::OwnRelatedModel(RelatedWeights kind, const LabelInformation& information,
                                 const Mirror& mirror, const TermWeighting& weighting,
                                 const Backend& backend)
    : weighting_(related_weighting(kind, information, weighting)),
      backend_(reweighted(backend, mirror, weighting_)) {}

OwnRelatedModel::OwnRelatedModel(RelatedWeights kind, const LabelInformation& information,
                                 const TermWeighting& weighting, const OwnRelatedModel& before,
                                 const MirrorChange& change)
    : weighting_(related_weighting(kind, information, weighting)),
      backend_(before.backend_->refreshed(change, weighting_)) {}

std::size_t OwnRelatedModel::bytes() const {
  return (weighting_.idf.capacity() + weighting_.tf.capacity()) * sizeof(double) +
         main_memory_of(*backend_);
}

RelatedModels::RelatedModels(const Mirror& mirror, const TermWeighting& weighting,
                             const Backend& backend, const Tuning* tuning, std::size_t threads)
    : mirror_(mirror),
      weighting_(weighting),
      backend_(backend),
      tuning_(tuning),
      threads_(threads) {}

bool RelatedModels::has_same_information(const RelatedModels& before) const {
  if (is_told() || before.is_told()) return tuning_ == before.tuning_;
  return has_same_documents(mirror_, before.mirror_) || has_same_voters(before);
}

bool RelatedModels::has_same_voters(const RelatedModels& before) const {
  RowSet voted = before.mirror_.labeled;
  voted.grow(mirror_.labeled.rows());
  if (voted != mirror_.labeled) return false;
  const auto& changed = mirror_.counts.last_change()->rows;
  return std::none_of(changed.begin(), changed.end(),
                      [&](std::uint32_t row) { return mirror_.labeled.has(row); });
}

void RelatedModels::follow(const RelatedModels& before, const MirrorChange& change) {
  const bool same = has_same_documents(mirror_, before.mirror_);
  const bool same_information = has_same_information(before);
  if (same_information && before.information_.has() && !(is_told() && !same))
    information_.get([&] { return before.information_.value; });
  for (const RelatedWeights kind : kOwnKinds) {
    const auto& known = before.models_[index_of(kind)];
    if (!known.has() || !(same_information || kind == RelatedWeights::kIdf)) continue;
    models_[index_of(kind)].get([&] {
      if (same) return known.value;
      return std::make_shared<const OwnRelatedModel>(
          kind, kind == RelatedWeights::kIdf ? LabelInformation{} : information(), weighting_,
          *known.value, change);
    });
  }
}

/// What the tuning says of its terms, in the order of the mirror's. A term that no document holds
/// any more counts for nothing: a mirror made anew does not have it.
LabelInformation RelatedModels::told_information() const {
  const LabelInformation& told = *tuning_->information;
  LabelInformation information;
  look_up_all(tuning_->weights->terms(), mirror_.vocabulary, 0,
              [&](std::optional<std::uint32_t> number) {
                const bool counts = number && mirror_.df[information.voters.size()] > 0;
                information.divergence.push_back(counts ? told.divergence[*number] : 0);
                information.voters.push_back(counts ? told.voters[*number] : 0);
              });
  return information;
}

const LabelInformation& RelatedModels::information() const {
  return information_.get([this] {
    if (is_told()) return std::make_shared<const LabelInformation>(told_information());
    const LabelMatrix& labels = mirror_.labels;
    const LabelMatrix ordered = labels.is_in_byte_order() ? labels : labels.in_byte_order();
    const Csr postings = transpose(mirror_.counts);
    return std::make_shared<const LabelInformation>(label_information(
        {postings.view(), ordered.view(), mirror_.labeled}, ordered.names.size(), threads_));
  });
}

RelatedModel RelatedModels::of(RelatedWeights kind) const {
  if (kind == RelatedWeights::kSmart) return {weighting_, backend_};
  if (kind == RelatedWeights::kAuto)
    kind = is_told() ? RelatedWeights::kBoth : RelatedWeights::kIdf;
  const bool tells =
      kind != RelatedWeights::kIdf && mirror_.labels.order.size() > 1 && information().tells();
  if (!tells) kind = RelatedWeights::kIdf;
  const auto make = [&] {
    return std::make_shared<const OwnRelatedModel>(kind, tells ? information() : LabelInformation{},
                                                   mirror_, weighting_, backend_);
  };
  return models_[index_of(kind)].get(make).model();
}

std::size_t RelatedModels::bytes() const {
  std::size_t bytes = 0;
  if (information_.has()) bytes += information_.value->bytes();
  for (const auto& model : models_) bytes += model.has() ? model.value->bytes() : 0;
  return bytes;
}

}  // namespace kindred
