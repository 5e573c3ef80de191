// Sums of classes that follow changes, in any order of documents and terms.
#include "plugin/votes/classes/class_sums.h"

#include <deque>

#include "gpu/document_set.h"
#include "plugin/votes/classes/label_comparison.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/segmented_mirror.h"

using namespace kindred;

namespace {

constexpr std::uint32_t kLabels = 7;

/// Documents with labels, in some order, over terms in some order, and which of them vote.
struct Ballot {
  Csr counts;
  test::Labels labels;
  RowSet voters;
  TermWeighting weighting;

  SegmentListPointer mirror() const {
    return test::SegmentedMirror(counts.view(), labels.view()).list();
  }
  ClassSums sums(std::size_t threads = 2) const {
    return {DocumentSet(mirror(), voters), weighting, kLabels, threads};
  }
};

/// Every third document does not vote, and every tenth term weighs nothing.
Ballot random_ballot(std::uint64_t seed) {
  Ballot ballot;
  ballot.counts = test::random_csr({.rows = 200, .columns = 300}, seed);
  ballot.labels = test::random_labels(200, kLabels, seed);
  ballot.voters = RowSet::all(200);
  for (std::size_t row = 0; row < 200; row += 3) ballot.voters.reset(row);
  ballot.weighting = test::ltc_weighting(ballot.counts.view());
  for (std::size_t term = 0; term < 300; term += 10) ballot.weighting.idf[term] = 0;
  return ballot;
}

std::vector<std::uint32_t> any_order(std::uint32_t size, std::mt19937_64& random) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// The same ballot with other numbers of documents and terms: `row_of` and `term_of` have the new
/// number of each.
Ballot renumbered(const Ballot& ballot, const std::vector<std::uint32_t>& term_of,
                  std::mt19937_64& random) {
  Ballot other;
  other.counts.columns = ballot.counts.columns;
  other.voters = RowSet(ballot.counts.rows());
  const SegmentListPointer rows = ballot.mirror();
  std::uint32_t number = 0;
  for (const std::uint32_t row : any_order(rows->places(), random)) {
    const RowEntries from = (*rows)[row];
    std::vector<std::pair<std::uint32_t, std::uint16_t>> entries;
    for (std::size_t i = 0; i < from.size(); ++i)
      entries.emplace_back(term_of[from.columns[i]], from.counts[i]);
    std::sort(entries.begin(), entries.end());
    for (const auto& [term, count] : entries) {
      other.counts.column.push_back(term);
      other.counts.count.push_back(count);
    }
    other.counts.row_begin.push_back(other.counts.column.size());
    const auto own = ballot.labels.view().of(row);
    other.labels.add_row({own.begin(), own.end()});
    if (ballot.voters.has(row)) other.voters.set(number);
    ++number;
  }
  other.weighting = ballot.weighting;
  for (std::size_t term = 0; term < term_of.size(); ++term)
    other.weighting.idf[term_of[term]] = ballot.weighting.idf[term];
  return other;
}

std::vector<std::uint32_t> same_order(std::uint32_t size) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// All that two sums say about the rows of a ballot, which the second one may have in other numbers
/// of terms.
void check_same(const ClassSums& sums, const ClassSums& others, const Ballot& ballot,
                const std::vector<std::uint32_t>& term_of) {
  LabelComparison comparison(sums), other_comparison(others);
  const std::vector<std::uint32_t> labels = same_order(kLabels);
  const auto check = [&](const SparseVector& query, const LeftOut* left_out,
                         const SparseVector& other_query, const LeftOut* other_left_out) {
    comparison.compare(query, labels, left_out);
    other_comparison.compare(other_query, labels, other_left_out);
    CHECK(std::ranges::equal(comparison.cosines(), other_comparison.cosines()));
    CHECK(std::ranges::equal(comparison.profiles(), other_comparison.profiles()));
  };
  for (std::uint32_t row = 0; row < ballot.counts.rows(); ++row) {
    Queries queries;
    test::add_row_query(queries, ballot.counts.view(), row, ballot.weighting);
    std::vector<std::pair<std::uint32_t, double>> moved;
    for (std::size_t i = 0; i < queries.terms(0).size(); ++i)
      moved.emplace_back(term_of[queries.terms(0)[i]], queries.weights(0)[i]);
    std::sort(moved.begin(), moved.end());
    std::vector<std::uint32_t> terms;
    std::vector<double> weights;
    for (const auto& [term, weight] : moved) {
      terms.push_back(term);
      weights.push_back(weight);
    }
    const SparseVector query{queries.terms(0), queries.weights(0)}, other{terms, weights};
    const auto own = ballot.labels.view().of(row);
    const LeftOut without{query, own}, other_without{other, own};
    const bool votes = ballot.voters.has(row) && !own.empty();
    check(query, votes ? &without : nullptr, other, votes ? &other_without : nullptr);
    check(query, nullptr, other, nullptr);
  }
}

}  // namespace

