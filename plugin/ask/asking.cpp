#include "plugin/ask/asking.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "plugin/input/record.h"
#include "plugin/votes/label_weights.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

Example example_of(const Json& given, const std::string& place) {
  const bool has_text = given.contains("text");
  if (given.size() != (has_text && given.contains("lang") ? 2U : 1U) ||
      given.contains("lang") > has_text)
    throw Error(Errc::kInvalidArgument,
                place + ": expected one of id, docid, text (with lang or without) and record");
  if (given.contains("id")) return UniqueId{read_name(given["id"].get<std::string>())};
  if (given.contains("docid")) return Docid{given["docid"].get<Xapian::docid>()};
  if (!has_text) {
    try {
      const Json& record = given["record"];
      return parse_record(record.is_string() ? record.get<std::string>() : record.dump());
    } catch (const Error& e) {
      throw Error(e.code(), place + ".record: " + e.what());
    }
  }
  Record record;
  record.text = given["text"].get<std::string>();
  record.language = given.value("lang", std::string());
  return record;
}

}  // namespace

std::vector<Example> Asking::examples(const char* key) const {
  const Json& given = request.at(key);
  if (given.is_object()) return {example_of(given, question + "." + key)};
  std::vector<Example> examples;
  for (const Json& each : given) {
    pulse();
    examples.push_back(
        example_of(each, question + "." + key + "[" + std::to_string(examples.size()) + "]"));
  }
  return examples;
}

Asking::Asking(const AskedIndex& asked, std::string name, Json understood)
    : index(asked), question(std::move(name)), request(std::move(understood)) {
  if (index.on_step) pulse = Pulse([this] { step(latest); });
}

Engine& Asking::reading() {
  if (!reading_) {
    reading_.emplace(engine().pinned());
    origin = reading_->origin();
  }
  return *reading_;
}

void Asking::step(const AskStep& step) {
  latest = step;
  if (!index.on_step || index.on_step(latest)) return;
  throw Error(Errc::kCanceled, question + ": canceled after " + std::to_string(latest.done) +
                                   (latest.all > 0 ? " of " + std::to_string(latest.all) : ""));
}

std::function<bool(std::uint64_t, std::uint64_t)> Asking::counting() {
  if (!index.on_step) return {};
  return [this](std::uint64_t done, std::uint64_t all) {
    latest = {"", done, all};
    return index.on_step(latest);
  };
}

std::vector<std::string> read_names(const Json& list) {
  std::vector<std::string> names;
  for (const Json& name : list) names.push_back(read_name(name.get<std::string>()));
  return names;
}

Json names_json(const std::vector<std::string>& names) { return list_of(names, written_name); }

Json confidence_json(double confidence) { return std::clamp(confidence, 0.0, 1.0); }

Json tag_json(const Tag& tag) {
  return {{"label", written_name(tag.label)}, {"confidence", confidence_json(tag.confidence)}};
}

Json tags_json(const std::vector<Tag>& tags) { return list_of(tags, tag_json); }

Json terms_json(const std::vector<TermContribution>& terms) {
  return list_of(terms, [](const TermContribution& term) -> Json {
    return {{"term", written_name(term.term)},
            {"word", nullptr},  // ask() finds it
            {"contribution", term.contribution}};
  });
}

Json reasons_json(const std::vector<TagReason>& reasons, const std::vector<Voter>& neighbors) {
  const auto voter_json = [&](const TagVoter& voter) -> Json {
    return {{"id", written_name(neighbors[voter.neighbor].id)}, {"share", voter.share}};
  };
  return list_of(reasons, [&](const TagReason& reason) -> Json {
    return {{"label", written_name(reason.label)},
            {"threshold", number_json(reason.threshold)},
            {"voters", list_of(reason.voters, voter_json)},
            {"terms", terms_json(reason.terms)}};
  });
}

Json neighbors_json(const std::vector<Voter>& neighbors, const std::vector<std::string>& titles) {
  Json list = Json::array();
  for (const Voter& voter : neighbors) {
    Json json = {{"id", written_name(voter.id)},
                 {"docid", voter.docid},
                 {"similarity", shortest(voter.similarity)},
                 {"labels", names_json(voter.labels)}};
    if (!titles.empty()) json["title"] = titles[list.size()];
    list.push_back(std::move(json));
  }
  return list;
}

Json tuning_json(const Tuning& tuning) {
  const TuningScores& scores = tuning.scores;
  return {{"revision", tuning.revision},
          {"filter", tuning.filter},
          {"method",
           {{"vote", vote_name(VoteKind::kBlend)},
            {"k", kBlendNeighbors},
            {"linear", tuning.classifiers != nullptr}}},
          {"scores",
           {{"documents", scores.documents},
            {"micro_f1", scores.micro_f1},
            {"macro_f1", scores.macro_f1},
            {"accuracy", scores.accuracy},
            {"calibration_error", scores.calibration_error},
            {"log_loss", scores.log_loss}}},
          {"known_terms", tuning.weights->size()},
          {"thresholds", tuning.thresholds.size()},
          {"voters", tuning.voters},
          {"automatic", tuning.automatic},
          {"forward_documents", tuning.forward_documents}};
}

void add_unused_tuning(Asking& asking, Json& answer) {
  std::string why = asking.reading().tuning_unused();
  if (!why.empty()) answer["tuning_unused"] = std::move(why);
}

double shortest(float value) {
  std::array<char, 64> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  double result = 0;
  std::from_chars(text.data(), written.ptr, result);
  return result;
}

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace kindred
