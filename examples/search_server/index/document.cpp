#include "index/document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "index/terms.h"

namespace search_server {
namespace {

/// Calls take(value) for the values under `prefix`. `term` moves on, so prefixes must come in byte
/// order.
template <typename Take>
void values_under(const std::string& prefix, Xapian::TermIterator& term,
                  const Xapian::TermIterator& end, Take&& take) {
  term.skip_to(prefix);
  for (; term != end; ++term) {
    const std::string name = *term;
    if (!name.starts_with(prefix)) return;
    if (const auto value = value_of(prefix, name)) take(std::string(*value));
  }
}

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

void take_label(std::string label, const Schema& schema, std::vector<std::string>& labels) {
  const auto& system = schema.system_labels;
  if (std::find(system.begin(), system.end(), label) == system.end()) {
    labels.push_back(std::move(label));
  }
}

void read_terms(const Xapian::Document& document, const Schema& schema, IndexedDocument& to) {
  using Take = std::function<void(std::string)>;
  const std::map<std::string, double> confidence = confidences(document, schema);
  std::array<std::pair<std::string, Take>, 5> takers = {{
      {schema.id_prefix,
       [&](std::string id) {
         if (to.id.empty()) to.id = std::move(id);
       }},
      {schema.label_prefix,
       [&](std::string label) { take_label(std::move(label), schema, to.labels); }},
      {schema.predicted_prefix,
       [&](std::string label) {
         const auto found = confidence.find(label);
         to.predicted.emplace_back(label, found == confidence.end() ? 0 : found->second);
       }},
      {schema.topic_prefix,
       [&](const std::string& number) {
         std::uint32_t topic = 0;
         std::from_chars(number.data(), number.data() + number.size(), topic);
         if (topic > 0) to.topic = topic;
       }},
      {"L", [&](std::string language) { to.language = std::move(language); }},
  }};
  std::sort(takers.begin(), takers.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Xapian::TermIterator term = document.termlist_begin();
  const Xapian::TermIterator end = document.termlist_end();
  for (const auto& [prefix, take] : takers) values_under(prefix, term, end, take);
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

IndexedDocument read_document(const Xapian::Document& document, const Schema& schema) {
  IndexedDocument read;
  read.docid = document.get_docid();
  read_terms(document, schema, read);
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
  Xapian::TermIterator term = document.termlist_begin();
  values_under(schema.label_prefix, term, document.termlist_end(),
               [&](std::string label) { take_label(std::move(label), schema, labels); });
  return labels;
}

Xapian::docid find_document(const Xapian::Database& database, const std::string& given,
                            const Schema& schema) {
  std::string_view id = given;
  if (!schema.id_scheme.empty() && id.starts_with(schema.id_scheme)) {
    id.remove_prefix(schema.id_scheme.size());
  }
  if (id.empty()) return 0;
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
