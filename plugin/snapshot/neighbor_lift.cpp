// The learned weights of a database as a file: a section file with one section, of CBOR (RFC 8949).
#include "plugin/snapshot/neighbor_lift.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "config/error.h"
#include "plugin/store/cbor.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/section_file.h"
#include "plugin/votes/frozen_weights.h"

namespace kindred {
namespace {

using Cbor = nlohmann::json;

constexpr std::string_view kMagic = "kindred-lift   2";
constexpr std::uint32_t kParts = 1;  ///< the section

Cbor parts_of(const NeighborLift& lift) {
  Packed weights = lift.weights->packed();
  return {{"uuid", lift.uuid},
          {"revision", lift.revision},
          {"documents", lift.documents},
          {"smart", lift.smart},
          {"prefixes", lift.prefixes},
          {"by_idf", lift.by_idf},
          {"terms", lift.weights->size()},
          {"of_others", lift.weights->of_others()},
          {"size", weights.size},
          {"packed", Cbor::binary(std::move(weights.bytes))}};
}

NeighborLift lift_of(const Cbor& json) {
  NeighborLift lift;
  lift.uuid = json.at("uuid").get<std::string>();
  lift.revision = whole_number<std::uint64_t>(json.at("revision"));
  lift.documents = whole_number<std::uint64_t>(json.at("documents"));
  lift.smart = json.at("smart").get<std::string>();
  lift.prefixes = json.at("prefixes").get<std::vector<std::string>>();
  lift.by_idf = json.at("by_idf").get<bool>();

  const Packed packed = {whole_number<std::uint64_t>(json.at("size")),
                         json.at("packed").get_binary()};
  lift.weights = std::make_shared<const FrozenWeights>(FrozenWeights::unpacked(
      whole_number<std::uint64_t>(json.at("terms")), packed, json.at("of_others").get<double>()));
  return lift;
}

}  // namespace

std::string lift_path(const std::string& database) { return index_file_path(database, "lift"); }

std::optional<NeighborLift> read_lift(const std::string& database) {
  const GuardedFile file = index_file(lift_path(database));
  if (!file.exists()) return std::nullopt;

  const SectionReader reader(file, "the learned weights", kMagic, 1);
  const std::string parts = reader.read_text(kParts);
  try {
    NeighborLift lift = lift_of(parse_cbor(parts));
    lift.stamp = reader.stamp();
    return lift;
  } catch (const std::exception& e) {
    reader.refuse(std::string("its content is not what was expected: ") + e.what());
  }
}

void write_lift(const std::string& database, const NeighborLift& lift) {
  const std::vector<std::uint8_t> parts = Cbor::to_cbor(parts_of(lift));
  SectionWriter writer(kMagic);
  writer.add(kParts, parts);
  writer.write(index_file(lift_path(database)), 1);
}

std::string lift_stamp(const std::string& database) {
  return index_file(lift_path(database)).stamp();
}

}  // namespace kindred
