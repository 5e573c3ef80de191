// The questions about what an index holds.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyzer/lemmas/dictionary_files.h"
#include "plugin/ask/asking.h"
#include "plugin/input/document_data.h"
#include "plugin/store/settled_settings.h"

namespace kindred {
namespace {

/// The further keys of a record that Kindred keeps in document data, text and language among them.
void read_data(std::string_view data, const std::string& id, Json& record) {
  if (!data.starts_with("id=" + id + "\n")) return;  // of another program
  for (const auto& [name, value] : document_fields(data)) {
    const std::string key(name == "sample" ? "text" : name);
    if (name != "label" && !record.contains(key)) record[key] = value;
  }
}

/// A document as a record, which `kindred index` takes.
Json record_json(const StoredDocument& document) {
  Json record = {{"id", written_name(document.id)},
                 {"title", document.title},
                 {"labels", names_json(document.labels)}};
  if (!document.rejected.empty()) record["rejected_labels"] = names_json(document.rejected);
  if (!document.auto_tag) record["auto_tag"] = false;
  read_data(document.data, document.id, record);
  record["predicted"] = tags_json(document.predicted);
  if (document.topic)
    record["topic"] = {{"number", document.topic->number}, {"name", document.topic->name}};
  return record;
}

/// The prefixes of the features, the longest first, so that each takes its own.
std::vector<std::string> feature_prefixes_of(const Engine& engine) {
  std::vector<std::string> prefixes = engine.settings().mirror.term_prefixes;
  if (prefixes.empty()) prefixes = {"Z"};
  std::sort(prefixes.rbegin(), prefixes.rend());
  return prefixes;
}

/// The features without their prefixes.
Json features_json(const TermBag& features, const std::vector<std::string>& prefixes) {
  constexpr std::uint64_t kMostCount = 65535;
  // Keys of a Json are searched one after the other, which is too long where there are many.
  std::unordered_map<std::string, std::size_t> places;
  Json::object_t terms;
  for (const TermCount& feature : features) {
    const auto prefix = std::ranges::find_if(
        prefixes, [&](const std::string& p) { return feature.term.starts_with(p); });
    std::string_view term = feature.term;
    if (prefix != prefixes.end()) term.remove_prefix(prefix->size());
    if (prefix != prefixes.end() && prefix->size() > 1 && term.starts_with(':'))
      term.remove_prefix(1);
    const auto [place, is_new] = places.try_emplace(written_name(term), terms.size());
    if (is_new) terms.Container::emplace_back(place->first, 0);
    Json& count = terms.Container::at(place->second).second;
    count = std::min(count.get<std::uint64_t>() + feature.count, kMostCount);
  }
  return terms;
}

Json analyzed_query_json(const ParsedQuery& parsed) {
  Json words = list_of(parsed.words, [](const QueryWord& word) -> Json {
    return {{"word", word.word}, {"terms", names_json(word.terms)}};
  });
  return {{"words", std::move(words)}, {"query", written_name(parsed.query.serialise())}};
}

void add_survey(const std::vector<PrefixCount>& prefixes, Json& json) {
  json["prefixes"] = Json::array();
  json["dictionaries"] = Json::array();
  for (const PrefixCount& count : prefixes)
    json["prefixes"].push_back({{"prefix", written_name(count.prefix)},
                                {"terms", count.terms},
                                {"documents", count.documents}});
  for (const auto& files : installed_dictionaries())
    json["dictionaries"].push_back({{"name", files.name}, {"path", files.path}});
}

}  // namespace

Json answer_documents(Asking& asking) {
  const StoredDocuments found =
      asking.engine().documents(asking.examples("examples"), asking.pulse);
  asking.set_origin(found);
  Json documents = Json::array();
  for (const StoredDocument& document : found.documents) {
    asking.pulse();
    Json record = record_json(document);
    record["pending"] = document.pending;
    record["docid"] = document.docid;
    documents.push_back(std::move(record));
  }
  return {{"documents", std::move(documents)}};
}

Json answer_matching(Asking& asking) {
  MatchingRequest request;
  asking.read("query", request.query);
  asking.read("limit", request.limit);
  asking.read("after", request.offset);
  request.documents = true;
  request.pulse = asking.pulse;
  const MatchingDocuments found = asking.engine().matching(request);
  const std::vector<std::string> titles = asking.engine().titles(found.docids, asking.pulse);
  asking.set_origin(found);
  Json documents = Json::array();
  for (const StoredDocument& document : found.documents) {
    asking.pulse();
    documents.push_back({{"id", written_name(document.id)},
                         {"docid", document.docid},
                         {"title", titles[documents.size()]},
                         {"labels", names_json(document.labels)},
                         {"predicted", tags_json(document.predicted)}});
  }
  const std::uint64_t end = static_cast<std::uint64_t>(request.offset) + documents.size();
  const bool is_last = documents.empty() || end >= found.found;
  return {{"found", found.found},
          {"documents", std::move(documents)},
          {"next", is_last ? Json() : Json(end)}};
}

Json answer_labels(Asking& asking) {
  const LabelCounts counts = asking.engine().label_counts(asking.pulse);
  asking.set_origin(counts);
  return {{"labels", list_of(counts.labels, [&](const LabelCount& label) -> Json {
             asking.pulse();
             return {{"label", written_name(label.name)},
                     {"documents", label.documents},
                     {"predicted", label.predicted},
                     {"rejected", label.rejected}};
           })}};
}

Json answer_analyze(Asking& asking) {
  const bool is_query = asking.request.contains("query");
  if (is_query == asking.request.contains("text"))
    throw Error(Errc::kInvalidArgument, "analyze: expected either text or query");
  if (is_query) {
    QueryStyle style;
    asking.read("partial", style.partial);
    asking.read("most_frequent", style.most_frequent);
    return analyzed_query_json(asking.engine().parse(asking.text("query"), style));
  }
  const AnalyzedText analyzed = asking.engine().analyze(asking.text("text"), asking.text("lang"));
  Json words = Json::array();
  for (const AnalyzedWord& word : analyzed.words)
    words.push_back({{"word", word.word},
                     {"term", written_name(word.term)},
                     {"position", word.position},
                     {"stop_word", word.stop_word},
                     {"joined", names_json(word.joined)}});
  return {
      {"language", analyzed.language}, {"prefix", analyzed.prefix}, {"words", std::move(words)}};
}

Json answer_status(Asking& asking) {
  const Engine& engine = asking.engine();
  const Status status = engine.status();
  asking.set_origin(status);
  Json json = {{"documents", status.documents},
               {"terms", status.terms},
               {"nonzeros", status.nonzeros},
               {"labels", status.labels},
               {"uuid", status.uuid},
               {"backend", status.backend},
               {"device", status.device},
               {"bytes", status.bytes},
               {"labeled", status.labeled},
               {"compute_capability", status.compute_capability},
               {"device_bytes", status.device_bytes},
               {"tagged", status.tagged},
               {"pending", status.pending},
               {"opted_out", status.opted_out},
               {"rejected", status.rejected},
               {"tuning", status.tuning ? tuning_json(*status.tuning) : Json()},
               {"tuning_due", status.tuning_due},
               {"profile", status.profile},
               {"remembered", status.remembered}};
  json["analysis"] = {{"recorded", status.analysis_recorded},
                      {"rules", status.analysis.rules},
                      {"versions", status.analysis.versions},
                      {"other_versions", status.other_versions}};
  const bool surveys = asking.flag("survey"), guesses = asking.flag("guess");
  if (!surveys && !guesses) return json;

  const std::vector<PrefixCount> prefixes = engine.prefixes(asking.pulse);
  if (surveys) add_survey(prefixes, json);
  if (!guesses) return json;
  const SettingsGuess guess = engine.guess_settings(prefixes);
  json["guess"] = {
      {"profile", guess.profile}, {"settings", guess.toml}, {"unknown", guess.unknown}};
  return json;
}

Json answer_settings(Asking& asking) {
  const Settings settings = settled_settings(asking.index.path, asking.index.settings);
  return {{"remembered", settings.remembered},
          {"profile", settings.index.profile},
          {"toml", settings_toml(settings, keys_set(settings))},
          {"settings", Json::parse(settings_json(settings))}};
}

Json answer_export(Asking& asking) {
  MatchingRequest request;
  asking.read("query", request.query);
  asking.read("terms", request.features);
  asking.read("limit", request.limit);
  asking.read("after", request.after);
  request.documents = request.predictions = true;
  request.pulse = asking.pulse;
  const MatchingDocuments found = asking.engine().matching(request);
  asking.set_origin(found);
  const std::vector<std::string> prefixes = feature_prefixes_of(asking.engine());
  Json documents = Json::array();
  for (std::size_t i = 0; i < found.documents.size(); ++i) {
    asking.pulse();
    documents.push_back(record_json(found.documents[i]));
    if (request.features) documents.back()["terms"] = features_json(found.features[i], prefixes);
  }
  const bool is_last = found.docids.size() == found.found;
  return {{"documents", std::move(documents)},
          {"next", is_last ? Json() : Json(found.docids.back())}};
}

}  // namespace kindred
