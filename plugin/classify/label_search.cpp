#include "plugin/classify/label_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/error.h"
#include "config/shown.h"
#include "plugin/snapshot/document_lists.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

constexpr std::size_t kNamesShown = 3;   // of labels, if none has the name asked for
constexpr double kClear = 0.95;          // confidence of the lacking tag if a suspect is clear
constexpr double kNearlyNothing = 0.05;  // confidence in a label that seems wrong, at most

/// Reports the documents that are classified, as often as they are all of a batch, and what else
/// the callback takes.
/// @throws Error kCanceled if `on_progress` returns false.
template <typename OnProgress, typename... More>
void report_progress(const std::string& search, const OnProgress& on_progress,
                     std::size_t classified, std::size_t all, More... more) {
  if (classified % Classifier::kAtOnce != 0 && classified != all) return;
  if (!on_progress || on_progress(classified, all, more...)) return;
  throw Error(Errc::kCanceled, search + ": canceled after " + std::to_string(classified) + " of " +
                                   std::to_string(all) + " documents");
}

void check_page(std::int64_t limit, std::int64_t offset) {
  if (limit < 1) throw Error(Errc::kInvalidArgument, "limit: expected at least 1");
  if (offset < 0) throw Error(Errc::kInvalidArgument, "offset: expected at least 0");
}

void check(const CandidatesRequest& request) {
  check_page(request.limit, request.offset);
  if (!(request.min_confidence >= 0 && request.min_confidence <= 1))
    throw Error(Errc::kInvalidArgument, "min_confidence: expected a number from 0 to 1");
}

/// The number of a label. @throws Error kNotFound, with the nearest names.
std::uint32_t number_of_label(const Mirror& mirror, const std::string& asked) {
  const std::string label = label_name(asked);
  const StringTable& names = mirror.labels.names;
  const auto number = names.find(label);

  if (number && mirror.labels.documents[*number] > 0) return *number;

  // A slip is likely, so the message has the nearest names.
  std::vector<std::string> known;
  for (const std::uint32_t own : mirror.labels.order) known.emplace_back(names[own]);

  std::string nearest;
  for (const std::string& name : nearest_of(label, known, kNamesShown))
    append_item(nearest, "'" + name + "'");
  if (!nearest.empty()) nearest.insert(0, "; the nearest names are ");
  throw Error(Errc::kNotFound, "no document has the label '" + shortened(label) + "'" + nearest);
}

bool contains(const std::vector<std::string>& labels, std::string_view label) {
  return std::ranges::find(labels, label) != labels.end();
}

struct RankedCandidate {
  Xapian::docid docid = 0;
  double confidence = 0;
};

/// The documents to classify, ascending. If predicted tags vote, the mirror has them among the
/// labels. Then some documents that have the label may have it only as a predicted one.
std::vector<Xapian::docid> documents_without(std::uint32_t label, const Mirror& mirror,
                                             const DocumentSet* allowed, bool with_predicted) {
  std::vector<Xapian::docid> docids =

      allowed != nullptr ? allowed->numbers() : mirror.list->numbers();

  std::erase_if(docids, [&](Xapian::docid docid) {
    const bool has_label = std::ranges::binary_search(mirror.labels_of(docid), label);
    const bool perhaps_predicted = with_predicted && mirror.tagged.has(docid);
    return has_label && !perhaps_predicted;
  });
  return docids;
}

bool may_have(const StoredTags& tags, std::string_view label, bool with_predicted) {
  return tags.limits.auto_tag && !contains(tags.limits.rejected, label) &&
         !contains(tags.labels, label) && (with_predicted || !contains(tags.predicted, label));
}

api::Candidate described(MirroredDatabase& database, const Snapshot& snapshot,
                         const RankedCandidate& ranked) {
  api::Candidate candidate;
  candidate.id = snapshot.mirror().id_of(ranked.docid);
  candidate.docid = ranked.docid;
  candidate.confidence = ranked.confidence;

  // The mirror has no titles, and not all that a document holds about its tags.
  TitledTags found = database.tags_of(snapshot, ranked.docid);
  candidate.title = std::move(found.title);
  candidate.labels = std::move(found.tags.labels);
  candidate.predicted = std::move(found.tags.predicted);

  return candidate;
}

