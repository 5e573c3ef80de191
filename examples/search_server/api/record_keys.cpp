#include "api/record_keys.h"

#include <kindred/config/settings.h>
#include <kindred/readers/field_map.h>

namespace search_server {
namespace {

constexpr std::size_t kMostKeys = 1000;

}  // namespace

void RecordKeys::count(const std::string& json) {
  const Json record = Json::parse(json, nullptr, false);
  if (!record.is_object()) return;
  ++records_;

  bool has_words = false;
  bool has_text = false;
  for (const auto& [key, value] : record.items()) {
    const bool is_empty = value.empty() || value == "";
    const bool is_text = key == "title" || key == "text" || key == "terms" || key == "vector";
    const bool is_body = !kindred::is_record_key(key) && body().contains(key);
    const bool is_said = !is_empty && (is_text || is_body);
    has_words = has_words || is_said;
    has_text = has_text || (is_said && key != "title");
    if (key == "labels" && !is_empty) ++labeled_;

    const bool is_read = kindred::is_record_key(key) || is_body;
    const bool has_room = unread_.size() < kMostKeys || unread_.contains(key);
    if (!is_read && !value.is_null() && has_room) ++unread_[key];
  }
  if (has_words) ++worded_;
  if (has_text) ++texts_;
}

Json RecordKeys::told() const {
  Json members = Json::object();
  if (unread_.empty()) return members;
  members["unread_keys"] = unread_;
  const std::string likely = kindred::likely_map(unread_, wanted());
  if (!likely.empty()) members["likely_map"] = likely;
  return members;
}

void RecordKeys::require_words() const {
  if (records_ == 0 || worded_ > 0) return;
  throw Problem(400, "no-text",
                "none of " + std::to_string(records_) +
                    " records has title, text or terms; nothing of them was added" +
                    kindred::unread_keys_text(unread_, wanted(), "map=") +
                    " (allow_empty=true adds them as they are)");
}

/// Keys that are text by the settings of the index. Most records have none that asks for them.
const std::set<std::string>& RecordKeys::body() {
  if (body_) return *body_;
  body_.emplace();
  const Json settings = plain(app_.ask(request_, "settings", Json::object()))["settings"];
  for (const Json& item : settings["index"]["body_fields"])
    body_->emplace(kindred::body_field(item.get<std::string>()).key);
  return *body_;
}

std::vector<std::string> RecordKeys::wanted() const {
  std::vector<std::string> wanted;
  if (texts_ == 0) wanted.emplace_back("text");
  if (labeled_ == 0) wanted.emplace_back("labels");
  return wanted;
}

}  // namespace search_server