TEST_CASE("sums of classes do not depend on the order of documents and terms, nor on threads") {
  const Ballot ballot = random_ballot(1);
  std::mt19937_64 random(2);
  for (int i = 0; i < 3; ++i) {
    const auto term_of = any_order(ballot.counts.columns, random);
    const Ballot other = renumbered(ballot, term_of, random);
    check_same(ballot.sums(1), other.sums(3), ballot, term_of);
  }
}

TEST_CASE("sums of classes that followed equal those from nothing, to the bit") {
  std::deque<Ballot> ballots = {random_ballot(3)};
  const auto terms = same_order(ballots[0].counts.columns);
  std::mt19937_64 random(4);
  SegmentListPointer mirror = ballots[0].mirror();
  ClassSums following = ballots[0].sums();
  for (int step = 0; step < 40; ++step) {
    const Ballot& before = ballots.back();
    Ballot ballot = before;
    const bool relabels = step % 3 != 0;  // else only the voters change, of the same segment
    if (relabels) ballot.labels = {};
    for (std::uint32_t row = 0; row < before.counts.rows(); ++row) {
      const auto was = before.labels.view().of(row);
      std::set<std::uint32_t> own(was.begin(), was.end());
      if (random() % 20 == 0) own = {static_cast<std::uint32_t>(random() % kLabels)};
      if (relabels) ballot.labels.add_row(own);
      if (random() % 20 != 0) continue;
      before.voters.has(row) ? ballot.voters.reset(row) : ballot.voters.set(row);
    }
    if (step == 20) ballot.voters = RowSet(before.counts.rows());  // and nothing is left
    const Ballot& now = ballots.emplace_back(std::move(ballot));
    if (relabels) mirror = now.mirror();
    following = ClassSums(following, DocumentSet(mirror, now.voters), now.weighting, kLabels, 2);
    check_same(following, now.sums(), now, terms);
  }
}

TEST_CASE("sums of classes take in terms that they did not have, and forget them again") {
  const Ballot ballot = random_ballot(5);
  Csr counts;
  counts.columns = 500;
  counts.column = {3, 301, 499};
  counts.count = {2, 1, 4};
  counts.row_begin = {0, 3};
  TermWeighting weighting = ballot.weighting;
  weighting.idf.resize(500, 1.5);
  test::Labels labels;
  labels.add_row({2});
  const DocumentSet one =
      DocumentSet::all(test::SegmentedMirror(counts.view(), labels.view()).list());
  const ClassSums sums = ballot.sums();
  const ClassSums more(sums, one, weighting, kLabels, 1);
  const ClassSums same(more, DocumentSet(ballot.mirror(), ballot.voters), weighting, kLabels, 1);
  const std::vector<std::uint32_t> asked = {499};
  const std::vector<double> weights = {1};
  LabelComparison comparison(more);
  comparison.compare({asked, weights}, same_order(kLabels), nullptr);
  for (std::uint32_t l = 0; l < kLabels; ++l) CHECK((comparison.cosines()[l] > 0) == (l == 2));
  check_same(sums, same, ballot, same_order(500));
  CHECK(more.bytes() > 0);
}

TEST_CASE("documents that weigh nothing come and go without a trace") {
  Ballot ballot = random_ballot(6);
  std::ranges::fill(ballot.weighting.idf, 0);
  const SegmentListPointer mirror = ballot.mirror();
  const DocumentSet none(mirror), all = DocumentSet::all(mirror);
  ClassSums sums(all, ballot.weighting, kLabels, 1);
  const std::size_t bytes = sums.bytes();
  for (int i = 0; i < 20; ++i)
    sums = ClassSums(sums, i % 2 == 0 ? none : all, ballot.weighting, kLabels, 1);
  CHECK(sums.bytes() == bytes);
}
