#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings.h"
#include "config/toml.h"

namespace kindred {

/// Where the value of a setting is.
using SettingField = std::variant<std::string*, bool*, std::int64_t*, double*,
                                  std::vector<std::string>*, DeviceList*>;

/// A setting, and what its value may be.
struct SettingRow {
  std::string_view key;  ///< "section.key"
  SettingField field;
  double low = 0;  ///< of a number, as high: both are included
  double high = 0;
  std::vector<std::string_view> choices = {};  ///< of a text; empty: any
};

/// Every setting of config/settings.txt, which it is made of, in that order.
std::vector<SettingRow> setting_rows(Settings& settings);

/// "section.key" -> its value in `settings`.
std::map<std::string, SettingField> fields_of(Settings& settings);

/// Both are values of one key.
bool equal_values(const SettingField& a, const SettingField& b);

/// The value of a key ("section.key") as TOML. Paths are made absolute.
std::string toml_value(std::string_view key, const SettingField& field);

/// What a value of this type is called in messages.
std::string_view expected_type(const SettingField& field);

/// Stores the node in the field; false if its type is not the field's.
bool assign_value(const toml::node& node, const SettingField& field);

}  // namespace kindred
