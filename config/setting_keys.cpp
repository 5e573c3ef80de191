#include "config/setting_keys.h"

namespace kindred {

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> list;
    Settings settings;
    visit_settings(settings, [&](std::string_view section, std::string_view key, auto&) {
      list.push_back(std::string(section) + "." + std::string(key));
    });
    return list;
  }();
  return keys;
}

std::map<std::string, SettingField> fields_of(Settings& settings) {
  std::map<std::string, SettingField> fields;
  visit_settings(settings, [&](std::string_view section, std::string_view key, auto& field) {
    fields[std::string(section) + "." + std::string(key)] = &field;
  });
  return fields;
}

bool equal_values(const SettingField& a, const SettingField& b) {
  return std::visit([&](auto* value) { return *value == *std::get<decltype(value)>(b); }, a);
}

}  // namespace kindred
