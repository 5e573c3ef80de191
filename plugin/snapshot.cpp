#include "plugin/snapshot.h"

#include <algorithm>
#include <utility>

#include "analyzer/weighting.h"

namespace kindred {
namespace {

TermWeighting term_weighting(const Mirror& mirror, const std::string& letters) {
  const SmartWeighting smart(letters);
  TermWeighting weighting;
  weighting.tf.resize(kMaxCount + 1);
  for (std::uint32_t count = 0; count <= kMaxCount; ++count) weighting.tf[count] = smart.tf(count);
  weighting.idf.reserve(mirror.df.size());
  for (const std::uint32_t df : mirror.df) {
    weighting.idf.push_back(smart.idf(mirror.docids.size(), df));
  }
  return weighting;
}

}  // namespace

Snapshot::Snapshot(Mirror mirror, const Settings& settings)
    : mirror_(std::move(mirror)),
      weighting_(term_weighting(mirror_, settings.weighting.smart)),
      backend_(make_backend(
          mirror_.counts.view(), weighting_,
          {settings.backend.kind, static_cast<std::size_t>(settings.backend.threads)})) {}

void Snapshot::weigh(const TermBag& features, Queries& queries) const {
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
  queries.add_counts(terms, counts, weighting_);
}

void Snapshot::weigh_row(std::uint32_t row, Queries& queries) const {
  const std::uint64_t begin = mirror_.counts.row_begin[row];
  const std::uint64_t size = mirror_.counts.row_begin[row + 1] - begin;
  const auto first = mirror_.counts.count.begin() + static_cast<std::ptrdiff_t>(begin);
  const std::vector<std::uint32_t> counts(first, first + static_cast<std::ptrdiff_t>(size));
  queries.add_counts({mirror_.counts.column.data() + begin, size}, counts, weighting_);
}

std::size_t Snapshot::bytes() const {
  return mirror_.bytes() + (weighting_.idf.size() + weighting_.tf.size()) * sizeof(double) +
         backend_->bytes();
}

}  // namespace kindred
