#pragma once

#include <optional>
#include <string>

#include "config/settings.h"

namespace kindred {

/// One thing wrong with the settings: the key, and what it should have been.
struct SettingsFault {
  std::string key;
  std::string expectation;
  std::string other_key = {};  ///< of two that do not go together
};

/// The first fault of settings whose values have the right types.
std::optional<SettingsFault> find_fault(const Settings& settings);

}  // namespace kindred
