#include "plugin/input/label_name.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "analyzer/text/utf8.h"
#include "plugin/store/terms.h"

namespace kindred {

std::string label_name(std::string_view text) { return trimmed_nfc(text); }

std::vector<std::string> label_names(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (const std::string& text : texts) {
    std::string name = label_name(text);
    if (seen.insert(name).second) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> label_spellings(const std::string& text) {
  std::vector<std::string> spellings = {text};
  for (const std::string& other : {label_name(text), nfd(label_name(text))})
    if (std::ranges::find(spellings, other) == spellings.end()) spellings.push_back(other);
  return spellings;
}

std::vector<std::string> label_prefixes(const LabelSettings& settings) {
  return {settings.prefix, settings.predicted_prefix, settings.rejected_prefix};
}

bool fits_terms(std::string_view label, const LabelSettings& settings) {
  return !label.empty() &&
         std::ranges::all_of(label_prefixes(settings), [&](const std::string& prefix) {
           return fits_term(prefixed_term(prefix, label));
         });
}

}  // namespace kindred
