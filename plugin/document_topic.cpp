#include "plugin/document_topic.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugin/prefix.h"

namespace kindred {
namespace {

std::string place_json(const TopicPlacement& place) {
  return nlohmann::ordered_json{{"revision", place.revision},
                                {"unit", place.unit},
                                {"topic", place.topic},
                                {"novelty", place.novelty}}
      .dump();
}

/// Leaves no other term under the prefix than that of a number. True if something has changed.
bool write_number(Xapian::Document& document, const std::string& prefix, std::uint32_t number) {
  const std::string wanted = prefixed_term(prefix, std::to_string(number));
  bool there = false;
  std::vector<std::string> others;
  auto term = document.termlist_begin();
  for (term.skip_to(prefix); term != document.termlist_end() && (*term).starts_with(prefix);
       ++term) {
    if (*term == wanted) {
      there = true;
    } else if (value_under(prefix, *term)) {
      others.push_back(*term);
    }
  }
  for (const std::string& other : others) document.remove_term(other);
  if (!there) document.add_boolean_term(wanted);
  return !there || !others.empty();
}

}  // namespace

bool write_place(Xapian::Document& document, const TopicPlacement& place,
                 const TopicSettings& settings) {
  const auto slot = static_cast<Xapian::valueno>(settings.slot);
  const std::string value = place_json(place);
  const bool moved = document.get_value(slot) != value;
  if (moved) document.add_value(slot, value);
  const bool topic = write_number(document, settings.prefix, place.topic);
  const bool unit = write_number(document, settings.unit_prefix, place.unit);
  return moved || topic || unit;
}

}  // namespace kindred
