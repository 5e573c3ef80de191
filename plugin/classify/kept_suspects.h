#pragma once

#include <xapian.h>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/log.h"
#include "plugin/questions.h"

namespace kindred {

/// A suspect before it is described.
struct RankedSuspect {
  Xapian::docid docid = 0;
  Tag label;
  Tag rival;          ///< of a wrong label; else without a name
  double margin = 0;  ///< by which they are sorted
};

/// The suspects among the first documents.
struct SuspectLists {
  std::size_t examined = 0;  ///< so many documents
  std::vector<RankedSuspect> missing;
  std::vector<RankedSuspect> wrong;
};

/// The suspects among the documents of an index, in a file beside it: to find them takes as long as
/// to classify all. What was found among some of them is where the next search goes on. One file is
/// kept, `kindred.suspects` in the directory of the index. What cannot be read or written is
/// logged, and done without.
class KeptSuspects {
 public:
  /// `location`: of the files of the index. `key`: all that the lists depend on. `log` may be
  /// empty.
  KeptSuspects(std::string location, std::string key, Log log)
      : location_(std::move(location)), key_(std::move(key)), log_(std::move(log)) {}

  /// Of no documents if none are kept, or those of another key.
  SuspectLists read() const;
  void write(const SuspectLists& lists) const;

 private:
  void tell(const char* what, const std::exception& fault) const;

  const std::string location_;
  const std::string key_;
  const Log log_;
};

}  // namespace kindred
