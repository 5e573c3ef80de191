// The questions about similar documents and tags.
#include <utility>

#include "plugin/ask/asking.h"

namespace kindred {
namespace {

Json related_json(const RelatedResult& result, const RelatedRequest& request) {
  Json list = Json::array();
  for (const Related& related : result.results) {
    request.pulse();
    Json json = {{"id", written_name(related.id)},
                 {"docid", related.docid},
                 {"similarity", shortest(related.similarity)},
                 {"labels", names_json(related.labels)}};
    if (request.titles) json["title"] = related.title;
    if (request.explain) json["terms"] = terms_json(related.terms);
    if (request.fold > 0) json["folded"] = Json::array();
    for (const FoldedDocument& folded : related.folded)
      json["folded"].push_back({{"id", written_name(folded.id)},
                                {"docid", folded.docid},
                                {"similarity", shortest(folded.similarity)}});
    list.push_back(std::move(json));
  }
  return list;
}

Json related_each(Asking& asking, const RelatedRequest& request) {
  const auto docids = asking.request["each"].get<std::vector<Xapian::docid>>();
  Json answers = Json::array();
  for (const RelatedResult& result : asking.reading().related_each(docids, request)) {
    answers.push_back(
        {{"docid", docids[answers.size()]}, {"results", related_json(result, request)}});
  }
  return {{"answers", std::move(answers)}};
}

Json near_misses_json(const std::vector<NearMiss>& misses) {
  return list_of(misses, [](const NearMiss& miss) -> Json {
    return {{"label", written_name(miss.label)},
            {"confidence", confidence_json(miss.confidence)},
            {"threshold", number_json(miss.threshold)}};
  });
}

/// The titles of documents, if they are wanted.
template <typename Documents>
std::vector<std::string> titles_of(Asking& asking, const Documents& documents, bool wanted) {
  if (!wanted) return {};
  std::vector<Xapian::docid> docids(documents.size());
  std::ranges::transform(documents, docids.begin(), [](const auto& each) { return each.docid; });
  return asking.reading().titles(docids, asking.pulse);
}

Json classification_json(Asking& asking, const Example& example, const Classification& result) {
  Json json = {{"id", nullptr}};
  if (const auto* id = std::get_if<UniqueId>(&example)) json["id"] = written_name(id->value);
  if (const auto* record = std::get_if<Record>(&example); record && !record->id.empty())
    json["id"] = written_name(record->id);
  if (const auto* docid = std::get_if<Docid>(&example)) {
    json["id"] = written_name(asking.reading().id_of(docid->value));
    json["docid"] = docid->value;
  }
  json["tags"] = tags_json(result.tags);
  json["best"] = result.best ? tag_json(*result.best) : Json();
  if (!result.withheld.empty()) json["withheld"] = tags_json(result.withheld);
  if (asking.flag("explain")) {
    json["reasons"] = reasons_json(result.reasons, result.neighbors);
    json["near_misses"] = near_misses_json(result.near_misses);
  }
  if (!asking.flag("explain") && !asking.flag("voters")) return json;
  json["neighbors"] =
      neighbors_json(result.neighbors, titles_of(asking, result.neighbors, asking.flag("titles")));
  if (result.unit)
    json["unit"] = {{"unit", result.unit->unit},
                    {"topic", result.unit->topic},
                    {"documents", result.unit->documents}};
  return json;
}

Json candidate_json(Asking& asking, const Candidate& candidate) {
  Json json = {{"id", written_name(candidate.id)},
               {"docid", candidate.docid},
               {"title", candidate.title},
               {"confidence", confidence_json(candidate.confidence)},
               {"labels", names_json(candidate.labels)},
               {"predicted", names_json(candidate.predicted)}};
  if (!asking.flag("explain")) return json;
  json["reason"] = reasons_json({candidate.reason}, candidate.neighbors).front();
  json["neighbors"] = neighbors_json(candidate.neighbors,
                                     titles_of(asking, candidate.neighbors, asking.flag("titles")));
  return json;
}

Json suspect_json(const Suspect& suspect) {
  Json json = {{"id", written_name(suspect.id)},
               {"docid", suspect.docid},
               {"title", suspect.title},
               {"labels", names_json(suspect.labels)}};
  json.update(tag_json(suspect.label));
  if (!suspect.rival.label.empty()) json["rival"] = tag_json(suspect.rival);
  json.update({{"proposed", tags_json(suspect.proposed)},
               {"reasons", reasons_json(suspect.reasons, suspect.neighbors)},
               {"neighbors", neighbors_json(suspect.neighbors, suspect.neighbor_titles)}});
  return json;
}

Json suspects_json(const SuspectList& list, std::int64_t after, const Pulse& pulse) {
  const std::uint64_t end = static_cast<std::uint64_t>(after) + list.suspects.size();
  const bool is_last = list.suspects.empty() || end >= list.found;
  return {{"found", list.found},
          {"clear", list.clear},
          {"suspects", list_of(list.suspects,
                               [&](const Suspect& suspect) {
                                 pulse();
                                 return suspect_json(suspect);
                               })},
          {"next", is_last ? Json() : Json(end)}};
}

Json group_json(Asking& asking, const DuplicateGroup& group) {
  const std::vector<std::string> titles = titles_of(asking, group.documents, true);
  Json documents = Json::array();
  for (const Duplicate& document : group.documents)
    documents.push_back({{"id", written_name(document.id)},
                         {"docid", document.docid},
                         {"title", titles[documents.size()]},
                         {"labels", names_json(document.labels)}});
  return {{"least_similarity", shortest(group.least)},
          {"greatest_similarity", shortest(group.greatest)},
          {"documents", std::move(documents)}};
}

}  // namespace

ClassifyRequest classify_request(const Json& given) {
  ClassifyRequest request;
  read_key(given, "neighbors", request.k);
  if (request.k == 0) request.k.reset();
  read_key(given, "min_confidence", request.threshold);
  read_key(given, "limit", request.max_labels);
  read_key(given, "vote", request.vote);
  read_key(given, "min_similarity", request.min_similarity);
  read_key(given, "prototypes", request.prototypes);
  read_key(given, "filter", request.filter);
  read_key(given, "explain", request.explain);
  read_key(given, "voters", request.neighbors);
  return request;
}

Json answer_related(Asking& asking) {
  RelatedRequest request;
  request.like = asking.examples("like");
  request.unlike = asking.examples("unlike");
  asking.read("like_query", request.like_query);
  asking.read("unlike_query", request.unlike_query);
  asking.read("like_top", request.query_top);
  asking.read("limit", request.k);
  asking.read("min_similarity", request.threshold);
  asking.read("filter", request.filter);
  asking.read("fold", request.fold);
  asking.read("explain", request.explain);
  asking.read("titles", request.titles);
  request.pulse = asking.pulse;
  if (asking.request.contains("each")) return related_each(asking, request);
  const RelatedResult result = asking.reading().related(request);
  return {{"results", related_json(result, request)}};
}

Json answer_classify(Asking& asking) {
  const bool is_one = asking.request.contains("example");
  if (is_one == asking.request.contains("examples"))
    throw Error(Errc::kInvalidArgument, "classify: expected either example or examples");
  const std::vector<Example> examples = asking.examples(is_one ? "example" : "examples");
  ClassifyRequest request = classify_request(asking.request);
  request.pulse = asking.pulse;
  Json answers = Json::array();
  for (const Classification& result : asking.reading().classify(examples, request)) {
    asking.pulse();
    answers.push_back(classification_json(asking, examples[answers.size()], result));
  }
  Json answer = is_one ? std::move(answers.front()) : Json{{"answers", std::move(answers)}};
  add_unused_tuning(asking, answer);
  return answer;
}

Json answer_candidates(Asking& asking) {
  CandidatesRequest request;
  request.label = read_name(asking.text("label"));
  asking.read("filter", request.filter);
  asking.read("min_confidence", request.min_confidence);
  asking.read("limit", request.limit);
  asking.read("predicted", request.include_predicted);
  asking.read("explain", request.explain);
  request.on_progress = asking.counting();
  request.pulse = asking.pulse;
  const auto after = asking.request["after"].get<std::size_t>();
  request.limit += static_cast<std::int64_t>(after);
  const CandidateReport report = asking.reading().candidates(request);
  Json candidates = Json::array();
  for (std::size_t i = after; i < report.candidates.size(); ++i) {
    asking.pulse();
    candidates.push_back(candidate_json(asking, report.candidates[i]));
  }
  const bool is_last = report.candidates.size() == report.found || candidates.empty();
  Json answer = {{"examined", report.examined},
                 {"found", report.found},
                 {"candidates", std::move(candidates)},
                 {"next", is_last ? Json() : Json(report.candidates.size())}};
  add_unused_tuning(asking, answer);
  return answer;
}

Json answer_suspects(Asking& asking) {
  SuspectsRequest request;
  asking.read("query", request.query);
  asking.read("filter", request.filter);
  asking.read("limit", request.limit);
  asking.read("after", request.after);
  request.on_progress = asking.counting();
  request.pulse = asking.pulse;
  const SuspectReport report = asking.reading().suspects(request);
  Json answer = {{"examined", report.examined},
                 {"missing", suspects_json(report.missing, request.after, asking.pulse)},
                 {"wrong", suspects_json(report.wrong, request.after, asking.pulse)}};
  add_unused_tuning(asking, answer);
  return answer;
}

Json answer_duplicates(Asking& asking) {
  DuplicateRequest request;
  asking.read("min_similarity", request.threshold);
  asking.read("filter", request.filter);
  asking.read("limit", request.limit);
  request.on_progress = asking.counting();
  request.pulse = asking.pulse;
  const DuplicateReport report = asking.reading().duplicates(request);
  const auto group = [&](const DuplicateGroup& found) { return group_json(asking, found); };
  return {{"examined", report.examined},
          {"found", report.found},
          {"grouped", report.grouped},
          {"groups", list_of(report.groups, group)}};
}

}  // namespace kindred
