#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "config/toml.h"

namespace kindred {

/// The value of backend.devices that stands for all.
inline constexpr std::string_view kAllDevices = "all";

/// The value of a key ("section.key") as TOML. Paths are made absolute.
std::string toml_value(std::string_view key, const std::string& value);
std::string toml_value(std::string_view key, const std::vector<std::string>& list);
std::string toml_value(std::string_view key, const DeviceList& devices);
std::string toml_value(std::string_view key, bool value);
std::string toml_value(std::string_view key, std::int64_t value);
std::string toml_value(std::string_view key, double value);

/// What a value of this type is called in messages.
std::string_view expected_type(const std::string&);
std::string_view expected_type(bool);
std::string_view expected_type(std::int64_t);
std::string_view expected_type(double);
std::string_view expected_type(const std::vector<std::string>&);
std::string_view expected_type(const DeviceList&);

/// Stores the node in the field; false if its type is not the field's.
bool assign_value(const toml::node& node, std::string& field);
bool assign_value(const toml::node& node, bool& field);
bool assign_value(const toml::node& node, std::int64_t& field);
bool assign_value(const toml::node& node, double& field);
bool assign_value(const toml::node& node, std::vector<std::string>& field);
bool assign_value(const toml::node& node, DeviceList& devices);

}  // namespace kindred
