#pragma once

#include <xapian.h>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugin/documents/stem_words.h"
#include "plugin/input/example.h"
#include "plugin/questions.h"
#include "plugin/reading.h"

namespace kindred {

/// The titles of documents and the words of terms that an answer has yet to say. Its parts are
/// added first, and must stay where they are. Then all are read together, each document once.
class AnswerNames {
 public:
  /// The title of a document.
  void add(Xapian::docid docid, std::string& title);

  /// How these examples write their terms. Valid as long as this object.
  /// @throws Error as example_features().
  const WordsByStem* words_of(const Reading& reading, std::span<const Example> examples,
                              const Pulse& pulse);

  /// How people write these terms: `own` goes before the words of the index.
  void add(std::vector<api::TermContribution>& terms, const WordsByStem* own);
  void add(std::vector<api::TagReason>& reasons, const WordsByStem* own);
  void add(std::vector<api::NeighborTerm>& terms);

  /// The titles of these voters.
  void add(std::vector<api::Voter>& voters);

  /// Reads nothing if nothing was added. @throws as Reading::words() and read_titles().
  void fill(const Reading& reading, const Pulse& pulse) const;

 private:
  std::vector<Xapian::docid> docids_;
  std::vector<std::string*> titles_;  // of these documents
  std::vector<api::TermContribution*> terms_;
  std::vector<const WordsByStem*> own_;  // of these terms; may be null
  std::deque<WordsByStem> kept_;         // what `own_` points to
};

}  // namespace kindred
