#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace search_server {

/// A value slot that documents can be filtered, counted and sorted by.
struct ValueField {
  std::string name;
  std::uint32_t slot = 0;
  bool number = false;  ///< Xapian::sortable_serialise() made it; else it is text
};

/// Where an index keeps what.
struct Schema {
  using Fields = std::vector<std::pair<std::string, std::string>>;  ///< names and prefixes

  std::string id_prefix = "Q";
  std::string id_scheme;  ///< what may precede ids that are asked for
  std::string archive;  ///< the ZIM file that the index is in, whose documents' data are their ids
  std::vector<std::string> title_fields = {"title", "caption"};
  std::int64_t title_slot = -1;  ///< -1: none
  std::string label_prefix = "K";
  /// Values under label_prefix that are no labels; "a*" stands for all that begin with "a".
  std::vector<std::string> system_labels;
  std::string predicted_prefix = "XAUTO";
  std::string rejected_prefix = "XNOT";
  std::uint32_t prediction_slot = 7001;
  std::string topic_prefix = "XTOPIC";
  std::string unit_prefix = "XUNIT";
  std::string language = "en";  ///< of queries
  Fields fields;                ///< of queries: their values are taken whole
  Fields text_fields;           ///< of queries: their values are text
  std::vector<ValueField> values;

  const ValueField* value(const std::string& name) const;  ///< null: there is none
  bool is_system_label(std::string_view value) const;
};

/// What the plugin's settings of an index say, in JSON by section and key. Keys that are missing
/// have their defaults.
Schema schema_of(const nlohmann::json& settings, std::vector<ValueField> values);

}  // namespace search_server
