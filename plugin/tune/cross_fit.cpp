#include "plugin/tune/cross_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gpu/knn/vote.h"
#include "plugin/tune/correction_fit.h"
#include "plugin/tune/linear_fit.h"
#include "plugin/tune/weighed.h"
#include "plugin/votes/classes/class_sums.h"
#include "plugin/votes/classes/counterparts.h"
#include "plugin/votes/label_features.h"
#include "plugin/votes/label_weights.h"
#include "plugin/votes/votes.h"

namespace kindred {
namespace {

constexpr std::size_t kBatch = 1000;         // documents searched for at a time
constexpr std::size_t kComparedAtOnce = 64;  // documents that one thread compares with labels
constexpr std::size_t kLearningNeighbors = 30;
constexpr double kLambda = 40;
constexpr int kLearningSteps = 10;

// How much work it is to take one step of corrections for a document, to search for it, to compare
// it with labels, and to learn the linear classifier of a label from a thousand documents: about
// how long each takes beside the first.
constexpr std::uint64_t kStepWork = 1;
constexpr std::uint64_t kSearchWork = 10;
constexpr std::uint64_t kCompareWork = 75;
constexpr std::uint64_t kLabelWork = 15;

std::uint64_t work_of_label(std::size_t documents) { return kLabelWork * documents / 1000 + 1; }

}  // namespace

CrossFit::CrossFit(const Snapshot& snapshot, AlsoHeard also, std::size_t learning_documents,
                   Learning learning, Tick tick, Pulse pulse)
    : snapshot_(snapshot),
      mirror_(snapshot.mirror()),
      also_(also),
      learning_documents_(learning_documents),
      learning_(learning),
      tick_(std::move(tick)),
      pulse_(std::move(pulse)),
      threads_(snapshot.voting().threads()),
      postings_(std::make_shared<const Csr>(transpose(*mirror_.list))) {}

CrossFit::CrossFit(const CrossFit& other, Learning learning)
    : snapshot_(other.snapshot_),
      mirror_(other.mirror_),
      also_(other.also_),
      learning_documents_(other.learning_documents_),
      learning_(learning),
      tick_(other.tick_),
      pulse_(other.pulse_),
      threads_(other.threads_),
      postings_(other.postings_) {}

Taught CrossFit::learn(const DocumentSet& teaching, bool known_only) const {
  const LabelInformation information = label_information(
      {postings_->view(), teaching}, mirror_.labels.names.size(), threads_, pulse_);

  const TermWeighting& plain = snapshot_.weighting();
  Taught taught{{plain.idf, plain.tf}};
  const bool learns = learning_ != Learning::kNothing;
  std::vector<double>& weights = taught.weighting.idf;
  if (learns) weights = label_weights(weights, information);

  for (std::size_t t = 0; known_only && t < weights.size(); ++t)
    if (information.voters[t] == 0) weights[t] = 0;

  // The corrections multiply the weights, which are floats where they are stored.
  std::vector<double> theta(weights.size(), 0);
  if (learns) theta = corrections(taught.weighting, teaching);
  for (std::size_t t = 0; t < weights.size(); ++t)
    weights[t] = static_cast<float>(weights[t] * std::exp(theta[t]));

  if (learning_ == Learning::kLinear) taught.classifiers = learn_linear(taught.weighting, teaching);
  return taught;
}

std::vector<double> CrossFit::corrections(const TermWeighting& base,
                                          const DocumentSet& voters) const {
  const std::vector<Xapian::docid> documents = drawn(voters.numbers(), learning_documents_, 0);
  const auto backend = snapshot_.backend().refreshed(mirror_.list, base);
  const std::vector<Neighbor> neighbors =
      nearest(base, *backend, documents, voters, kLearningNeighbors);
  return fit_corrections({*mirror_.list, base, documents, neighbors, kLearningNeighbors}, kLambda,
                         kLearningSteps, threads_, pulse_, [&] {
                           tick_(kStepWork * documents.size());
                         });
}

Queries CrossFit::weighed_left_out(std::span<const Xapian::docid> docids,
                                   const TermWeighting& weighting) const {
  return weighed(docids, threads_, [&](Xapian::docid docid, Queries& queries) {
    snapshot_.weigh_left_out(docid, weighting, queries);
  });
}

std::vector<Neighbor> CrossFit::nearest(const TermWeighting& weighting, const Backend& backend,
                                        std::span<const Xapian::docid> docids,
                                        const DocumentSet& voters, std::size_t k) const {
  std::vector<Neighbor> neighbors(docids.size() * k);
  for (std::size_t begin = 0; begin < docids.size(); begin += kBatch) {
    const auto batch = docids.subspan(begin, std::min(kBatch, docids.size() - begin));
    const Queries queries = weighed_left_out(batch, weighting);

    // Each finds itself, too, so one more is asked for.
    std::vector<Neighbor> found(batch.size() * (k + 1));
    in_portions(batch.size(), kComparedAtOnce, pulse_, [&](std::size_t first, std::size_t end) {
      backend.nearest(queries.view().part(first, end - first), k + 1, &voters,
                      std::span(found).subspan(first * (k + 1), (end - first) * (k + 1)));
    });

    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto own = std::span(found).subspan(i * (k + 1), k + 1);
      const std::size_t kept = leave_out(own, batch[i], k);
      std::copy_n(own.begin(), kept,
                  neighbors.begin() + static_cast<std::ptrdiff_t>((begin + i) * k));
    }
    tick_(kSearchWork * batch.size());
  }
  return neighbors;
}

