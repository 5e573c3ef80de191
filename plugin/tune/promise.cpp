#include "plugin/tune/promise.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plugin/tune/halves.h"

namespace kindred {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kCompared = 4000;  // for the likeness of labels
constexpr std::size_t kEnough = 400;     // documents that are measured once more

}  // namespace

std::span<const Part> enough_of(std::span<const Part> parts) {
  std::size_t count = 0;
  std::size_t documents = 0;
  while (count < parts.size() && documents < kEnough) {
    documents += parts[count].docids.size();
    ++count;
  }
  return parts.first(count);
}

TrueLabels true_labels(const Mirror& mirror, std::span<const Part> parts) {
  TrueLabels truth;
  truth.labels = mirror.labels.names.size();
  truth.folds = parts.size();
  for (std::size_t fold = 0; fold < parts.size(); ++fold)
    for (const Xapian::docid docid : parts[fold].docids)
      truth.add(mirror.labels_of(docid), static_cast<std::uint8_t>(fold));
  return truth;
}

Split split_apart(const Snapshot& snapshot, const DocumentSet& voters, Groups groups,
                  std::size_t sample, std::uint64_t seed, DriftMeasure& drift) {
  const std::size_t folds = std::min<std::size_t>(kFolds, voters.count());
  const double alike = label_likeness(snapshot, voters, kCompared, seed);
  Split split{split_voters(voters, folds, sample, seed),
              relatives_of(snapshot, voters, drawn(voters.numbers(), sample, seed), alike, drift)};

  keep_apart(split.relatives.leaks, split.parts);
  keep_apart(groups, split.parts);
  if (share_teaching(split.parts)) {
    // Documents that will be classified without their siblings. These do not teach at all, so that
    // what is learned is the same then, and is learned once.
    const std::span<const Part> first = enough_of(split.parts);
    std::vector<Part> apart(first.begin(), first.end());
    keep_apart(split.relatives.siblings, apart);
    for (Part& part : split.parts) part.teaching = apart.front().teaching;
  }

  draw_counterparts(voters, snapshot.mirror().labels.names.size(), split.parts);
  return split;
}

Promise::Promise(const Snapshot& snapshot, const DocumentSet& voters, Groups groups,
                 const Split& split, std::span<const float> scores, const Shortlists& lists)
    : mirror_(snapshot.mirror()),
      threads_(snapshot.voting().threads()),
      voters_(voters),
      groups_(groups),
      split_(split) {
  const std::vector<std::uint8_t> is_right =
      best_is_true(scores, lists, true_labels(mirror_, split.parts));

  // In the order of the parts and their documents.
  auto of_document = is_right.begin();
  for (const Part& part : split.parts) {
    for (const Xapian::docid docid : part.docids) {
      is_right_[docid] = *of_document;
      ++of_document;
    }
  }
}

/// The share of documents that are right by leave-one-out, and are not as others classify them.
MeanOfDocuments Promise::lost(std::span<const Part> parts, CrossFit& fit,
                              const Combiner& combiner) const {
  const TrueLabels truth = true_labels(mirror_, parts);
  const Shortlists lists = fit.shortlists_of(parts);
  const std::vector<std::uint8_t> is_right =
      best_is_true(combined_scores({&combiner, 1}, lists, truth, threads_), lists, truth);

  MeanOfDocuments lost;
  auto of_document = is_right.begin();
  for (const Part& part : parts) {
    for (const Xapian::docid docid : part.docids) {
      lost.add(is_right_.at(docid) - *of_document);
      ++of_document;
    }
  }
  return lost;
}

bool Promise::is_worse_than(CrossFit& untaught) const {
  const std::span<const Part> parts = enough_of(split_.parts);
  const bool single_label = true_labels(mirror_, parts).single_label();
  const Combiner shares = share_combiner(single_label, untaught.hears_few());
  return lost(parts, untaught, shares).mean() < 0;
}

