// What answers are made of.

#include <algorithm>
#include <string_view>

#include "analyzer/text/utf8.h"
#include "api/routes.h"

namespace search_server {
namespace {

/// What the plugin writes as names of the index.
constexpr std::string_view kNames[] = {"id", "label", "labels", "predicted", "term", "value"};

void make_plain(Json& json, bool is_name) {
  if (json.is_object()) {
    for (auto&& [name, member] : json.items()) {
      make_plain(member, std::ranges::find(kNames, name) != std::end(kNames));
      // Shares of a vote add up to 1 only as well as rounding lets them.
      if (name == "confidence") member = std::clamp(member.get<double>(), 0.0, 1.0);
    }
  } else if (json.is_array()) {
    for (Json& element : json) make_plain(element, is_name);
  } else if (json.is_string() && is_name) {
    const auto& text = json.get_ref<const std::string&>();
    if (text.find('\\') != text.npos) json = read_name(text);
  }
}

}  // namespace

Response json_answer(const Json& json, int status) {
  Response response = json_response(to_text(json), status);
  if (json.contains("etag")) response.headers.emplace_back("ETag", json["etag"]);
  return response;
}

Response checked_answer(Json answer) {
  const Json seconds = answer.value("seconds", Json());
  answer.erase("seconds");
  std::string text = to_text(answer);
  const std::string etag = '"' + kindred::checksum_text(text) + '"';
  if (!seconds.is_null()) text.replace(text.size() - 1, 1, ",\"seconds\":" + seconds.dump() + "}");
  Response response = json_response(std::move(text));
  response.headers.emplace_back("ETag", etag);
  return response;
}

Response handed_on(Json answer) {
  make_plain(answer, false);
  return checked_answer(std::move(answer));
}

Json plain(Json answer) {
  make_plain(answer, false);
  for (const char* key : {"question", "request", "revision", "shards", "seconds"})
    answer.erase(key);
  return answer;
}

std::string filter_of(const Json& documents) {
  std::string filter;
  for (const Json& document : documents) {
    const auto id = document["id"].get<std::string>();
    if (id.find('"') == id.npos) filter += "id:\"" + id + "\" ";
  }
  return filter;
}

}  // namespace search_server
