#include "plugin/snapshot/snapshot.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/smart_weighting.h"
#include "gpu/twins/factory.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

std::shared_ptr<const Backend> first_backend(const Mirror& mirror, const TermWeighting& weighting,
                                             const BackendSettings& settings, Log log) {
  return make_backend(mirror.counts.list(), weighting, backend_options(settings, std::move(log)));
}

}  // namespace

Snapshot::Snapshot(Mirror mirror, const Settings& settings, Log log,
                   std::shared_ptr<const Tuning> tuning, const RowSet* matching,
                   const Snapshot* before)
    : mirror_(std::make_shared<const Mirror>(std::move(mirror))) {
  const auto threads = number_of_threads(static_cast<std::size_t>(settings.backend.threads));
  const bool is_same = before != nullptr && has_same_documents(*mirror_, *before->mirror_);
  if (is_same) {
    weighting_ = before->weighting_;
    backend_ = before->backend_;
  } else {
    weighting_ =
        std::make_shared<const TermWeighting>(weighting_tables(*mirror_, settings.weighting.smart));
  }
  std::optional<VotingModel::Parts> voting;
  if (before == nullptr) {
    backend_ = first_backend(*mirror_, *weighting_, settings.backend, std::move(log));
  } else {
    for_each_task(2, 2, threads, [&](std::size_t task) {  // neither needs the other
      if (task == 0)
        voting = before->voting_->follow(*mirror_, tuning, matching);
      else if (!is_same)
        backend_ = reweighted(*before->backend_, *mirror_, *weighting_);
    });
  }
  set_ranking(settings.weighting.smart, is_same ? before : nullptr);
  voting_ =
      std::make_unique<const VotingModel>(*mirror_, *ranking_weighting_, *ranking_backend_,
                                          std::move(tuning), matching, threads, std::move(voting));
  by_idf_ = std::make_unique<IdfView>(*mirror_, View{*ranking_weighting_, *ranking_backend_});
  if (before != nullptr && !relates_by_tuning()) by_idf_->follow(*before->by_idf_);
}

/// `same`: a snapshot of the same documents, or null.
void Snapshot::set_ranking(const std::string& letters, const Snapshot* same) {
  if (same != nullptr) {
    ranking_weighting_ = same->ranking_weighting_;
    ranking_backend_ = same->ranking_backend_;
    return;
  }
  ranking_weighting_ = weighting_;
  ranking_backend_ = backend_;
  if (SmartWeighting(letters).is_cosine()) return;
  auto dot_product = std::make_shared<TermWeighting>(*weighting_);
  dot_product->divisor = RowDivisor::kLongest;
  ranking_weighting_ = std::move(dot_product);
  ranking_backend_ = reweighted(*backend_, *mirror_, *ranking_weighting_);
}

bool Snapshot::relates_by_tuning() const {
  return voting_->tuning() != nullptr && ranking_backend_ == backend_;  // by the cosine
}

View Snapshot::related() const { return relates_by_tuning() ? voting_->view() : by_idf_->get(); }

void Snapshot::weigh(const TermBag& features, const TermWeighting& weighting,
                     Queries& queries) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> known;
  known.reserve(features.size());
  for (const TermCount& feature : features) {
    if (const auto term = mirror_->column_of(feature.term)) {
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

void Snapshot::weigh_row(std::uint32_t row, const TermWeighting& weighting,
                         Queries& queries) const {
  const RowCounts::Row stored = mirror_->counts[row];
  const std::vector<std::uint32_t> counts(stored.counts.begin(), stored.counts.end());
  queries.add_counts(stored.columns, counts, weighting);
}

void Snapshot::weigh_left_out(std::uint32_t row, const TermWeighting& weighting,
                              Queries& queries) const {
  const RowCounts::Row stored = mirror_->counts[row];
  std::vector<std::uint32_t> terms, counts;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (mirror_->df[stored.columns[i]] < 2) continue;
    terms.push_back(stored.columns[i]);
    counts.push_back(stored.counts[i]);
  }
  queries.add_counts(terms, counts, weighting);
}

void Snapshot::weigh_for_tags(std::uint32_t row, Queries& queries) const {
  if (voting_->tuning() != nullptr) return weigh_left_out(row, voting_->weighting(), queries);
  weigh_row(row, voting_->weighting(), queries);
}

std::size_t Snapshot::bytes() const {
  std::size_t bytes = mirror_->bytes() + bytes_of({*weighting_, *backend_}) + voting_->bytes() +
                      by_idf_->bytes() + filters_->bytes();
  if (ranking_backend_ != backend_) bytes += bytes_of({*ranking_weighting_, *ranking_backend_});
  return bytes;
}

}  // namespace kindred
