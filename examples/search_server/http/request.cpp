#include "http/request.h"

#include <charconv>

#include "http/problem.h"

namespace search_server {
namespace {

[[noreturn]] void refuse(std::string_view name, const std::string& was,
                         const std::string& expected) {
  throw Problem(400, "invalid-parameter",
                "The parameter \"" + std::string(name) + "\" is \"" + was + "\", but must be " +
                    expected + ".");
}

/// The whole of `text` as a number.
template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string shown(double number) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return error == std::errc() ? std::string(buffer, end) : std::string();
}

}  // namespace

std::string first_value(const Parameters& parameters, std::string_view name) {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return {};
}

std::optional<std::string> Request::parameter(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string> Request::parameters(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : query) {
    if (key == name) values.push_back(value);
  }
  return values;
}

std::string Request::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::int64_t Request::integer(std::string_view name, std::int64_t otherwise, std::int64_t least,
                              std::int64_t most) const {
  const std::optional<std::string> text = parameter(name);
  if (!text) return otherwise;
  const std::optional<std::int64_t> number = parsed<std::int64_t>(*text);
  if (!number || *number < least || *number > most) {
    refuse(name, *text,
           "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *number;
}

double Request::number(std::string_view name, double otherwise, double least, double most) const {
  const std::optional<std::string> text = parameter(name);
  if (!text) return otherwise;
  const std::optional<double> number = parsed<double>(*text);
  if (!number || !(*number >= least && *number <= most)) {
    refuse(name, *text, "a number from " + shown(least) + " to " + shown(most));
  }
  return *number;
}

bool Request::flag(std::string_view name, bool otherwise) const {
  const std::optional<std::string> text = parameter(name);
  if (!text) return otherwise;
  if (*text == "1" || *text == "true") return true;
  if (*text == "0" || *text == "false") return false;
  refuse(name, *text, "1, true, 0 or false");
}

}  // namespace search_server
