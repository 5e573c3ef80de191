// The questions about similar documents and tags.
#include <algorithm>
#include <utility>

#include "plugin/ask/asking.h"
#include "plugin/related/duplicate_search.h"
#include "plugin/snapshot/document_lists.h"

namespace kindred {
namespace {

using Terms = std::vector<api::TermContribution*>;

/// Adds terms to those whose words are to be filled.
void add_terms(std::vector<api::TermContribution>& terms, Terms& found) {
  for (api::TermContribution& term : terms) found.push_back(&term);
}

void add_terms(std::vector<api::TagReason>& reasons, Terms& found) {
  for (api::TagReason& reason : reasons) add_terms(reason.terms, found);
}

void add_terms(std::vector<api::RelatedDocument>& documents, Terms& found) {
  for (api::RelatedDocument& document : documents)
    if (document.terms) add_terms(*document.terms, found);
}

std::vector<api::RelatedDocument> related_documents(Asking& asking, const RelatedResult& result,
                                                    const RelatedRequest& request) {
  std::vector<api::RelatedDocument> documents;
  for (const Related& related : result.results) {
    asking.pulse();
    api::RelatedDocument& document = documents.emplace_back();
    document.id = related.id;
    document.docid = related.docid;
    document.similarity = related.similarity;
    document.labels = related.labels;
    if (request.titles) document.title = related.title;
    if (request.explain) document.terms = terms_of(related.terms);
    if (request.fold > 0) document.folded.emplace();
    for (const FoldedDocument& folded : related.folded)
      document.folded->push_back({folded.id, folded.docid, folded.similarity});
  }
  return documents;
}

/// The titles of documents, if they are wanted.
template <typename Documents>
std::vector<std::string> titles_of(Asking& asking, const Documents& documents, bool wanted) {
  if (!wanted) return {};
  std::vector<Xapian::docid> docids(documents.size());
  std::ranges::transform(documents, docids.begin(), [](const auto& each) {
    return each.docid;
  });
  return read_titles(asking.reading().database(), docids, asking.pulse);
}

std::vector<api::Voter> titled_voters(Asking& asking, const std::vector<Voter>& voters,
                                      bool titles) {
  return voters_of(voters, titles_of(asking, voters, titles));
}

api::Classified classified(Asking& asking, const api::ClassifyRequest& asked,
                           const Example& example, const Classification& result) {
  api::Classified made;
  if (const auto* id = std::get_if<UniqueId>(&example)) made.id = id->value;
  if (const auto* record = std::get_if<Record>(&example); record && !record->id.empty())
    made.id = record->id;
  if (const auto* docid = std::get_if<Docid>(&example)) {
    made.id = asking.reading().id_of(docid->value);
    made.docid = docid->value;
  }
  made.tags = result.tags;
  made.best = result.best;
  if (!result.withheld.empty()) made.withheld = result.withheld;

  if (asked.explain) {
    made.reasons = reasons_of(result.reasons, result.voters);
    made.near_misses = result.near_misses;
  }
  if (!asked.explain && !asked.voters) return made;

  made.voters = titled_voters(asking, result.voters, asked.titles);
  made.unit = result.unit;
  return made;
}

api::Candidate candidate_of(Asking& asking, const api::CandidatesRequest& asked,
                            const Candidate& candidate) {
  api::Candidate made;
  made.id = candidate.id;
  made.docid = candidate.docid;
  made.title = candidate.title;
  made.confidence = candidate.confidence;
  made.labels = candidate.labels;
  made.predicted = candidate.predicted;
  if (!asked.explain) return made;
  made.reason = reasons_of({candidate.reason}, candidate.voters).front();
  made.voters = titled_voters(asking, candidate.voters, asked.titles);
  return made;
}

api::Suspect suspect_of(const Suspect& suspect) {
  api::Suspect made;
  made.id = suspect.id;
  made.docid = suspect.docid;
  made.title = suspect.title;
  made.labels = suspect.labels;
  made.label = suspect.label.label;
  made.confidence = suspect.label.confidence;
  if (!suspect.rival.label.empty()) made.rival = suspect.rival;
  made.proposed = suspect.proposed;
  made.reasons = reasons_of(suspect.reasons, suspect.voters);
  made.voters = voters_of(suspect.voters, suspect.voter_titles);
  return made;
}

api::SuspectList suspects_of(Asking& asking, const SuspectList& list, std::int64_t offset) {
  api::SuspectList made;
  made.found = list.found;
  made.clear = list.clear;
  for (const Suspect& suspect : list.suspects) {
    asking.pulse();
    made.suspects.push_back(suspect_of(suspect));
  }
  made.next = next_offset(offset, list.suspects.size(), list.found);
  return made;
}

api::DuplicateGroup group_of(Asking& asking, const DuplicateGroup& group) {
  std::vector<std::string> titles = titles_of(asking, group.documents, true);
  api::DuplicateGroup made{group.least, group.greatest, {}};
  for (const Duplicate& document : group.documents)
    made.documents.push_back(
        {document.id, document.docid, std::move(titles[made.documents.size()]), document.labels});
  return made;
}

}  // namespace

api::RelatedAnswer answer(Asking& asking, const api::RelatedRequest& asked) {
  RelatedRequest request;
  static_cast<api::RelatedRequest&>(request) = asked;
  request.pulse = asking.pulse;

  auto answer = asking.answer<api::RelatedAnswer>();
  Terms terms;
  if (!asked.each) {
    answer.results = related_documents(asking, asking.reading().related(request), request);
    add_terms(*answer.results, terms);
  } else {
    answer.answers.emplace();
    for (const RelatedResult& result : asking.reading().related_each(*asked.each, request))
      answer.answers->push_back(
          {(*asked.each)[answer.answers->size()], related_documents(asking, result, request)});
    for (api::RelatedAnswerOf& each : *answer.answers) add_terms(each.results, terms);
  }
  fill_words(asking, terms);
  return answer;
}

api::ClassifyAnswer answer(Asking& asking, const api::ClassifyRequest& asked) {
  if (asked.example.has_value() == asked.examples.has_value())
    throw Error(Errc::kInvalidArgument, "classify: expected either example or examples");
  const auto examples = asked.example ? std::vector{*asked.example} : *asked.examples;
  ClassifyRequest request = voting_request(asked);
  request.limit = asked.limit;
  request.filter = asked.filter;
  request.explain = asked.explain;
  request.voters = asked.voters;
  request.pulse = asking.pulse;

  std::vector<api::Classified> answers;
  for (const Classification& result : asking.reading().classify(examples, request)) {
    asking.pulse();
    answers.push_back(classified(asking, asked, examples[answers.size()], result));
  }
  Terms terms;
  for (api::Classified& each : answers)
    if (each.reasons) add_terms(*each.reasons, terms);
  fill_words(asking, terms);

  auto answer = asking.answer<api::ClassifyAnswer>();
  if (asked.example) {
    answer.classified = std::move(answers.front());
  } else {
    answer.answers = std::move(answers);
  }
  answer.tuning_unused = unused_tuning(asking);
  return answer;
}

api::CandidatesAnswer answer(Asking& asking, const api::CandidatesRequest& asked) {
  CandidatesRequest request;
  static_cast<api::CandidatesRequest&>(request) = asked;
  request.on_progress = asking.counting();
  request.pulse = asking.pulse;
  const CandidateReport report = asking.reading().candidates(request);

  auto answer = asking.answer<api::CandidatesAnswer>();
  answer.examined = report.examined;
  answer.found = report.found;
  Terms terms;
  for (const Candidate& candidate : report.candidates) {
    asking.pulse();
    answer.candidates.push_back(candidate_of(asking, asked, candidate));
  }
  for (api::Candidate& candidate : answer.candidates)
    if (candidate.reason) add_terms(candidate.reason->terms, terms);
  fill_words(asking, terms);
  answer.next = next_offset(asked.offset, report.candidates.size(), report.found);
  answer.tuning_unused = unused_tuning(asking);
  return answer;
}

api::SuspectsAnswer answer(Asking& asking, const api::SuspectsRequest& asked) {
  SuspectsRequest request;
  static_cast<api::SuspectsRequest&>(request) = asked;
  request.on_progress = asking.counting();
  request.pulse = asking.pulse;
  const SuspectReport report = asking.reading().suspects(request);

  auto answer = asking.answer<api::SuspectsAnswer>();
  answer.examined = report.examined;
  answer.missing = suspects_of(asking, report.missing, asked.offset);
  answer.wrong = suspects_of(asking, report.wrong, asked.offset);
  Terms terms;
  for (api::SuspectList* list : {&answer.missing, &answer.wrong})
    for (api::Suspect& suspect : list->suspects) add_terms(suspect.reasons, terms);
  fill_words(asking, terms);
  answer.tuning_unused = unused_tuning(asking);
  return answer;
}

api::DuplicatesAnswer answer(Asking& asking, const api::DuplicatesRequest& asked) {
  DuplicatesRequest request;
  static_cast<api::DuplicatesRequest&>(request) = asked;
  request.on_progress = asking.counting();
  request.pulse = asking.pulse;
  const Reading& reading = asking.reading();
  const auto allowed = reading.allowed(request.filter, request.pulse);
  const DuplicateReport report = find_duplicates(*reading.snapshot, request, allowed.get());

  auto answer = asking.answer<api::DuplicatesAnswer>();
  answer.examined = report.examined;
  answer.found = report.found;
  answer.grouped = report.grouped;
  for (const DuplicateGroup& group : report.groups)
    answer.groups.push_back(group_of(asking, group));
  return answer;
}

}  // namespace kindred
