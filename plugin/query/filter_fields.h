#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/api.h"
#include "config/settings.h"

namespace kindred {

/// A field of a filter, and the prefix of its terms in the index. A name may have several prefixes.
struct FilterField {
  std::string name, prefix;
  bool is_label = false;        ///< its values are labels, in any spelling
  bool is_from_people = false;  ///< of labels: not predicted or rejected, so shards may have it
  bool is_branch = false;       ///< the same, and each stands for all narrower ones, too
  bool is_language = false;     ///< its values are languages, in any spelling
  bool is_given = false;        ///< the settings name it, so its prefix is another program's
  std::optional<std::uint32_t> slot{};  ///< its values are in this slot, and it has no prefix
};

/// The fields of a filter.
struct FilterFields {
  std::vector<FilterField> texts;   ///< whose values are text: their words are searched for
  std::vector<FilterField> values;  ///< whose values are taken whole

  bool is_text(std::string_view name) const;
  bool is_value(std::string_view name) const;
  std::vector<std::string> names() const;  ///< each once, those of texts first
};

/// Kindred's own fields (title; label, predicted, rejected, narrower, topic, unit, id, lang) and
/// those of the settings, which replace fields of the same name.
KINDRED_API FilterFields filter_fields(const Settings& settings = {});

/// The names of the fields: "title, label, ...".
KINDRED_API std::string listed_filter_fields(const FilterFields& fields = filter_fields());

}  // namespace kindred
