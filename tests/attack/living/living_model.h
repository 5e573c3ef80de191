#pragma once

#include <xapian.h>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "plugin/input/record.h"

namespace kindred::attack {

/// A document as the test wrote it.
struct ModelDocument {
  std::map<std::string, unsigned> terms;  ///< features with their prefix, and their counts
  std::set<std::string> labels;
  std::string id;      ///< "" for none
  unsigned marks = 0;  ///< chooses what else the document has: predicted and rejected tags, values

  Xapian::Document document() const;
  Record record() const;  ///< of Kindred, without the marks
};

/// What a database should hold, kept without Kindred and answered by brute force in double
/// precision.
class Model {
 public:
  using Documents = std::map<Xapian::docid, ModelDocument>;

  const Documents& documents() const { return documents_; }
  const std::set<Xapian::docid>& deleted() const { return deleted_; }
  Xapian::docid last() const { return last_; }  ///< the greatest docid that was ever used

  void put(Xapian::docid docid, ModelDocument document);
  void remove(Xapian::docid docid);

  /// The cosine of each other document that shares a weight with it.
  std::map<Xapian::docid, double> similar(Xapian::docid docid) const;
  /// The share of each label in the votes of all other labeled documents.
  std::map<std::string, double> shares(Xapian::docid docid) const;
  /// The id that answers show.
  std::string shown_id(Xapian::docid docid) const;
  /// True if this document has an id that no other has, so that it can be named by it.
  bool is_named(const ModelDocument& document) const;

 private:
  Documents documents_;
  std::set<Xapian::docid> deleted_;
  Xapian::docid last_ = 0;
};

/// Features, labels and marks at random; without an id.
ModelDocument random_document(std::mt19937& draw);

}  // namespace kindred::attack
