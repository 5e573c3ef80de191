#include "plugin/store/terms.h"

#include <algorithm>
#include <unordered_set>

#include "analyzer/text/language.h"
#include "analyzer/text/normal_form.h"
#include "analyzer/text/utf8.h"
#include "config/error.h"

namespace kindred {
namespace {

/// True if capitals after the prefix could be taken for a part of it. That is not so for prefixes
/// of one letter, except Z, which precedes other prefixes, and X, which begins longer ones.
bool is_open(std::string_view prefix) {
  return prefix.size() > 1 || prefix == "Z" || prefix == "X";
}

}  // namespace

std::string prefixed_term(std::string_view prefix, std::string_view value) {
  std::string term(prefix);
  const bool ambiguous = !value.empty() && (is_capital(value[0]) || value[0] == ':');
  if (ambiguous && is_open(prefix) && prefix.back() != ':') term += ':';
  return term.append(value);
}

std::string colon_term(std::string_view prefix, std::string_view value) {
  return std::string(prefix).append(1, ':').append(value);
}

std::optional<std::string_view> value_under(std::string_view prefix, std::string_view term) {
  if (!term.starts_with(prefix) || term.size() == prefix.size()) return {};

  std::string_view value = term.substr(prefix.size());
  if (prefix.empty() && is_capital(value[0])) return {};

  // After an open prefix, a capital would belong to a longer prefix; a colon tells that it does
  // not.
  if (!is_open(prefix) || prefix.back() == ':') return value;
  if (is_capital(value[0])) return {};
  if (value[0] == ':') value.remove_prefix(1);
  if (value.empty()) return {};
  return value;
}

bool is_word_under(std::string_view prefix, std::string_view value) {
  return prefix != "S" || value.find(' ') == std::string_view::npos;
}

bool fits_term(std::string_view term) {
  const auto zeros = static_cast<std::size_t>(std::count(term.begin(), term.end(), '\0'));
  return !term.empty() && term.size() + zeros <= kMaxTermBytes;
}

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

std::vector<std::string> language_spellings(const std::string& text) {
  std::vector<std::string> spellings = {text};
  if (!is_language(text)) return spellings;
  std::string code = find_language(text).code;
  if (code != text) spellings.push_back(std::move(code));
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
