#pragma once

#include <optional>
#include <string>
#include <string_view>

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

/// The letters of weighting.smart. It has one of each, in this order: how counts weigh, how the
/// number of documents with a term weighs, and how vectors are normalized.
/// analyzer/smart_weighting.h says what each letter means.
inline constexpr std::string_view kTfLetters = "nbslL";
inline constexpr std::string_view kIdfLetters = "ntpfsr";
inline constexpr std::string_view kNormLetters = "cn";

/// Whether known letters mean something together: L differs from l by a factor of the document,
/// which only the cosine takes out again.
inline constexpr bool go_together(char tf, char norm) { return tf != 'L' || norm == 'c'; }

}  // namespace kindred
