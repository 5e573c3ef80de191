// The tuning of a database as a file: a section file with one section, of CBOR (RFC 8949), which
// keeps every bit of a number and every byte of a term.
#include "plugin/votes/tuning/tuning.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/error.h"
#include "config/shown.h"
#include "plugin/store/cbor.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/packing.h"
#include "plugin/store/section_file.h"
#include "plugin/votes/classes/linear_classifiers.h"
#include "plugin/votes/frozen_weights.h"
#include "plugin/votes/votes.h"

namespace kindred {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Calibration, offset, unlikely, likely, ahead)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Combiner, single_label, intercept, coefficients, calibration)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SuggestionModel, coefficients)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HierarchyModel, below, above, both)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TuningScores, documents, micro_f1, macro_f1, precision, recall,
                                   accuracy, calibration_error, log_loss)

namespace {

using Cbor = nlohmann::json;

constexpr std::string_view kMagic = "kindred-tuning15";
constexpr std::uint32_t kParts = 1;          ///< the section
constexpr const char* kUntuned = "untuned";  ///< the file of keep_untuned()
constexpr const char* kRemedy = "; tune again, or remove it by 'kindred tune --remove'";

Cbor json_of(Packed packed) {
  return {{"size", packed.size}, {"packed", Cbor::binary(std::move(packed.bytes))}};
}

Packed packed_of(const Cbor& json) {
  return {whole_number<std::uint64_t>(json.at("size")), json.at("packed").get_binary()};
}

bool is_sound(const Calibration& calibration) {
  const auto is_slope = [](double x) {
    return std::isfinite(x) && x >= 0;
  };
  return std::isfinite(calibration.offset) && is_slope(calibration.unlikely) &&
         is_slope(calibration.likely) && is_slope(calibration.ahead);
}

Cbor parts_of(const Tuning& tuning) {
  Cbor json = {{"uuid", tuning.uuid},
               {"revision", tuning.revision},
               {"smart", tuning.smart},
               {"prefixes", tuning.prefixes},
               {"filter", tuning.filter},
               {"single_label", tuning.single_label},
               {"max_labels", tuning.max_labels},
               {"voters", tuning.voters},
               {"automatic", tuning.automatic},
               {"merged", tuning.merged},
               {"scores", tuning.scores},
               {"forward_documents", tuning.forward_documents},
               {"thresholds", tuning.thresholds},
               {"other_threshold", tuning.other_threshold},
               {"goal", tuning.goal},
               {"weights", json_of(tuning.weights->packed())},
               {"combiner", tuning.combiner},
               {"suggestions", tuning.suggestions},
               {"hierarchy", tuning.hierarchy}};
  json["weights"]["terms"] = tuning.weights->size();
  if (tuning.classifiers) json["classifiers"] = json_of(tuning.classifiers->packed());
  return json;
}

Tuning tuning_of(const Cbor& json) {
  Tuning tuning;
  tuning.uuid = json.at("uuid").get<std::string>();
  tuning.revision = whole_number<std::uint64_t>(json.at("revision"));
  tuning.smart = json.at("smart").get<std::string>();
  tuning.prefixes = json.at("prefixes").get<std::vector<std::string>>();
  tuning.filter = json.at("filter").get<std::string>();
  tuning.single_label = json.at("single_label").get<bool>();
  tuning.max_labels = whole_number<std::uint64_t>(json.at("max_labels"));
  tuning.voters = whole_number<std::uint64_t>(json.at("voters"));
  tuning.automatic = json.at("automatic").get<bool>();
  tuning.merged = json.value("merged", false);
  json.at("scores").get_to(tuning.scores);

  // What was learned. A tuning may do without classifiers.
  const Cbor& weights = json.at("weights");
  tuning.weights = std::make_shared<const FrozenWeights>(FrozenWeights::unpacked(
      whole_number<std::uint64_t>(weights.at("terms")), packed_of(weights)));
  tuning.forward_documents = whole_number<std::uint64_t>(json.at("forward_documents"));
  tuning.thresholds = json.at("thresholds").get<std::map<std::string, double>>();
  json.at("other_threshold").get_to(tuning.other_threshold);
  json.at("goal").get_to(tuning.goal);
  json.at("combiner").get_to(tuning.combiner);
  json.at("suggestions").get_to(tuning.suggestions);
  json.at("hierarchy").get_to(tuning.hierarchy);
  if (json.contains("classifiers")) {
    tuning.classifiers = std::make_shared<const LinearClassifiers>(
        LinearClassifiers::unpacked(packed_of(json["classifiers"])));
  }
  return tuning;
}

bool is_sound(const HierarchyModel& hierarchy) {
  constexpr double kMost = 100;  // its exponential is a number, as is that of the sum
  return std::abs(hierarchy.below) <= kMost && std::abs(hierarchy.above) <= kMost &&
         hierarchy.both >= 0 && hierarchy.both <= 1;
}

/// True if `kindred tune` could have found this tuning. The code that uses it does not check its
/// parts again.
bool is_sound(const Tuning& tuning) {
  const auto is_finite = [](double x) {
    return std::isfinite(x);
  };
  const auto is_cut = [](const auto& pair) {
    return !std::isnan(pair.second);
  };

  return std::ranges::all_of(tuning.thresholds, is_cut) && is_finite(tuning.other_threshold) &&
         is_finite(tuning.combiner.intercept) &&
         std::ranges::all_of(tuning.combiner.coefficients, is_finite) &&
         std::ranges::all_of(tuning.suggestions.coefficients, is_finite) &&
         is_sound(tuning.combiner.calibration) && is_sound(tuning.hierarchy);
}

/// @throws Error kCorrupt if the parts are not those of a tuning, or do not fit together.
Tuning read_parts(const SectionReader& reader) {
  const std::string parts = reader.read_text(kParts);
  try {
    Tuning tuning = tuning_of(parse_cbor(parts));
    if (!is_sound(tuning)) throw Error(Errc::kCorrupt, "its parts do not fit together");
    tuning.stamp = reader.stamp();
    return tuning;
  } catch (const std::exception& e) {
    reader.refuse(std::string("its content is not what was expected: ") + e.what());
  }
}

}  // namespace

