#include "plugin/classify/label_reach.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gpu/twins/factory.h"
#include "plugin/mirror/backend_options.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

constexpr std::size_t kUsefulShare = 8;
constexpr float kRounding = 1e-5F;  // far above the error of a similarity (docs/scoring.md)

// The other voters are cut into 64 slices by their rows; the parts have the slices up to these.
constexpr std::uint32_t kSlices = 64;
constexpr std::array<std::uint32_t, 3> kPartEnds = {1, 5, 21};

bool has_label(const Mirror& mirror, std::uint32_t row, std::uint32_t label) {
  const auto labels = mirror.labels.of(row);
  return std::binary_search(labels.begin(), labels.end(), label);
}

}  // namespace

bool LabelReach::is_useful(const Snapshot& snapshot, const RowSet& voters, std::uint32_t label) {
  if (snapshot.voting().backend().info().kind != "cpu") return false;
  std::size_t members = 0;
  voters.for_each(
      [&](std::uint32_t row) { members += has_label(snapshot.mirror(), row, label) ? 1 : 0; });
  return members * kUsefulShare <= voters.count();
}

LabelReach::LabelReach(const Snapshot& snapshot, const RowSet& voters, std::uint32_t label,
                       std::size_t k, const BackendSettings& settings)
    : snapshot_(snapshot), k_(k) {
  std::vector<std::uint32_t> members;
  std::array<std::vector<std::uint32_t>, kPartEnds.size()> parts;
  voters.for_each([&](std::uint32_t row) {
    if (has_label(snapshot.mirror(), row, label)) return members.push_back(row);
    const auto end = std::upper_bound(kPartEnds.begin(), kPartEnds.end(), row % kSlices);
    if (end != kPartEnds.end())
      parts[static_cast<std::size_t>(end - kPartEnds.begin())].push_back(row);
  });
  members_ = make_part(std::move(members), settings);
  for (auto& rows : parts) others_.push_back(make_part(std::move(rows), settings));
}

LabelReach::Part LabelReach::make_part(std::vector<std::uint32_t> rows,
                                       const BackendSettings& settings) const {
  const Mirror& mirror = snapshot_.mirror();
  Part part{std::move(rows), {}, nullptr};
  part.counts.columns = mirror.counts.columns();
  for (const std::uint32_t row : part.rows) {
    const RowCounts::Row own = mirror.counts[row];
    part.counts.column.insert(part.counts.column.end(), own.columns.begin(), own.columns.end());
    part.counts.count.insert(part.counts.count.end(), own.counts.begin(), own.counts.end());
    part.counts.row_begin.push_back(part.counts.column.size());
  }
  BackendOptions options = backend_options(settings, {});
  options.kind = "cpu";
  const VotingModel& model = snapshot_.voting();
  part.backend = make_backend(part.counts.view(), model.weighting(), options);
  if (model.weighting().divisor == RowDivisor::kOwnLength) return part;
  MirrorChange whole;
  whole.added.columns = part.counts.columns;
  whole.longest_of_all = model.backend().longest();
  part.backend = part.backend->refreshed(whole, model.weighting());
  return part;
}

/// Calls visit(i, neighbors) for each of the documents with its k nearest of the part, itself left
/// out, by similarity descending.
template <typename Visit>
void LabelReach::search(const Part& part, std::span<const Document> documents, std::size_t k,
                        Visit&& visit) const {
  if (part.rows.empty() || documents.empty()) return;
  Queries queries;
  for (const Document& document : documents) snapshot_.weigh_for_tags(document.row, queries);
  const std::vector<Neighbor> all = part.backend->nearest(queries, k + 1);
  std::vector<Neighbor> own;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    own.clear();
    for (const Neighbor& neighbor : std::span(all).subspan(i * (k + 1), k + 1)) {
      if (neighbor.row == Neighbor::kNoRow || own.size() == k) break;
      if (part.rows[neighbor.row] != documents[i].row) own.push_back(neighbor);
    }
    visit(i, std::span<const Neighbor>(own));
  }
}

std::vector<std::uint32_t> LabelReach::within_reach(std::span<const std::uint32_t> rows) const {
  std::vector<Document> documents;
  for (const std::uint32_t row : rows) documents.push_back({row, kRounding, 0});
  search(members_, documents, 1, [&](std::size_t i, std::span<const Neighbor> nearest) {
    if (!nearest.empty()) documents[i].bound += nearest.front().similarity;
  });
  for (const Part& part : others_) {
    search(part, documents, k_, [&](std::size_t i, std::span<const Neighbor> nearest) {
      for (const Neighbor& neighbor : nearest)
        if (neighbor.similarity > documents[i].bound) ++documents[i].nearer;
    });
    std::erase_if(documents, [&](const Document& document) { return document.nearer >= k_; });
  }
  std::vector<std::uint32_t> within;
  for (const Document& document : documents) within.push_back(document.row);
  return within;
}

}  // namespace kindred
