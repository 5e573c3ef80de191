#include "plugin/ask/json_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "plugin/input/document_data.h"

namespace kindred {
namespace {

Json plain_tags(const std::vector<Tag>& tags, const Pulse& pulse) {
  return list_json(tags, pulse, [](const Tag& tag) -> Json {
    return {{"label", tag.label}, {"confidence", share_json(tag.confidence)}};
  });
}

Json names_json(const std::vector<std::string>& names, const Pulse& pulse) {
  return list_json(names, pulse, written_name);
}

/// The counts of features, which differ.
Json counts_json(const TermBag& terms) {
  Json json = Json::object();
  for (const TermCount& term : terms) add_key(json, term.term, term.count);
  return json;
}

}  // namespace

double shortest(float value) {
  std::array<char, 64> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  double result = 0;
  std::from_chars(text.data(), written.ptr, result);
  return result;
}

Json text_json(const std::string& text) { return is_utf8(text) ? text : repair_utf8(text); }

Json share_json(double share) { return std::clamp(share, 0.0, 1.0); }

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(); }

template <>
Example read_value<Example>(const Json& json, const std::string& place) {
  const bool has_text = json.contains("text"), has_language = json.contains("lang");
  const bool is_one = json.size() == (has_text && has_language ? 2U : 1U);
  if (!is_one || (has_language && !has_text))
    throw Error(Errc::kInvalidArgument,
                place + ": expected one of id, docid, text (with lang or without) and record");

  if (json.contains("id")) return UniqueId{read_name(json["id"].get<std::string>())};
  if (json.contains("docid")) return Docid{json["docid"].get<Xapian::docid>()};
  if (has_text) {
    Record record;
    record.text = json["text"].get<std::string>();
    record.language = json.value("lang", std::string());
    return record;
  }

  try {
    const Json& record = json["record"];
    return parse_record(record.is_string() ? record.get<std::string>() : record.dump());
  } catch (const Error& e) {
    throw Error(e.code(), place + ".record: " + e.what());
  }
}

void add_json(const Tag& tag, const Pulse&, Json& json) {
  add_key(json, "label", written_name(tag.label));
  add_key(json, "confidence", share_json(tag.confidence));
  if (tag.suggested) add_key(json, "suggested", true);
}

void add_json(const TopicName& topic, const Pulse&, Json& json) {
  add_key(json, "number", topic.number);
  add_key(json, "name", text_json(topic.name));
}

void add_json(const StoredDocument& document, const Pulse& pulse, Json& json) {
  json = {{"id", written_name(document.id)},
          {"title", text_json(document.title)},
          {"labels", names_json(document.labels, pulse)}};
  if (!document.rejected.empty()) json["rejected_labels"] = names_json(document.rejected, pulse);
  if (!document.auto_tag) json["auto_tag"] = false;

  if (const auto kept = kept_record(document.data, document.id)) {
    const Record& record = kept->record;
    if (!record.text.empty()) json["text"] = text_json(record.text);
    if (!record.language.empty()) json["lang"] = text_json(record.language);
    for (const auto& [key, value] : record.fields)
      if (!json.contains(key)) json[key] = text_json(value);
  }

  json["predicted"] = list_json(document.predicted, pulse, [&](const Tag& tag) {
    return object_json(tag, pulse);
  });
  if (document.topic) json["topic"] = object_json(*document.topic, pulse);
  json["pending"] = document.pending;
  json["docid"] = document.docid;
}

void add_json(const ExportedDocument& exported, const Pulse& pulse, Json& json) {
  const StoredDocument& document = exported.document;
  json = {{"id", document.id}, {"title", text_json(document.title)}, {"labels", document.labels}};
  if (!document.rejected.empty()) json["rejected_labels"] = document.rejected;
  if (!document.auto_tag) json["auto_tag"] = false;

  if (const auto kept = kept_record(document.data, document.id)) {
    const Record& record = kept->record;
    if (!record.title.empty()) json["title"] = text_json(record.title);
    if (!record.text.empty()) json["text"] = text_json(record.text);
    if (!record.language.empty()) json["lang"] = text_json(record.language);
    for (const auto& [key, value] : record.fields)
      json.emplace(
          key, record.json_fields.contains(key) ? Json::parse(value, nullptr, false) : Json(value));
  }

  json["predicted"] = plain_tags(document.predicted, pulse);
  if (document.topic) json.emplace("topic", object_json(*document.topic, pulse));
  if (exported.terms) json["terms"] = counts_json(*exported.terms);
  escape_strings(json);
}

}  // namespace kindred
