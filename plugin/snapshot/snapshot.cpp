#include "plugin/snapshot/snapshot.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "gpu/knn/coalescing_backend.h"
#include "gpu/twins/factory.h"
#include "gpu/workers.h"
#include "plugin/mirror/backend_options.h"
#include "plugin/mirror/weighting_tables.h"

namespace kindred {
namespace {

/// A device answers many queries in hardly more time than one, so single ones are put together.
std::unique_ptr<const Backend> coalesced(std::unique_ptr<const Backend> backend, CsrView mirror,
                                         const BackendSettings& settings) {
  if (backend->info().kind != "cuda") return backend;
  return coalesce(std::move(backend), {mirror.rows, mirror.columns},
                  std::chrono::microseconds(settings.coalesce_us));
}

}  // namespace

Snapshot::Snapshot(Mirror mirror, const Settings& settings, Log log, std::optional<Tuning> tuning,
                   const RowSet* matching)
    : mirror_(std::move(mirror)),
      weighting_(weighting_tables(mirror_, settings.weighting.smart)),
      backend_(coalesced(
          make_backend(mirror_.counts.view(), weighting_,
                       backend_options(settings.backend, std::move(log)), mirror_.labels.view()),
          mirror_.counts.view(), settings.backend)),
      voting_(std::make_unique<const VotingModel>(
          mirror_, weighting_, *backend_, std::move(tuning), matching,
          number_of_threads(static_cast<std::size_t>(settings.backend.threads)))) {}

void Snapshot::weigh(const TermBag& features, const TermWeighting& weighting,
                     Queries& queries) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> known;
  known.reserve(features.size());
  for (const TermCount& feature : features) {
    if (const auto term = mirror_.vocabulary.find(feature.term)) {
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
  const std::uint64_t begin = mirror_.counts.row_begin[row];
  const std::uint64_t size = mirror_.counts.row_begin[row + 1] - begin;
  const auto first = mirror_.counts.count.begin() + static_cast<std::ptrdiff_t>(begin);
  const std::vector<std::uint32_t> counts(first, first + static_cast<std::ptrdiff_t>(size));
  queries.add_counts({mirror_.counts.column.data() + begin, size}, counts, weighting);
}

void Snapshot::weigh_left_out(std::uint32_t row, const TermWeighting& weighting,
                              Queries& queries) const {
  std::vector<std::uint32_t> terms, counts;
  for (std::uint64_t i = mirror_.counts.row_begin[row]; i < mirror_.counts.row_begin[row + 1];
       ++i) {
    if (mirror_.df[mirror_.counts.column[i]] < 2) continue;
    terms.push_back(mirror_.counts.column[i]);
    counts.push_back(mirror_.counts.count[i]);
  }
  queries.add_counts(terms, counts, weighting);
}

void Snapshot::weigh_for_tags(std::uint32_t row, Queries& queries) const {
  if (voting_->tuning() != nullptr) return weigh_left_out(row, voting_->weighting(), queries);
  weigh_row(row, voting_->weighting(), queries);
}

std::size_t Snapshot::bytes() const {
  return mirror_.bytes() + (weighting_.idf.capacity() + weighting_.tf.capacity()) * sizeof(double) +
         main_memory_of(*backend_) + voting_->bytes();
}

}  // namespace kindred
