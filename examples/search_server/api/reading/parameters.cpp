#include "api/reading/parameters.h"

#include <algorithm>
#include <charconv>

#include "http/problem.h"
#include "index/edit_distance.h"

namespace search_server {
namespace {

constexpr std::size_t kMostValues = 32;

[[noreturn]] void refuse(const std::string& name, const std::string& fault) {
  throw Problem(400, "bad-parameter", "parameter '" + name + "': " + fault);
}

void check_length(const std::string& name, const std::string& value, std::size_t most) {
  if (value.size() <= most) return;
  refuse(name, "expected at most " + std::to_string(most) + " bytes, found " +
                   std::to_string(value.size()));
}

std::int64_t integer_of(const std::string& name, const std::string& value, std::int64_t least,
                        std::int64_t most) {
  std::int64_t number = 0;
  const char* const last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, number);
  if (error == std::errc() && end == last && number >= least && number <= most) return number;
  refuse(name, "expected a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most) + ", found '" + value.substr(0, 40) + "'");
}

std::vector<std::string> values_of(const Request& request, const std::string& name) {
  std::vector<std::string> values;
  for (const auto& [key, value] : request.query)
    if (key == name) values.push_back(value);
  return values;
}

}  // namespace

void ParameterReader::know(const std::string& name, std::size_t most) {
  known_.push_back(name);
  const std::size_t times = values_of(request_, name).size();
  if (times <= most) return;
  refuse(name, "expected at most " + std::to_string(most) + (most == 1 ? " value" : " values") +
                   ", found " + std::to_string(times));
}

std::string ParameterReader::text(const std::string& name, std::string otherwise,
                                  std::size_t most) {
  know(name, 1);
  const std::vector<std::string> values = values_of(request_, name);
  std::string value = values.empty() ? std::move(otherwise) : values.front();
  check_length(name, value, most);
  return value;
}

std::int64_t ParameterReader::integer(const std::string& name, std::int64_t otherwise,
                                      std::int64_t least, std::int64_t most) {
  know(name, 1);
  const std::vector<std::string> values = values_of(request_, name);
  return values.empty() ? otherwise : integer_of(name, values.front(), least, most);
}

double ParameterReader::number(const std::string& name, double otherwise, double least,
                               double most) {
  know(name, 1);
  const std::vector<std::string> values = values_of(request_, name);
  if (values.empty()) return otherwise;
  double number = 0;
  const char* const last = values.front().data() + values.front().size();
  const auto [end, error] = std::from_chars(values.front().data(), last, number);
  if (error == std::errc() && end == last && number >= least && number <= most) return number;
  refuse(name, "expected a number in its range, found '" + values.front().substr(0, 40) + "'");
}

bool ParameterReader::flag(const std::string& name, bool otherwise) {
  know(name, 1);
  const std::vector<std::string> values = values_of(request_, name);
  if (values.empty()) return otherwise;
  const std::string& value = values.front();
  if (value == "1" || value == "true") return true;
  if (value == "0" || value == "false") return false;
  refuse(name, "expected 1, true, 0 or false, found '" + value.substr(0, 40) + "'");
}

std::vector<std::string> ParameterReader::texts(const std::string& name, std::size_t most) {
  know(name, kMostValues);
  std::vector<std::string> values = values_of(request_, name);
  for (const std::string& value : values) {
    if (value.empty()) refuse(name, "expected a value, found nothing");
    check_length(name, value, most);
  }
  return values;
}

std::vector<std::int64_t> ParameterReader::integers(const std::string& name, std::int64_t least,
                                                    std::int64_t most) {
  std::vector<std::int64_t> numbers;
  for (const std::string& value : texts(name, 32)) {
    numbers.push_back(integer_of(name, value, least, most));
  }
  return numbers;
}

void ParameterReader::done() const {
  for (const auto& [name, value] : request_.query) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    throw Problem(400, "unknown-parameter",
                  "unknown parameter '" + name.substr(0, 80) + "'" + suggestion(name, known_));
  }
}

}  // namespace search_server
