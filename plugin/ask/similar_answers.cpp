// The questions about similar documents and tags.
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "plugin/ask/asking.h"
#include "plugin/learning.h"

namespace kindred {

api::RelatedAnswer answer(Asking& asking, const api::RelatedRequest& asked) {
  const RelatedRequest request{asked, asking.pulse};
  learn_lift_if_needed(asking.engine(), LiftFor::kRelated, asking.learning());
  auto answer = asking.answer<api::RelatedAnswer>();
  if (!asked.each) {
    answer.results = asking.reading().related(request).results;
    return answer;
  }

  std::vector<RelatedResult> results = asking.reading().related_each(*asked.each, request);
  answer.answers.emplace();
  for (std::size_t i = 0; i < results.size(); ++i)
    answer.answers->push_back({(*asked.each)[i], std::move(results[i].results)});
  return answer;
}

api::ClassifyAnswer answer(Asking& asking, const api::ClassifyRequest& asked) {
  if (asked.example.has_value() == asked.examples.has_value())
    throw Error(Errc::kInvalidArgument, "classify: expected either example or examples");
  const auto examples = asked.example ? std::span(&*asked.example, 1) : std::span(*asked.examples);
  ClassifyRequest request = voting_request(asked);
  request.limit = asked.limit;
  request.filter = asked.filter;
  request.explain = asked.explain;
  request.voters = asked.voters;
  request.titles = asked.titles;
  request.group = asked.group;
  request.suggest = asked.suggest;
  request.pulse = asking.pulse;
  const Engine& engine = asking.engine();
  if (Reading(engine).hears_few(request))
    learn_lift_if_needed(engine, LiftFor::kTags, asking.learning());
  std::vector<Classification> results = asking.reading().classify(examples, request);

  auto answer = asking.answer<api::ClassifyAnswer>();
  if (asked.example) {
    answer.classified = std::move(results.front());
  } else {
    answer.answers.emplace(std::move_iterator(results.begin()), std::move_iterator(results.end()));
  }
  if (asking.reading().gives_shares(request)) answer.untuned = true;
  answer.tuning_unused = asking.reading().unused_tuning();
  return answer;
}

api::CandidatesAnswer answer(Asking& asking, const api::CandidatesRequest& asked) {
  return asking.reading().candidates({asked, asking.counting(), asking.pulse});
}

api::SuspectsAnswer answer(Asking& asking, const api::SuspectsRequest& asked) {
  SuspectsProgress on_progress;
  if (asking.index.on_step) {
    on_progress = [&](std::uint64_t done, std::uint64_t all, std::uint64_t found) {
      asking.latest = {"suspects: " + std::to_string(found) + " so far", done, all};
      return asking.index.on_step(asking.latest);
    };
  }
  return asking.reading().suspects({asked, on_progress, asking.pulse});
}

api::DuplicatesAnswer answer(Asking& asking, const api::DuplicatesRequest& asked) {
  return asking.reading().duplicates({asked, asking.counting(), asking.pulse});
}

}  // namespace kindred
