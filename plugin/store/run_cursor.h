#pragma once

#include <xapian.h>
#include <nlohmann/json.hpp>
#include <string>

namespace kindred {

/// Where an interrupted run over the documents of a database stopped: kept in the metadata of the
/// database, in its transactions. Nothing else may have written to the database meanwhile.
class RunCursor {
 public:
  /// `key`: of the metadata. `identity`: what makes two runs the same.
  RunCursor(std::string key, nlohmann::json identity);

  /// The last docid that was done; 0 if there is nothing to go on with.
  Xapian::docid read(const Xapian::WritableDatabase& database) const;

  /// Stores the place, as it will be true after the transaction, which makes one revision.
  void write(Xapian::WritableDatabase& database, Xapian::docid docid) const;

  void clear(Xapian::WritableDatabase& database) const;

 private:
  const std::string key_;
  const nlohmann::json identity_;
};

}  // namespace kindred
