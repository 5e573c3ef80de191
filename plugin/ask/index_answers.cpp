// The questions about what an index holds.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyzer/lemmas/dictionary_files.h"
#include "analyzer/text/utf8.h"
#include "plugin/ask/asking.h"
#include "plugin/input/document_data.h"
#include "plugin/store/settled_settings.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

/// A document as answers have it.
Json document_json(const StoredDocument& document) {
  Json json = {{"id", written_name(document.id)},
               {"title", document.title},
               {"labels", names_json(document.labels)}};
  if (!document.rejected.empty()) json["rejected_labels"] = names_json(document.rejected);
  if (!document.auto_tag) json["auto_tag"] = false;
  if (const auto kept = kept_record(document.data, document.id)) {
    const Record& record = kept->record;
    if (!record.text.empty()) json["text"] = record.text;
    if (!record.language.empty()) json["lang"] = record.language;
    for (const auto& [key, value] : record.fields)
      if (!json.contains(key)) json[key] = value;
  }
  json["predicted"] = tags_json(document.predicted);
  if (document.topic)
    json["topic"] = {{"number", document.topic->number}, {"name", document.topic->name}};
  return json;
}

/// A document as a record, which `kindred index` takes; its names are as they are. Adds to `cut` if
/// the index has not all of its text.
Json record_json(const StoredDocument& document, std::uint64_t& cut) {
  Json json = {
      {"id", document.id}, {"title", repair_utf8(document.title)}, {"labels", document.labels}};
  if (!document.rejected.empty()) json["rejected_labels"] = document.rejected;
  if (!document.auto_tag) json["auto_tag"] = false;

  if (const auto kept = kept_record(document.data, document.id)) {
    const Record& record = kept->record;
    if (!record.title.empty()) json["title"] = repair_utf8(record.title);
    if (!record.text.empty()) json["text"] = repair_utf8(record.text);
    if (!record.language.empty()) json["lang"] = repair_utf8(record.language);
    for (const auto& [key, value] : record.fields)
      json.emplace(
          key, record.json_fields.contains(key) ? Json::parse(value, nullptr, false) : Json(value));
    if (kept->is_cut) ++cut;
  }

  json["predicted"] = list_of(document.predicted, [](const Tag& tag) -> Json {
    return {{"label", tag.label}, {"confidence", confidence_json(tag.confidence)}};
  });
  if (document.topic)
    json.emplace("topic", Json{{"number", document.topic->number}, {"name", document.topic->name}});
  return json;
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
  std::unordered_map<std::string_view, std::size_t> places;
  Json::object_t terms;
  for (const TermCount& feature : features) {
    std::string_view term = feature.term;
    for (const std::string& prefix : prefixes) {
      const auto value = value_under(prefix, feature.term);
      if (!value) continue;
      term = *value;
      break;
    }
    const auto [place, is_new] = places.try_emplace(term, terms.size());
    if (is_new) terms.Container::emplace_back(std::string(term), 0);
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
      asking.reading().documents(asking.examples("examples"), asking.pulse);
  asking.origin = found;
  Json documents = Json::array();
  for (const StoredDocument& document : found.documents) {
    asking.pulse();
    Json record = document_json(document);
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
  const MatchingDocuments found = asking.reading().matching(request);
  const std::vector<std::string> titles = asking.reading().titles(found.docids, asking.pulse);
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
  const LabelCounts counts = asking.reading().label_counts(asking.pulse);
  asking.origin = counts;
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
    return analyzed_query_json(asking.reading().parse(asking.text("query"), style));
  }
  const AnalyzedText analyzed = asking.reading().analyze(asking.text("text"), asking.text("lang"));
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
  const Engine& engine = asking.reading();
  const Status status = engine.status();
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
               {"tuning_unused", status.tuning_unused},
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
  const MatchingDocuments found = asking.reading().matching(request);
  const std::vector<std::string> prefixes = feature_prefixes_of(asking.reading());
  Json documents = Json::array();
  std::uint64_t cut = 0;
  for (std::size_t i = 0; i < found.documents.size(); ++i) {
    asking.pulse();
    Json record = record_json(found.documents[i], cut);
    if (request.features) record["terms"] = features_json(found.features[i], prefixes);
    escape_strings(record);
    documents.push_back(std::move(record));
  }
  const bool is_last = found.docids.size() == found.found;
  return {{"documents", std::move(documents)},
          {"next", is_last ? Json() : Json(found.docids.back())},
          {"cut", cut}};
}

}  // namespace kindred
