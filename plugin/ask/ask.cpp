#include "plugin/ask/ask.h"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/shown.h"
#include "plugin/ask/ask_json.h"
#include "plugin/ask/asking.h"
#include "plugin/ask/label_names.h"
#include "plugin/ask/question.h"
#include "plugin/vocabulary/meant_label.h"
#include "questions_json.h"

namespace kindred {
namespace {

/// Reads the request, answers it, and writes the answer into `json`; its origin is returned.
template <typename Request>
Origin answer_by(Asking& asking, const Json& request, Json& json) {
  const auto answered = answer(asking, read_value<Request>(request, asking.question));
  if (asking.is_answered_elsewhere) return {};
  add_json(answered, asking.pulse, json);
  return answered;
}

/// The same by the function of the question.
Origin answer_question(Asking& asking, const Json& request, Json& json) {
  Origin origin;
  for_each_question([&]<typename Request>(std::string_view name, std::type_identity<Request>) {
    if (name == asking.question) origin = answer_by<Request>(asking, request, json);
  });
  return origin;
}

/// Makes of a request what its answer says of it: of long lists and texts, only the beginning.
void shorten(Json& json) {
  constexpr std::size_t kMost = 16, kMostBytes = 1024;
  if (json.is_array() && json.size() > kMost) json.erase(json.begin() + kMost, json.end());
  if (json.is_structured()) std::ranges::for_each(json, shorten);
  if (!json.is_string() || json.get_ref<const std::string&>().size() <= kMostBytes) return;
  json = std::string(utf8_prefix(json.get_ref<const std::string&>(), kMostBytes)) + "...";
}

/// Lets a request have names where it has labels.
void replace_names(const Question& question, Asking& asking, Json& request) {
  const Vocabulary* vocabulary = nullptr;
  bool is_known = false;  // the index is looked at for the first label only
  replace_labels(question.request, request, [&](const std::string& text) {
    if (!is_known) vocabulary = asking.vocabulary();
    is_known = true;
    return vocabulary == nullptr ? text : meant_label(text, asking.reading().mirror(), vocabulary);
  });
}

/// Adds the names of the labels of an answer, in the languages that the request asks for.
void add_names(const Question& question, Asking& asking, const Json& request, Json& json) {
  const auto wanted = request.find("names_in");
  const bool has_labels = question.request.has_key("names_in");
  if (!has_labels || asking.vocabulary() == nullptr) return;

  std::vector<std::string> languages;
  if (wanted != request.end()) languages = wanted->get<std::vector<std::string>>();

  Json names = Json::object();
  const auto name_of = [&](const std::string& label) {
    asking.pulse();
    return asking.reading().label_name(label, languages);
  };
  add_label_names(question.answer, json, name_of, names);
  if (!names.empty()) add_key(json, "names", std::move(names));
}

/// Answers, and adds the keys of the answer. The engine follows what has changed, also what a
/// canceled run has committed.
Origin answer_and_follow(const Question& question, Asking& asking, const Json& request,
                         Json& json) {
  const bool follows = asking.index.follows && question.effect != Question::Effect::kNone;
  try {
    const Origin origin = answer_question(asking, request, json);
    if (follows) asking.engine().refresh();
    return origin;
  } catch (const Error& e) {
    if (follows && e.code() == Errc::kCanceled) asking.engine().refresh();
    throw;
  }
}

Json shards_json(const std::vector<ShardRevision>& shards) {
  Json list = Json::array();
  for (const ShardRevision& shard : shards)
    list.push_back({{"uuid", shard.uuid}, {"revision", shard.revision}});
  return list;
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
  Json understood_request = understood(known.request, request, known.name);
  Asking asking(index, known.name);
  asking.pulse();
  replace_names(known, asking, understood_request);
  Json result = Json::object();
  const Origin origin = answer_and_follow(known, asking, understood_request, result);
  add_names(known, asking, understood_request, result);

  shorten(understood_request);
  Json answer = {{"question", known.name}, {"request", std::move(understood_request)}};
  answer.get_ref<Json::object_t&>().reserve(result.size() + 4);  // to grow, it would copy all
  if (origin.shards) {
    add_key(answer, "shards", shards_json(*origin.shards));
  } else {
    add_key(answer, "revision", origin.revision);
  }
  for (auto&& [key, value] : result.items()) add_key(answer, key, std::move(value));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  answer["seconds"] = took.count();
  return answer;
}

bool writes(std::string_view question) {
  return find_question(question).effect == Question::Effect::kWriting;
}

std::string json_line(const Json& json) {
  std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto is_plain = [](char c) {
    return c >= ' ' && c < '\x7f';
  };
  return std::ranges::all_of(line, is_plain) ? line : shown(line, ShownAs::kJson);
}

}  // namespace kindred
