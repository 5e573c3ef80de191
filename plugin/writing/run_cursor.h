#pragma once

#include <xapian.h>
#include <nlohmann/json.hpp>
#include <string>

namespace kindred {

/// The place where an interrupted run over the documents of a database stopped. It is kept in the
/// metadata of the database, and written in the transactions of the run. It is valid only if
/// nothing else has written to the database meanwhile.
class RunCursor {
 public:
  /// `key`: of the metadata. `identity`: a run continues an interrupted one if theirs are equal.
  RunCursor(std::string key, nlohmann::json identity);

  /// The last docid that was done; 0 if there is no run to continue.
  Xapian::docid read(const Xapian::WritableDatabase& database) const;

  /// Stores the place for the revision that the transaction under way will make.
  void write(Xapian::WritableDatabase& database, Xapian::docid docid) const;

  void clear(Xapian::WritableDatabase& database) const;

 private:
  const std::string key_;
  const nlohmann::json identity_;
};

}  // namespace kindred
