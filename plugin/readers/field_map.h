#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kindred {

/// Which keys of a file stand for those of a record.
struct FieldMap {
  std::map<std::string, std::string> keys;  ///< of the file -> of a record
  std::string separator;  ///< between labels in one text; "": the text is one label

  bool empty() const { return keys.empty() && separator.empty(); }
};

/// Reads "text=body,labels=tags": a key of a record, and that of the file which has its value.
/// @throws Error kInvalidArgument for anything else, for a key that records do not have, and for
/// one that is there twice.
FieldMap read_field_map(const std::vector<std::string>& items, const std::string& separator);

/// The record that an object of a file stands for, as JSON. A key that another one replaces is left
/// out. A text under labels or rejected_labels becomes a list where the map names the key or a
/// separator, with no empty items. What is no JSON object stays as it is.
std::string mapped_record(std::string_view json, const FieldMap& map);

/// The record of a row: its names of columns, and as many fields. Empty fields, and columns without
/// a name, are left out. `auto_tag` may be true or false.
std::string row_record(const std::vector<std::string>& columns,
                       const std::vector<std::string>& fields, const FieldMap& map);

/// True for the keys of a record. All others are kept for display.
bool is_record_key(std::string_view key);

/// The value for --map that makes these keys, with how many records have each, those of a record,
/// as in "text=body,labels=tags"; "" if none looks like one. `wanted`: those of a record that are
/// missing: text, labels, id.
std::string likely_map(const std::map<std::string, std::uint64_t>& keys,
                       const std::vector<std::string>& wanted);

/// What keys that nobody reads tell, behind a sentence on what records lack: "; unread keys: body
/// (12), tags (3); did you mean --map text=body?". The eight keys that most records have, and how
/// many more; likely_map() if there is one, behind the option that takes it. "" without keys.
std::string unread_keys_text(const std::map<std::string, std::uint64_t>& keys,
                             const std::vector<std::string>& wanted,
                             const std::string& option = "--map ");

}  // namespace kindred