std::uint64_t CrossFit::work_of_learning(std::size_t documents) const {
  if (learning_ == Learning::kNothing) return 0;

  const std::uint64_t learning = std::min(documents, learning_documents_);
  std::uint64_t work = learning * (kSearchWork + kLearningSteps * kStepWork);
  if (learning_ == Learning::kLinear) work += learned_labels().size() * work_of_label(learning);
  return work;
}

std::uint64_t CrossFit::work_of_comparing(std::span<const Part> parts) const {
  std::uint64_t work = 0;
  for (const Part& part : parts) work += part.docids.size() * (kSearchWork + kCompareWork);
  return work;
}

std::uint64_t CrossFit::work_of(std::span<const Part> parts) const {
  std::uint64_t work = work_of_comparing(parts);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (i == 0 || parts[i].teaching != parts[i - 1].teaching)
      work += work_of_learning(parts[i].teaching.count());
  return work;
}

/// The labels that linear classifiers are learned for. Those of few documents are not learned.
/// Whichever documents teach, they are the same.
std::vector<std::uint32_t> CrossFit::learned_labels() const {
  const double share = std::min(
      1.0, static_cast<double>(learning_documents_) / static_cast<double>(mirror_.labeled.count()));
  std::vector<std::uint32_t> learned;
  for (std::uint32_t label = 0; label < labels(); ++label)
    if (mirror_.labels.documents[label] * share >= LinearClassifiers::kFewestDocuments)
      learned.push_back(label);
  return learned;
}

std::shared_ptr<LinearClassifiers> CrossFit::learn_linear(const TermWeighting& weighting,
                                                          const DocumentSet& voters) const {
  // The documents of the learning set, in an order of chance.
  const LearningSet set =
      learning_set(mirror_.list->numbers().back(), voters.count(), learning_documents_);
  std::vector<Xapian::docid> docids = voters.numbers();
  std::erase_if(docids, [&](Xapian::docid docid) {
    return !set.has(docid);
  });
  std::ranges::sort(docids, {}, LearningSet::hash_of);
  LinearExamples examples{weighed_left_out(docids, weighting), {}};

  std::vector<std::vector<std::uint32_t>> members(labels());
  for (std::uint32_t d = 0; d < docids.size(); ++d)
    for (const std::uint32_t label : mirror_.labels_of(docids[d])) members[label].push_back(d);

  StringTable names;
  for (const std::uint32_t label : learned_labels()) {
    names.push_back(mirror_.labels.names[label]);
    examples.of_label.push_back(std::move(members[label]));
  }
  names.index();

  const StringTable& dictionary = mirror_.dictionary;
  LinearClassifiers parts = fit_linear(examples, dictionary.size(), threads_, pulse_, [&] {
    tick_(work_of_label(docids.size()));
  });

  // Terms that tell nothing are left out, so the others get new numbers.
  const std::vector<std::uint64_t> begin = std::exchange(parts.begin, {0});
  for (std::uint32_t term = 0; term < dictionary.size(); ++term) {
    if (begin[term] == begin[term + std::size_t{1}]) continue;
    parts.terms.push_back(dictionary[term]);
    parts.begin.push_back(begin[term + std::size_t{1}]);
  }

  parts.labels = std::move(names);
  parts.learned_from = set;
  return std::make_shared<LinearClassifiers>(std::move(parts));
}

