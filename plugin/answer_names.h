#pragma once

#include <xapian.h>
#include <optional>
#include <string>
#include <vector>

#include "plugin/questions.h"
#include "plugin/reading.h"

namespace kindred {

/// The titles of documents and the words of terms that an answer has yet to say. Its parts are
/// added first, and must stay where they are. Then all are read together, each document once.
class AnswerNames {
 public:
  /// The title of a document.
  void add(Xapian::docid docid, std::string& title);

  /// How people write these terms.
  void add(std::vector<api::TermContribution>& terms);
  void add(std::vector<api::NeighborTerm>& terms);
  void add(std::vector<api::TagReason>& reasons);

  /// The titles of these voters.
  void add(std::vector<api::Voter>& voters);

  /// Reads nothing if nothing was added. @throws as Reading::words() and read_titles().
  void fill(const Reading& reading, const Pulse& pulse) const;

 private:
  std::vector<Xapian::docid> docids_;
  std::vector<std::string*> titles_;  // of these documents
  std::vector<api::TermContribution*> terms_;
};

}  // namespace kindred
