#pragma once

#include <xapian.h>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/lazy.h"
#include "plugin/documents/document_tags.h"
#include "plugin/questions.h"
#include "plugin/search/search.h"

namespace kindred {

/// The number of a topic or a unit; 0 if another program wrote no number.
std::uint32_t number_of(const std::string& text);

/// A value as JSON. A number is the shortest that is read back as the same.
std::string value_json(const std::string& value, bool is_number);

/// A copy that does not read and unpack its data again whenever they are asked for.
Xapian::Document with_data(Xapian::Document document);

/// What a search shows of documents: in short, as one of a page, or whole. All is borrowed.
class ShownDocuments {
 public:
  /// @param fields value slots that are shown
  ShownDocuments(const SearchIndex& index, const Xapian::Database& database,
                 const std::vector<ValueField>& fields)
      : index_(index), database_(database), settings_(index.settings), fields_(fields) {}

  /// Without its text, a score or a snippet. `document`: with_data(), of this docid.
  /// @throws Xapian::Error.
  api::FoundDocument in_short(const Xapian::Document& document, Xapian::docid docid) const;

  /// With its text and further keys. @throws Error kNotFound for an unknown id; kInvalidArgument
  /// for one that several documents have; Xapian::Error.
  api::FoundDocument whole(const std::string& id) const;

  /// The id, or the docid in digits if it has none.
  std::string id_of(const Xapian::Document& document, Xapian::docid docid) const;

  /// "" without a map.
  std::string topic_name(std::uint32_t number) const;

 private:
  StoredTags tags_of(const Xapian::Document& document, Xapian::docid docid,
                     std::span<FirstValue> further = {}) const;
  Xapian::docid find(const std::string& id) const;

  const SearchIndex& index_;
  const Xapian::Database& database_;
  const Settings& settings_;
  const std::vector<ValueField>& fields_;
  Lazy<std::shared_ptr<const TopicMap>> map_;  ///< for topics that are named
};

}  // namespace kindred
