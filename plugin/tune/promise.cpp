#include "plugin/tune/promise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace kindred {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kCompared = 4000;  // for the likeness of labels
constexpr std::size_t kEnough = 400;     // documents that are measured once more

/// The first parts, until they have enough documents.
std::span<const Part> enough_of(std::span<const Part> parts) {
  std::size_t count = 0, documents = 0;
  while (count < parts.size() && documents < kEnough) documents += parts[count++].docids.size();
  return parts.first(count);
}

/// Every second of the documents, in the order of their docids, of each label; the first one stays.
DocumentSet every_second(const DocumentSet& documents) {
  DocumentSet half = documents;
  std::map<std::uint32_t, bool> leaves;
  for (const Xapian::docid docid : documents.numbers()) {
    bool& now = leaves[documents.mirror().labels_of(docid).front()];
    if (now) half.erase(docid);
    now = !now;
  }
  return half;
}

}  // namespace

TrueLabels true_labels(const Mirror& mirror, std::span<const Part> parts) {
  TrueLabels truth;
  truth.labels = mirror.labels.names.size();
  truth.folds = parts.size();
  for (std::size_t fold = 0; fold < parts.size(); ++fold)
    for (const Xapian::docid docid : parts[fold].docids)
      truth.add(mirror.labels_of(docid), static_cast<std::uint8_t>(fold));
  return truth;
}

PartsOf::PartsOf(const Snapshot& snapshot, const DocumentSet& voters, Groups groups,
                 std::uint64_t seed)
    : snapshot_(snapshot),
      groups_(groups),
      seed_(seed),
      alike_(label_likeness(snapshot, voters, kCompared, seed)) {}

PartsOf::Split PartsOf::operator()(const DocumentSet& voters, std::size_t sample,
                                   DriftMeasure& drift) const {
  const std::size_t folds = std::min<std::size_t>(kFolds, voters.count());
  Split split{split_voters(voters, folds, sample, seed_), {}};
  split.siblings = prevent_leakage(snapshot_, alike_, groups_, split.parts, drift);
  draw_counterparts(voters, snapshot_.mirror().labels.names.size(), split.parts);
  return split;
}

std::vector<Part> PartsOf::without_siblings(const DocumentSet& voters, const Split& split) const {
  std::vector<Part> parts = kindred::without_siblings(voters, split.siblings, groups_, split.parts);
  draw_counterparts(voters, snapshot_.mirror().labels.names.size(), parts);
  return parts;
}

Promise::Promise(const PartsOf& parts_of, const DocumentSet& voters, const PartsOf::Split& split,
                 std::span<const float> scores)
    : parts_of_(parts_of), mirror_(parts_of.snapshot().mirror()), voters_(voters), split_(split) {
  const std::vector<std::uint8_t> is_right =
      best_is_true(scores, true_labels(mirror_, split.parts));
  auto of_document = is_right.begin();
  for (const Part& part : split.parts)
    for (const Xapian::docid docid : part.docids) is_right_[docid] = *of_document++;
}

/// The share of documents that are right by leave-one-out, and are not as others classify them.
MeanOfDocuments Promise::lost(std::span<const Part> parts, const CrossFit& fit,
                              const Combiner& combiner) const {
  const TrueLabels truth = true_labels(mirror_, parts);
  const std::vector<std::uint8_t> is_right =
      best_is_true(combined_scores({&combiner, 1}, fit.features_of(parts), truth,
                                   parts_of_.snapshot().voting().threads()),
                   truth);
  MeanOfDocuments lost;
  auto of_document = is_right.begin();
  for (const Part& part : parts)
    for (const Xapian::docid docid : part.docids) lost.add(is_right_.at(docid) - *of_document++);
  return lost;
}

bool Promise::is_worse_than(const CrossFit& untaught) const {
  const std::span<const Part> parts = enough_of(split_.parts);
  return lost(parts, untaught, share_combiner(true_labels(mirror_, parts).single_label())).mean() <
         0;
}

double Promise::gain_of_more(const CrossFit& fit, const Combiner& combiner,
                             double taught_share) const {
  constexpr double kFewest = 0.25, kMostPower = 1;
  const std::vector<double> count = documents_of_labels();
  const auto labels = std::ranges::count_if(count, [](double own) { return own > 0; });
  const double each =
      std::accumulate(count.begin(), count.end(), 0.0) / static_cast<double>(labels);
  const auto speaking = [&](double documents) {
    return std::max(std::min(documents - 1, taught_share * documents), kFewest);
  };
  const DocumentSet half = every_second(voters_);
  if (speaking(each) <= speaking(each / 2) || half.count() < kFolds) return 0;

  DriftMeasure ignored(mirror_, voters_);
  PartsOf::Split split = parts_of_(half, voters_.count(), ignored);
  for (Part& part : split.parts)  // where not all voters are classified
    std::erase_if(part.docids, [&](Xapian::docid docid) { return !is_right_.contains(docid); });
  const std::span<const Part> parts = enough_of(split.parts);
  double documents = 0, errors = 0;
  for (const Part& part : parts) {
    for (const Xapian::docid docid : part.docids) {
      ++documents;
      errors += is_right_.at(docid) != 0 ? 0 : 1;
    }
  }
  if (!(errors > 0)) return 0;
  errors /= documents;
  const double more = lost(parts, fit, combiner).shrunk();
  const double power =
      std::clamp(std::log((errors + more) / errors) / std::log(speaking(each) / speaking(each / 2)),
                 0.0, kMostPower);
  return errors * (1 - std::pow(speaking(each) / each, power));
}

double Promise::loss_without_siblings(const CrossFit& fit, const Combiner& combiner) const {
  if (split_.siblings.empty()) return 0;
  const std::vector<Part> parts = parts_of_.without_siblings(voters_, split_);
  return lost(enough_of(parts), fit, combiner).clear();
}

double Promise::alone() const {
  const std::vector<double> count = documents_of_labels();
  double alone = 0, documents = 0;
  for (const Part& part : split_.parts) {
    for (const Xapian::docid docid : part.docids) {
      ++documents;
      alone += std::ranges::all_of(mirror_.labels_of(docid),
                                   [&](std::uint32_t label) { return count[label] == 1; })
                   ? 1
                   : 0;
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