/// Which labels are hardly ever found on one document. A pair is looked at when it is asked for,
/// and answers are remembered within a bound: a document of many labels has too many pairs to count
/// them all.
class LabelPairs {
 public:
  LabelPairs(const Mirror& mirror, const Pulse& pulse)
      : documents_(mirror.labels.names.size()), beside_(documents_.size()) {
    mirror.labeled.places().for_each([&](std::uint32_t place) {
      pulse();
      ++labeled_;
      const auto labels = mirror.list->labels_at(place);
      for (const std::uint32_t label : labels) {
        documents_[label].push_back(place);
        beside_[label] += labels.size() - 1;
      }
    });
  }

  /// True if labels as frequent as these would be found on a document by chance, or if one of them
  /// stands alone on its documents, and yet they are not.
  bool exclude(std::uint32_t a, std::uint32_t b) {
    const auto count_a = static_cast<double>(documents_[a].size());
    const auto count_b = static_cast<double>(documents_[b].size());
    const double by_chance = count_a * count_b / static_cast<double>(labeled_);
    if (!(by_chance >= 1 || stands_alone(a) || stands_alone(b))) return false;

    // The pair in either order is one key.
    if (apart_.size() >= kMostRemembered) apart_.clear();
    const auto pair = std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
    const auto [known, is_new] = apart_.try_emplace(pair, false);

    if (is_new) known->second = !are_together(a, b, 0.02 * std::min(count_a, count_b));
    return known->second;
  }

 private:
  static constexpr std::size_t kMostRemembered = std::size_t{1} << 18;  // some 10 MB

  /// True if more than so many documents have both.
  bool are_together(std::uint32_t a, std::uint32_t b, double least) const {
    // The shorter list is walked along, and each of its places looked for in the longer one.
    const auto& [few, many] =
        std::ranges::minmax(documents_[a], documents_[b], {}, std::ranges::size);
    double together = 0;

    auto from = many.begin();
    for (const std::uint32_t place : few) {
      from = std::lower_bound(from, many.end(), place);
      if (from == many.end()) return false;
      if (*from != place) continue;
      ++together;
      if (together > least) return true;
    }
    return false;
  }
  bool stands_alone(std::uint32_t label) const {
    return static_cast<double>(beside_[label]) <=
           0.05 * static_cast<double>(documents_[label].size());
  }

  using Places = std::vector<std::uint32_t>;
  std::vector<Places> documents_;      // of each label, ascending
  std::vector<std::uint64_t> beside_;  // other labels on these, in all
  std::unordered_map<std::uint64_t, bool> apart_;
  std::uint64_t labeled_ = 0;
};

/// Where a document's labels and the vote differ.
class SuspectSearch {
 public:
  /// Adds to `lists`.
  SuspectSearch(MirroredDatabase& database, const Mirror& mirror, const Pulse& pulse,
                SuspectLists& lists)
      : database_(database), mirror_(mirror), pairs_(mirror, pulse), lists_(lists) {}

  void add(const Snapshot& snapshot, Xapian::docid docid, const Classification& result) {
    // In the order of names, as confidences_of() looks them up.
    const auto own_labels = mirror_.labels_of(docid);
    std::vector<std::uint32_t> labels(own_labels.begin(), own_labels.end());
    std::ranges::sort(labels, {}, [&](std::uint32_t own) {
      return mirror_.labels.names[own];
    });

    std::vector<std::string> rejected;  // only documents that are marked have any
    if (mirror_.marked.has(docid))
      rejected = database_.tags_of(snapshot, docid).tags.limits.rejected;

    // A tag that the vote gives and the document lacks speaks against each label that is hardly
    // ever beside it. If there is none, the tag is simply missing.
    std::vector<Tag> rivals(labels.size());  // of each label, the strongest
    for (const Tag& tag : result.tags) {
      const auto number = mirror_.labels.names.find(tag.label);
      if (!number || std::ranges::find(labels, *number) != labels.end() ||
          std::ranges::find(rejected, tag.label) != rejected.end())
        continue;

      bool is_rival = false;
      for (std::size_t i = 0; i < labels.size(); ++i) {
        if (!pairs_.exclude(*number, labels[i])) continue;
        is_rival = true;
        if (rivals[i].label.empty()) rivals[i] = tag;
      }
      if (!is_rival) lists_.missing.push_back({docid, tag, {}, tag.confidence});
    }

    // A label is wrong if it gets nearly nothing of the vote and has a rival. Without a rival it
    // may just be rare.
    const std::vector<double> confidences = confidences_of(labels, result.scores);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Tag own{std::string(mirror_.labels.names[labels[i]]), confidences[i]};
      if (!rivals[i].label.empty() && own.confidence <= kNearlyNothing)
        lists_.wrong.push_back({docid, own, rivals[i], rivals[i].confidence - own.confidence});
    }
  }

 private:
  /// The scores of these labels, which are sorted by their names; 0 of those that have none.
  std::vector<double> confidences_of(const std::vector<std::uint32_t>& labels,
                                     const std::vector<Tag>& scores) const {
    const auto name = [&](std::uint32_t own) {
      return mirror_.labels.names[own];
    };
    std::vector<double> confidences(labels.size());
    for (const Tag& tag : scores) {
      const auto found = std::ranges::lower_bound(labels, std::string_view(tag.label), {}, name);
      if (found != labels.end() && name(*found) == tag.label)
        confidences[static_cast<std::size_t>(found - labels.begin())] = tag.confidence;
    }
    return confidences;
  }

  MirroredDatabase& database_;
  const Mirror& mirror_;
  LabelPairs pairs_;
  SuspectLists& lists_;
};

