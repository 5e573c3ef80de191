#include "plugin/classify/suggestions.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "plugin/store/terms.h"

namespace kindred {
namespace {

/// A tag, and the reason for it where reasons are asked for.
struct ReasonedTag {
  Tag tag;
  std::optional<api::TagReason> reason;
};

/// The order of tags: the surest first.
bool is_before(const Tag& a, const Tag& b) {
  if (a.confidence != b.confidence) return a.confidence > b.confidence;
  return a.label < b.label;
}

bool has_label(const std::vector<std::string>& labels, const std::string& label) {
  return std::ranges::any_of(labels, [&](const std::string& each) {
    return label_name(each) == label;
  });
}

/// What is given: the surest of both, as many as the limit allows.
void merge(std::vector<ReasonedTag> suggested, std::size_t limit, Classification& result) {
  std::vector<ReasonedTag> all;
  for (std::size_t i = 0; i < result.tags.size(); ++i) {
    ReasonedTag& given = all.emplace_back();
    given.tag = std::move(result.tags[i]);
    if (result.reasons) given.reason = std::move((*result.reasons)[i]);
  }
  std::ranges::move(suggested, std::back_inserter(all));
  std::ranges::stable_sort(all, is_before, &ReasonedTag::tag);
  if (all.size() > limit) all.resize(limit);

  result.tags.clear();
  if (result.reasons) result.reasons->clear();
  for (ReasonedTag& given : all) {
    result.tags.push_back(std::move(given.tag));
    if (result.reasons) result.reasons->push_back(std::move(*given.reason));
  }
}

}  // namespace

Suggestions::Suggestions(const TermMirror& terms, const SuggestionModel& model,
                         const DecisionRule& rule, const std::vector<std::string>& never,
                         const TextsToTag& texts)
    : terms_(terms),
      model_(model),
      rule_(rule),
      never_(never),
      texts_(texts),
      found_(terms.nearest(texts.for_terms().view(), kSuggestedTerms, terms.unused_rows())) {}

void Suggestions::add(const ClassifyRequest& request, std::vector<Classification>& results) const {
  for (std::size_t text = 0; text < results.size(); ++text) add(text, request, results[text]);
}

bool Suggestions::may_have(std::size_t text, const std::string& label) const {
  const TagLimits& limits = texts_.documents()[text].limits;
  const bool is_never_given = has_label(never_, label) || is_listed(never_, label);
  return limits.auto_tag && !has_label(limits.rejected, label) && !is_never_given;
}

api::TagReason Suggestions::reason_for(std::size_t text, const NamedTerm& found) const {
  const Queries& queries = texts_.for_terms();
  api::TagReason reason;
  reason.label = terms_.vocabulary().id(found.term);
  reason.threshold = rule_.threshold_of_suggestions();
  reason.terms = terms_.shared_words({queries.terms(text), queries.weights(text)}, found.row);
  return reason;
}

void Suggestions::add(std::size_t text, const ClassifyRequest& request,
                      Classification& result) const {
  const std::vector<NamedTerm>& found = found_[text];
  const std::vector<SuggestionModel::Row> rows = SuggestionModel::rows(found);

  std::vector<ReasonedTag> given;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Tag tag{std::string(terms_.vocabulary().id(found[i].term)), model_.probability(rows[i]),
                  true};
    if (!may_have(text, tag.label)) continue;

    if (!result.best || is_before(tag, *result.best)) result.best = tag;
    if (request.scores) result.scores.push_back(tag);
    if (tag.confidence >= rule_.threshold_of_suggestions()) {
      ReasonedTag& reasoned = given.emplace_back(ReasonedTag{tag, {}});
      if (result.reasons) reasoned.reason = reason_for(text, found[i]);
    } else if (result.near_misses) {
      result.near_misses->push_back({tag.label, tag.confidence, rule_.threshold_of_suggestions()});
    }
  }

  if (result.near_misses)
    std::ranges::stable_sort(*result.near_misses, std::greater(), &api::NearMiss::confidence);
  std::ranges::stable_sort(result.scores, is_before);
  merge(std::move(given), rule_.max_labels, result);
}

}  // namespace kindred
