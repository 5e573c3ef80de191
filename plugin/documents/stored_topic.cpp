#include "plugin/documents/stored_topic.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plugin/store/terms.h"

namespace kindred {
namespace {

std::string placement_json(const TopicPlacement& placement) {
  return nlohmann::ordered_json{{"revision", placement.revision},
                                {"unit", placement.unit},
                                {"topic", placement.topic},
                                {"novelty", placement.novelty}}
      .dump();
}

/// Makes `wanted` the only term under the prefix; "" means no term. True if something has changed.
bool write_term(Xapian::Document& document, const std::string& prefix, const std::string& wanted) {
  // The others are collected first, because a list of terms must not change while it is read.
  bool there = false;
  std::vector<std::string> others;
  for_each_under(prefix, document, [&](const std::string& term, std::string_view, auto) {
    if (term == wanted) {
      there = true;
    } else {
      others.push_back(term);
    }
  });

  for (const std::string& other : others) document.remove_term(other);

  const bool is_new = !wanted.empty() && !there;
  if (is_new) document.add_boolean_term(wanted);
  return is_new || !others.empty();
}

}  // namespace

bool write_topic(Xapian::Document& document, const TopicPlacement& placement,
                 const TopicSettings& settings) {
  const auto slot = static_cast<Xapian::valueno>(settings.slot);
  const bool is_placed = placement.topic != 0;
  std::string value;
  if (is_placed) value = placement_json(placement);
  const bool moved = document.get_value(slot) != value;
  if (moved) document.add_value(slot, value);

  const auto term = [&](const std::string& prefix, std::uint32_t number) {
    return is_placed ? prefixed_term(prefix, std::to_string(number)) : "";
  };
  const bool topic = write_term(document, settings.prefix, term(settings.prefix, placement.topic));
  const bool unit =
      write_term(document, settings.unit_prefix, term(settings.unit_prefix, placement.unit));

  return moved || topic || unit;
}

}  // namespace kindred
