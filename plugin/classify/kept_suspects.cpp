#include "plugin/classify/kept_suspects.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "config/error.h"
#include "plugin/store/cbor.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/section_file.h"

namespace kindred {
namespace {

using Cbor = nlohmann::json;

// Its digit is another one where suspects are judged in another way.
constexpr std::string_view kMagic = "kindredsuspects1";
constexpr std::uint32_t kKey = 1;    // a section
constexpr std::uint32_t kLists = 2;  // another

std::string path_of(const std::string& location) { return index_file_path(location, "suspects"); }

Cbor cbor_of(const std::vector<RankedSuspect>& list) {
  Cbor cbor = Cbor::array();
  for (const RankedSuspect& each : list)
    cbor.push_back({each.docid, each.label.label, each.label.confidence, each.rival.label,
                    each.rival.confidence, each.margin});
  return cbor;
}

std::vector<RankedSuspect> list_of(const Cbor& cbor) {
  std::vector<RankedSuspect> list;
  for (const Cbor& each : cbor)
    list.push_back({whole_number<Xapian::docid>(each.at(0)),
                    {each.at(1).get<std::string>(), each.at(2).get<double>()},
                    {each.at(3).get<std::string>(), each.at(4).get<double>()},
                    each.at(5).get<double>()});
  return list;
}

}  // namespace

void KeptSuspects::tell(const char* what, const std::exception& fault) const {
  if (log_) log_(std::string("suspects are not ") + what + ": " + fault.what());
}

SuspectLists KeptSuspects::read() const {
  try {
    const GuardedFile file = index_file(path_of(location_));
    if (!file.exists()) return {};

    const SectionReader reader(file, "the list of suspects", kMagic, 1);
    if (reader.read_text(kKey) != key_) return {};
    const Cbor lists = parse_cbor(reader.read_text(kLists));
    return {whole_number<std::size_t>(lists.at("examined")), list_of(lists.at("missing")),
            list_of(lists.at("wrong"))};
  } catch (const std::exception& fault) {
    tell("read", fault);
    return {};
  }
}

void KeptSuspects::write(const SuspectLists& lists) const {
  try {
    const std::vector<std::uint8_t> bytes = Cbor::to_cbor({{"examined", lists.examined},
                                                           {"missing", cbor_of(lists.missing)},
                                                           {"wrong", cbor_of(lists.wrong)}});
    SectionWriter writer(kMagic);
    writer.add(kKey, key_);
    writer.add(kLists, bytes);
    writer.write(index_file(path_of(location_)), 1);
  } catch (const std::exception& fault) {
    tell("kept", fault);
  }
}

}  // namespace kindred
