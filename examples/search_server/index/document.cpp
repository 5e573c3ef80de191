#include "index/document.h"

#include <charconv>
#include <utility>

#include "analyzer/text/utf8.h"
#include "plugin/store/zim.h"

namespace search_server {
namespace {

void add(std::string_view value, std::vector<std::string>& names) {
  std::string name = label_name(value);
  if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
}

void read_terms(const Xapian::Document& document, const Schema& schema, IndexedDocument& to) {
  for_each_value(document, schema.prefixes, [&](std::size_t kind, std::string_view value) {
    if (kind == kIds && to.id.empty()) to.id = value;
    if (kind == kLabels && !schema.is_system_label(value)) add(value, to.labels);
    if (kind == kPredicted) add(value, to.predicted);
    if (kind == kTopics) std::from_chars(value.data(), value.data() + value.size(), to.topic);
    if (kind == kLanguages) to.language = value;
  });
}

/// The lines "name=value" of the document data, as Omega writes them.
void read_data(std::string_view rest, const Schema& schema, IndexedDocument& to) {
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const std::string_view name = line.substr(0, equals), value = line.substr(equals + 1);
    if (name == "sample") {
      to.text = value;
    } else if (name != "id" && name != "lang" && name != "label") {
      to.fields.emplace(name, value);
    }
  }
  for (const std::string& field : schema.title_fields) {
    auto found = to.fields.extract(field);
    if (found && to.title.empty()) to.title = std::move(found.mapped());
  }
}

/// The first words of a text, in one line.
std::string first_words(std::string_view text) {
  constexpr std::size_t kMost = 80;
  const std::string_view start = kindred::utf8_prefix(text, kMost);
  std::string words(start);
  std::ranges::replace_if(
      words, [](unsigned char c) { return c < ' '; }, ' ');
  if (start.size() < text.size()) {
    const std::size_t space = words.rfind(' ');
    if (space != std::string::npos && space > 0) words.resize(space);
    words += "\u2026";
  }
  return kindred::trimmed_nfc(words);
}

std::string id_of(const Xapian::Document& document, const Schema& schema) {
  const std::string data = document.get_data();
  return data.starts_with(schema.id_scheme) ? data.substr(schema.id_scheme.size()) : data;
}

std::string etag_of(std::string all, const IndexedDocument& read) {
  for (const auto* names : {&read.labels, &read.predicted})
    for (const std::string& name : *names) all.append(1, names == &read.labels ? 1 : 2) += name;
  all += read.prediction + "\n" + read.id + "\n" + std::to_string(read.topic);
  std::string etag = "\"";
  return etag.append(std::to_string(std::hash<std::string>()(all))).append(1, '"');
}

Xapian::docid find_in_archive(const Xapian::Database& database, std::string_view id,
                              const Schema& schema) {
  const auto end = database.postlist_end("");
  const auto found = std::find_if(database.postlist_begin(""), end, [&](Xapian::docid docid) {
    return id_of(database.get_document(docid), schema) == id;
  });
  return found == end ? 0 : *found;
}

}  // namespace

const ValueField* Schema::value(std::string_view name) const {
  const auto found = std::ranges::find(values, name, &ValueField::name);
  return found == values.end() ? nullptr : &*found;
}

bool Schema::is_system_label(std::string_view label) const {
  return std::ranges::any_of(system_labels, [&](std::string_view item) {
    return item.ends_with('*') ? label.starts_with(item.substr(0, item.size() - 1)) : label == item;
  });
}

Schema schema_of(const Json& settings, std::vector<ValueField> values) {
  Schema schema;
  const Json &labels = settings["labels"], &index = settings["index"], &topics = settings["topics"];
  schema.prefixes = {
      labels["prefix"],  labels["predicted_prefix"], topics["prefix"], topics["unit_prefix"], "L",
      index["id_prefix"]};
  schema.id_scheme = index["id_scheme"];
  schema.title_fields = index["title_fields"];
  schema.title_slot = index["title_slot"];
  schema.system_labels = labels["system"];
  schema.prediction_slot = labels["prediction_slot"];
  schema.values = std::move(values);
  return schema;
}

std::string label_name(std::string_view value) { return kindred::trimmed_nfc(value); }

IndexedDocument read_document(const Xapian::Document& document, const Schema& schema) {
  IndexedDocument read;
  read.docid = document.get_docid();
  read_terms(document, schema, read);
  if (!schema.archive.empty()) {
    read.id = id_of(document, schema);
    read.title = kindred::zim_title(schema.archive, read.id);
  }
  if (read.id.empty()) read.id = std::to_string(read.docid);
  const std::string data = document.get_data();
  read_data(data, schema, read);
  if (read.title.empty() && schema.title_slot >= 0)
    read.title = document.get_value(static_cast<Xapian::valueno>(schema.title_slot));
  if (read.title.empty()) read.title = first_words(read.text);
  read.prediction = document.get_value(schema.prediction_slot);
  for (const ValueField& field : schema.values) {
    const std::string value = document.get_value(field.slot);
    if (value.empty()) continue;
    read.values[field.name] =
        field.number ? Json(Xapian::sortable_unserialise(value)) : Json(value);
  }
  read.etag = etag_of(data, read);
  return read;
}

std::vector<std::string> read_labels(const Xapian::Document& document, const Schema& schema) {
  std::vector<std::string> labels;
  for_each_value(document, {schema.prefixes[kLabels]}, [&](std::size_t, std::string_view value) {
    if (!schema.is_system_label(value)) add(value, labels);
  });
  return labels;
}

std::string read_title(const Xapian::Document& document, const Schema& schema) {
  IndexedDocument read;
  read_data(document.get_data(), schema, read);
  if (read.title.empty() && schema.title_slot >= 0)
    read.title = document.get_value(static_cast<Xapian::valueno>(schema.title_slot));
  return read.title;
}

Xapian::docid find_document(const Xapian::Database& database, std::string_view id,
                            const Schema& schema) {
  if (id.starts_with(schema.id_scheme)) id.remove_prefix(schema.id_scheme.size());
  if (id.empty()) return 0;
  if (!schema.archive.empty()) return find_in_archive(database, id, schema);
  const std::string& prefix = schema.prefixes[kIds];
  for (const std::string& term :
       {kindred::prefixed_term(prefix, id), kindred::colon_term(prefix, id)}) {
    if (!kindred::fits_term(term)) continue;
    const auto posting = database.postlist_begin(term);
    if (posting != database.postlist_end(term)) return *posting;
  }
  Xapian::docid docid = 0;
  const auto end = std::from_chars(id.data(), id.data() + id.size(), docid).ptr;
  if (end != id.data() + id.size() || docid == 0 || docid > database.get_lastdocid()) return 0;
  try {
    bool has_id = false;
    for_each_value(database.get_document(docid), {prefix},
                   [&](std::size_t, std::string_view) { has_id = true; });
    return has_id ? 0 : docid;
  } catch (const Xapian::DocNotFoundError&) {
    return 0;
  }
}

}  // namespace search_server
