// The votes that tune tries, on what leave-one-out found.
#include "plugin/tune/trials/trial_votes.h"

#include <vector>

#include "plugin/votes/votes.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/error_code.h"

using namespace kindred;

namespace {

/// One document with two neighbors. The nearer one has label 0, the other has labels 0 and 1.
struct OneDocument {
  std::vector<std::uint64_t> label_begin = {0, 1, 3};
  std::vector<std::uint32_t> label = {0, 0, 1};
  TrialTruth truth;
  LeaveOneOut known{2, {{0, 0.5f}, {1, 0.25f}}, {0.75f, 0.5f}, {0, -2}, {}, {}};

  OneDocument() {
    truth.documents = 1;
    truth.labels = 2;
  }
  std::vector<float> scores(VoteKind vote) const {
    TaggingMethod method;
    method.vote = vote;
    method.k = 2;
    return trial_scores(method, known, {2, label_begin.data(), label.data()}, truth, 1);
  }
};

}  // namespace

TEST_CASE("every vote that is tried has its own scores") {
  const OneDocument document;
  CHECK(document.scores(VoteKind::kMajority) == std::vector<float>{1, 0.5f});
  CHECK(document.scores(VoteKind::kSimilarity) ==
        std::vector<float>{1, static_cast<float>(0.25 / 0.75)});
  CHECK(document.scores(VoteKind::kBest) == std::vector<float>{0.5f, 0.25f});
  CHECK(document.scores(VoteKind::kCentroid) == std::vector<float>{0.75f, 0.5f});
  CHECK(document.scores(VoteKind::kProfile) ==
        std::vector<float>{0.5f, static_cast<float>(as_probability(-2))});
}

TEST_CASE("a vote that is not tried is not counted as another one") {
  const VoteKind vote =
      GENERATE(VoteKind::kNearest, VoteKind::kPrototype, VoteKind::kBlend, VoteKind::kUnit);
  const OneDocument document;
  CHECK(test::code_of([&] { document.scores(vote); }, std::string(vote_name(vote))) ==
        Errc::kInternal);
}
