#include "plugin/classify/classifier.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/classify/decision_rule.h"
#include "plugin/classify/explanation.h"
#include "plugin/classify/label_scoring.h"
#include "plugin/classify/ranked_labels.h"
#include "plugin/classify/suggestions.h"
#include "plugin/evaluate/shuffle.h"
#include "plugin/related/exact_similarity.h"
#include "plugin/store/terms.h"
#include "plugin/votes/neighbor_votes.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

constexpr std::size_t kQueriesAtOnce = 64;
constexpr std::size_t kSharesMore = 16;   // that may tie with the last one wanted
constexpr std::size_t kMostShares = 512;  // of a query; where there may be more, most are empty

/// The labels of these names, in any form of Unicode, that the mirror has, ascending.
std::vector<std::uint32_t> numbers_of(const Mirror& mirror, const std::vector<std::string>& names) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : names)
    if (const auto number = mirror.labels.names.find(label_name(name))) numbers.push_back(*number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// The labels that classify.never names, or stands for, ascending.
std::vector<std::uint32_t> never_given(const Mirror& mirror,
                                       const std::vector<std::string>& never) {
  std::vector<std::uint32_t> numbers = numbers_of(mirror, never);

  // Only patterns need a look at all labels.
  const auto is_pattern = [](const std::string& item) {
    return item.starts_with('*') || item.ends_with('*');
  };
  if (std::ranges::none_of(never, is_pattern)) return numbers;

  const StringTable& names = mirror.labels.names;
  for (std::uint32_t label = 0; label < names.size(); ++label)
    if (is_listed(never, names[label])) numbers.push_back(label);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

using Docids = std::vector<Xapian::docid>;

/// Splits documents at random. Each part ascends.
std::vector<Docids> folds_of(Docids docids, std::size_t folds, std::uint64_t seed) {
  shuffle(docids, seed);

  // Dealt out in turn, so that folds differ by one document at most.
  std::vector<Docids> parts(std::min(folds, docids.size()));
  for (std::size_t i = 0; i < docids.size(); ++i) {
    parts[i % parts.size()].push_back(docids[i]);
  }
  for (Docids& fold : parts) std::sort(fold.begin(), fold.end());
  return parts;
}

/// Classifies one batch of queries by one rule.
class BatchClassification {
 public:
  BatchClassification(const Snapshot& snapshot, const DecisionRule& rule,
                      const ClassifyRequest& request, const TextsToTag& texts,
                      const VoteMeans& means, const DocumentSet& voters)
      : snapshot_(snapshot),
        model_(snapshot.voting()),
        rule_(rule),
        request_(request),
        texts_(texts),
        queries_(texts.queries()),
        documents_(texts.documents()),
        few_(means.few.get()),
        terms_(means.terms.get()),
        hierarchy_(means.hierarchy.get()),
        voters_(voters) {
    for (const QueriedDocument& document : documents_) {
      own_.push_back(document.docid);
      rejected_.push_back(numbers_of(snapshot.mirror(), document.limits.rejected));
    }
    if (few_ != nullptr) moved_ = few_->moved(texts.for_few().view(), own_);
    if (means.terms && rule.vote == VoteKind::kBlend)
      named_ = means.terms->named_labels(texts.for_terms().view());
  }

  /// The plain vote, taken by the backend itself, possibly on a device.
  std::vector<Classification> count() const {
    // Where very many labels may get a share, all scores are computed here.
    const std::size_t wanted = shares_wanted();
    if (wanted > kMostShares) return score(nullptr);

    std::vector<Classification> results;
    in_portions(queries_.rows(), first_portion(), request_.pulse,
                [&](std::size_t first, std::size_t last) {
                  count(wanted, first, last, results);
                });
    return results;
  }

  /// Any vote of neighbors or labels, computed here. `sums`: of the voters, if the vote needs them.
  std::vector<Classification> score(const ClassSums* sums) const {
    std::vector<Classification> results;
    in_portions(queries_.rows(), first_portion(), request_.pulse,
                [&](std::size_t first, std::size_t last) {
                  std::ranges::move(score(sums, first, last), std::back_inserter(results));
                });
    return results;
  }

  /// VoteKind::kFew: texts and voters after they have moved.
  std::vector<Classification> score_by_few(const Queries& texts) const {
    std::vector<Classification> results(texts.rows());
    const auto score_chunk = [&](std::size_t begin, std::size_t end) {
      NeighborVotes votes(label_count());
      for (std::size_t q = begin; q < end; ++q) {
        const std::vector<Neighbor> heard =
            heard_by(q, {&voters_, own_[q], rule_.k, rule_.min_similarity});
        votes.count(heard, *snapshot_.mirror().list, kFewPower);

        std::vector<LabelScore> scores;
        for (const std::uint32_t label : votes.labels())
          scores.push_back({label, votes.share(label) * certainty_of(heard.size())});
        results[q] = tag(q, scores);

        explain_few({texts.terms(q), texts.weights(q)}, heard, results[q]);
        request_.pulse();
      }
    };

    for_each_chunk(texts.rows(), kQueriesAtOnce, model_.threads(), score_chunk);
    return results;
  }

  /// VoteKind::kUnit: the vote of those that lie on the map where the queries' documents do.
  std::vector<Classification> score_by_units(const UnitVoters& units) const {
    std::vector<Classification> results(queries_.rows());
    const auto score_chunk = [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) {
        const std::uint32_t unit = documents_[q].unit;

        std::vector<UnitVoter> near;  // none for a query without a known term
        if (!queries_.terms(q).empty()) near = units.near(unit, voters_, own_[q]);

        results[q] = tag(q, shares_of(near, *snapshot_.mirror().list));

        request_.pulse();
        if (!request_.voters && !request_.explain) continue;

        if (unit != SomMatch::kNoUnit)
          results[q].unit = api::VotingUnit{unit, units.map().units[unit].topic, near.size()};
        explain_unit(q, near, results[q]);
      }
    };

    for_each_chunk(queries_.rows(), kQueriesAtOnce, model_.threads(), score_chunk);
    return results;
  }

 private:
  /// Queries, enough for all threads.
  std::size_t first_portion() const { return kQueriesAtOnce * model_.threads(); }

  /// Appends the plain votes of queries [first, last). `wanted`: shares of each.
  void count(std::size_t wanted, std::size_t first, std::size_t last,
             std::vector<Classification>& results) const {
    const std::size_t rows = last - first;
    const Vote vote{rule_.k, with_ties(wanted), &voters_, std::span(own_).subspan(first, rows)};

    std::vector<LabelShare> shares(rows * vote.labels);
    model_.backend().vote(queries_.view().part(first, rows), vote, shares);

    for (std::size_t q = first; q < last; ++q) {
      // Labels that tie with the last share may be missing, and the first of equals must not depend
      // on their numbers: then the vote is taken in full.
      const auto own = std::span(shares).subspan((q - first) * vote.labels, vote.labels);
      if (may_lack_ties(own, wanted)) {
        results.push_back(std::move(score(nullptr, q, q + 1).front()));
        continue;
      }

      std::vector<LabelScore> scores;
      for (const auto& [label, share] : own)
        if (label != LabelShare::kNoLabel && share > 0) scores.push_back({label, share});
      results.push_back(tag(q, scores));
    }
  }

  /// Any vote of queries [first, last).
  std::vector<Classification> score(const ClassSums* sums, std::size_t first,
                                    std::size_t last) const {
    const std::size_t count = last - first;
    const std::size_t width = rule_.k + 1;

    // One more than vote, because the document itself may be among them.
    const std::vector<Neighbor> found =
        find_voters(model_.backend(), queries_.view().part(first, count), rule_, voters_,
                    std::span(own_).subspan(first, count));

    std::vector<Classification> results(count);

    // Each thread has scores of its own, in which it scores one query after the other.
    const auto score_chunk = [&](std::size_t begin, std::size_t end) {
      LabelScoring scoring(snapshot_, rule_, sums, voters_, hierarchy_);
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t q = first + i;
        const SparseVector query{queries_.terms(q), queries_.weights(q)};
        const auto neighbors = std::span(found).subspan(i * width, width);
        std::vector<Neighbor> few;
        if (few_ != nullptr) few = heard_by(q, {&voters_, own_[q]});
        std::span<const NamedLabel> named;
        if (!named_.empty()) named = named_[q];
        results[i] = tag(q, scoring.score(query, neighbors, own_[q], few_ ? &few : nullptr, named));
        explain(snapshot_, model_.view(), rule_, request_, query, neighbors,
                voting_shares(rule_, neighbors), results[i]);
        if (!named_.empty()) explain_by_names(q, results[i]);
        request_.pulse();
      }
    };

    // A portion may be small, and all threads are to have a part of it.
    const std::size_t parts = 2 * number_of_threads(model_.threads());
    const std::size_t at_once = std::clamp<std::size_t>(count / parts, 1, kQueriesAtOnce);
    for_each_chunk(count, at_once, model_.threads(), score_chunk);
    return results;
  }

  std::vector<Neighbor> heard_by(std::size_t q, const FewLabels::Hearing& hearing) const {
    return few_->nearest({moved_.terms(q), moved_.weights(q)}, hearing);
  }

  /// A label that none of the neighbors has may have been found by its name.
  void explain_by_names(std::size_t q, Classification& result) const {
    if (!result.reasons) return;
    const Queries& texts = texts_.for_terms();
    for (api::TagReason& reason : *result.reasons) {
      const auto label = snapshot_.mirror().labels.names.find(reason.label);
      const auto named = std::ranges::find(named_[q], label, &NamedLabel::label);
      if (reason.voters.empty() && named != named_[q].end())
        reason.terms = terms_->shared_words({texts.terms(q), texts.weights(q)}, named->row);
    }
  }

  /// Explains a vote of few by the text itself, as far as it shares words with those that voted.
  void explain_few(const SparseVector& text, const std::vector<Neighbor>& heard,
                   Classification& result) const {
    if (!request_.voters && !request_.explain) return;

    const View& view = snapshot_.by_lift();
    const ExactSimilarity similarity(text.terms, text.weights, *view.weighting,
                                     view.backend->longest());
    const std::vector<double> shares = voting_shares(rule_, heard);
    std::vector<std::pair<Neighbor, double>> shown;
    for (std::size_t i = 0; i < heard.size(); ++i) {
      const RowEntries row = snapshot_.mirror().terms_of(heard[i].number);
      shown.push_back({{heard[i].number, similarity.to(row)}, shares[i]});
    }

    // Nearest first, as everywhere.
    std::ranges::stable_sort(shown, std::greater(), [](const auto& voter) {
      return voter.first.similarity;
    });
    std::vector<Neighbor> voters;
    std::vector<double> own_shares;
    for (const auto& [voter, share] : shown) {
      voters.push_back(voter);
      own_shares.push_back(share);
    }
    explain(snapshot_, view, rule_, request_, text, voters, own_shares, result);
  }

  /// Explains the vote by the most similar voters.
  void explain_unit(std::size_t q, const std::vector<UnitVoter>& near,
                    Classification& result) const {
    // The nearest of those that voted, by a search among them alone.
    DocumentSet allowed(snapshot_.mirror().list);
    for (const UnitVoter& voter : near) allowed.insert(voter.docid);

    const SparseVector query{queries_.terms(q), queries_.weights(q)};
    const std::uint64_t whole[] = {0, query.terms.size()};
    std::vector<Neighbor> neighbors(rule_.k);
    model_.backend().nearest({1, whole, query.terms.data(), query.weights.data(), nullptr}, rule_.k,
                             &allowed, neighbors);

    // Their shares of the whole vote, of which most may be of documents further away.
    const double total = total_weight(near);
    std::vector<double> shares;
    for (const Neighbor& neighbor : neighbors) {
      if (neighbor.number == kNoDocument) break;
      const auto voter = std::ranges::lower_bound(near, neighbor.number, {}, &UnitVoter::docid);
      if (voter == near.end() || voter->docid != neighbor.number) refuse_neighbor(neighbor.number);
      shares.push_back(voter->weight / total);
    }

    explain(snapshot_, model_.view(), rule_, request_, query, neighbors, shares, result);
  }

  std::size_t label_count() const { return snapshot_.mirror().labels.names.size(); }

  /// How many shares to ask for, so that there are enough for tags and scores: at most as many as
  /// there are labels. Labels that may not be given are added, since others take their places.
  std::size_t shares_wanted() const {
    std::size_t rejected = 0;
    for (const auto& own : rejected_) rejected = std::max(rejected, own.size());

    std::size_t most = rule_.max_labels + rule_.never.size() + rejected;

    if (request_.scores || rule_.asked) most = labels_of_voters();
    return std::clamp<std::size_t>(label_count(), 1, std::max<std::size_t>(1, most));
  }

  /// How many shares to ask for, so that those that are wanted and those that tie with the last of
  /// them are nearly always among them. Backends end ties by the numbers of labels, and so do not
  /// know which of equal shares come first unless labels are numbered by their names.
  std::size_t with_ties(std::size_t wanted) const {
    if (snapshot_.mirror().labels.is_in_byte_order()) return wanted;
    return std::clamp<std::size_t>(label_count(), 1, wanted + kSharesMore);
  }

  /// True if labels may be missing that tie with the last of the shares that are wanted.
  static bool may_lack_ties(std::span<const LabelShare> shares, std::size_t wanted) {
    return shares.size() > wanted && shares.back().label != LabelShare::kNoLabel &&
           shares.back().share == shares[wanted - 1].share;
  }

  /// The most labels that k documents can have.
  std::size_t labels_of_voters() const {
    const SegmentList& mirror = *snapshot_.mirror().list;
    std::size_t most = 0;
    for (std::uint32_t place = 0; place < mirror.places(); ++place)
      most = std::max(most, mirror.labels_at(place).size());
    return rule_.k * most;
  }

  Classification tag(std::size_t q, std::span<const LabelScore> scores) const {
    const Mirror& mirror = snapshot_.mirror();
    const std::vector<std::uint32_t>& rejected = rejected_[q];
    const bool opted_out = !documents_[q].limits.auto_tag;

    Classification result;
    static_cast<Origin&>(result) = mirror.origin();
    if (request_.explain) result.near_misses.emplace();

    const std::vector<RankedLabel> all =
        decide(rule_, scores, mirror.labels.names, model_.thresholds(), rejected);

    // In the order of decide(): the best is the first that may be given, given or not.
    for (const RankedLabel& ranked : all) {
      const bool unwanted = opted_out || std::ranges::binary_search(rejected, ranked.label);
      const bool may = !unwanted && !std::ranges::binary_search(rule_.never, ranked.label);

      Tag tag{std::string(mirror.labels.names[ranked.label]), ranked.score};
      if (may && !result.best) result.best = tag;
      if (request_.scores) result.scores.push_back(tag);
      if (ranked.given && unwanted) {
        if (!result.withheld) result.withheld.emplace();
        result.withheld->push_back(std::move(tag));
      } else if (ranked.given) {
        result.tags.push_back(std::move(tag));
      } else if (request_.explain && may) {
        result.near_misses->push_back({std::move(tag.label), ranked.score,
                                       rule_.threshold_of(ranked.label, model_.thresholds())});
      }
    }

    return result;
  }

  const Snapshot& snapshot_;
  const VotingModel& model_;
  const DecisionRule& rule_;
  const ClassifyRequest& request_;
  const TextsToTag& texts_;
  const Queries& queries_;
  const std::span<const QueriedDocument> documents_;
  const FewLabels* const few_;             // null if the vote does without
  const TermMirror* const terms_;          // the same
  const LabelHierarchy* const hierarchy_;  // null: without
  const DocumentSet& voters_;
  Queries moved_;                                     // for few_
  std::vector<std::vector<NamedLabel>> named_;        // of each text, for the blend
  std::vector<Xapian::docid> own_;                    // of each document, or kNoDocument
  std::vector<std::vector<std::uint32_t>> rejected_;  // labels of each document
};

}  // namespace

