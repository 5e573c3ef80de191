// The tuning of a database as a file: one line of text,
//
//     kindred-tuning VERSION BYTES CRC32
//
// (the checksum in hexadecimal, of what follows), then so many bytes of CBOR (RFC 8949), which
// keeps every bit of a number and every byte of a term.
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "config/error.h"
#include "plugin/file_stamp.h"
#include "plugin/tuning.h"

namespace kindred {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 2;
constexpr std::string_view kMagic = "kindred-tuning";
Json to_json(const TaggingMethod& method) {
  return {{"term_weights", term_weight_name(method.term_weights)},
          {"vote", vote_name(method.vote)},
          {"k", method.k},
          {"similarity_power", method.similarity_power},
          {"kept_terms", method.kept_terms},
          {"cut", cut_name(method.cut)},
          {"cut_value", method.cut_value}};
}

TaggingMethod method_of(const Json& json) {
  TaggingMethod method;
  method.term_weights = term_weight_kind(json.at("term_weights").get<std::string>());
  method.vote = vote_kind(json.at("vote").get<std::string>());
  method.k = json.at("k").get<std::int64_t>();
  method.similarity_power = json.at("similarity_power").get<double>();
  method.kept_terms = json.at("kept_terms").get<double>();
  method.cut = cut_kind(json.at("cut").get<std::string>());
  method.cut_value = json.at("cut_value").get<double>();
  return method;
}

Json to_json(const TuningScores& scores) {
  Json json = {{"documents", scores.documents},
               {"micro_f1", scores.micro_f1},
               {"macro_f1", scores.macro_f1},
               {"accuracy", scores.accuracy},
               {"calibration_error", scores.calibration_error}};
  if (scores.log_loss) json["log_loss"] = *scores.log_loss;
  return json;
}

TuningScores scores_of(const Json& json) {
  TuningScores scores;
  scores.documents = json.at("documents").get<std::uint64_t>();
  scores.micro_f1 = json.at("micro_f1").get<double>();
  scores.macro_f1 = json.at("macro_f1").get<double>();
  scores.accuracy = json.at("accuracy").get<double>();
  scores.calibration_error = json.at("calibration_error").get<double>();
  if (json.contains("log_loss")) scores.log_loss = json["log_loss"].get<double>();
  return scores;
}

Json to_json(const Tuning& tuning) {
  Json json = {{"uuid", tuning.uuid},
               {"revision", tuning.revision},
               {"smart", tuning.smart},
               {"prefixes", tuning.prefixes},
               {"filter", tuning.filter},
               {"objective", tuning.objective},
               {"method", to_json(tuning.method)},
               {"single_label", tuning.single_label},
               {"scores", to_json(tuning.scores)},
               {"corrections", tuning.corrections},
               {"forward_documents", tuning.forward_documents},
               {"thresholds", tuning.thresholds},
               {"other_threshold", tuning.other_threshold}};
  if (tuning.combiner) {
    json["combiner"] = {{"single_label", tuning.combiner->single_label},
                        {"intercept", tuning.combiner->intercept},
                        {"coefficients", tuning.combiner->coefficients}};
  }
  return json;
}

Tuning tuning_of(const Json& json) {
  Tuning tuning;
  tuning.uuid = json.at("uuid").get<std::string>();
  tuning.revision = json.at("revision").get<std::uint64_t>();
  tuning.smart = json.at("smart").get<std::string>();
  tuning.prefixes = json.at("prefixes").get<std::vector<std::string>>();
  tuning.filter = json.at("filter").get<std::string>();
  tuning.objective = json.at("objective").get<std::string>();
  tuning.method = method_of(json.at("method"));
  tuning.single_label = json.at("single_label").get<bool>();
  tuning.scores = scores_of(json.at("scores"));
  tuning.corrections = json.at("corrections").get<std::map<std::string, double>>();
  tuning.forward_documents = json.at("forward_documents").get<std::uint64_t>();
  tuning.thresholds = json.at("thresholds").get<std::map<std::string, double>>();
  tuning.other_threshold = json.at("other_threshold").get<double>();
  if (json.contains("combiner")) {
    Combiner& combiner = tuning.combiner.emplace();
    combiner.single_label = json["combiner"].at("single_label").get<bool>();
    combiner.intercept = json["combiner"].at("intercept").get<double>();
    json["combiner"].at("coefficients").get_to(combiner.coefficients);
  }
  return tuning;
}

std::string checksum(const std::string& body) {
  uLong crc = crc32(0, nullptr, 0);
  crc = crc32_z(crc, reinterpret_cast<const Bytef*>(body.data()), body.size());
  std::ostringstream text;
  text << std::hex << crc;
  return text.str();
}

[[noreturn]] void refuse(const std::string& path, Errc code, const std::string& what) {
  throw Error(code, path + ": " + what + "; tune again, or remove it by 'kindred tune --remove'");
}

/// The bytes behind a first line that vouches for them.
std::string checked_body(const std::string& path, const std::string& file) {
  const auto end = file.find('\n');
  std::istringstream first(file.substr(0, std::min<std::size_t>(end, 100)));
  std::string magic, sum;
  int version = 0;
  std::size_t size = 0;
  first >> magic;
  if (magic != kMagic || end == std::string::npos)
    refuse(path, Errc::kCorrupt,
           "not a tuning file, or damaged: expected it to begin with '" + std::string(kMagic) +
               " VERSION BYTES CRC32'");
  first >> version >> size >> sum;
  if (first && version != kVersion)
    refuse(path, Errc::kUnsupported,
           "version " + std::to_string(version) + " of the format, expected " +
               std::to_string(kVersion));
  std::string body = file.substr(end + 1);
  std::string canonical = std::string(kMagic) + " " + std::to_string(kVersion) + " " +
                          std::to_string(body.size()) + " " + checksum(body);
  if (file.substr(0, end) != canonical)
    refuse(path, Errc::kCorrupt,
           "damaged: expected " + std::to_string(body.size()) + " bytes of checksum " +
               checksum(body) + ", found '" + file.substr(0, std::min<std::size_t>(end, 100)) +
               "'");
  return body;
}

/// Writes and brings to disk; false, with errno, if that fails.
bool write_whole(const std::string& path, const std::string& bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return false;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(file, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno != EINTR) break;
    done += static_cast<std::size_t>(std::max<ssize_t>(written, 0));
  }
  const bool good = done == bytes.size() && ::fsync(file) == 0;
  return ::close(file) == 0 && good;
}

