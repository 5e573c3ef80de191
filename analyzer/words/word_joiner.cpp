#include "analyzer/words/word_joiner.h"

namespace kindred {

const std::vector<std::string>& WordJoiner::next(std::string_view word, std::string_view term) {
  terms_.clear();
  if (!pairs_) return terms_;
  const std::string_view part = term.empty() ? word : term;
  const bool is_pair = !before_.empty() && !part.empty() && (before_is_feature_ || !term.empty());
  if (is_pair && before_.size() + part.size() <= 2 * kMaxWordBytes)
    (terms_.emplace_back(before_) += ' ') += part;
  before_ = part;
  before_is_feature_ = !term.empty();
  return terms_;
}

}  // namespace kindred