std::vector<Classification> Classifier::classify(const TextsToTag& texts,
                                                 const ClassifyRequest& request,
                                                 const DocumentSet* voters,
                                                 std::optional<std::uint32_t> asked) const {
  // There are no more voters than documents. One more is asked for, since the document itself does
  // not vote.
  const VotingModel& model = snapshot_.voting();
  DecisionRule rule = decision_rule(request, settings_, model);
  rule.never = never_given(snapshot_.mirror(), settings_.never);
  rule.k = std::min(rule.k, snapshot_.mirror().documents() + std::size_t{1});
  rule.asked = asked;

  DocumentSet limited;
  if (voters != nullptr) {
    limited = model.voters();
    limited &= *voters;
  }

  // Without a limit it is always the same set, so the backend may take such calls together.
  const DocumentSet& voting = voters != nullptr ? limited : model.voters();

  // The tags of few are as many as people give in the mean, unless somebody has chosen.
  const FewLabels* const few = means_.few.get();
  if (rule.vote == VoteKind::kFew) {
    if (!is_threshold_chosen(request, settings_)) rule.threshold = few->threshold();
    if (few->single_label() && !request.limit && settings_.limit == 0) rule.max_labels = 1;
  }

  std::vector<Classification> results = vote_by(rule, texts, request, voters, voting);
  if (!request.suggest || means_.terms == nullptr || asked) return results;

  const Tuning* const tuning = model.tuning().get();
  const SuggestionModel suggested = tuning != nullptr ? tuning->suggestions : SuggestionModel();
  Suggestions(*means_.terms, suggested, rule, settings_.never, texts).add(request, results);
  return results;
}

