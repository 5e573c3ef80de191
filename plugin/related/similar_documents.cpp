#include "plugin/related/similar_documents.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <compare>
#include <numeric>

#include "gpu/scoring.h"
#include "gpu/workers.h"
#include "plugin/related/exact_similarity.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {
namespace {

/// Far more than similarities and lengths are off by rounding (docs/scoring.md).
constexpr double kHeadMargin = 1e-5;

/// A step through two rows that are compared takes as long as so many multiply-adds of a search.
constexpr double kStepOnProcessors = 8;
constexpr double kStepOnDevice = 400;

/// Calls work(i) for each i below `count`, by all threads.
template <typename Work>
void for_each_document(const Snapshot& snapshot, std::size_t count, const Pulse& pulse,
                       const Work& work) {
  constexpr std::size_t kAtOnce = 4096;
  const auto work_on = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      work(i);
    }
    pulse();
  };
  for_each_chunk(count, kAtOnce, snapshot.voting().threads(), work_on);
}

/// The terms of a document's head, ascending.
std::vector<std::uint32_t> head_of(const Snapshot& snapshot, Xapian::docid docid,
                                   double threshold) {
  const Mirror& mirror = snapshot.mirror();
  const TermWeighting& weighting = snapshot.weighting();
  const RowEntries stored = mirror.terms_of(docid);
  struct Part {
    std::uint32_t df;
    std::uint32_t term;
    double square;
  };

  std::vector<Part> parts;
  double rest = 0;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::uint32_t term = stored.columns[i];
    const double weight = weighting.tf[stored.counts[i]] * weighting.idf[term];
    if (!(weight > 0)) continue;
    parts.push_back({mirror.df[term], term, weight * weight});
    rest += weight * weight;
  }

  // The rarest terms first: the fewer documents share the head, the fewer have to be compared.
  const auto by_df = [](const Part& part) {
    return std::pair(part.df, part.term);
  };
  std::ranges::sort(parts, {}, by_df);

  // A document that shares no term of the head is at most as similar as the rest of this one is
  // long (Cauchy and Schwarz). The head is as short as that allows.
  const double least = std::max(0.0, threshold - kHeadMargin);
  const double allowed = least * least * rest;  // of the squares behind the head

  std::vector<std::uint32_t> head;
  for (const Part& part : parts) {
    if (rest < allowed) break;
    head.push_back(part.term);
    rest -= part.square;
  }

  std::ranges::sort(head);
  return head;
}

std::span<const std::uint32_t> columns_of(const Csr& matrix, std::size_t row) {
  const std::uint64_t begin = matrix.row_begin[row];
  return std::span(matrix.column).subspan(begin, matrix.row_begin[row + 1] - begin);
}

/// An order of all possible rows.
std::strong_ordering compare(const RowEntries& a, const RowEntries& b) {
  const auto by = [](const auto& mine, const auto& other) {
    return std::lexicographical_compare_three_way(mine.begin(), mine.end(), other.begin(),
                                                  other.end());
  };
  const auto by_columns = by(a.columns, b.columns);
  if (std::is_neq(by_columns)) return by_columns;
  return by(a.counts, b.counts);
}

}  // namespace

SimilarDocuments::SimilarDocuments(const Snapshot& snapshot, std::span<const Xapian::docid> docids,
                                   double threshold, Pulse pulse)
    : snapshot_(snapshot), docids_(docids), threshold_(threshold), pulse_(std::move(pulse)) {
  measure();
  find_heads();
}

/// Lengths, and from them the scale and the reciprocals.
void SimilarDocuments::measure() {
  // The lengths of all documents, in the array that later has their reciprocals.
  const SegmentList& mirror = *snapshot_.mirror().list;
  const TermWeighting& weighting = snapshot_.weighting();

  reciprocal_.resize(mirror.places());
  for_each_document(snapshot_, reciprocal_.size(), pulse_, [&](std::size_t place) {
    const RowEntries stored = mirror[static_cast<std::uint32_t>(place)];
    reciprocal_[place] = euclidean_length(stored.size(), [&](std::size_t i) {
      return weighting.tf[stored.counts[i]] * weighting.idf[stored.columns[i]];
    });
  });

  // Scale and rounding as the backends have them, or the last bits would differ from theirs.
  const auto longest = std::max_element(reciprocal_.begin(), reciprocal_.end());
  longest_ = longest != reciprocal_.end() ? *longest : 0;
  const double unit = std::ldexp(1.0, -scale_exponent(longest_));

  for (double& length : reciprocal_) length = reciprocal_length(length, unit);
}

void SimilarDocuments::find_heads() {
  std::vector<std::vector<std::uint32_t>> heads(docids_.size());
  for_each_document(snapshot_, docids_.size(), pulse_, [&](std::size_t i) {
    heads[i] = head_of(snapshot_, docids_[i], threshold_);
  });

  // As a matrix of heads by documents, and turned over: the documents that have a term in their
  // head.
  heads_.columns = static_cast<std::uint32_t>(snapshot_.mirror().df.size());
  for (const auto& head : heads) {
    heads_.column.insert(heads_.column.end(), head.begin(), head.end());
    heads_.row_begin.push_back(heads_.column.size());
  }

  heads_.count.assign(heads_.column.size(), 1);
  lists_ = transpose(heads_.view());
}

std::uint64_t SimilarDocuments::most_compared(std::size_t i) const {
  std::uint64_t most = 0;

  // An upper bound: a document that shares two terms counts twice.
  for (const std::uint32_t term : columns_of(heads_, i)) most += columns_of(lists_, term).size();
  return most;
}