Shortlists CrossFit::shortlists_of(std::span<const Part> parts) {
  Shortlists lists;
  for (const Part& part : parts) {
    if (!last_ || last_->teachers != part.teaching || last_->known_only != part.is_later) {
      last_.reset();  // its memory is free while the next is learned
      last_ = Last{part.teaching, part.is_later, learn(part.teaching, part.is_later)};
      last_->backend = snapshot_.backend().refreshed(mirror_.list, last_->taught.weighting);
    }
    lists.add(classify(part));
  }
  return lists;
}

/// A part, and what its documents are compared with.
struct CrossFit::ComparedPart {
  const Part& part;
  const TermWeighting& weighting;
  const ClassSums& sums;
  std::vector<Neighbor> neighbors;  // kBlendNeighbors of each document
  std::optional<Counterparts> counterparts{};
  std::unique_ptr<const LinearVotes> linear{};  // null: nothing was learned
  std::optional<const FewLabels> few{};
};

Shortlists CrossFit::classify(const Part& part) {
  const Taught& taught = last_->taught;
  const TermWeighting& weighting = taught.weighting;

  const auto label_count = static_cast<std::uint32_t>(labels());
  if (!last_->sums) {
    last_->sums =
        std::make_unique<const ClassSums>(part.voting, weighting, label_count, threads_, pulse_);
  } else {
    // Nearly all that vote on this part voted on the one before, too.
    last_->sums = std::make_unique<const ClassSums>(*last_->sums, part.voting, weighting,
                                                    label_count, threads_, pulse_);
  }

  ComparedPart with{part, weighting, *last_->sums,
                    nearest(weighting, *last_->backend, part.docids, part.voting, kBlendNeighbors)};

  // The counterpart of each label as a vector; an empty one where there is none.
  Queries of_labels;
  for (const Xapian::docid docid : part.counterparts) {
    if (docid == kNoDocument) {
      of_labels.add_counts({}, {}, weighting);
    } else {
      snapshot_.weigh_document(docid, weighting, of_labels);
    }
  }
  if (!part.counterparts.empty()) with.counterparts.emplace(with.sums, of_labels);

  if (taught.classifiers)
    with.linear = std::make_unique<const LinearVotes>(taught.classifiers, mirror_.dictionary,
                                                      mirror_.labels.names);

  // What is kept apart from these documents is for the few as if it were not there.
  if (also_.few != nullptr) {
    std::vector<Xapian::docid> unknown = mirror_.labeled.numbers();
    std::erase_if(unknown, [&](Xapian::docid docid) {
      return part.voting.has(docid);
    });
    with.few.emplace(also_.few->apart_from(std::move(unknown)));
  }

  std::vector<Shortlists> chunks(number_of_chunks(part.docids.size(), kComparedAtOnce));
  const auto compare = [&](std::size_t begin, std::size_t end) {
    list_labels(with, begin, end, chunks[begin / kComparedAtOnce]);
  };
  for_each_chunk(part.docids.size(), kComparedAtOnce, threads_, compare);

  Shortlists lists;
  for (const Shortlists& chunk : chunks) lists.add(chunk);
  return lists;
}

