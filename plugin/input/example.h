#pragma once

#include <xapian.h>
#include <cstddef>
#include <string>
#include <variant>

#include "plugin/input/record.h"

namespace kindred {

/// A document of the index by its Xapian docid.
struct Docid {
  Xapian::docid value = 0;
};
/// A document of the index by its unique id.
struct UniqueId {
  std::string value;
};
/// Something to compare with: a document of the index, or a record that need not be in it.
using Example = std::variant<UniqueId, Docid, Record>;

inline constexpr std::size_t kMaxExamples = 1000;  ///< and counter-examples, of one request

/// A value as JSON, of a kind that a question leaves open.
struct JsonText {
  std::string text;
};

}  // namespace kindred