std::vector<Neighbor> SimilarDocuments::of(std::size_t i) const {
  // Two documents as similar as the threshold share a term of their heads, so only those that do
  // are compared.
  std::vector<std::uint32_t> sharing;  // indexes in docids_
  sharing.reserve(most_compared(i));

  for (const std::uint32_t term : columns_of(heads_, i)) {
    const auto list = columns_of(lists_, term);
    sharing.insert(sharing.end(), list.begin(), list.end());
  }

  std::sort(sharing.begin(), sharing.end());
  sharing.erase(std::unique(sharing.begin(), sharing.end()), sharing.end());

  const TermWeighting& weighting = snapshot_.weighting();
  Queries query;
  snapshot_.weigh_document(docids_[i], weighting, query);
  const ExactSimilarity similarity(query.terms(0), query.weights(0), weighting, longest_);

  const SegmentList& mirror = *snapshot_.mirror().list;
  std::vector<Neighbor> neighbors;
  for (const std::uint32_t index : sharing) {
    const std::uint32_t place = mirror.place_of(docids_[index]);
    const float found = similarity.to(mirror[place], reciprocal_[place]);
    if (found > 0 && found >= threshold_) neighbors.push_back({docids_[index], found});
  }

  return neighbors;
}

/// A search adds up, for each term of its query, all rows that have it.
bool shared_terms_are_quicker(const Snapshot& snapshot, std::span<const Xapian::docid> docids,
                              double threshold, const Pulse& pulse) {
  // What a pass over the heads compares: for each term, all pairs of documents that have it in
  // their heads.
  const Mirror& mirror = snapshot.mirror();
  std::vector<std::atomic<std::uint32_t>> listed(mirror.df.size());  // that have a term in the head
  for_each_document(snapshot, docids.size(), pulse, [&](std::size_t i) {
    for (const std::uint32_t term : head_of(snapshot, docids[i], threshold))
      listed[term].fetch_add(1, std::memory_order_relaxed);
  });

  double compared = 0;
  double added_up = 0;
  for (std::size_t term = 0; term < listed.size(); ++term) {
    compared += std::pow(static_cast<double>(listed[term]), 2);
    added_up += std::pow(static_cast<double>(mirror.df[term]), 2);
  }

  // A comparison steps through both rows. A search adds up an entry for each term of the query and
  // each document that has it, for each of the documents.
  const double all = std::max(1.0, static_cast<double>(mirror.documents()));
  const double steps = 2 * static_cast<double>(mirror.nonzeros()) / all;
  const bool on_device = snapshot.backend().info().kind == "cuda";
  const double step = on_device ? kStepOnDevice : kStepOnProcessors;
  return compared * steps * step < added_up * static_cast<double>(docids.size()) / all;
}

void visit_neighbors(const Snapshot& snapshot, std::span<const Xapian::docid> docids,
                     const DocumentSet& among, std::size_t most, const VisitNeighbors& visit,
                     const Pulse& pulse) {
  constexpr std::size_t kFirst = 8;
  constexpr std::size_t kMostHeld = 1U << 20;
  constexpr std::size_t kFirstPortion = 64;

  // Most documents have few neighbors that matter. So all begin with short lists, and those that
  // want more get lists twice as long.
  std::vector<std::size_t> left(docids.size());
  std::iota(left.begin(), left.end(), std::size_t{0});

  for (std::size_t k = kFirst; !left.empty(); k *= 2) {
    const std::size_t count = std::min(k, most);
    const std::size_t at_once = std::max<std::size_t>(1, kMostHeld / count);

    std::vector<std::size_t> unfinished;
    const auto visit_part = [&](std::span<const std::size_t> part) {
      Queries queries;
      for (const std::size_t i : part)
        snapshot.weigh_document(docids[i], snapshot.weighting(), queries);
      const std::vector<Neighbor> found = snapshot.backend().nearest(queries, count, &among);

      for (std::size_t q = 0; q < part.size(); ++q) {
        const bool is_done = visit(part[q], std::span(found).subspan(q * count, count));
        if (!is_done && count < most) unfinished.push_back(part[q]);
      }
    };

    // No more lists at a time than the memory is to hold.
    for (std::size_t begin = 0; begin < left.size(); begin += at_once) {
      const auto part = std::span(left).subspan(begin, std::min(at_once, left.size() - begin));
      in_portions(part.size(), kFirstPortion, pulse, [&](std::size_t first, std::size_t end) {
        visit_part(part.subspan(first, end - first));
      });
    }

    left = std::move(unfinished);
  }
}

std::vector<std::uint32_t> first_equal_rows(const SegmentList& mirror,
                                            std::span<const Xapian::docid> docids,
                                            const DocumentSet* among, const Pulse& pulse) {
  // Documents without terms are like none, not even like each other.
  std::vector<RowEntries> entries(docids.size());
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < docids.size(); ++row) {
    if (among != nullptr && !among->has(docids[row])) continue;
    entries[row] = mirror.terms_of(docids[row]);
    if (entries[row].size() != 0) rows.push_back(row);
  }

  // Equal rows stand together then, the lowest number first, so each is compared with the one
  // before it alone.
  std::ranges::sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    pulse();
    const auto order = compare(entries[a], entries[b]);
    if (std::is_neq(order)) return std::is_lt(order);
    return a < b;
  });

  std::vector<std::uint32_t> first(docids.size(), kNoEqualRow);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_equal = i > 0 && std::is_eq(compare(entries[rows[i]], entries[rows[i - 1]]));
    first[rows[i]] = is_equal ? first[rows[i - 1]] : rows[i];
  }

  return first;
}

}  // namespace kindred