/// A rename is on disk when its folder is.
void sync_folder(const std::filesystem::path& path) {
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

}  // namespace

std::string tuning_path(const std::string& database) {
  std::error_code fault;
  if (std::filesystem::is_directory(database, fault))
    return (std::filesystem::path(database) / "kindred.tuning").string();
  return database + ".kindred-tuning";
}

std::optional<Tuning> read_tuning(const std::string& database, const std::string& uuid) {
  const std::string path = tuning_path(database);
  std::error_code fault;
  if (!std::filesystem::exists(path, fault)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.eof() && !file) throw Error(Errc::kNotFound, path + ": cannot read the tuning file");
  const std::string body = checked_body(path, bytes);
  Tuning tuning;
  try {
    tuning = tuning_of(Json::from_cbor(body));
  } catch (const std::exception& e) {
    refuse(path, Errc::kCorrupt, std::string("not what this version writes: ") + e.what());
  }
  if (tuning.uuid != uuid)
    refuse(path, Errc::kCorrupt,
           "made for another index: expected uuid " + uuid + ", found " + tuning.uuid);
  return tuning;
}

void write_tuning(const std::string& database, const Tuning& tuning) {
  const std::string path = tuning_path(database);
  const std::vector<std::uint8_t> cbor = Json::to_cbor(to_json(tuning));
  const std::string body(cbor.begin(), cbor.end());
  const std::string bytes = std::string(kMagic) + " " + std::to_string(kVersion) + " " +
                            std::to_string(body.size()) + " " + checksum(body) + "\n" + body;
  const std::string aside = path + ".new-" + std::to_string(getpid());
  if (write_whole(aside, bytes) && std::rename(aside.c_str(), path.c_str()) == 0)
    return sync_folder(path);
  const std::string reason = std::strerror(errno);
  std::error_code ignored;
  std::filesystem::remove(aside, ignored);
  throw Error(Errc::kNotFound, path + ": cannot be written: " + reason);
}

bool remove_tuning(const std::string& database) {
  const std::string path = tuning_path(database);
  std::error_code fault;
  const bool removed = std::filesystem::remove(path, fault);
  if (fault) throw Error(Errc::kNotFound, path + ": cannot be removed: " + fault.message());
  if (removed) sync_folder(path);
  return removed;
}

std::string tuning_stamp(const std::string& database) { return file_stamp(tuning_path(database)); }

}  // namespace kindred
