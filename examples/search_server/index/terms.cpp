#include "index/terms.h"

namespace search_server {
namespace {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

/// True if a capital after the prefix could be taken for a part of it.
bool takes_colon(std::string_view prefix) { return prefix.size() > 1 && prefix.back() != ':'; }

}  // namespace

std::string term_of(std::string_view prefix, std::string_view value) {
  std::string term(prefix);
  const bool ambiguous = !value.empty() && (is_capital(value[0]) || value[0] == ':');
  if (ambiguous && takes_colon(prefix)) term += ':';
  return term.append(value);
}

std::string colon_term_of(std::string_view prefix, std::string_view value) {
  return std::string(prefix).append(1, ':').append(value);
}

std::optional<std::string_view> value_of(std::string_view prefix, std::string_view term) {
  if (!term.starts_with(prefix) || term.size() == prefix.size()) return {};
  std::string_view value = term.substr(prefix.size());
  if (!takes_colon(prefix)) return value;
  if (is_capital(value[0])) return {};
  if (value[0] == ':') value.remove_prefix(1);
  return value.empty() ? std::nullopt : std::optional(value);
}

}  // namespace search_server
