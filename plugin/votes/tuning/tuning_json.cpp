#include "plugin/votes/tuning/tuning_json.h"

#include <cmath>

#include "config/error.h"
#include "plugin/votes/votes.h"
#include "plugin/votes/weights/frozen_weights.h"

namespace kindred {
namespace {

using OrderedJson = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& what) { throw Error(Errc::kInvalidArgument, what); }

std::string read_text(const std::string& key, const OrderedJson& value) {
  if (!value.is_string()) refuse(key + ": expected a string, found " + value.type_name());
  return value.get<std::string>();
}

double read_number(const std::string& key, const OrderedJson& value) {
  if (!value.is_number()) refuse(key + ": expected a number, found " + value.type_name());
  return value.get<double>();
}

std::int64_t read_whole(const std::string& key, const OrderedJson& value) {
  constexpr double kMost = 9007199254740992.0;  // 2^53
  const double number = read_number(key, value);
  if (!(number >= 0 && number <= kMost) || number != std::floor(number))
    refuse(key + ": expected a whole number, at least 0");
  return static_cast<std::int64_t>(number);
}

std::vector<std::string> read_texts(const std::string& key, const OrderedJson& value) {
  if (!value.is_array()) refuse(key + ": expected a list, found " + value.type_name());
  std::vector<std::string> texts;
  for (const OrderedJson& text : value) texts.push_back(read_text(key, text));
  return texts;
}

void read_member(const std::string& key, const OrderedJson& value, TuneRequest& request) {
  if (key == "filter") {
    request.filter = read_text(key, value);
  } else if (key == "seed") {
    request.seed = static_cast<std::uint64_t>(read_whole(key, value));
  } else if (key == "documents") {
    request.documents = static_cast<std::uint64_t>(read_whole(key, value));
  } else if (key == "groups") {
    request.groups = read_texts(key, value);
  } else {
    refuse("unknown key '" + key + "'; expected filter, seed, groups or documents");
  }
}

}  // namespace

OrderedJson scores_json(const TuningScores& scores) {
  return {{"documents", scores.documents},
          {"micro_f1", scores.micro_f1},
          {"macro_f1", scores.macro_f1},
          {"accuracy", scores.accuracy},
          {"calibration_error", scores.calibration_error},
          {"log_loss", scores.log_loss}};
}

OrderedJson tuning_json(const Tuning& tuning) {
  return {{"revision", tuning.revision},
          {"filter", tuning.filter},
          {"method",
           {{"vote", vote_name(VoteKind::kBlend)},
            {"k", kBlendNeighbors},
            {"linear", tuning.classifiers != nullptr}}},
          {"scores", scores_json(tuning.scores)},
          {"known_terms", tuning.weights->size()},
          {"thresholds", tuning.thresholds.size()},
          {"voters", tuning.voters},
          {"automatic", tuning.automatic},
          {"forward_documents", tuning.forward_documents}};
}

OrderedJson tune_report_json(const TuneReport& report, const std::string& file, double seconds) {
  OrderedJson json = tuning_json(report.tuning);
  json["file"] = file.empty() ? OrderedJson() : OrderedJson(file);
  json["drift"] = report.drift;
  json["expected_accuracy"] = expected_accuracy(report);
  json["seconds"] = seconds;
  return json;
}

TuneRequest parse_tune_request(std::string_view json) {
  TuneRequest request;
  if (json.empty()) return request;
  const OrderedJson object = OrderedJson::parse(json, nullptr, false);
  if (!object.is_object()) refuse("expected a JSON object of what to learn from");
  for (const auto& [key, value] : object.items()) read_member(key, value, request);
  return request;
}

}  // namespace kindred
