#include "plugin/ask/label_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "plugin/ask/json_values.h"

namespace kindred {
namespace {

using Type = Shape::Type;

bool is_label(const Shape& shape, const Json& value) {
  return shape.kind == kLabelKind && value.is_string();
}

/// Calls visit(shape, value) for each value below this one that the shape knows.
template <typename Visit>
void for_each_below(const Shape& shape, Json& value, Visit&& visit) {
  if (shape.type == Type::kObject && value.is_object()) {
    for (const Shape& member : shape.members) {
      const auto found = value.find(member.name);
      if (found != value.end()) visit(member, *found);
    }
  }

  const bool is_list = shape.type == Type::kList && value.is_array();
  const bool is_map = shape.type == Type::kMap && value.is_object();
  if (!is_list && !is_map) return;
  for (Json& each : value) visit(shape.members.front(), each);
}

}  // namespace

void replace_labels(const Shape& shape, Json& value,
                    const std::function<std::string(const std::string&)>& label_of) {
  if (is_label(shape, value)) value = written_name(label_of(read_name(value.get<std::string>())));
  for_each_below(shape, value, [&](const Shape& inner, Json& below) {
    replace_labels(inner, below, label_of);
  });
}

void add_label_names(const Shape& shape, Json& value,
                     const std::function<std::string(const std::string&)>& name_of, Json& names) {
  const auto name = [&](const Json& label) {
    return name_of(read_name(label.get<std::string>()));
  };

  if (shape.type == Type::kList &&
      is_label(shape.members.front(), value.empty() ? Json() : value[0])) {
    for (const Json& label : value) {
      const auto& id = label.get_ref<const std::string&>();
      if (names.contains(id)) continue;
      if (std::string text = name(label); !text.empty()) names[id] = std::move(text);
    }
    return;
  }

  for_each_below(shape, value, [&](const Shape& inner, Json& below) {
    add_label_names(inner, below, name_of, names);
  });
  const bool has_label =
      std::ranges::find(shape.members, kLabelKind, &Shape::kind) != shape.members.end();
  if (shape.type != Type::kObject || !value.is_object() || !has_label) return;

  // The table has the key of the name behind that of its label, and so has the answer.
  Json named = Json::object();
  for (auto&& [key, below] : value.items()) {
    const auto label = std::ranges::find(shape.members, key, &Shape::name);
    const bool is_named = label != shape.members.end() && is_label(*label, below);
    std::string text = is_named ? name(below) : "";
    add_key(named, key, std::move(below));
    if (!text.empty()) add_key(named, std::next(label)->name, std::move(text));
  }
  value = std::move(named);
}

}  // namespace kindred