std::string tuning_path(const std::string& database) { return index_file_path(database, "tuning"); }

std::optional<Tuning> read_tuning(const std::string& database, const std::string& uuid) {
  const std::string path = tuning_path(database);
  const GuardedFile file = index_file(path);
  if (!file.exists()) return std::nullopt;

  try {
    Tuning tuning = read_parts(SectionReader(file, "the tuning", kMagic, 1));
    if (!uuid.empty() && tuning.uuid != uuid)
      throw Error(Errc::kCorrupt, path + ": made for another index: expected uuid " + uuid +
                                      ", found " + tuning.uuid);
    return tuning;
  } catch (const Error& e) {
    if (e.code() != Errc::kCorrupt && e.code() != Errc::kUnsupported) throw;
    throw Error(e.code(), e.what() + std::string(kRemedy));
  }
}

void write_tuning(const std::string& database, const Tuning& tuning) {
  const GuardedFile file = index_file(tuning_path(database));
  const std::vector<std::uint8_t> parts = Cbor::to_cbor(parts_of(tuning));
  SectionWriter writer(kMagic);
  writer.add(kParts, parts);
  writer.write(file, 1);

  // Whoever tunes an index does not want it to stay untuned.
  std::error_code ignored;
  remove_index_file(index_file_path(database, kUntuned), ignored);
}

bool remove_tuning(const std::string& database) {
  const std::string path = tuning_path(database);
  std::error_code fault;
  const bool removed = remove_index_file(path, fault);
  if (fault) throw Error(Errc::kNotFound, path + ": cannot be removed: " + fault.message());
  return removed;
}

void keep_untuned(const std::string& database) {
  const std::string path = index_file_path(database, kUntuned);
  const std::error_code fault = replace_index_file(path, "");
  if (fault) throw Error(Errc::kNotFound, path + ": cannot be written: " + fault.message());
}

bool is_kept_untuned(const std::string& database) {
  return index_file(index_file_path(database, kUntuned)).exists();
}

std::string why_unused(const Tuning& tuning) {
  return "not used: its filter '" + shortened(tuning.filter) + "' matches fewer than " +
         std::to_string(kFewestVoters) + " labeled documents; tune again";
}

std::string tuning_stamp(const std::string& database) {
  return index_file(tuning_path(database)).stamp();
}

api::UsedTuning used_tuning(const Tuning& tuning) {
  api::UsedTuning used;
  used.revision = tuning.revision;
  used.filter = tuning.filter;
  used.method.vote = vote_name(VoteKind::kBlend);
  used.method.neighbors = kBlendNeighbors;
  used.method.linear = tuning.classifiers != nullptr;
  const TuningScores& scores = tuning.scores;
  used.scores.documents = scores.documents;
  used.scores.micro_f1 = scores.micro_f1;
  used.scores.macro_f1 = scores.macro_f1;
  used.scores.precision = scores.precision;
  used.scores.recall = scores.recall;
  used.scores.accuracy = scores.accuracy;
  used.scores.calibration_error = scores.calibration_error;
  used.scores.log_loss = scores.log_loss;
  used.known_terms = tuning.weights->size();
  used.thresholds = tuning.thresholds.size();
  used.goal = tuning.goal;
  if (tuning.hierarchy.is_used()) used.both_levels = tuning.hierarchy.both;
  used.voters = tuning.voters;
  used.automatic = tuning.automatic;
  used.forward_documents = tuning.forward_documents;
  return used;
}

}  // namespace kindred
