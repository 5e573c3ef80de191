#pragma once

#include <xapian.h>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/term_bag.h"
#include "plugin/input/record.h"

namespace kindred {

struct TopicName {
  std::uint32_t number = 0;  ///< from 1
  std::string name;
};

/// A document of the index and what it holds about its tags.
struct StoredDocument {
  std::string id;
  Xapian::docid docid = 0;
  std::string title;
  std::vector<std::string> labels;    ///< that people gave, in byte order
  std::vector<Tag> predicted;         ///< confidence descending, then label ascending; the
                                      ///< confidence is 0 if the index does not tell it
  std::vector<std::string> rejected;  ///< tags that it must not get, in byte order
  bool auto_tag = true;               ///< false: it must not get predicted tags
  bool pending = false;               ///< it is marked to be tagged later
  std::string data;                   ///< as the index keeps it
  std::optional<TopicName> topic;     ///< if it is on the map, where a request asks for it
};

/// A document of the index as a record, which ingest takes.
struct ExportedDocument {
  StoredDocument document;
  std::optional<TermBag> terms;  ///< without their prefixes, each once
};

}  // namespace kindred
