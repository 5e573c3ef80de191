#pragma once

#include <string_view>

namespace kindred {

/// The letters of weighting.smart, one of each in this order: how counts weigh, how the number of a
/// term's documents does, and how vectors are normalized. analyzer/weighting.h says what they mean.
inline constexpr std::string_view kTfLetters = "nbslL";
inline constexpr std::string_view kIdfLetters = "ntpfs";
inline constexpr std::string_view kNormLetters = "c";

}  // namespace kindred
