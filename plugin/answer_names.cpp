#include "plugin/answer_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "plugin/documents/features.h"
#include "plugin/snapshot/document_lists.h"

namespace kindred {
namespace {

/// How an example writes its terms: a record by its text, a document by its unprefixed terms.
WordsByStem read_words(const Reading& reading, const Example& example, const Pulse& pulse) {
  AnalyzerPool& analyzers = reading.database().analyzers();
  if (const auto* record = std::get_if<Record>(&example)) {
    const auto analyzer = analyzers.lease_for(*record);
    return words_by_stem(record_words(*record, reading.settings().index, *analyzer), *analyzer);
  }

  const Xapian::docid docid = docid_of(*reading.snapshot, example, reading.settings().index);
  const auto read = [&](const Xapian::Database& opened) {
    return document_words(opened, docid);
  };
  const DocumentWords found = reading.database().read("cannot read its words", read, pulse);
  return words_by_stem(found.words, *analyzers.lease(found.language));
}

}  // namespace

void AnswerNames::add(Xapian::docid docid, std::string& title) {
  docids_.push_back(docid);
  titles_.push_back(&title);
}

const WordsByStem* AnswerNames::words_of(const Reading& reading, std::span<const Example> examples,
                                         const Pulse& pulse) {
  WordsByStem& words = kept_.emplace_back();
  for (const Example& example : examples) {
    pulse();
    words.merge(read_words(reading, example, pulse));
  }
  return &words;
}

void AnswerNames::add(std::vector<api::TermContribution>& terms, const WordsByStem* own) {
  for (api::TermContribution& term : terms) {
    terms_.push_back(&term);
    own_.push_back(own);
  }
}

void AnswerNames::add(std::vector<api::TagReason>& reasons, const WordsByStem* own) {
  for (api::TagReason& reason : reasons) add(reason.terms, own);
}

void AnswerNames::add(std::vector<api::NeighborTerm>& terms) {
  for (api::NeighborTerm& term : terms) {
    terms_.push_back(&term);
    own_.push_back(nullptr);
  }
}

void AnswerNames::add(std::vector<api::Voter>& voters) {
  for (api::Voter& voter : voters) add(voter.docid, voter.title.emplace());
}

void AnswerNames::fill(const Reading& reading, const Pulse& pulse) const {
  if (!docids_.empty()) {
    std::vector<Xapian::docid> once = docids_;
    std::ranges::sort(once);
    once.erase(std::unique(once.begin(), once.end()), once.end());
    const std::vector<std::string> read = read_titles(reading.database(), once, pulse);

    for (std::size_t i = 0; i < docids_.size(); ++i) {
      const auto found = std::ranges::lower_bound(once, docids_[i]);
      *titles_[i] = read[static_cast<std::size_t>(found - once.begin())];
    }
  }

  // The words of the example first, and the index is asked for those that it has not.
  std::vector<api::TermContribution*> others;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    api::TermContribution& term = *terms_[i];
    if (own_[i] != nullptr)
      term.word = written_term(term.term, reading.mirror().prefixes, *own_[i]);
    if (!term.word.empty()) continue;
    others.push_back(&term);
    names.push_back(term.term);
  }
  if (others.empty()) return;

  std::vector<std::string> words = reading.words(names, pulse);
  for (std::size_t i = 0; i < words.size(); ++i) others[i]->word = std::move(words[i]);
}

}  // namespace kindred