/// Takes the part of a list that was asked for, without what describes documents.
api::SuspectList asked_part(std::vector<RankedSuspect>& ranked, const SuspectsRequest& request) {
  // Counted before the list is cut.
  api::SuspectList list;
  list.found = ranked.size();
  const auto confidence = [](const RankedSuspect& suspect) {
    if (suspect.rival.label.empty()) return suspect.label.confidence;
    return suspect.rival.confidence;
  };
  list.clear = std::ranges::count_if(ranked, [&](const RankedSuspect& suspect) {
    return confidence(suspect) >= kClear;
  });

  const auto after = static_cast<std::size_t>(request.offset);
  ranked.erase(ranked.begin(), ranked.begin() + std::min(after, ranked.size()));
  ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(request.limit)));
  return list;
}

/// Gives candidates, which are those of `docids`, their reasons.
void explain_candidates(const Classifier& classifier, std::span<const Xapian::docid> docids,
                        const CandidatesRequest& request, const DocumentSet* voters,
                        std::uint32_t label, std::vector<api::Candidate>& candidates) {
  ClassifyRequest reasons;
  reasons.explain = true;
  reasons.pulse = request.pulse;

  // Classified in the order of the candidates.
  auto candidate = candidates.begin();
  const auto explain = [&](Xapian::docid, Classification& result) {
    candidate->voters = std::move(result.voters);
    candidate->reason = std::move(result.reasons->front());
    ++candidate;
  };
  classifier.classify_all(docids, reasons, voters, explain, label);
}

/// The part of a list that was asked for: classified once more, with reasons, and described.
api::SuspectList explained_part(const Mirror& mirror, const Classifier& classifier,
                                const SuspectsRequest& request, const DocumentSet* voters,
                                std::vector<RankedSuspect>& ranked) {
  api::SuspectList list = asked_part(ranked, request);
  std::vector<Xapian::docid> shown(ranked.size());
  std::ranges::transform(ranked, shown.begin(), &RankedSuspect::docid);

  ClassifyRequest reasons;
  reasons.explain = true;
  reasons.pulse = request.pulse;

  // Classified in the order of the list, so that each answer belongs to the next suspect.
  const auto describe = [&](Xapian::docid docid, Classification& result) {
    RankedSuspect& found = ranked[list.suspects.size()];
    api::Suspect& suspect = list.suspects.emplace_back();
    suspect.id = mirror.id_of(docid);
    suspect.docid = docid;
    suspect.labels = mirror.label_names_of(docid);
    suspect.label = std::move(found.label.label);
    suspect.confidence = found.label.confidence;
    if (!found.rival.label.empty()) suspect.rival = std::move(found.rival);
    suspect.proposed = std::move(result.tags);
    suspect.reasons = std::move(*result.reasons);
    suspect.voters = std::move(*result.voters);
  };
  classifier.classify_all(shown, reasons, voters, describe);

  list.next = next_offset(request.offset, list.suspects.size(), list.found);
  return list;
}

/// Goes on with a search, until that many of the documents have been looked at.
void look_at_more(std::span<const Xapian::docid> docids, MirroredDatabase& database,
                  const Snapshot& snapshot, const Classifier& classifier,
                  const SuspectsRequest& request, const DocumentSet* voters, SuspectLists& lists) {
  // All scores are needed, since a label that is not given has one, too.
  SuspectSearch search(database, snapshot.mirror(), request.pulse, lists);
  ClassifyRequest scores;
  scores.scores = true;
  scores.pulse = request.pulse;

  const auto compare = [&](Xapian::docid docid, const Classification& result) {
    search.add(snapshot, docid, result);
    ++lists.examined;
    report_progress("suspects", request.on_progress, lists.examined, docids.size(),
                    lists.missing.size() + lists.wrong.size());
  };
  classifier.classify_all(docids.subspan(lists.examined), scores, voters, compare);

  for (std::vector<RankedSuspect>* list : {&lists.missing, &lists.wrong})
    std::ranges::sort(*list, [](const RankedSuspect& a, const RankedSuspect& b) {
      return std::tie(b.margin, a.docid) < std::tie(a.margin, b.docid);
    });
}

}  // namespace

