#include "api/reading/members.h"

#include <algorithm>
#include <utility>

#include "http/encoding.h"
#include "http/problem.h"
#include "index/edit_distance.h"

namespace search_server {
namespace {

constexpr int kDeepest = 32;

std::string shown(const Json& value) {
  const std::string text = value.is_structured() ? value.type_name() : to_text(value);
  return text.size() > 60 ? std::string(value.type_name()) : text;
}

std::string range(auto least, auto most) {
  return "from " + to_text(Json(least)) + " to " + to_text(Json(most));
}

Json parse(const std::string& text) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) {
    if (depth <= kDeepest) return true;
    throw Problem(400, "bad-body",
                  "expected JSON of at most " + std::to_string(kDeepest) + " levels");
  };
  try {
    return Json::parse(text, shallow);
  } catch (const Json::parse_error& e) {
    throw Problem(400, "bad-body", "not JSON at byte " + std::to_string(e.byte));
  } catch (const Json::out_of_range&) {
    throw Problem(400, "bad-body", "expected numbers that a double can hold");
  }
}

}  // namespace

std::string media_type(const Request& request) {
  std::string type = request.header("content-type");
  type.erase(std::min(type.find(';'), type.size()));
  type.erase(type.find_last_not_of(" \t") + 1);
  return lower_ascii(std::move(type));
}

Json read_object(const Request& request, std::size_t limit) {
  const std::string type = media_type(request);
  if (type != "application/json") {
    throw Problem(415, "unsupported-media-type",
                  "expected a body of application/json, found '" + type + "'");
  }
  if (request.body.size() > limit) throw body_too_large(limit);
  Json body = parse(request.body);
  if (!body.is_object()) {
    throw Problem(400, "bad-body",
                  std::string("expected a JSON object, found ") + body.type_name());
  }
  return body;
}

MemberReader::MemberReader(const Json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (object.is_object()) return;
  throw Problem(400, "bad-member",
                "member '" + where_ + "': expected an object, found " + shown(object));
}

void MemberReader::refuse(const std::string& name, const std::string& fault) const {
  throw Problem(400, "bad-member", "member '" + where_ + name + "': " + fault);
}

const Json* MemberReader::any(const std::string& name) {
  known_.push_back(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

std::optional<std::string> MemberReader::text(const std::string& name, std::size_t least,
                                              std::size_t most) {
  const Json* value = any(name);
  if (value == nullptr) return {};
  if (!value->is_string()) refuse(name, "expected a string, found " + shown(*value));
  const auto& text = value->get_ref<const std::string&>();
  if (text.size() >= least && text.size() <= most) return text;
  refuse(name, "expected a string of " + std::to_string(least) + " to " + std::to_string(most) +
                   " bytes, found " + std::to_string(text.size()));
}

std::int64_t MemberReader::integer(const std::string& name, std::int64_t otherwise,
                                   std::int64_t least, std::int64_t most) {
  const Json* value = any(name);
  if (value == nullptr) return otherwise;
  const bool fits = value->is_number_integer() &&
                    (!value->is_number_unsigned() || value->get<std::uint64_t>() <= INT64_MAX);
  const std::int64_t number = fits ? value->get<std::int64_t>() : 0;
  if (fits && number >= least && number <= most) return number;
  refuse(name, "expected a whole number " + range(least, most) + ", found " + shown(*value));
}

double MemberReader::number(const std::string& name, double otherwise, double least, double most) {
  const Json* value = any(name);
  if (value == nullptr) return otherwise;
  const double number = value->is_number() ? value->get<double>() : least - 1;
  if (number >= least && number <= most) return number;
  refuse(name, "expected a number " + range(least, most) + ", found " + shown(*value));
}

bool MemberReader::flag(const std::string& name, bool otherwise) {
  const Json* value = any(name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) refuse(name, "expected true or false, found " + shown(*value));
  return value->get<bool>();
}

std::string MemberReader::word(const std::string& name, const std::string& otherwise,
                               const std::vector<std::string>& words) {
  const std::optional<std::string> given = text(name, 0, 64);
  if (!given) return otherwise;
  if (std::find(words.begin(), words.end(), *given) != words.end()) return *given;
  std::string listed;
  for (const std::string& word : words) listed += (listed.empty() ? "" : ", ") + word;
  refuse(name, "expected one of " + listed + ", found '" + *given + "'");
}

std::vector<std::string> MemberReader::texts(const std::string& name, std::size_t count,
                                             std::size_t most) {
  std::vector<std::string> texts;
  for (const Json* value : list(name, count)) {
    const std::string place = name + "[" + std::to_string(texts.size()) + "]";
    if (!value->is_string()) refuse(place, "expected a string, found " + shown(*value));
    texts.push_back(value->get<std::string>());
    if (!texts.back().empty() && texts.back().size() <= most) continue;
    refuse(place, "expected a string of 1 to " + std::to_string(most) + " bytes, found " +
                      std::to_string(texts.back().size()));
  }
  return texts;
}

std::vector<const Json*> MemberReader::list(const std::string& name, std::size_t count) {
  const Json* value = any(name);
  if (value == nullptr) return {};
  if (!value->is_array()) refuse(name, "expected a list, found " + shown(*value));
  if (value->size() > count) {
    refuse(name, "expected at most " + std::to_string(count) + " elements, found " +
                     std::to_string(value->size()));
  }
  std::vector<const Json*> elements;
  for (const Json& element : *value) elements.push_back(&element);
  return elements;
}

void MemberReader::done() const {
  for (const auto& [name, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    throw Problem(
        400, "unknown-member",
        "unknown member '" + where_ + name.substr(0, 80) + "'" + suggestion(name, known_));
  }
}

}  // namespace search_server
