#include "config/setting_keys.h"

#include <filesystem>
#include <system_error>
#include <type_traits>
#include <utility>

#include "config/shown.h"

namespace kindred {

namespace {

/// A TOML string.
std::string toml_string(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string quoted = "\"";

  // What a basic string of TOML must escape: control characters, quotes and backslashes.
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      quoted.append("\\u00").append({kHexDigits[byte >> 4], kHexDigits[byte & 15]});
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

bool is_word_list(std::string_view key) {
  return key == "analyzer.stem_overrides" || key == "analyzer.stop_words";
}

/// An item of a list: paths are made absolute.
std::string toml_item(std::string_view key, const std::string& item) {
  if (key != "analyzer.lemmas" && key != "analyzer.compounds") return toml_string(item);

  // "LANGUAGE=hunspell", "LANGUAGE=hunspell:NAME" or "LANGUAGE=PATH": a name is none of a file, and
  // stays.
  constexpr std::string_view kHunspell = "hunspell:";
  std::size_t path = item.find('=') + 1;
  const std::string_view where = std::string_view(item).substr(path);
  const bool has_name = where.starts_with(kHunspell);
  if (where == "hunspell" || (has_name && where.find('/') == std::string_view::npos))
    return toml_string(item);

  if (has_name) path += kHunspell.size();
  std::error_code ignored;
  return toml_string(item.substr(0, path) +
                     std::filesystem::absolute(item.substr(path), ignored).string());
}

std::string toml_of(std::string_view key, const std::string& value) {
  const bool is_name = value.empty() || value == "builtin" || value == "none";

  std::error_code ignored;
  if (is_name || !is_word_list(key)) return toml_string(value);
  return toml_string(std::filesystem::absolute(value, ignored).string());
}

std::string toml_of(std::string_view key, const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& item : list) append_item(text, toml_item(key, item));
  return "[" + text + "]";
}

std::string toml_of(std::string_view, const DeviceList& devices) {
  if (devices.all) return toml_string(kAllDevices);
  std::string text;
  for (const std::int64_t number : devices.numbers) append_item(text, std::to_string(number));
  return "[" + text + "]";
}

std::string toml_of(std::string_view, bool value) { return value ? "true" : "false"; }
std::string toml_of(std::string_view, std::int64_t value) { return std::to_string(value); }
std::string toml_of(std::string_view, double value) { return number_text(value); }

template <typename T>
bool assign(const toml::node& node, T& field) {
  // A whole number is a number, too; nothing else is taken for another type.
  const bool may_convert = std::is_same_v<T, double> && node.is_integer();
  const auto value = may_convert ? node.value<T>() : node.value_exact<T>();

  if (value) field = *value;
  return value.has_value();
}

template <typename T>
bool assign(const toml::node& node, std::vector<T>& field) {
  const toml::array* list = node.as_array();
  if (list == nullptr) return false;

  field.clear();
  for (const toml::node& item : *list)
    if (!assign(item, field.emplace_back())) return false;
  return true;
}

bool assign(const toml::node& node, DeviceList& devices) {
  devices.all = node.value_exact<std::string>() == kAllDevices;
  return devices.all || assign(node, devices.numbers);
}

}  // namespace

const std::vector<std::string>& known_keys() {
  // The rows point into settings, so one of the defaults is made to read their keys.
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> list;
    Settings settings;
    for (const SettingRow& row : setting_rows(settings)) list.emplace_back(row.key);
    return list;
  }();
  return keys;
}

std::map<std::string, SettingField> fields_of(Settings& settings) {
  std::map<std::string, SettingField> fields;
  for (const SettingRow& row : setting_rows(settings)) fields.emplace(row.key, row.field);
  return fields;
}

bool equal_values(const SettingField& a, const SettingField& b) {
  return std::visit(
      [&](auto* value) {
        return *value == *std::get<decltype(value)>(b);
      },
      a);
}

std::string toml_value(std::string_view key, const SettingField& field) {
  return std::visit(
      [&](const auto* value) {
        return toml_of(key, *value);
      },
      field);
}

std::string_view expected_type(const SettingField& field) {
  constexpr std::string_view kTypes[] = {
      "a string", "true or false",     "a whole number",
      "a number", "a list of strings", "a list of whole numbers, or \"all\""};
  return kTypes[field.index()];
}

bool assign_value(const toml::node& node, const SettingField& field) {
  return std::visit(
      [&](auto* value) {
        return assign(node, *value);
      },
      field);
}

}  // namespace kindred