/// Adds the labels that some documents of a part may have.
void CrossFit::list_labels(const ComparedPart& with, std::size_t begin, std::size_t end,
                           Shortlists& lists) const {
  const Part& part = with.part;
  const bool has_counterparts = with.counterparts.has_value();
  Shortlister shortlister(with.sums, with.linear.get(), *mirror_.list, mirror_.labels.names);
  std::vector<Xapian::docid> silent = part.counterparts;

  for (std::size_t i = begin; i < end; ++i) {
    const Xapian::docid docid = part.docids[i];

    // As a query it brings what others have of it, and leaves the sums with all that it has.
    Queries vectors;
    snapshot_.weigh_left_out(docid, with.weighting, vectors);
    snapshot_.weigh_document(docid, with.weighting, vectors);
    LeftOut left_out{{}, mirror_.labels_of(docid)};
    if (has_counterparts) left_out.counterparts = &*with.counterparts;
    if (part.voting.has(docid)) left_out.vector = {vectors.terms(1), vectors.weights(1)};

    // Its own labels lack the document itself, so they need no counterpart.
    for (const std::uint32_t own : left_out.labels)
      if (has_counterparts) silent[own] = kNoDocument;

    ListedDocument document;
    document.query = {vectors.terms(0), vectors.weights(0)};
    document.neighbors = std::span(with.neighbors).subspan(i * kBlendNeighbors, kBlendNeighbors);
    document.left_out = &left_out;
    document.silent = silent;
    std::vector<Neighbor> heard;
    if (with.few) {
      heard = with.few->nearest(docid, {&part.voting});
      document.few = &heard;
    }
    if (also_.named != nullptr) document.named = also_.named->at(docid);
    lists.add(shortlister.list(document));

    for (const std::uint32_t own : left_out.labels)
      if (has_counterparts) silent[own] = part.counterparts[own];
    tick_(kCompareWork);
    pulse_();
  }
}

LeftOutFactors CrossFit::left_out_factors(const Taught& taught, std::span<const Part> parts,
                                          const Shortlists& lists) const {
  std::vector<Xapian::docid> docids;
  for (const Part& part : parts)
    docids.insert(docids.end(), part.docids.begin(), part.docids.end());

  const Queries vectors = weighed_left_out(docids, taught.weighting);
  const LinearVotes linear(taught.classifiers, mirror_.dictionary, mirror_.labels.names);

  // The factor that fits best by least squares, for the labels of a document and for the others.
  struct Sums {
    double products = 0;
    double squares = 0;

    void add(double with, double without) {
      products += with * without;
      squares += with * with;
    }
    void add(const Sums& other) {
      products += other.products;
      squares += other.squares;
    }
  };
  struct OfDocuments {
    Sums own;
    Sums others;
  };
  std::vector<OfDocuments> chunks(number_of_chunks(docids.size(), kComparedAtOnce));
  const auto compare = [&](std::size_t begin, std::size_t end) {
    OfDocuments& sums = chunks[begin / kComparedAtOnce];
    LinearComparison comparison(linear);
    for (std::size_t i = begin; i < end; ++i) {
      pulse_();
      if (!linear.learned_from(docids[i])) continue;

      const auto labels = lists.labels_of(i);
      comparison.compare({vectors.terms(i), vectors.weights(i)}, {});
      for (std::size_t l = 0; l < labels.size(); ++l) {
        const bool is_own = std::ranges::binary_search(mirror_.labels_of(docids[i]), labels[l]);
        const double y = is_own ? 1 : -1;
        const double missing = 1 - y * comparison.value(labels[l]);
        const float left_out = lists.features_of(i)[l * kLabelFeatures + kLinear];
        if (!(missing > 0)) continue;

        if (is_own)
          sums.own.add(missing, 1 - y * left_out);
        else
          sums.others.add(missing, 1 - y * left_out);
      }
    }
  };
  for_each_chunk(docids.size(), kComparedAtOnce, threads_, compare);

  OfDocuments all;
  for (const OfDocuments& sums : chunks) {
    all.own.add(sums.own);
    all.others.add(sums.others);
  }

  const auto ratio = [](const Sums& sums) {
    double factor = 1;
    if (sums.squares > 0) factor = sums.products / sums.squares;
    factor = std::clamp(factor, 0.0, LinearClassifiers::kMostFactor);
    return std::round(factor / LinearClassifiers::kUnit) * LinearClassifiers::kUnit;
  };
  return {ratio(all.own), ratio(all.others)};
}

}  // namespace kindred