/// The documents of the other half, as a half classifies them.
Part Promise::others_by(const DocumentSet& half) const {
  Part others{{}, half, half};
  for (const Part& part : split_.parts)
    for (const Xapian::docid docid : part.docids)
      if (!half.has(docid) && others.docids.size() < kEnough) others.docids.push_back(docid);

  std::ranges::sort(others.docids);
  keep_apart(split_.relatives.leaks, {&others, 1});
  keep_apart(groups_, {&others, 1});
  return others;
}

/// The documents of the first parts, without their siblings.
std::vector<Part> Promise::without_siblings() const {
  const std::span<const Part> parts = enough_of(split_.parts);
  std::vector<Part> apart(parts.begin(), parts.end());
  keep_apart(split_.relatives.siblings, apart);
  draw_counterparts(voters_, mirror_.labels.names.size(), apart);
  return apart;
}

void Promise::look_ahead(CrossFit& fit, const Combiner& combiner, double taught_share,
                         TuneReport& report) const {
  const bool has_siblings = !split_.relatives.siblings.empty();

  // Here a half of the voters at most is classified, and the others teach: that gains nothing more.
  if (share_teaching(split_.parts)) {
    if (has_siblings) report.siblings = lost(without_siblings(), fit, combiner).clear();
    return;
  }

  // What a half of the voters loses on the others tells what all of them will gain.
  const Part others = others_by(half_of(voters_, {}));
  if (others.docids.empty()) return;
  const MeanOfDocuments of_half = lost({&others, 1}, fit, combiner);
  report.gain = gain_of_more(others, of_half, taught_share);

  // What a half loses that has no sibling of the others.
  if (!has_siblings) return;
  const Part strangers = others_by(half_of(voters_, split_.relatives.siblings));
  const MeanOfDocuments of_strangers = lost({&strangers, 1}, fit, combiner);
  if (of_strangers.is_clearly_above(of_half)) report.siblings = std::max(of_strangers.mean(), 0.0);
}

double Promise::gain_of_more(const Part& others, const MeanOfDocuments& of_half,
                             double taught_share) const {
  constexpr double kFewest = 0.25;
  constexpr double kMostPower = 1;

  // How many documents a label has in the mean, and how many of these were heard.
  const std::vector<double> count = documents_of_labels();
  const auto labels = std::ranges::count_if(count, [](double own) {
    return own > 0;
  });
  const double each =
      std::accumulate(count.begin(), count.end(), 0.0) / static_cast<double>(labels);
  const double heard = std::max(std::min(each - 1, taught_share * each), kFewest);

  double errors = 0;
  for (const Xapian::docid docid : others.docids)
    if (is_right_.at(docid) == 0) ++errors;
  errors /= static_cast<double>(others.docids.size());
  if (heard <= each / 2 || !(errors > 0)) return 0;

  // From a half to those that were heard, errors fell as a power of their number.
  const double power =
      std::clamp(std::log((errors + of_half.shrunk()) / errors) / std::log(heard / (each / 2)), 0.0,
                 kMostPower);
  return errors * (1 - std::pow(heard / each, power));
}

double Promise::alone() const {
  const std::vector<double> count = documents_of_labels();
  const auto is_single = [&](std::uint32_t label) {
    return count[label] == 1;
  };

  double alone = 0;
  double documents = 0;
  for (const Part& part : split_.parts) {
    for (const Xapian::docid docid : part.docids) {
      ++documents;
      if (std::ranges::all_of(mirror_.labels_of(docid), is_single)) ++alone;
    }
  }
  return alone / documents;
}

std::vector<double> Promise::documents_of_labels() const {
  std::vector<double> count(mirror_.labels.names.size(), 0);
  for (const Xapian::docid docid : voters_.numbers())
    for (const std::uint32_t label : mirror_.labels_of(docid)) ++count[label];
  return count;
}

}  // namespace kindred