/// Takes the vote of this rule. `voters`: as classify() takes them; `voting`: who votes then.
std::vector<Classification> Classifier::vote_by(const DecisionRule& rule, const TextsToTag& texts,
                                                const ClassifyRequest& request,
                                                const DocumentSet* voters,
                                                const DocumentSet& voting) const {
  const VotingModel& model = snapshot_.voting();
  const BatchClassification batch(snapshot_, rule, request, texts, means_, voting);
  if (rule.vote == VoteKind::kFew) return batch.score_by_few(texts.for_few());

  // The plain vote is counted where the mirror lies, if nobody asks for more than its shares.
  const bool plain =
      rule.vote == VoteKind::kSimilarity && rule.min_similarity == 0 && !rule.is_tuned;
  if (plain && !request.voters && !request.explain) return batch.count();

  if (rule.vote == VoteKind::kUnit) return batch.score_by_units(*means_.units);
  if (!rule.needs_class_sums()) return batch.score(nullptr);

  // Class sums of all voters are kept with the model; those of fewer are made for this call.
  if (voters == nullptr) return batch.score(&model.class_sums());
  const ClassSums sums = model.class_sums_of(voting, request.pulse);
  return batch.score(&sums);
}

void Classifier::classify_all(std::span<const Xapian::docid> docids, const ClassifyRequest& request,
                              const DocumentSet* voters, const OnDocument& on_document,
                              std::optional<std::uint32_t> asked) const {
  for (std::size_t begin = 0; begin < docids.size(); begin += kAtOnce) {
    const auto batch = docids.subspan(begin, std::min(kAtOnce, docids.size() - begin));

    TextsToTag texts(snapshot_, means_);
    for (const Xapian::docid docid : batch) {
      request.pulse();
      texts.add(docid, {});
    }

    std::vector<Classification> results = classify(texts, request, voters, asked);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      request.pulse();
      on_document(batch[i], results[i]);
    }
  }
}

void Classifier::cross_validate(const CrossValidation& how, const ClassifyRequest& request,
                                const DocumentSet* voters,
                                const OnClassified& on_classified) const {
  if (how.folds < 0 || how.folds == 1)
    throw Error(Errc::kInvalidArgument, "folds: expected at least 2, or 0 for leave-one-out");

  const Mirror& mirror = snapshot_.mirror();
  const auto classify = [&](const Docids& docids, const DocumentSet* by) {
    classify_all(docids, request, by, [&](Xapian::docid docid, const Classification& prediction) {
      on_classified(mirror.label_names_of(docid), prediction);
    });
  };

  // Leave-one-out needs no folds: each document is left out of its own vote.
  const Docids docids = mirror.labeled.numbers();
  if (how.folds == 0) return classify(docids, voters);

  // A fold is classified by all others.
  for (const Docids& fold : folds_of(docids, static_cast<std::size_t>(how.folds), how.seed)) {
    DocumentSet others = mirror.labeled;
    if (voters != nullptr) others &= *voters;
    for (const Xapian::docid docid : fold) others.erase(docid);
    classify(fold, &others);
  }
}

}  // namespace kindred
