#include "plugin/tune/suggestion_fit.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "plugin/tune/convex_fit.h"
#include "plugin/tune/parts.h"
#include "plugin/tune/weighed.h"

namespace kindred {
namespace {

constexpr std::size_t kAsked = 4000;        // documents
constexpr std::size_t kAskedAtOnce = 1000;  // so that a fit can be canceled
constexpr double kRidge = 1;                // as if one document more said what is not learned

/// A term that was suggested.
struct Judged {
  SuggestionModel::Row row;
  bool is_true;
};

/// The terms that a document may be suggested as if it were a text that comes, and which of them it
/// has.
void add_judged(const TermMirror& terms, std::vector<NamedTerm> found,
                const std::vector<std::string>& labels, std::vector<Judged>& judged) {
  const auto has = [&](const NamedTerm& term) {
    return std::ranges::binary_search(labels, terms.vocabulary().id(term.term));
  };
  std::erase_if(found, [&](const NamedTerm& term) {
    return terms.documents_of(term.term) > 0 && !has(term);
  });
  if (found.size() > kSuggestedTerms) found.resize(kSuggestedTerms);

  const std::vector<SuggestionModel::Row> rows = SuggestionModel::rows(found);
  for (std::size_t i = 0; i < found.size(); ++i) judged.push_back({rows[i], has(found[i])});
}

}  // namespace

SuggestionModel fit_suggestions(const Snapshot& snapshot, const TermMirror& terms,
                                const DocumentSet& voters, const Pulse& pulse) {
  const Mirror& mirror = snapshot.mirror();
  const std::vector<Xapian::docid> docids = drawn(voters.numbers(), kAsked, 0);
  const DocumentSet rare = terms.rows_of_rare();

  std::vector<Judged> judged;
  for (std::size_t begin = 0; begin < docids.size(); begin += kAskedAtOnce) {
    pulse();
    const auto asked =
        std::span(docids).subspan(begin, std::min(kAskedAtOnce, docids.size() - begin));
    const Queries texts =
        weighed(asked, snapshot.voting().threads(), [&](Xapian::docid docid, Queries& queries) {
          snapshot.weigh_left_out(docid, snapshot.weighting(), queries);
        });

    // More than are kept: terms that one other document has are among them.
    const auto found = terms.nearest(texts.view(), 4 * kSuggestedTerms, rare);
    for (std::size_t i = 0; i < asked.size(); ++i)
      add_judged(terms, found[i], mirror.label_names_of(asked[i]), judged);
  }

  SuggestionModel model;
  const SuggestionModel::Row from = model.coefficients;
  model.coefficients = minimize(from, [&](const SuggestionModel::Row& at) {
    Loss<SuggestionModel::kSize> loss;
    for (const Judged& each : judged) loss.add_logistic(each.row, each.is_true, at);
    for (std::size_t i = 0; i < from.size(); ++i) loss.add_ridge(i, kRidge, at[i], from[i]);
    return loss;
  });
  return model;
}

}  // namespace kindred
