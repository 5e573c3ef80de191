#include "plugin/query/filter_fields.h"

#include <algorithm>

#include "config/shown.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

bool has_field(const std::vector<FilterField>& fields, std::string_view name) {
  return std::ranges::any_of(fields, [&](const FilterField& field) {
    return field.name == name;
  });
}

/// Replaces Kindred's own fields that have the names of these.
void override_fields(const std::vector<std::string>& given, FilterFields& fields,
                     std::vector<FilterField>& list) {
  std::vector<FilterField> added;
  for (const std::string& field : given) {
    const auto [name, prefix] = split_filter_field(field);
    FilterField& each = added.emplace_back(FilterField{std::string(name), std::string(prefix)});
    each.is_given = true;
    if (const auto value = slot_value(prefix)) each.slot = value->first;
  }
  const auto is_replaced = [&](const FilterField& field) {
    return has_field(added, field.name);
  };
  std::erase_if(fields.texts, is_replaced);
  std::erase_if(fields.values, is_replaced);
  list.insert(list.end(), added.begin(), added.end());
}

}  // namespace

bool FilterFields::is_text(std::string_view name) const { return has_field(texts, name); }

bool FilterFields::is_value(std::string_view name) const { return has_field(values, name); }

std::vector<std::string> FilterFields::names() const {
  std::vector<std::string> names;
  for (const auto* list : {&texts, &values}) {
    for (const FilterField& field : *list) {
      if (std::find(names.begin(), names.end(), field.name) == names.end())
        names.push_back(field.name);
    }
  }
  return names;
}

FilterFields filter_fields(const Settings& settings) {
  FilterFields fields;
  fields.texts = {{"title", "S"}};
  fields.values = {{"tag", settings.labels.prefix},  // from people or predicted
                   {"tag", settings.labels.predicted_prefix},
                   {"label", settings.labels.prefix},
                   {"predicted", settings.labels.predicted_prefix},
                   {"rejected", settings.labels.rejected_prefix},
                   {"narrower", settings.labels.prefix},  // a label, or one below it
                   {"topic", settings.topics.prefix},
                   {"unit", settings.topics.unit_prefix},
                   {"id", settings.index.id_prefix},
                   {"lang", language_prefix(settings.labels)}};
  if (settings.index.ids == "slot")
    for (FilterField& field : fields.values)
      if (field.name == "id") field.slot = static_cast<std::uint32_t>(settings.index.id_slot);
  override_fields(settings.filter.text_fields, fields, fields.texts);
  override_fields(settings.filter.fields, fields, fields.values);
  const std::vector<std::string> labels = label_prefixes(settings.labels);
  for (FilterField& field : fields.values) {
    field.is_from_people = field.prefix == settings.labels.prefix;
    field.is_branch = field.name == "narrower" && field.is_from_people;
    field.is_label = !field.is_branch && std::ranges::find(labels, field.prefix) != labels.end();
    field.is_language = field.prefix == language_prefix(settings.labels);
  }
  return fields;
}

std::string listed_filter_fields(const FilterFields& fields) {
  std::string list;
  for (const std::string& name : fields.names()) append_item(list, name);
  return list;
}

}  // namespace kindred
