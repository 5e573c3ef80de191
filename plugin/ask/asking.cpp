#include "plugin/ask/asking.h"

#include <utility>

#include "plugin/input/record.h"
#include "questions_json.h"

namespace kindred {

Asking::Asking(const AskedIndex& asked, std::string name)
    : index(asked), question(std::move(name)) {
  if (index.on_step)
    pulse = Pulse([this] {
      step(latest);
    });
}

const Reading& Asking::reading() {
  if (!reading_) reading_.emplace(engine());
  return *reading_;
}

void Asking::step(const AskStep& step) {
  latest = step;
  if (!index.on_step || index.on_step(latest)) return;
  throw Error(Errc::kCanceled, question + ": canceled after " + std::to_string(latest.done) +
                                   (latest.all > 0 ? " of " + std::to_string(latest.all) : ""));
}

std::function<bool(std::uint64_t, std::uint64_t)> Asking::counting() {
  if (!index.on_step) return {};
  return [this](std::uint64_t done, std::uint64_t all) {
    latest = {"", done, all};
    return index.on_step(latest);
  };
}

ClassifyRequest voting_request(const api::Voting& asked) {
  ClassifyRequest request;
  static_cast<api::Voting&>(request) = asked;
  if (request.neighbors == 0) request.neighbors.reset();
  return request;
}

ClassifyRequest voting_request(const Json& request) {
  return voting_request(from_json<api::Voting>(request, ""));
}

Json tags_json(const std::vector<Tag>& tags) {
  return list_json(tags, {}, [](const Tag& tag) {
    return object_json(tag, {});
  });
}

void fill_words(Asking& asking, const std::vector<api::TermContribution*>& terms) {
  if (terms.empty()) return;
  std::vector<std::string> names;
  names.reserve(terms.size());
  for (const auto* term : terms) names.push_back(term->term);
  std::vector<std::string> words = asking.reading().words(names, asking.pulse);
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i]->word = std::move(words[i]);
}

std::vector<api::TermContribution> terms_of(const std::vector<TermContribution>& terms) {
  std::vector<api::TermContribution> found;
  for (const TermContribution& term : terms) found.push_back({term.term, "", term.contribution});
  return found;
}

std::vector<api::TagReason> reasons_of(const std::vector<TagReason>& reasons,
                                       const std::vector<Voter>& voters) {
  std::vector<api::TagReason> found;
  for (const TagReason& reason : reasons) {
    api::TagReason& made = found.emplace_back();
    made.label = reason.label;
    made.threshold = reason.threshold;
    for (const TagVoter& voter : reason.voters)
      made.voters.push_back({voters[voter.voter].id, voter.share});
    made.terms = terms_of(reason.terms);
  }
  return found;
}

std::vector<api::Voter> voters_of(const std::vector<Voter>& voters,
                                  const std::vector<std::string>& titles) {
  std::vector<api::Voter> found;
  for (const Voter& voter : voters) {
    found.push_back({voter.id, voter.docid, voter.similarity, voter.labels, std::nullopt});
    if (!titles.empty()) found.back().title = titles[found.size() - 1];
  }
  return found;
}

std::optional<std::uint64_t> next_offset(std::int64_t offset, std::size_t page,
                                         std::uint64_t found) {
  const std::uint64_t end = static_cast<std::uint64_t>(offset) + page;
  return page > 0 && end < found ? std::optional(end) : std::nullopt;
}

std::optional<std::string> unused_tuning(Asking& asking) {
  std::string why = asking.reading().snapshot->unused_tuning().why;
  return why.empty() ? std::nullopt : std::optional(std::move(why));
}

}  // namespace kindred
