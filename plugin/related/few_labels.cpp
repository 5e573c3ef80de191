#include "plugin/related/few_labels.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>

#include "gpu/knn/vote.h"
#include "gpu/shared_terms.h"
#include "gpu/workers.h"
#include "plugin/related/feedback.h"
#include "plugin/votes/classes/learning_set.h"
#include "plugin/votes/neighbor_votes.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

constexpr double kLeastDensity = 0.05;
constexpr std::size_t kDenseVoters = 10;  // the nearest, by which density is measured
constexpr std::size_t kNear = 2 * kFeedbackNeighbors;
constexpr double kUnit = 0x1p-50;        // of sums of products, which are at most 1
constexpr double kLeastThreshold = 0.2;  // less is noise
constexpr double kMostThreshold = 0.35;  // few voters are sure of each other
constexpr std::size_t kSearchedAtOnce = 64;

std::int64_t in_units(double product) { return std::llrint(product / kUnit); }

double cosine(const SparseVector& a, const SparseVector& b) {
  std::int64_t sum = 0;
  for_each_shared_term(a.terms, b.terms, [&](std::size_t i, std::size_t j) {
    sum += in_units(a.weights[i] * b.weights[j]);
  });
  return static_cast<double>(sum) * kUnit;
}

/// Leaves out the document itself and its copies, which tell nothing that it does not say, and
/// keeps at most this many. Returns how many are left.
std::size_t leave_out_copies(std::span<Neighbor> neighbors, Xapian::docid own, std::size_t most) {
  constexpr float kCopy = 1 - 1e-6F;
  const auto is_copy = [](const Neighbor& neighbor) {
    return neighbor.similarity >= kCopy;
  };
  const std::size_t others = leave_out(neighbors, own, neighbors.size());
  const auto known = neighbors.first(others);
  const auto copies = std::remove_if(known.begin(), known.end(), is_copy);
  return std::min(static_cast<std::size_t>(copies - known.begin()), most);
}

Queries unit_vectors(const Snapshot& snapshot, const std::vector<Xapian::docid>& docids) {
  Queries vectors;
  for (const Xapian::docid docid : docids)
    snapshot.weigh_document(docid, *snapshot.by_lift().weighting, vectors);
  return vectors;
}

/// All of few voters, or those with the least hashes.
std::vector<Xapian::docid> heard_of(const DocumentSet& voters) {
  std::vector<Xapian::docid> docids = voters.numbers();
  if (docids.size() <= FewLabels::kMostVoters) return docids;

  const LearningSet set = learning_set(docids.back(), docids.size(), FewLabels::kMostVoters);
  std::erase_if(docids, [&](Xapian::docid docid) {
    return !set.has(docid);
  });
  return docids;
}

}  // namespace

double certainty_of(std::size_t heard) {
  const auto voters = static_cast<double>(heard);
  return voters / (voters + 1);
}

FewLabels::FewLabels(const Snapshot& snapshot, const DocumentSet& voters)
    : snapshot_(snapshot), voters_(heard_of(voters)) {
  const Queries vectors = unit_vectors(snapshot, voters_);
  find_near(vectors);
  move_voters(vectors);
  measure_density();
  find_threshold();
}

FewLabels FewLabels::apart_from(std::vector<Xapian::docid> unknown) const {
  FewLabels apart = *this;
  apart.unknown_ = std::move(unknown);
  apart.move_voters(unit_vectors(snapshot_, voters_));
  return apart;
}

/// False for what is kept apart, and for the document of a text.
bool FewLabels::is_known(Xapian::docid docid, Xapian::docid without) const {
  return docid != without && !std::ranges::binary_search(unknown_, docid);
}

void FewLabels::find_near(const Queries& vectors) {
  constexpr std::size_t kOwnAndNear = kNear + 1;
  std::vector<Neighbor> found(voters_.size() * kOwnAndNear);
  snapshot_.by_lift().backend->nearest(vectors.view(), kOwnAndNear, nullptr, found);
  for (std::size_t v = 0; v < voters_.size(); ++v) {
    const auto own = std::span(found).subspan(v * kOwnAndNear, kOwnAndNear);
    const std::size_t kept = leave_out_copies(own, voters_[v], kNear);
    std::fill(own.begin() + static_cast<std::ptrdiff_t>(kept), own.end(), Neighbor{});
    near_.insert(near_.end(), own.begin(), own.end() - 1);
  }
}

