#include "index/schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace search_server {
namespace {

using Json = nlohmann::json;

/// Sets `to` if the settings have the key.
template <typename T>
void take(const Json& settings, const char* section, const char* key, T& to) {
  const auto table = settings.find(section);
  if (table == settings.end()) return;
  if (const auto value = table->find(key); value != table->end()) to = value->get<T>();
}

/// Adds fields that are written as "NAME=PREFIX"; one with the same name is replaced.
void add_fields(const std::vector<std::string>& written, Schema& schema, Schema::Fields& to) {
  for (const std::string& field : written) {
    const std::size_t equals = std::min(field.find('='), field.size());
    const std::string name = field.substr(0, equals);
    const auto same = [&](const auto& known) { return known.first == name; };
    std::erase_if(schema.fields, same);
    std::erase_if(schema.text_fields, same);
    to.emplace_back(name, equals < field.size() ? field.substr(equals + 1) : "");
  }
}

}  // namespace

const ValueField* Schema::value(const std::string& name) const {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const ValueField& field) { return field.name == name; });
  return found == values.end() ? nullptr : &*found;
}

bool Schema::is_system_label(std::string_view value) const {
  return std::ranges::any_of(system_labels, [&](std::string_view item) {
    return item.ends_with('*') ? value.starts_with(item.substr(0, item.size() - 1)) : value == item;
  });
}

Schema schema_of(const Json& settings, std::vector<ValueField> values) {
  Schema schema;
  take(settings, "index", "id_prefix", schema.id_prefix);
  take(settings, "index", "id_scheme", schema.id_scheme);
  take(settings, "index", "title_fields", schema.title_fields);
  take(settings, "index", "title_slot", schema.title_slot);
  take(settings, "labels", "prefix", schema.label_prefix);
  take(settings, "labels", "system", schema.system_labels);
  take(settings, "labels", "predicted_prefix", schema.predicted_prefix);
  take(settings, "labels", "rejected_prefix", schema.rejected_prefix);
  take(settings, "labels", "prediction_slot", schema.prediction_slot);
  take(settings, "topics", "prefix", schema.topic_prefix);
  take(settings, "topics", "unit_prefix", schema.unit_prefix);
  take(settings, "analyzer", "language", schema.language);
  schema.text_fields = {{"title", "S"}};
  schema.fields = {{"label", schema.label_prefix},
                   {"predicted", schema.predicted_prefix},
                   {"rejected", schema.rejected_prefix},
                   {"topic", schema.topic_prefix},
                   {"unit", schema.unit_prefix},
                   {"id", schema.id_prefix},
                   {"lang", "L"}};
  std::vector<std::string> written;
  take(settings, "filter", "fields", written);
  add_fields(written, schema, schema.fields);
  written.clear();
  take(settings, "filter", "text_fields", written);
  add_fields(written, schema, schema.text_fields);
  schema.values = std::move(values);
  return schema;
}

}  // namespace search_server
