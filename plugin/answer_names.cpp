#include "plugin/answer_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "plugin/snapshot/document_lists.h"

namespace kindred {

void AnswerNames::add(Xapian::docid docid, std::string& title) {
  docids_.push_back(docid);
  titles_.push_back(&title);
}

void AnswerNames::add(std::vector<api::TermContribution>& terms) {
  for (api::TermContribution& term : terms) terms_.push_back(&term);
}

void AnswerNames::add(std::vector<api::NeighborTerm>& terms) {
  for (api::NeighborTerm& term : terms) terms_.push_back(&term);
}

void AnswerNames::add(std::vector<api::TagReason>& reasons) {
  for (api::TagReason& reason : reasons) add(reason.terms);
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
  if (terms_.empty()) return;

  std::vector<std::string> names;
  names.reserve(terms_.size());
  for (const auto* term : terms_) names.push_back(term->term);
  std::vector<std::string> words = reading.words(names, pulse);
  for (std::size_t i = 0; i < words.size(); ++i) terms_[i]->word = std::move(words[i]);
}

}  // namespace kindred
