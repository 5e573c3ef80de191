#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace kindred {

/// The label that a text or the value of a term names: in Unicode's normalization form C, without
/// white space at its ends, so that what looks the same is one label. Malformed UTF-8 stays.
std::string label_name(std::string_view text);

/// The same of each, in their order; of equal labels the first.
std::vector<std::string> label_names(const std::vector<std::string>& texts);

/// The values under which programs write a label that is given as `text`: as it is, and in each
/// normalization form, once.
std::vector<std::string> label_spellings(const std::string& text);

/// The prefixes under which Kindred may have to write a label: as one of people, as a predicted
/// tag, and as one that was taken off.
std::vector<std::string> label_prefixes(const LabelSettings& settings);

/// True if the label is not empty and fits a term under each of label_prefixes(). Others are never
/// predicted.
bool fits_terms(std::string_view label, const LabelSettings& settings);

}  // namespace kindred
