#include "plugin/snapshot/snapshot.h"

#include <algorithm>
#include <utility>

#include "analyzer/smart_weighting.h"
#include "gpu/twins/factory.h"
#include "gpu/workers.h"
#include "plugin/votes/frozen_weights.h"

namespace kindred {
namespace {

/// True if the filter of a tuning leaves voters. `matching`: its documents; null: all.
bool leaves_voters(const Mirror& mirror, const DocumentSet* matching) {
  if (matching == nullptr) return true;
  DocumentSet voters = mirror.labeled;
  voters &= *matching;
  return voters.count() >= kFewestVoters;
}

}  // namespace

Snapshot::Snapshot(Mirror mirror, const Settings& settings, Log log, Learned learned,
                   const Snapshot* before)
    : mirror_(std::move(mirror)),
      unused_tuning_(std::move(learned.unused)),
      lift_(std::move(learned.lift)),
      vocabulary_(std::move(learned.vocabulary)) {
  std::shared_ptr<const Tuning> tuning = std::move(learned.tuning);
  const DocumentSet* const matching = learned.matching;
  if (tuning && !leaves_voters(mirror_, matching)) {
    unused_tuning_ = {why_unused(*tuning), tuning->stamp};
    tuning = nullptr;
  }

  // The same documents have the same tables, and under the same tuning the model follows from the
  // one before.
  const auto threads = number_of_threads(static_cast<std::size_t>(settings.backend.threads));
  const bool is_same = before != nullptr && has_same_documents(mirror_, before->mirror_);
  const bool is_tuned_alike = before != nullptr && tuning && before->voting().tuning() == tuning;

  // Each of the two goes over the whole mirror, so they are made side by side.
  for_each_task(2, 2, threads, [&](std::size_t task) {  // neither needs the other
    if (task == 0) {
      plain_ = is_same ? before->plain_ : plain_view(settings, std::move(log), before);
    } else if (is_tuned_alike) {
      voting_.emplace(mirror_, before->voting(), matching);
    }
  });

  // A model that is made from nothing needs the plain view, so it has to wait for it.
  if (!voting_) {
    const View base = tuning ? plain_ : by_all_letters(settings);
    voting_.emplace(mirror_, base, std::move(tuning), matching, threads);
  }

  if (before != nullptr && before->lift_ == lift_) {
    const View* const known = before->lift_view_.get_if_made();
    if (known != nullptr) lift_view_before_ = *known;
  }
}

View Snapshot::plain_view(const Settings& settings, Log log, const Snapshot* before) const {
  auto weighting =
      std::make_shared<const TermWeighting>(weighting_tables(mirror_, settings.weighting.smart));

  // What the backend of the snapshot before has made of segments is shared with the new one.
  if (before != nullptr) return reweighted(before->backend(), mirror_, std::move(weighting));

  auto backend =
      make_backend(mirror_.list, *weighting, backend_options(settings.backend, std::move(log)));
  return {std::move(weighting), std::move(backend)};
}

/// With the letter c, the plain view.
View Snapshot::by_all_letters(const Settings& settings) const {
  if (SmartWeighting(settings.weighting.smart).is_cosine()) return plain_;

  // Rows that are all divided by the same number are in the order of the dot product.
  auto dot_product = std::make_shared<TermWeighting>(weighting());
  dot_product->divisor = RowDivisor::kLongest;
  return reweighted(backend(), mirror_, std::move(dot_product));
}

const View& Snapshot::related() const {
  if (voting_->tuning() != nullptr || lift_ == nullptr) return voting_->view();
  return by_lift();
}

const View& Snapshot::by_lift() const {
  if (lift_ == nullptr) return plain_;
  return lift_view_.get([this] {
    return lift_view();
  });
}

View Snapshot::lift_view() const {
  // Terms keep their numbers in a mirror that follows, so only new ones are looked up.
  auto learned = std::make_shared<TermWeighting>(lift_view_before_ ? *lift_view_before_->weighting
                                                                   : weighting());
  if (!lift_view_before_) learned->idf.clear();
  lift_->weights->extend(mirror_.dictionary, learned->idf);

  const Backend& known = lift_view_before_ ? *lift_view_before_->backend : backend();
  return reweighted(known, mirror_, std::move(learned));
}

void Snapshot::weigh(const TermBag& features, const TermWeighting& weighting,
                     Queries& queries) const {
  // A bag is in the order of its words, and terms of a query ascend by their columns.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> known;
  known.reserve(features.size());
  for (const TermCount& feature : features) {
    if (const auto term = mirror_.column_of(feature.term)) {
      known.emplace_back(*term, feature.count);
    }
  }
  std::sort(known.begin(), known.end());

  std::vector<std::uint32_t> terms;
  std::vector<std::uint32_t> counts;
  for (const auto& [term, count] : known) {
    terms.push_back(term);
    counts.push_back(count);
  }

  queries.add_counts(terms, counts, weighting);
}

void Snapshot::weigh_document(Xapian::docid docid, const TermWeighting& weighting,
                              Queries& queries) const {
  const RowEntries stored = mirror_.terms_of(docid);
  const std::vector<std::uint32_t> counts(stored.counts.begin(), stored.counts.end());
  queries.add_counts(stored.columns, counts, weighting);
}

void Snapshot::weigh_left_out(Xapian::docid docid, const TermWeighting& weighting,
                              Queries& queries) const {
  const RowEntries stored = mirror_.terms_of(docid);

  std::vector<std::uint32_t> terms;
  std::vector<std::uint32_t> counts;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    // Its only document is this one.
    if (mirror_.df[stored.columns[i]] < 2) continue;
    terms.push_back(stored.columns[i]);
    counts.push_back(stored.counts[i]);
  }
  queries.add_counts(terms, counts, weighting);
}

void Snapshot::weigh_for_tags(Xapian::docid docid, const TermWeighting& weighting,
                              Queries& queries) const {
  if (voting_->tuning() != nullptr) return weigh_left_out(docid, weighting, queries);
  weigh_document(docid, weighting, queries);
}

std::size_t Snapshot::bytes() const {
  std::size_t bytes =
      mirror_.bytes() + bytes_of(plain_) + voting_->bytes() + filters_.bytes() + words_.bytes();
  // The view by which tags are given may be the plain one, which counts once.
  if (voting_->view().backend != plain_.backend) bytes += bytes_of(voting_->view());
  if (const View* const learned = lift_view_.get_if_made()) bytes += bytes_of(*learned);
  if (vocabulary_) bytes += vocabulary_->bytes();
  return bytes;
}

}  // namespace kindred
