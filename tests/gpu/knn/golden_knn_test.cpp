// Nearest neighbors on the Reuters-21578 ApteMod split against an independent oracle in float64
// (scikit-learn). The environment variable KINDRED_GOLDEN names the directory of the files. Without
// the files, a test says so and passes.
#include "tests/fixtures/twins.h"
#include "tests/gpu/knn/golden.h"

namespace kindred {
namespace {

using test::Documents;
using test::golden;
using test::read_lines;

constexpr std::size_t kNeighbors = 20;

using Ranking = std::vector<std::pair<std::string, double>>;

/// Lines 'id<TAB>train_id:cosine train_id:cosine ...'.
std::map<std::string, Ranking> read_rankings(const std::vector<std::string>& lines) {
  std::map<std::string, Ranking> rankings;
  for (const std::string& line : lines) {
    const std::size_t tab = line.find('\t');
    std::istringstream fields(line.substr(tab + 1));
    Ranking& ranking = rankings[line.substr(0, tab)];
    for (std::string entry; fields >> entry;) {
      const std::size_t colon = entry.find(':');
      ranking.emplace_back(entry.substr(0, colon), std::stod(entry.substr(colon + 1)));
    }
  }
  return rankings;
}

/// What is wrong with `found`, or "". At every rank, it checks that
/// - the similarity is within 1e-6 of the oracle's cosine at that rank;
/// - the oracle's cosine of the document is within 2e-6 of the cosine at that rank, so that only
///   documents with nearly equal cosines change places.
std::string ranking_fault(const Ranking& oracle, std::span<const Neighbor> found,
                          const std::vector<std::string>& id) {
  std::map<std::string, double> cosine(oracle.begin(), oracle.end());
  for (std::size_t i = 0; i < oracle.size(); ++i) {
    const double expected = oracle[i].second;
    if (expected <= 1e-9) {  // the oracle pads with documents of cosine 0
      if (found[i].similarity > 1e-6) return "a neighbor at rank " + std::to_string(i);
      continue;
    }
    if (found[i].number == kNoDocument) return "no neighbor at rank " + std::to_string(i);
    if (std::abs(found[i].similarity - expected) > 1e-6)
      return "the similarity at rank " + std::to_string(i);
    const auto known = cosine.find(id[found[i].number - 1]);
    // A document that the oracle left out can only tie with its last.
    const double own = known != cosine.end() ? known->second : oracle.back().second;
    if (std::abs(own - expected) > 2e-6) return "the document at rank " + std::to_string(i);
  }
  return "";
}

/// The documents; none, with a warning, if their file is not there.
Documents reuters() {
  const std::filesystem::path counts = golden("reuters-counts.svm.gz");
  Documents documents;
  if (!std::filesystem::exists(counts)) {
    WARN("skipped: " << counts << " is not there");
    return documents;
  }
  documents = test::read_documents(read_lines(counts));
  REQUIRE(documents.train.rows() > 0);
  REQUIRE(documents.test.rows() > 0);
  return documents;
}

void check_against_oracle(const char* kind, const std::string& letters, const Documents& documents,
                          const TermWeighting& weighting) {
  const auto rankings = read_rankings(read_lines(golden("reuters-" + letters + "-top20.tsv.gz")));
  REQUIRE(rankings.size() == documents.test_id.size());
  Queries queries;
  for (std::uint32_t row = 0; row < documents.test.rows(); ++row)
    test::add_row_query(queries, documents.test.view(), row, weighting);
  const auto backend = make_backend(documents.train.view(), weighting, test::options(kind));
  const std::vector<Neighbor> found = backend->nearest(queries, kNeighbors);
  for (std::size_t q = 0; q < documents.test_id.size(); ++q) {
    CAPTURE(letters, documents.test_id[q]);
    const auto neighbors = std::span(found).subspan(q * kNeighbors, kNeighbors);
    CHECK(ranking_fault(rankings.at(documents.test_id[q]), neighbors, documents.train_id) == "");
  }
}

KNN_TEST_CASE("nearest neighbors of all Reuters test documents agree with scikit-learn",
              "[golden][slow]") {
  const Documents documents = reuters();
  if (documents.test_id.empty()) return;
  check_against_oracle(kind, "ntc", documents, test::ntc_weighting(documents.train.view()));
  check_against_oracle(kind, "ltc", documents, test::ltc_weighting(documents.train.view()));
}

CUDA_TEST_CASE("twins agree on every bit of all Reuters test documents", "[golden]") {
  const Documents documents = reuters();
  if (documents.test_id.empty()) return;
  for (const TermWeighting& weighting :
       {test::ntc_weighting(documents.train.view()), test::ltc_weighting(documents.train.view())}) {
    Queries queries;
    for (std::uint32_t row = 0; row < documents.test.rows(); ++row)
      test::add_row_query(queries, documents.test.view(), row, weighting);
    const auto ask = [&](const char* which) {
      const auto backend = make_backend(documents.train.view(), weighting, test::options(which));
      return backend->nearest(queries, 100);
    };
    CHECK((ask(kind) == ask("cpu")));
  }
}

}  // namespace
}  // namespace kindred
