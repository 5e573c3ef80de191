// What people say of predicted tags, by what a history has of it.
#include "plugin/history/tag_judgments.h"

#include <cmath>
#include <string>

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

constexpr LabelState kBoth = kGivenState | kPredictedState;

void say(TagJudgments& judgments, std::uint64_t time, const std::string& how, LabelState before,
         LabelState after) {
  const HistoryBlock block{1, 1, 1, time, "anna", how, "uuid"};
  const DocumentChange change{"d", 1, {{"label", before, after, 0}}};
  judgments.add({1, block, change});
}

}  // namespace

TEST_CASE("people judge a predicted tag when they accept it, reject it or take it off elsewhere") {
  TagJudgments judgments(100);
  say(judgments, 99, "edit", kPredictedState, kGivenState);
  say(judgments, 100, "edit", kPredictedState, kGivenState);
  say(judgments, 101, "edit", kPredictedState, kRejectedState);
  say(judgments, 102, "tag", 0, kRejectedState);

  CHECK(judgments.all().before.accepted == 1);
  CHECK(judgments.all().before.right() == 1);
  CHECK(judgments.all().latest.accepted == 1);
  CHECK(judgments.all().latest.refused == 2);
  CHECK(judgments.labels().at("label").latest.refused == 2);
  CHECK(judgments.given() == 1);
}

TEST_CASE("what is no word on a prediction does not count as one") {
  TagJudgments judgments(100);
  say(judgments, 200, "edit", 0, kRejectedState);
  say(judgments, 200, "edit", kGivenState, kRejectedState);
  say(judgments, 200, "edit", 0, kGivenState);
  say(judgments, 200, "tag", kBoth, kGivenState);
  say(judgments, 200, "label", kPredictedState, kRejectedState);
  say(judgments, 200, "undo", kPredictedState, kGivenState);
  CHECK(std::isnan(judgments.all().latest.right()));
  CHECK(judgments.given() == 1);
  CHECK(judgments.taken_off() == 1);
}
