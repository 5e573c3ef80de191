// Leave-one-out as tune runs it, against a double loop over all pairs of documents.
#include "plugin/tune/cross_fit.h"

#include "gpu/document_set.h"
#include "gpu/scoring.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/store/database.h"
#include "plugin/votes/votes.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/tuning_collection.h"

using namespace kindred;

namespace {

constexpr std::size_t kNeighborsWanted = kBlendNeighbors;

/// Compares every document with every other, by the definition of docs/scoring.md.
class PairByPair {
 public:
  PairByPair(const Mirror& mirror, const TermWeighting& weighting)

      : matrix_(matrix_of(*mirror.list, mirror.list->numbers())),
        counts_(matrix_.view()),
        weighting_(weighting) {
    double longest = 0;
    for (std::uint32_t row = 0; row < counts_.rows; ++row) {
      lengths_.push_back(euclidean_length(
          size_of(row), [&](std::size_t i) { return weight(counts_.row_begin[row] + i); }));
      longest = std::max(longest, lengths_.back());
    }
    exponent_ = scale_exponent(longest);
  }

  /// The nearest documents to a row, as if the index did not have that row. Terms that no other row
  /// has are then unknown. Row 0 is document 1.
  std::vector<Neighbor> nearest(std::uint32_t query, const std::vector<std::uint32_t>& df) const {
    std::vector<std::uint64_t> entries;
    for (std::uint64_t i = counts_.row_begin[query]; i < counts_.row_begin[query + 1]; ++i) {
      if (df[counts_.column[i]] > 1 && weight(i) > 0) entries.push_back(i);
    }
    const double length =
        euclidean_length(entries.size(), [&](std::size_t i) { return weight(entries[i]); });
    std::map<std::uint32_t, double> factors;
    for (const std::uint64_t i : entries) {
      const std::uint32_t term = counts_.column[i];
      // A query is scaled by a power of two before its length is taken, which changes no bit.
      factors[term] =
          term_factor(weight(i) / length, weighting_.idf[term], std::ldexp(1.0, exponent_));
    }
    std::vector<Neighbor> found;
    for (std::uint32_t row = 0; row < counts_.rows; ++row) {
      std::int64_t sum = 0;
      for (std::uint64_t i = counts_.row_begin[row]; i < counts_.row_begin[row + 1]; ++i) {
        const auto factor = factors.find(counts_.column[i]);
        if (factor != factors.end())
          sum += contribution(factor->second, weighting_.tf[counts_.count[i]]);
      }
      const float s =
          similarity(sum, reciprocal_length(lengths_[row], std::ldexp(1.0, -exponent_)));
      if (row != query && s > 0) found.push_back({row + 1, s});
    }
    std::sort(found.begin(), found.end(), [](const Neighbor& a, const Neighbor& b) {
      return ranks_before(a.similarity, a.number, b.similarity, b.number);
    });
    found.resize(kNeighborsWanted);
    return found;
  }

 private:
  std::size_t size_of(std::uint32_t row) const {
    return counts_.row_begin[row + 1] - counts_.row_begin[row];
  }
  double weight(std::uint64_t i) const {
    return weighting_.tf[counts_.count[i]] * weighting_.idf[counts_.column[i]];
  }

  const Csr matrix_;
  const CsrView counts_;
  const TermWeighting& weighting_;
  std::vector<double> lengths_;
  int exponent_ = 0;
};

}  // namespace

TEST_CASE("leave-one-out on 200 documents is that of a double loop, to the bit") {
  const test::TopicalCollection collection(200);
  const Settings settings = test::untuned();
  const Snapshot snapshot(read_mirror(open_database(collection.path), settings), settings);
  const Mirror& mirror = snapshot.mirror();
  const std::vector<Part> parts = split_voters(mirror.labeled, 5, 200, 0);
  CrossFit fit(snapshot, {}, 12000, Learning::kWeights, [](std::uint64_t) {});
  const Shortlists found = fit.shortlists_of(parts);
  REQUIRE(found.documents() == 200);
  std::size_t document = 0;
  NeighborVotes votes(5);
  for (const Part& part : parts) {
    TermWeighting weighting = snapshot.weighting();
    weighting.idf = fit.learn(part.teaching).weighting.idf;
    const PairByPair pairs(mirror, weighting);
    for (const Xapian::docid docid : part.docids) {
      const std::vector<Neighbor> wanted = pairs.nearest(docid - 1, mirror.df);
      votes.count(wanted, *mirror.list, kFeaturePower);
      const auto labels = found.labels_of(document);
      const auto features = found.features_of(document);
      REQUIRE(labels.size() == 5);
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const float* own = features.data() + i * kLabelFeatures;
        REQUIRE(own[kShare] == static_cast<float>(votes.share(labels[i])));
        REQUIRE(own[kBestSimilarity] == static_cast<float>(votes.best(labels[i])));
      }
      ++document;
    }
  }
}
