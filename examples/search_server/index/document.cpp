#include "index/document.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "analyzer/text/utf8.h"
#include "plugin/documents/document_tags.h"
#include "plugin/input/document_data.h"
#include "plugin/store/terms.h"

namespace search_server {
namespace {

kindred::StoredTags tags_of(const Xapian::Document& document, const kindred::Settings& settings) {
  try {
    return kindred::read_tags(document, settings);
  } catch (const Xapian::DocNotFoundError&) {  // the index does not keep the terms of documents
    kindred::StoredTags tags;
    tags.id = settings.index.id_in_data ? kindred::id_in_data(document.get_data(), settings.index)
                                        : std::to_string(document.get_docid());
    return tags;
  }
}

}  // namespace

Json Schema::topic(std::uint32_t number) const {
  const auto name = topics.find(number);
  return {{"number", number}, {"name", name == topics.end() ? "" : name->second}};
}

const ValueField& Schema::value(const std::string& name, const std::string& place) const {
  const auto found = std::ranges::find(values, name, &ValueField::name);
  if (found != values.end()) return *found;
  throw Problem(400, "bad-query", place + ", found '" + name + "'");
}

Json document_json(const Xapian::Document& document, const Schema& schema) {
  const kindred::StoredTags tags = tags_of(document, schema.settings);
  const auto read = kindred::stored_document(document, tags, schema.settings.index);
  Json json = {{"id", read.id},
               {"docid", read.docid},
               {"title", read.title},
               {"labels", read.labels},
               {"predicted", Json::array()}};
  if (read.title.empty())
    json["title"] = kindred::document_heading(document, schema.settings.index);
  for (const kindred::Tag& tag : read.predicted)
    json["predicted"].push_back(
        {{"label", tag.label}, {"confidence", std::clamp(tag.confidence, 0.0, 1.0)}});
  json["topic"] = nullptr;
  const std::vector<std::string> terms =
      values_of(document, {schema.prefixes[kLanguages], schema.prefixes[kTopics]});
  const std::string &language = terms[0], &topic = terms[1];
  std::uint32_t number = 0;
  std::from_chars(topic.data(), topic.data() + topic.size(), number);
  if (number > 0) json["topic"] = schema.topic(number);
  json["language"] = language.empty() ? Json() : Json(language);
  json["values"] = Json::object();
  for (const ValueField& field : schema.values) {
    const std::string value = document.get_value(field.slot);
    if (value.empty()) continue;
    json["values"][field.name] =
        field.number ? Json(Xapian::sortable_unserialise(value)) : Json(value);
  }
  json["etag"] = '"' + kindred::checksum_text(read.data + tags.prediction + to_text(json)) + '"';
  return json;
}

Json text_and_fields(const std::string& data, const kindred::IndexSettings& settings) {
  Json json = {{"text", kindred::document_field(data, "sample")}, {"fields", Json::object()}};
  Json& fields = json["fields"];
  std::istringstream lines(data);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals == line.npos || equals == 0) continue;
    const std::string name = line.substr(0, equals);
    if (!fields.contains(name)) fields[name] = line.substr(equals + 1);
  }
  for (const char* shown : {"id", "lang", "label", "sample"}) fields.erase(shown);
  for (const std::string& title : settings.title_fields) fields.erase(title);
  return json;
}

std::vector<std::string> values_of(const Xapian::Document& document,
                                   const std::vector<std::string>& prefixes) try {
  std::vector<std::string> values;
  const auto end = document.termlist_end();
  auto term = document.termlist_begin();
  for (const std::string& prefix : prefixes) {
    std::string& value = values.emplace_back();
    if (term == end || *term > prefix) term = document.termlist_begin();
    for (term.skip_to(prefix); term != end && value.empty(); ++term) {
      const std::string name = *term;
      if (!name.starts_with(prefix)) break;
      value = kindred::value_under(prefix, name).value_or("");
    }
  }
  return values;
} catch (const Xapian::DocNotFoundError&) {
  return std::vector<std::string>(prefixes.size());
}

Xapian::docid find_document(const Xapian::Database& database, const std::string& id,
                            const kindred::Settings& settings) {
  const auto spellings = kindred::spellings_of_id(id, settings.index);
  const auto has_id = [&](Xapian::docid docid) {
    const std::string its = tags_of(database.get_document(docid), settings).id;
    return std::ranges::find(spellings, its) != spellings.end();
  };
  if (settings.index.id_in_data) {
    const auto end = database.postlist_end("");
    const auto found = std::find_if(database.postlist_begin(""), end, has_id);
    return found == end ? 0 : *found;
  }
  const auto found = kindred::documents_with_id(database, id, settings.index);
  if (!found.empty()) return found.front();
  Xapian::docid docid = 0;
  const auto end = std::from_chars(id.data(), id.data() + id.size(), docid).ptr;
  if (end != id.data() + id.size() || docid == 0) return 0;
  try {
    return has_id(docid) ? docid : 0;
  } catch (const Xapian::DocNotFoundError&) {
    return 0;
  }
}

}  // namespace search_server