/// Moves each voter toward its nearest, as it is: a text that comes may share a term with it that
/// no other document has.
void FewLabels::move_voters(const Queries& vectors) {
  rows_ = {};
  moves_.clear();
  for (std::uint32_t v = 0; v < voters_.size(); ++v) {
    add_moved_voter(v, {vectors.terms(v), vectors.weights(v)}, kNoDocument, rows_);
    for (const Neighbor& neighbor : near(v)) moves_.emplace_back(neighbor.number, v);
  }
  std::ranges::sort(moves_);
  index_rows();
}

/// The documents that are most like a voter, nearest first.
std::span<const Neighbor> FewLabels::near(std::size_t voter) const {
  const auto all = std::span(near_).subspan(voter * kNear, kNear);
  const auto end = std::ranges::find(all, kNoDocument, &Neighbor::number);
  return all.first(static_cast<std::size_t>(end - all.begin()));
}

/// Appends the vector of a voter after it has moved toward the nearest that are known.
void FewLabels::add_moved_voter(std::size_t voter, const SparseVector& vector,
                                Xapian::docid without, Queries& moved) const {
  std::vector<Neighbor> nearest;
  for (const Neighbor& neighbor : near(voter))
    if (nearest.size() < kFeedbackNeighbors && is_known(neighbor.number, without))
      nearest.push_back(neighbor);
  add_moved(snapshot_, *snapshot_.by_lift().weighting, vector, nearest, moved);
}

Queries FewLabels::moved(const QueryView& texts, std::span<const Xapian::docid> own) const {
  constexpr std::size_t kOwnAndNearest = kFeedbackNeighbors + 1;
  const View& view = snapshot_.by_lift();
  std::vector<Neighbor> found(texts.rows * kOwnAndNearest);
  view.backend->nearest(texts, kOwnAndNearest, nullptr, found);

  // Each thread moves some of them, which are put together in their order.
  std::vector<Queries> chunks(number_of_chunks(texts.rows, kSearchedAtOnce));
  const auto move_chunk = [&](std::size_t begin, std::size_t end) {
    for (std::size_t q = begin; q < end; ++q) {
      const auto neighbors = std::span(found).subspan(q * kOwnAndNearest, kOwnAndNearest);
      const std::size_t kept = leave_out_copies(neighbors, own[q], kFeedbackNeighbors);

      const std::uint64_t first = texts.row_begin[q];
      const std::size_t size = texts.row_begin[q + 1] - first;
      const SparseVector text{{texts.term + first, size}, {texts.weight + first, size}};
      add_moved(snapshot_, *view.weighting, text, neighbors.first(kept),
                chunks[begin / kSearchedAtOnce]);
    }
  };
  for_each_chunk(texts.rows, kSearchedAtOnce, snapshot_.voting().threads(), move_chunk);

  Queries moved;
  for (const Queries& chunk : chunks) moved.append(chunk);
  return moved;
}

void FewLabels::index_rows() {
  std::vector<std::tuple<std::uint32_t, std::uint32_t, double>> entries;
  for (std::uint32_t v = 0; v < voters_.size(); ++v)
    for (std::size_t i = 0; i < rows_.terms(v).size(); ++i)
      entries.emplace_back(rows_.terms(v)[i], v, rows_.weights(v)[i]);
  std::ranges::sort(entries);

  terms_.clear();
  begin_.clear();
  voter_.clear();
  weight_.clear();
  for (const auto& [term, voter, weight] : entries) {
    if (terms_.empty() || terms_.back() != term) {
      terms_.push_back(term);
      begin_.push_back(voter_.size());
    }
    voter_.push_back(voter);
    weight_.push_back(weight);
  }
  begin_.push_back(voter_.size());
}

/// Of each voter with a text that has moved.
std::vector<double> FewLabels::similarities(const SparseVector& moved) const {
  std::vector<std::int64_t> sums(voters_.size());
  auto from = terms_.begin();
  for (std::size_t i = 0; i < moved.terms.size(); ++i) {
    from = std::lower_bound(from, terms_.end(), moved.terms[i]);
    if (from == terms_.end()) break;
    if (*from != moved.terms[i]) continue;

    const auto term = static_cast<std::size_t>(from - terms_.begin());
    for (std::size_t e = begin_[term]; e < begin_[term + 1]; ++e)
      sums[voter_[e]] += in_units(moved.weights[i] * weight_[e]);
  }

  std::vector<double> similarities;
  similarities.reserve(sums.size());
  for (const std::int64_t sum : sums) similarities.push_back(static_cast<double>(sum) * kUnit);
  return similarities;
}