api::CandidatesAnswer find_candidates(MirroredDatabase& database, const Snapshot& snapshot,
                                      const Classifier& classifier,
                                      const CandidatesRequest& request, const DocumentSet* allowed,
                                      const DocumentSet* voters) {
  check(request);

  const Mirror& mirror = snapshot.mirror();
  const std::uint32_t label = number_of_label(mirror, request.label);

  const std::vector<Xapian::docid> docids =
      documents_without(label, mirror, allowed, request.predicted);

  // Each document is ranked as soon as it is classified: its answer is not needed later.
  std::vector<RankedCandidate> found;
  std::size_t classified = 0;
  const auto rank = [&](Xapian::docid docid, const Classification& result) {
    const double confidence = result.tags.empty() ? 0 : result.tags.front().confidence;

    // Of other documents the mirror has all that they hold about their tags.
    const bool holds_tags = mirror.marked.has(docid) || mirror.tagged.has(docid);
    if (confidence > 0 && confidence >= request.min_confidence &&
        (!holds_tags || may_have(database.tags_of(snapshot, docid).tags, mirror.labels.names[label],
                                 request.predicted)))
      found.push_back({docid, confidence});
    ++classified;
    report_progress("candidates", request.on_progress, classified, docids.size());
  };

  ClassifyRequest plain;
  plain.pulse = request.pulse;
  classifier.classify_all(docids, plain, voters, rank, label);

  // Equal confidences stay in the order of docids.
  std::ranges::stable_sort(found, std::greater(), &RankedCandidate::confidence);
  api::CandidatesAnswer answer;
  static_cast<Origin&>(answer) = mirror.origin();
  answer.examined = docids.size();
  answer.found = found.size();

  // Only those that are shown are described, which reads the index.
  const auto offset = static_cast<std::size_t>(request.offset);
  found.erase(found.begin(), found.begin() + std::min(offset, found.size()));
  found.resize(std::min(found.size(), static_cast<std::size_t>(request.limit)));
  std::vector<Xapian::docid> shown;
  for (const RankedCandidate& candidate : found) {
    request.pulse();
    answer.candidates.push_back(described(database, snapshot, candidate));
    shown.push_back(candidate.docid);
  }

  // And only these are explained, in a second pass: to explain all would take much longer than to
  // rank them.
  if (request.explain)
    explain_candidates(classifier, shown, request, voters, label, answer.candidates);
  answer.next = next_offset(request.offset, answer.candidates.size(), answer.found);
  return answer;
}

api::SuspectsAnswer find_suspects(MirroredDatabase& database, const Snapshot& snapshot,
                                  const Classifier& classifier, const SuspectsRequest& request,
                                  const DocumentSet* asked, const DocumentSet* voters,
                                  const KeptSuspects* kept) {
  check_page(request.limit, request.offset);

  const Mirror& mirror = snapshot.mirror();
  DocumentSet examined = mirror.labeled;
  if (asked != nullptr) examined &= *asked;
  const std::vector<Xapian::docid> labeled = examined.numbers();

  api::SuspectsAnswer answer;
  static_cast<Origin&>(answer) = mirror.origin();
  answer.labeled = labeled.size();

  SuspectLists lists;
  if (kept != nullptr) lists = kept->read();
  std::size_t wanted = labeled.size();
  if (request.documents > 0) wanted = std::min(wanted, static_cast<std::size_t>(request.documents));
  if (lists.examined < wanted) {
    look_at_more(std::span(labeled).first(wanted), database, snapshot, classifier, request, voters,
                 lists);
    if (kept != nullptr) kept->write(lists);
  }
  answer.examined = lists.examined;

  // Only the part of each list that was asked for is classified once more, with reasons.
  answer.missing = explained_part(mirror, classifier, request, voters, lists.missing);
  answer.wrong = explained_part(mirror, classifier, request, voters, lists.wrong);
  return answer;
}

}  // namespace kindred
