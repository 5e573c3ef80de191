#include "plugin/documents/stored_document.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plugin/input/document_names.h"
#include "plugin/store/terms.h"

namespace kindred {

StoredDocument stored_document(const Xapian::Document& document, StoredTags tags,
                               const IndexSettings& settings) {
  StoredDocument stored;
  stored.docid = document.get_docid();
  stored.title = document_title(document, settings);
  stored.data = document.get_data();
  stored.predicted = predicted_tags(tags);
  stored.auto_tag = tags.limits.auto_tag;
  stored.pending = tags.pending;
  stored.id = std::move(tags.id);
  stored.labels = std::move(tags.labels);
  stored.rejected = std::move(tags.limits.rejected);
  return stored;
}

namespace {

std::string place_json(const TopicPlacement& place) {
  return nlohmann::ordered_json{{"revision", place.revision},
                                {"unit", place.unit},
                                {"topic", place.topic},
                                {"novelty", place.novelty}}
      .dump();
}

/// Makes `wanted` the only term under the prefix; "" means no term. True if something has changed.
bool write_term(Xapian::Document& document, const std::string& prefix, const std::string& wanted) {
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
  const bool is_new = !wanted.empty() && !there;
  if (is_new) document.add_boolean_term(wanted);
  return is_new || !others.empty();
}

}  // namespace

bool write_place(Xapian::Document& document, const TopicPlacement& place,
                 const TopicSettings& settings) {
  const auto slot = static_cast<Xapian::valueno>(settings.slot);
  const bool has_place = place.topic != 0;
  const std::string value = has_place ? place_json(place) : "";
  const bool moved = document.get_value(slot) != value;
  if (moved) document.add_value(slot, value);
  const auto term = [&](const std::string& prefix, std::uint32_t number) {
    return has_place ? prefixed_term(prefix, std::to_string(number)) : "";
  };
  const bool topic = write_term(document, settings.prefix, term(settings.prefix, place.topic));
  const bool unit =
      write_term(document, settings.unit_prefix, term(settings.unit_prefix, place.unit));
  return moved || topic || unit;
}

}  // namespace kindred
