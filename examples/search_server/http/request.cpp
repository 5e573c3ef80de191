#include "http/request.h"

#include <charconv>

#include "http/encoding.h"
#include "http/problem.h"

namespace search_server {
namespace {

[[noreturn]] void refuse(std::string_view name, const std::string& was,
                         const std::string& expected) {
  throw Problem(400, "bad-parameter",
                "The parameter \"" + std::string(name) + "\" is \"" + was.substr(0, 80) +
                    "\", but must be " + expected + ".");
}

/// The whole of a parameter as a number. @throws Problem 400
template <class Number>
Number number_in(const Request& request, std::string_view name, Number otherwise, Number least,
                 Number most, const std::string& expected) {
  const std::optional<std::string> text = request.parameter(name);
  if (!text) return otherwise;
  Number number{};
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  const bool is_within = number >= least && number <= most;
  if (text->empty() || error != std::errc() || stop != end || !is_within) {
    refuse(name, *text, expected);
  }
  return number;
}

std::string shown(double number) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
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

Parameters Request::form() const {
  const std::string type = header("content-type");
  if (type.substr(0, type.find(';')) != "application/x-www-form-urlencoded") {
    throw Problem(415, "unsupported-media-type",
                  "The body must be a form (application/x-www-form-urlencoded).");
  }
  return parse_parameters(body);
}

std::int64_t Request::integer(std::string_view name, std::int64_t otherwise, std::int64_t least,
                              std::int64_t most) const {
  return number_in(*this, name, otherwise, least, most,
                   "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

double Request::number(std::string_view name, double otherwise, double least, double most) const {
  return number_in(*this, name, otherwise, least, most,
                   "a number from " + shown(least) + " to " + shown(most));
}

bool Request::flag(std::string_view name, bool otherwise) const {
  const std::string text = parameter(name).value_or(otherwise ? "1" : "0");
  if (text != "1" && text != "true" && text != "0" && text != "false") {
    refuse(name, text, "1, true, 0 or false");
  }
  return text == "1" || text == "true";
}

}  // namespace search_server
