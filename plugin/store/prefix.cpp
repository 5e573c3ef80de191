#include "plugin/store/prefix.h"

#include <algorithm>

namespace kindred {
namespace {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

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
  if (prefix.empty()) return is_capital(value[0]) ? std::nullopt : std::optional(value);
  if (!is_open(prefix) || prefix.back() == ':') return value;
  if (is_capital(value[0])) return {};
  if (value[0] == ':') value.remove_prefix(1);
  return value.empty() ? std::nullopt : std::optional(value);
}

bool is_word_under(std::string_view prefix, std::string_view value) {
  return prefix != "S" || value.find(' ') == std::string_view::npos;
}

bool fits_term(std::string_view term) {
  const auto zeros = static_cast<std::size_t>(std::count(term.begin(), term.end(), '\0'));
  return !term.empty() && term.size() + zeros <= kMaxTermBytes;
}

}  // namespace kindred
