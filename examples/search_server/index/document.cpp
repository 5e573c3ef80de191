#include "index/document.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "index/prefixed_values.h"
#include "index/terms.h"
#include "plugin/store/zim.h"

namespace search_server {
namespace {

std::map<std::string, double> confidences(const Xapian::Document& document, const Schema& schema) {
  std::map<std::string, double> by_label;
  const auto json =
      nlohmann::json::parse(document.get_value(schema.prediction_slot), nullptr, false);
  if (!json.is_object() || !json.contains("tags") || !json["tags"].is_array()) return by_label;
  for (const auto& tag : json["tags"]) {
    if (!tag.is_object()) continue;
    const auto label = tag.find("label");
    const auto confidence = tag.find("confidence");
    if (label == tag.end() || !label->is_string()) continue;
    if (confidence == tag.end() || !confidence->is_number()) continue;
    by_label[label->get<std::string>()] = std::clamp(confidence->get<double>(), 0.0, 1.0);
  }
  return by_label;
}

void take_label(std::string_view label, const Schema& schema, std::vector<std::string>& labels) {
  std::string name = label_name(label);
  if (schema.is_system_label(name) || std::ranges::find(labels, name) != labels.end()) return;
  labels.push_back(std::move(name));
}

void read_terms(const Xapian::Document& document, const Schema& schema, IndexedDocument& to) {
  const std::map<std::string, double> confidence = confidences(document, schema);
  enum { kId, kLabel, kPredicted, kTopic, kLanguage };
  const auto take = [&](std::size_t kind, std::string_view value) {
    if (kind == kId && to.id.empty()) to.id = value;
    if (kind == kLabel) take_label(value, schema, to.labels);
    if (kind == kPredicted) {
      std::string label = label_name(value);
      const auto found = confidence.find(label);
      to.predicted.emplace_back(std::move(label), found == confidence.end() ? 0 : found->second);
    }
    if (kind == kTopic) {
      std::uint32_t topic = 0;
      std::from_chars(value.data(), value.data() + value.size(), topic);
      if (topic > 0) to.topic = topic;
    }
    if (kind == kLanguage) to.language = value;
  };
  for_each_value(
      document,
      {schema.id_prefix, schema.label_prefix, schema.predicted_prefix, schema.topic_prefix, "L"},
      take);
  std::stable_sort(to.predicted.begin(), to.predicted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
}

/// The lines "name=value" of the document data, as Omega writes them.
void read_data(const std::string& data, const Schema& schema, IndexedDocument& to) {
  std::string_view rest = data;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const std::string name(line.substr(0, equals));
    const std::string_view value = line.substr(equals + 1);
    if (name == "sample") {
      to.text = value;
    } else if (name != "id" && name != "lang" && name != "label") {
      to.fields.emplace(name, value);
    }
  }
  for (const std::string& field : schema.title_fields) {
    const auto found = to.fields.find(field);
    if (found == to.fields.end()) continue;
    if (to.title.empty()) to.title = found->second;
    to.fields.erase(found);
  }
}

}  // namespace

std::string id_of(const Xapian::Document& document, const Schema& schema) {
  const std::string data = document.get_data();
  return data.starts_with(schema.id_scheme) ? data.substr(schema.id_scheme.size()) : data;
}

IndexedDocument read_document(const Xapian::Document& document, const Schema& schema) {
  IndexedDocument read;
  read.docid = document.get_docid();
  read_terms(document, schema, read);
  if (!schema.archive.empty()) {
    read.id = id_of(document, schema);
    read.title = kindred::zim_title(schema.archive, read.id);
  }
  if (read.id.empty()) read.id = std::to_string(read.docid);
  read_data(document.get_data(), schema, read);
  if (read.title.empty() && schema.title_slot >= 0) {
    read.title = document.get_value(static_cast<Xapian::valueno>(schema.title_slot));
  }
  for (const ValueField& field : schema.values) {
    std::string value = document.get_value(field.slot);
    if (!value.empty()) read.values.emplace(field.name, std::move(value));
  }
  return read;
}

std::vector<std::string> read_labels(const Xapian::Document& document, const Schema& schema) {
  std::vector<std::string> labels;
  for_each_value(document, {schema.label_prefix},
                 [&](std::size_t, std::string_view label) { take_label(label, schema, labels); });
  return labels;
}

Xapian::docid find_document(const Xapian::Database& database, const std::string& given,
                            const Schema& schema) {
  std::string_view id = given;
  if (!schema.id_scheme.empty() && id.starts_with(schema.id_scheme)) {
    id.remove_prefix(schema.id_scheme.size());
  }
  if (id.empty()) return 0;
  if (!schema.archive.empty()) {
    const auto has_id = [&](Xapian::docid it) {
      return id_of(database.get_document(it), schema) == id;
    };
    const auto found = std::find_if(database.postlist_begin(""), database.postlist_end(""), has_id);
    return found == database.postlist_end("") ? 0 : *found;
  }
  for (const std::string& term :
       {term_of(schema.id_prefix, id), colon_term_of(schema.id_prefix, id)}) {
    const auto posting = database.postlist_begin(term);
    if (posting != database.postlist_end(term)) return *posting;
  }
  Xapian::docid docid = 0;
  const auto end = std::from_chars(id.data(), id.data() + id.size(), docid).ptr;
  if (end != id.data() + id.size() || docid == 0) return 0;
  if (database.allterms_begin(schema.id_prefix) != database.allterms_end(schema.id_prefix))
    return 0;
  return docid <= database.get_lastdocid() ? docid : 0;
}

}  // namespace search_server
