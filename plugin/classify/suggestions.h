#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gpu/queries.h"
#include "plugin/answers.h"
#include "plugin/classify/decision_rule.h"
#include "plugin/classify/texts_to_tag.h"
#include "plugin/related/term_mirror.h"
#include "plugin/votes/suggestion_model.h"

namespace kindred {

/// Terms of the vocabulary that no document has and a text may deserve, by their names alone. They
/// take their places among the tags, by the confidence that `model` gives: those that reach the
/// threshold of the rule, as long as its limit has room. What people took off a document, and what
/// is never predicted (`never`: names of labels), is not suggested.
class Suggestions {
 public:
  /// All are borrowed. @throws Error as TermMirror::nearest().
  Suggestions(const TermMirror& terms, const SuggestionModel& model, const DecisionRule& rule,
              const std::vector<std::string>& never, const TextsToTag& texts);

  /// Adds to each of the classifications, one for each text.
  void add(const ClassifyRequest& request, std::vector<Classification>& results) const;

 private:
  void add(std::size_t text, const ClassifyRequest& request, Classification& result) const;
  bool may_have(std::size_t text, const std::string& label) const;
  api::TagReason reason_for(std::size_t text, const NamedTerm& found) const;

  const TermMirror& terms_;
  const SuggestionModel& model_;
  const DecisionRule& rule_;
  const std::vector<std::string>& never_;
  const TextsToTag& texts_;
  std::vector<std::vector<NamedTerm>> found_;
};

}  // namespace kindred
