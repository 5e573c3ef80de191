// The tuning of a database as a file. It begins with one line of text:
//
//     kindred-tuning VERSION BYTES CRC32
//
// The body follows: CBOR (RFC 8949), which keeps every bit of a number and every byte of a term.
// BYTES is the length of the body, and CRC32 the checksum of the body and VERSION in hexadecimal.
#include "plugin/votes/tuning/tuning.h"

#include <zlib.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/error.h"
#include "config/shown.h"
#include "plugin/store/cbor.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/packing.h"
#include "plugin/votes/classes/linear_classifiers.h"
#include "plugin/votes/label_weights.h"

namespace kindred {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Calibration, offset, unlikely, likely, ahead)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Combiner, single_label, intercept, coefficients, calibration)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TuningScores, documents, micro_f1, macro_f1, accuracy,
                                   calibration_error, log_loss)

namespace {

using Cbor = nlohmann::json;

constexpr int kVersion = 10;
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;  ///< the weights of 100 million terms
constexpr std::string_view kMagic = "kindred-tuning";
constexpr const char* kUntuned = "untuned";  ///< the file of keep_untuned()

Cbor json_of(Packed packed) {
  return {{"size", packed.size}, {"packed", Cbor::binary(std::move(packed.bytes))}};
}

Packed packed_of(const Cbor& json) {
  return {whole_number<std::uint64_t>(json.at("size")), json.at("packed").get_binary()};
}

bool is_sound(const Calibration& calibration) {
  const auto is_slope = [](double x) { return std::isfinite(x) && x >= 0; };
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
               {"weights", json_of(tuning.weights->packed())},
               {"combiner", tuning.combiner}};
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
  const Cbor& weights = json.at("weights");
  tuning.weights = std::make_shared<const FrozenWeights>(FrozenWeights::unpacked(
      whole_number<std::uint64_t>(weights.at("terms")), packed_of(weights)));
  tuning.forward_documents = whole_number<std::uint64_t>(json.at("forward_documents"));
  tuning.thresholds = json.at("thresholds").get<std::map<std::string, double>>();
  json.at("combiner").get_to(tuning.combiner);
  if (json.contains("classifiers")) {
    tuning.classifiers = std::make_shared<const LinearClassifiers>(
        LinearClassifiers::unpacked(packed_of(json["classifiers"])));
  }
  return tuning;
}

/// True if `kindred tune` could have found this tuning. The code that uses it does not check its
/// parts again.
bool is_sound(const Tuning& tuning) {
  const auto is_finite = [](double x) { return std::isfinite(x); };
  const auto is_cut = [](const auto& pair) { return !std::isnan(pair.second); };
  return std::ranges::all_of(tuning.thresholds, is_cut) && is_finite(tuning.combiner.intercept) &&
         std::ranges::all_of(tuning.combiner.coefficients, is_finite) &&
         is_sound(tuning.combiner.calibration);
}

std::string checksum(const std::string& body) {
  const std::string last = std::to_string(kVersion);
  uLong crc = crc32(0, nullptr, 0);
  for (const std::string* part : {&body, &last})
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part->data()), part->size());
  std::array<char, 16> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), crc, 16);
  return {text.data(), written.ptr};
}

/// The first line of a file with this body.
std::string first_line(const std::string& body) {
  return std::string(kMagic) + " " + std::to_string(kVersion) + " " + std::to_string(body.size()) +
         " " + checksum(body);
}

[[noreturn]] void refuse(const std::string& path, Errc code, const std::string& what) {
  throw Error(code, path + ": " + what + "; tune again, or remove it by 'kindred tune --remove'");
}

/// The body of a file, after a check that its first line fits it.
std::string checked_body(const std::string& path, const std::string& file) {
  const auto end = file.find('\n');
  const std::string line = file.substr(0, std::min<std::size_t>(end, 100));
  const std::string begin = std::string(kMagic) + ' ';
  if (!line.starts_with(begin) || end == std::string::npos)
    refuse(path, Errc::kCorrupt,
           std::string("not a tuning file, or damaged: expected it to begin with '")
               .append(kMagic)
               .append(" VERSION BYTES CRC32'"));
  int version = 0;
  const auto read = std::from_chars(line.data() + begin.size(), line.data() + line.size(), version);
  if (read.ec == std::errc() && version != kVersion)
    refuse(path, Errc::kUnsupported,
           "not used: version " + std::to_string(version) + " of the format, expected " +
               std::to_string(kVersion));
  std::string body = file.substr(end + 1);
  if (line != first_line(body))
    refuse(path, Errc::kCorrupt,
           "damaged: expected " + std::to_string(body.size()) + " bytes of checksum " +
               checksum(body) + ", found '" + line + "'");
  return body;
}

}  // namespace

std::string tuning_path(const std::string& database) { return index_file_path(database, "tuning"); }

std::optional<Tuning> read_tuning(const std::string& database, const std::string& uuid) {
  const std::string path = tuning_path(database);
  const GuardedFile found = index_file(path);
  if (!found.exists()) return std::nullopt;
  FileContent file = read_regular_file(found, "the tuning file", kMaxBytes);
  const std::string body = checked_body(path, file.bytes);
  Tuning tuning;
  try {
    tuning = tuning_of(parse_cbor(body));
  } catch (const std::exception& e) {
    refuse(path, Errc::kCorrupt, std::string("its content is not what was expected: ") + e.what());
  }
  if (!is_sound(tuning))
    refuse(path, Errc::kCorrupt,
           "its content is not what was expected: its parts do not fit together");
  if (!uuid.empty() && tuning.uuid != uuid)
    refuse(path, Errc::kCorrupt,
           "made for another index: expected uuid " + uuid + ", found " + tuning.uuid);
  tuning.stamp = std::move(file.stamp);
  return tuning;
}

void write_tuning(const std::string& database, const Tuning& tuning) {
  const std::string path = tuning_path(database);
  const std::vector<std::uint8_t> cbor = Cbor::to_cbor(parts_of(tuning));
  const std::string body(cbor.begin(), cbor.end());
  const std::error_code fault = replace_index_file(path, first_line(body) + "\n" + body);
  if (fault) throw Error(Errc::kNotFound, path + ": cannot be written: " + fault.message());
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

}  // namespace kindred
