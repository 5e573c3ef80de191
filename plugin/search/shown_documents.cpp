#include "plugin/search/shown_documents.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/shown.h"
#include "plugin/input/document_data.h"
#include "plugin/search/query.h"
#include "plugin/snapshot/example_query.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/store/counted_documents.h"
#include "plugin/topics/topic_map.h"

namespace kindred {
namespace {

/// Null if there is none, or it is damaged: then topics have no names, and all else is found.
std::shared_ptr<const TopicMap> map_of(const SearchIndex& index) try {
  return index.topic_map();
} catch (const Error&) {
  return nullptr;
}

/// An entity tag: another one when what is kept of the document, its tags or what is shown of it
/// are. `kept`: its data, and what predicted its tags.
std::string entity_tag(const api::FoundDocument& found, std::string kept) {
  // Each part with its length and each list with its own, so that no two documents read alike.
  const auto add = [&](std::string_view part) {
    kept += std::to_string(part.size()).append(":").append(part);
  };
  const auto add_number = [&](std::uint64_t number) {
    add(std::to_string(number));
  };

  add(found.title);
  add_number(found.labels.size());
  for (const std::string& label : found.labels) add(label);

  add_number(found.predicted.size());
  for (const Tag& tag : found.predicted) {
    add(tag.label);
    add_number(std::bit_cast<std::uint64_t>(tag.confidence));
  }

  add(found.language.value_or(""));
  add_number(found.topic ? found.topic->number : 0);
  if (found.topic) add(found.topic->name);

  for (const auto& [name, value] : found.values) {
    add(name);
    add(value.text);
  }
  return '"' + checksum_text(kept) + '"';
}

}  // namespace

std::uint32_t number_of(const std::string& text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string value_json(const std::string& value, bool is_number) {
  if (is_number) return nlohmann::json(Xapian::sortable_unserialise(value)).dump();
  return nlohmann::json(is_utf8(value) ? value : repair_utf8(value)).dump();
}

Xapian::Document with_data(Xapian::Document document) {
  document.set_data(document.get_data());
  return document;
}

std::string ShownDocuments::topic_name(std::uint32_t number) const {
  const auto& made = map_.get([this] {
    return map_of(index_);
  });
  const TopicMap* const map = made.get();
  const bool is_known = map != nullptr && number >= 1 && number <= map->topics.size();
  if (!is_known) return "";
  return map->topics[number - 1].name;
}

StoredTags ShownDocuments::tags_of(const Xapian::Document& document, Xapian::docid docid,
                                   std::span<FirstValue> further) const {
  try {
    StoredTags tags = read_tags(document, settings_, docid, further);
    add_shard_label(index_.snapshot->mirror().shard_label_of(docid), tags);
    return tags;
  } catch (const Xapian::DocNotFoundError&) {  // the index does not keep the terms of documents
    StoredTags tags;
    tags.id = id_beside_terms(document, settings_.index);
    if (tags.id.empty()) tags.id = std::to_string(docid);
    return tags;
  }
}

std::string ShownDocuments::id_of(const Xapian::Document& document, Xapian::docid docid) const {
  return tags_of(document, docid).id;
}

api::FoundDocument ShownDocuments::in_short(const Xapian::Document& document,
                                            Xapian::docid docid) const {
  std::array<FirstValue, 2> terms = {
      FirstValue{FacetTable::prefix_of(FacetTable::kLanguages, settings_)},
      FirstValue{FacetTable::prefix_of(FacetTable::kTopics, settings_)}};
  const StoredTags tags = tags_of(document, docid, terms);
  const StoredDocument stored = stored_document(document, tags, settings_.index, docid);

  api::FoundDocument found;
  found.id = stored.id;
  found.docid = stored.docid;
  found.title = document_heading(document, settings_.index);
  found.labels = stored.labels;
  found.predicted = stored.predicted;

  const auto& [language, topic] = terms;
  if (!language.value.empty()) found.language = language.value;
  const std::uint32_t number = number_of(topic.value);
  if (number > 0) found.topic = {number, topic_name(number)};

  for (const ValueField& field : fields_) {
    const std::string value = document.get_value(field.slot);
    if (value.empty()) continue;
    found.values.push_back({field.name, {value_json(value, field.number)}});
  }

  found.etag = entity_tag(found, stored.data + tags.prediction);
  return found;
}

/// The document of a unique id, or of a docid in digits if that one has no id.
/// @throws Xapian::DocNotFoundError.
Xapian::docid ShownDocuments::find(const std::string& id) const {
  const auto docids = documents_with_id(database_, id, settings_.index);
  if (docids.size() > 1) throw ambiguous_id(id, docids);
  if (!docids.empty()) return docids.front();

  // Some programs keep ids in the data, and some documents have none.
  if (const auto mirrored = find_document(*index_.snapshot, id, settings_.index)) return *mirrored;
  const Xapian::docid docid = number_of(id);
  if (docid > 0 && tags_of(database_.get_document(docid), docid).id == id) return docid;
  throw Xapian::DocNotFoundError(id);
}

api::FoundDocument ShownDocuments::whole(const std::string& id) const try {
  const Xapian::docid docid = find(id);
  const Xapian::Document document = with_data(database_.get_document(docid));
  if (!CountedDocuments(settings_.mirror).has(document)) throw Xapian::DocNotFoundError(id);
  const std::string data = document.get_data();
  api::FoundDocument found = in_short(document, docid);

  // The whole text, where the index keeps the record.
  const auto own = kept_record(data, found.id);
  if (own) {
    found.text = own->record.text;
  } else {
    found.text = std::string(document_field(data, "sample"));
  }

  // Further keys, without those that are shown as something else.
  auto& fields = found.fields.emplace();
  const auto is_shown = [&](std::string_view name) {
    if (std::ranges::find(settings_.index.title_fields, name) != settings_.index.title_fields.end())
      return true;
    const auto shown = {"id", "lang", "label", "sample"};
    return !own && std::ranges::find(shown, name) != shown.end();
  };
  const auto add = [&](std::string_view name, std::string_view value) {
    const bool is_new = std::ranges::find(fields, name, [](const auto& field) {
                          return field.first;
                        }) == fields.end();
    if (is_new && !is_shown(name)) fields.emplace_back(name, value);
  };

  if (own) {
    for (const auto& [name, value] : own->record.fields) add(name, value);
  } else {
    for (const auto& [name, value] : document_fields(data)) add(name, value);
  }
  return found;
} catch (const Xapian::DocNotFoundError&) {
  throw Error(Errc::kNotFound, "no document has the id '" + shortened(id) + "'");
}

}  // namespace kindred
