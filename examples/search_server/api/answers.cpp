// What answers are made of.

#include <algorithm>
#include <array>
#include <string_view>

#include "api/routes.h"

namespace search_server {
namespace {

/// What the plugin writes as names of the index.
constexpr std::array<std::string_view, 5> kNames = {"id", "label", "labels", "predicted", "term"};

void make_plain(Json& json, bool is_name) {
  if (json.is_array()) {
    for (Json& element : json) make_plain(element, is_name);
  } else if (json.is_object()) {
    for (auto&& [name, member] : json.items()) {
      make_plain(member, std::ranges::find(kNames, name) != kNames.end());
      // Shares of a vote add up to 1 only as well as rounding lets them.
      if (name == "confidence") member = std::clamp(member.get<double>(), 0.0, 1.0);
    }
  } else if (json.is_string() && is_name) {
    const auto& text = json.get_ref<const std::string&>();
    if (text.find('\\') != text.npos) json = read_name(text);
  }
}

/// Fills objects from the index, however deep.
class Filler {
 public:
  Filler(App& app, const OpenDatabase& open) : app_(app), state_(app.state()), open_(open) {}

  void fill(Json& json) {
    if (!json.is_structured()) return;
    if (json.is_object() && json.contains("docid")) add_document(json);
    if (json.is_object() && json.contains("term")) {
      if (language_.empty()) language_ = app_.words.analyzed("", false).language;
      json["word"] = app_.words.word(open_.database, json["term"], language_);
    }
    for (Json& member : json) fill(member);
  }

 private:
  void add_document(Json& json) {
    const bool is_near = json.contains("similarity") && json.contains("title");
    if (is_near && json.contains("labels")) return;
    try {
      if (is_near) {
        json["labels"] = read_labels(open_.database.get_document(json["docid"]), state_->schema);
        return;
      }
      const IndexedDocument read =
          read_document(open_.database.get_document(json["docid"]), state_->schema);
      json["labels"] = read.labels;
      json["etag"] = read.etag;
      if (json.value("title", "").empty()) json["title"] = read.title;
    } catch (const Xapian::DocNotFoundError&) {
      json["title"] = json.value("title", "");  // it is gone meanwhile
    }
  }

  App& app_;
  const std::shared_ptr<const State> state_;
  const OpenDatabase& open_;
  std::string language_;
};

}  // namespace

Response json_answer(const Json& json, int status) {
  Response response = json_response(to_text(json), status);
  if (json.contains("etag")) response.headers.emplace_back("ETag", json["etag"]);
  return response;
}

void sort_by_confidence(Json& list) {
  std::stable_sort(list.begin(), list.end(), [](const Json& a, const Json& b) {
    return a.value("confidence", 0.0) > b.value("confidence", 0.0);
  });
}

void show(App& app, const Request& request, Json& part) {
  make_plain(part, false);
  app.read(request, [&](const OpenDatabase& open) {
    Filler(app, open).fill(part);
    return true;
  });
}

Json shown(App& app, const Request& request, Json answer) {
  const std::string etag = app.etag(answer);
  for (const char* key : {"question", "request", "revision", "shards", "seconds"})
    answer.erase(key);
  show(app, request, answer);
  answer["etag"] = etag;
  return answer;
}

Json document_json(const IndexedDocument& read, const State& state) {
  Json json = {{"id", read.id},
               {"docid", read.docid},
               {"title", read.title},
               {"labels", read.labels},
               {"predicted", Json::array()}};
  std::map<std::string, double> confidences;
  const Json stored =
      read.predicted.empty() ? Json() : Json::parse(read.prediction, nullptr, false);
  for (const Json& tag : stored.is_object() ? stored.value("tags", Json()) : Json())
    if (tag.is_object() && tag.value("confidence", Json()).is_number())
      confidences[tag.value("label", "")] = std::clamp(tag["confidence"].get<double>(), 0.0, 1.0);
  for (const std::string& label : read.predicted)
    json["predicted"].push_back({{"label", label}, {"confidence", confidences[label]}});
  sort_by_confidence(json["predicted"]);
  json["topic"] = nullptr;
  if (const auto name = state.topics.find(read.topic); read.topic > 0)
    json["topic"] = {{"number", read.topic},
                     {"name", name == state.topics.end() ? "" : name->second}};
  json["language"] = read.language.empty() ? Json() : Json(read.language);
  json["values"] = read.values;
  json["etag"] = read.etag;
  return json;
}

IndexedDocument require_document(const Xapian::Database& database, const std::string& id,
                                 const Schema& schema) {
  const Xapian::docid docid = find_document(database, id, schema);
  if (docid != 0) return read_document(database.get_document(docid), schema);
  throw Problem(404, "document-not-found", "no document has the id '" + id + "'");
}

void add_reason(const Json& reason, const Json& neighbors, Json& to) {
  constexpr std::size_t kMostVoters = 10;
  to["voters"] = Json::array();
  to["terms"] = reason.value("terms", Json::array());
  for (const Json& voter : reason.value("voters", Json::array())) {
    const auto neighbor = std::ranges::find_if(
        neighbors, [&](const Json& each) { return each["id"] == voter["id"]; });
    if (to["voters"].size() == kMostVoters || neighbor == neighbors.end()) break;
    to["voters"].push_back({{"id", voter["id"]},
                            {"title", neighbor->value("title", "")},
                            {"similarity", (*neighbor)["similarity"]},
                            {"share", voter["share"]}});
  }
}

}  // namespace search_server
