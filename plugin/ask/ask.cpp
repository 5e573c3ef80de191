#include "plugin/ask/ask.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/shown.h"
#include "plugin/ask/ask_json.h"
#include "plugin/ask/asking.h"
#include "plugin/ask/question.h"

namespace kindred {
namespace {

struct Answerer {
  std::string_view question;
  Json (*answer)(Asking&);
  enum class Effect { kNone, kTuning, kWriting } effect = Effect::kNone;
  bool has_terms = true;  ///< false: JSON of records may look like terms, but is none
};

constexpr Answerer kAnswerers[] = {
    {"related", answer_related},
    {"classify", answer_classify},
    {"candidates", answer_candidates},
    {"suspects", answer_suspects},
    {"duplicates", answer_duplicates},
    {"evaluate", answer_evaluate},
    {"geometry", answer_geometry},
    {"topics", answer_topics},
    {"topic_of", answer_topic_of},
    {"map", answer_map},
    {"documents", answer_documents},
    {"matching", answer_matching},
    {"search", answer_search},
    {"labels", answer_labels},
    {"analyze", answer_analyze},
    {"status", answer_status},
    {"settings", answer_settings},
    {"tune", answer_tune, Answerer::Effect::kTuning},
    {"train_topics", answer_train_topics},
    {"assign_topics", answer_assign_topics, Answerer::Effect::kWriting},
    {"tag", answer_tag, Answerer::Effect::kWriting},
    {"edit", answer_edit, Answerer::Effect::kWriting},
    {"edit_label", answer_edit_label, Answerer::Effect::kWriting},
    {"delete", answer_delete, Answerer::Effect::kWriting},
    {"store_related", answer_store_related, Answerer::Effect::kWriting},
    {"save_mirror", answer_save_mirror},
    {"export", answer_export, Answerer::Effect::kNone, false},
};

const Answerer& answerer_of(std::string_view question) {
  return *std::ranges::find(kAnswerers, find_question(question).name, &Answerer::question);
}

/// Makes of a request what its answer says of it: of long lists and texts, only the beginning.
void shorten(Json& json) {
  constexpr std::size_t kMost = 16, kMostBytes = 1024;
  if (json.is_array() && json.size() > kMost) json.erase(json.begin() + kMost, json.end());
  if (json.is_structured()) std::ranges::for_each(json, shorten);
  if (!json.is_string() || json.get_ref<const std::string&>().size() <= kMostBytes) return;
  json = std::string(utf8_prefix(json.get_ref<const std::string&>(), kMostBytes)) + "...";
}

/// The result. The engine follows what has changed, also what a canceled run has committed.
Json answer_and_follow(const Answerer& answerer, Asking& asking) {
  const bool follows = asking.index.follows && answerer.effect != Answerer::Effect::kNone;
  try {
    Json result = answerer.answer(asking);
    if (follows) asking.engine().refresh();
    return result;
  } catch (const Error& e) {
    if (follows && e.code() == Errc::kCanceled) asking.engine().refresh();
    throw;
  }
}

/// Finds the terms that have no word yet, however deep, and makes all texts UTF-8.
void find_terms(Json& json, const Pulse& pulse, std::vector<Json*>& found) {
  if (json.is_string()) {
    std::string& text = json.get_ref<std::string&>();
    if (!is_utf8(text)) text = repair_utf8(text);
    return;
  }
  if (!json.is_structured()) return;

  pulse();
  if (json.is_object() && json.contains("word") && json["word"].is_null()) found.push_back(&json);
  for (Json& member : json) find_terms(member, pulse, found);
}

void fill_words(const Engine& engine, const Pulse& pulse, const std::vector<Json*>& found) {
  std::vector<std::string> terms;
  terms.reserve(found.size());
  for (const Json* term : found) terms.push_back(read_name((*term)["term"].get<std::string>()));
  const std::vector<std::string> words = engine.words(terms, pulse);
  for (std::size_t i = 0; i < found.size(); ++i) (*found[i])["word"] = words[i];
}

}  // namespace

std::string ask(const AskedIndex& index, std::string_view question, std::string_view request) {
  find_question(question);  // whose name is looked at before the request
  return json_line(
      ask_json(index, question, request.empty() ? Json::object() : parse_json(request)));
}

Json ask_json(const AskedIndex& index, std::string_view question, const Json& request) {
  const auto start = std::chrono::steady_clock::now();
  const Question& known = find_question(question);
  Asking asking(index, known.name, understood(known.request, request, known.name));
  asking.pulse();
  const Answerer& answerer = answerer_of(known.name);
  Json result = answer_and_follow(answerer, asking);
  std::vector<Json*> terms;
  if (answerer.has_terms) find_terms(result, asking.pulse, terms);
  if (!terms.empty()) fill_words(asking.reading(), asking.pulse, terms);
  shorten(asking.request);
  Json answer = {{"question", known.name}, {"request", std::move(asking.request)}};
  answer.get_ref<Json::object_t&>().reserve(result.size() + 4);  // to grow, it would copy all
  if (asking.origin.shards) {
    answer["shards"] = list_of(*asking.origin.shards, [](const ShardRevision& shard) -> Json {
      return {{"uuid", shard.uuid}, {"revision", shard.revision}};
    });
  } else {
    answer["revision"] = asking.origin.revision;
  }
  for (auto&& [key, value] : result.items()) answer[key] = std::move(value);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  answer["seconds"] = took.count();
  return answer;
}

bool writes(std::string_view question) {
  return answerer_of(question).effect == Answerer::Effect::kWriting;
}

std::string json_line(const Json& json) {
  std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto is_plain = [](char c) { return c >= ' ' && c < '\x7f'; };
  return std::ranges::all_of(line, is_plain) ? line : shown(line, ShownAs::kJson);
}

}  // namespace kindred
