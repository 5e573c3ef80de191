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
#include "questions_json.h"

namespace kindred {
namespace {

/// Reads the request, answers it, and writes the answer into `json`; its origin is returned.
template <typename Request>
Origin answer_by(Asking& asking, const Json& request, Json& json) {
  const auto answered = answer(asking, from_json<Request>(request, asking.question));
  if constexpr (requires { answered.has_value(); }) {
    if (!answered) return {};  // another process has it
    add_json(*answered, asking.pulse, json);
    return *answered;
  } else {
    add_json(answered, asking.pulse, json);
    return answered;
  }
}

struct Answerer {
  std::string_view question;
  Origin (*answer)(Asking& asking, const Json& request, Json& json);
  enum class Effect { kNone, kTuning, kWriting } effect = Effect::kNone;
};

constexpr Answerer kAnswerers[] = {
    {"related", answer_by<api::RelatedRequest>},
    {"classify", answer_by<api::ClassifyRequest>},
    {"candidates", answer_by<api::CandidatesRequest>},
    {"suspects", answer_by<api::SuspectsRequest>},
    {"duplicates", answer_by<api::DuplicatesRequest>},
    {"evaluate", answer_by<api::EvaluateRequest>},
    {"geometry", answer_by<api::GeometryRequest>},
    {"topics", answer_by<api::TopicsRequest>},
    {"topic_of", answer_by<api::TopicOfRequest>},
    {"map", answer_by<api::MapRequest>},
    {"documents", answer_by<api::DocumentsRequest>},
    {"matching", answer_by<api::MatchingRequest>},
    {"search", answer_by<api::SearchRequest>},
    {"labels", answer_by<api::LabelsRequest>},
    {"analyze", answer_by<api::AnalyzeRequest>},
    {"status", answer_by<api::StatusRequest>},
    {"settings", answer_by<api::SettingsRequest>},
    {"tune", answer_by<api::TuneRequest>, Answerer::Effect::kTuning},
    {"train_topics", answer_by<api::TrainTopicsRequest>},
    {"assign_topics", answer_by<api::AssignTopicsRequest>, Answerer::Effect::kWriting},
    {"tag", answer_by<api::TagRequest>, Answerer::Effect::kWriting},
    {"edit", answer_by<api::EditRequest>, Answerer::Effect::kWriting},
    {"edit_label", answer_by<api::EditLabelRequest>, Answerer::Effect::kWriting},
    {"delete", answer_by<api::DeleteRequest>, Answerer::Effect::kWriting},
    {"store_related", answer_by<api::StoreRelatedRequest>, Answerer::Effect::kWriting},
    {"save_mirror", answer_by<api::SaveMirrorRequest>},
    {"export", answer_by<api::ExportRequest>},
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

/// Answers, and adds the keys of the answer. The engine follows what has changed, also what a
/// canceled run has committed.
Origin answer_and_follow(const Answerer& answerer, Asking& asking, const Json& request,
                         Json& json) {
  const bool follows = asking.index.follows && answerer.effect != Answerer::Effect::kNone;
  try {
    const Origin origin = answerer.answer(asking, request, json);
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
  Json result = Json::object();
  const Origin origin =
      answer_and_follow(answerer_of(known.name), asking, understood_request, result);

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
  return answerer_of(question).effect == Answerer::Effect::kWriting;
}

std::string json_line(const Json& json) {
  std::string line = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto is_plain = [](char c) {
    return c >= ' ' && c < '\x7f';
  };
  return std::ranges::all_of(line, is_plain) ? line : shown(line, ShownAs::kJson);
}

}  // namespace kindred