void FewLabels::measure_density() {
  density_.resize(voters_.size());
  for_each_item(voters_.size(), snapshot_.voting().threads(), [&](std::size_t v) {
    std::vector<double> to = similarities({rows_.terms(v), rows_.weights(v)});
    to[v] = 0;
    const std::size_t most = std::min(kDenseVoters, to.size());
    std::ranges::partial_sort(to, to.begin() + static_cast<std::ptrdiff_t>(most), std::greater());

    double sum = 0;
    for (std::size_t i = 0; i < most; ++i) sum += to[i];
    density_[v] = sum / kDenseVoters + kLeastDensity;
  });
}

/// Voters that have moved toward the voter that the text is of are compared as if they had not.
void FewLabels::forget(const SparseVector& moved, Xapian::docid without,
                       std::vector<double>& similarities) const {
  constexpr auto kDocument = &std::pair<Xapian::docid, std::uint32_t>::first;
  auto affected = std::ranges::lower_bound(moves_, without, {}, kDocument);
  for (; affected != moves_.end() && affected->first == without; ++affected) {
    const std::uint32_t voter = affected->second;
    Queries vector;
    snapshot_.weigh_document(voters_[voter], *snapshot_.by_lift().weighting, vector);
    Queries row;
    add_moved_voter(voter, {vector.terms(0), vector.weights(0)}, without, row);
    similarities[voter] = cosine(moved, {row.terms(0), row.weights(0)});
  }
}

std::vector<Neighbor> FewLabels::nearest(const SparseVector& moved, const Hearing& hearing) const {
  std::vector<double> to = similarities(moved);
  if (std::ranges::binary_search(voters_, hearing.without)) forget(moved, hearing.without, to);

  std::vector<Neighbor> heard;
  for (std::size_t v = 0; v < voters_.size(); ++v) {
    const bool is_heard = is_known(voters_[v], hearing.without) &&
                          (hearing.among == nullptr || hearing.among->has(voters_[v]));
    if (!is_heard || !(to[v] > 0) || to[v] < hearing.min_similarity) continue;
    heard.push_back({voters_[v], static_cast<float>(to[v] / density_[v])});
  }

  std::ranges::sort(heard, [](const Neighbor& a, const Neighbor& b) {
    if (a.similarity != b.similarity) return a.similarity > b.similarity;
    return a.number < b.number;
  });
  if (heard.size() <= hearing.k) return heard;

  // Of equal ones, none is left out by its number.
  std::size_t end = hearing.k;
  while (end < heard.size() && heard[end].similarity == heard[hearing.k - 1].similarity) ++end;
  heard.resize(end);
  return heard;
}

std::vector<Neighbor> FewLabels::nearest(Xapian::docid voter, Hearing hearing) const {
  const auto at = std::ranges::lower_bound(voters_, voter);
  if (at == voters_.end() || *at != voter) return {};
  hearing.without = voter;

  // As a text it does not bring a term that no other document has.
  Queries text;
  snapshot_.weigh_left_out(voter, *snapshot_.by_lift().weighting, text);
  Queries moved;
  add_moved_voter(static_cast<std::size_t>(at - voters_.begin()), {text.terms(0), text.weights(0)},
                  voter, moved);
  return nearest({moved.terms(0), moved.weights(0)}, hearing);
}

void FewLabels::find_threshold() {
  const SegmentList& mirror = *snapshot_.mirror().list;
  NeighborVotes votes(snapshot_.mirror().labels.names.size());
  std::vector<double> confidences;
  std::size_t given = 0;
  single_label_ = true;
  for (const Xapian::docid docid : voters_) {
    const std::size_t labels = mirror.labels_of_neighbor(docid).size();
    given += labels;
    if (labels != 1) single_label_ = false;

    const std::vector<Neighbor> heard = nearest(docid, {});
    votes.count(heard, mirror, kFewPower);
    for (const std::uint32_t label : votes.labels())
      confidences.push_back(votes.share(label) * certainty_of(heard.size()));
  }
  if (single_label_) return;

  // Halfway between the last that is given and the first that is not.
  std::ranges::sort(confidences, std::greater());
  if (given < confidences.size()) threshold_ = (confidences[given - 1] + confidences[given]) / 2;
  threshold_ = std::clamp(threshold_, kLeastThreshold, kMostThreshold);
}

std::size_t FewLabels::bytes() const {
  const std::size_t entries = voter_.size();
  return voters_.size() * (sizeof(Xapian::docid) + sizeof(double)) +
         near_.size() * sizeof(near_[0]) + moves_.size() * sizeof(moves_[0]) +
         entries * 2 * (sizeof(std::uint32_t) + sizeof(double)) +
         terms_.size() * (sizeof(std::uint32_t) + sizeof(std::size_t));
}

}  // namespace kindred
