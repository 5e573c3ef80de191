#include "tests/attack/twin_case.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <random>

#include "gpu/document_set.h"
#include "gpu/knn/coalescing_backend.h"
#include "gpu/knn/replicated_backend.h"
#include "gpu/twins/factory.h"
#include "tests/fixtures/segmented_mirror.h"

namespace kindred::attack {
namespace {

using Random = std::mt19937_64;
using test::Labels;

constexpr std::uint64_t kMostEntries = 4'000'000;  // of a mirror, at first
constexpr std::uint64_t kMostAnswers = 2'000'000;  // of a batch
constexpr std::uint64_t kMostVoters = 500;
constexpr std::uint64_t kMostQueries = 4096;        // of a batch
constexpr std::uint64_t kMostWork = 1'000'000'000;  // entries of a mirror, times queries

/// Which part of a case is drawn, so that each has numbers of its own.
enum Part : std::uint64_t {
  kShape,
  kRows,
  kIdf,
  kChange,
  kBatch,
  kRelabel,
  kTuned,
  kEmpty,
  kMoreShape,
  kMore,
};

Random random_for(const TwinCase& shape, Part part, std::uint64_t number = 0) {
  std::seed_seq seed{static_cast<std::uint32_t>(shape.seed),
                     static_cast<std::uint32_t>(shape.seed >> 32), static_cast<std::uint32_t>(part),
                     static_cast<std::uint32_t>(number)};
  return Random(seed);
}

double share(Random& random) { return std::generate_canonical<double, 53>(random); }

bool chance(Random& random, double probability) { return share(random) < probability; }

/// A number of [1, most], whose logarithm is even.
std::uint64_t log_number(Random& random, double most) {
  return static_cast<std::uint64_t>(std::pow(most, share(random)));
}

std::uint16_t random_count(std::uint64_t kind, Random& random) {
  std::uint16_t count = 1;
  switch (kind) {
    case kText:
      while (count < 300 && chance(random, 0.3)) ++count;
      return count;
    case kBytes:
      return static_cast<std::uint16_t>(1 + random() % 255);
    case kAny:
      return static_cast<std::uint16_t>(1 + random() % kMaxCount);
    case kLearned:  // hundredths of the weights of learned sparse vectors
      return static_cast<std::uint16_t>(50 + random() % 301);
    default:
      return count;
  }
}

/// Of kTunedIdf.
double tuned_idf(Random& random) {
  const bool is_0 = chance(random, 0.5);
  const double idf = std::pow(10, 4 * share(random) - 2);
  return is_0 ? 0 : idf;
}

/// The terms of a row, ascending. Terms of low number are frequent.
std::vector<std::uint32_t> random_terms(const TwinCase& shape, std::uint32_t columns,
                                        Random& random) {
  double wanted = -static_cast<double>(shape.terms) * std::log(share(random) + 1e-12);
  if (random() % 10'000 < shape.long_rows) wanted = columns * share(random);
  if (chance(random, 0.02)) wanted = 0;
  const auto length = static_cast<std::size_t>(std::min<double>(wanted, columns));
  std::vector<std::uint32_t> terms;
  if (length * 3 > columns) {
    for (std::uint32_t term = 0; term < columns; ++term)
      if (chance(random, static_cast<double>(length) / columns)) terms.push_back(term);
    return terms;
  }
  for (std::size_t i = 0; i < length; ++i) {
    const double term = std::pow(columns + 1.0, share(random)) - 1;
    terms.push_back(std::min(static_cast<std::uint32_t>(term), columns - 1));
  }
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

void append_row(const CsrView& from, std::uint32_t row, Csr& to) {
  const std::uint64_t begin = from.row_begin[row], end = from.row_begin[row + std::size_t{1}];
  to.column.insert(to.column.end(), from.column + begin, from.column + end);
  to.count.insert(to.count.end(), from.count + begin, from.count + end);
  to.row_begin.push_back(to.column.size());
}

Csr random_rows(const TwinCase& shape, std::uint64_t rows, std::uint32_t columns, double repeats,
                Random& random) {
  Csr csr;
  csr.columns = columns;
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (row > 0 && chance(random, repeats)) {
      test::repeat_last_row(csr);
      continue;
    }
    for (const std::uint32_t term : random_terms(shape, columns, random)) {
      csr.column.push_back(term);
      csr.count.push_back(random_count(shape.counts, random));
    }
    csr.row_begin.push_back(csr.column.size());
  }
  return csr;
}

Labels random_labels(std::uint32_t rows, std::uint64_t kinds, Random& random) {
  Labels labels;
  for (std::uint32_t row = 0; row < rows; ++row) {
    std::set<std::uint32_t> own;
    for (std::uint64_t i = random() % 4; i > 0; --i)
      own.insert(static_cast<std::uint32_t>(random() % kinds));
    labels.add_row(own);
  }
  return labels;
}

/// The backend that follows: of one device or several, or of the CPU, which can be several, too.
std::unique_ptr<const Backend> make_subject(const TwinCase& shape, const BackendOptions& options,
                                            SegmentListPointer rows,
                                            const TermWeighting& weighting) {
  constexpr std::size_t kThreads = 2;
  if (options.kind != "cpu" || shape.replicas == 0)
    return make_backend(std::move(rows), weighting, options);
  BackendOptions one = options;
  one.threads = 1;
  const std::size_t devices = 1 + shape.seed % 5;
  std::vector<std::unique_ptr<const Backend>> replicas;
  for (std::size_t i = 0; i < devices; ++i)
    replicas.push_back(coalesce(make_backend(rows, weighting, one)));
  return replicate(std::move(replicas), kThreads);
}

/// The rows that came together.
struct Piece {
  Csr rows;
  Labels labels;
};

/// The mirror of a case, followed by the subject and made from nothing for the reference.
class LivingMirror {
 public:
  LivingMirror(const TwinCase& shape, const BackendOptions& subject, const BackendOptions& cpu)
      : shape_(shape),
        cpu_(cpu),
        columns_(static_cast<std::uint32_t>(shape.columns)),
        mirror_(static_cast<std::uint32_t>(shape.gap)) {
    Random random = random_for(shape, kRows);
    add_piece(shape.rows, random);
    mirror_.add(pieces_[0].rows.view(), pieces_[0].labels.view());
    weigh();
    subject_ = make_subject(shape, subject, mirror_.list(), weightings_.back());
    make_reference();
  }

  const Backend& subject() const { return *subject_; }
  const Backend& reference() const { return *reference_; }
  std::uint32_t columns() const { return columns_; }
  std::uint32_t size() const { return mirror_.rows(); }
  const Csr& first_rows() const { return pieces_[0].rows; }
  const TermWeighting& weighting() const { return weightings_.back(); }
  std::uint32_t number_of(std::uint32_t index) const { return mirror_.number_of(index); }

  /// Replaces some rows, adds some, lets some die or all, and weighs all anew.
  void change(std::uint64_t number) {
    Random random = random_for(shape_, kChange, number),
           relabel = random_for(shape_, kRelabel, number);
    if (size() > 0 && relabel() % 100 < shape_.relabels) return give_other_labels(relabel);
    columns_ += static_cast<std::uint32_t>(random() % 3);
    add_piece(random() % (size() / 3 + 2), random);
    const std::vector<std::uint32_t> indexes = place_new_rows(random);
    const Piece& added = pieces_.back();
    mirror_.widen(columns_).add(added.rows.view(), added.labels.view(), indexes);
    mirror_.kill(let_die(random));
    if (random_for(shape_, kEmpty, number)() % 100 < shape_.empties) mirror_.kill(all_indexes());
    follow();
  }

 private:
  void add_piece(std::uint64_t rows, Random& random) {
    Piece piece;
    const double repeats = static_cast<double>(shape_.repeats) / 100;
    piece.rows = random_rows(shape_, rows, columns_, repeats, random);
    piece.labels = random_labels(piece.rows.rows(), shape_.labels, random);
    pieces_.push_back(std::move(piece));
  }

  /// Gives the rows of the last piece their indexes: some replace others, the rest is appended.
  std::vector<std::uint32_t> place_new_rows(Random& random) {
    const std::uint32_t added = pieces_.back().rows.rows();
    std::vector<std::uint32_t> indexes;
    if (chance(random, 0.6))
      for (std::uint32_t i = 0; i < added; ++i)
        if (chance(random, 0.5)) indexes.push_back(static_cast<std::uint32_t>(random() % size()));
    std::sort(indexes.begin(), indexes.end());
    indexes.erase(std::unique(indexes.begin(), indexes.end()), indexes.end());
    for (std::uint32_t next = size(); indexes.size() < added; ++next) indexes.push_back(next);
    return indexes;
  }

  /// Rows that replace themselves, dead ones among them.
  void give_other_labels(Random& random) {
    std::vector<std::uint32_t> indexes;
    for (std::uint32_t index = 0; index < size(); ++index)
      if (chance(random, 0.1)) indexes.push_back(index);
    Piece piece;
    piece.rows = mirror_.copies_of(indexes);
    piece.labels = random_labels(piece.rows.rows(), shape_.labels, random);
    pieces_.push_back(std::move(piece));
    mirror_.add(pieces_.back().rows.view(), pieces_.back().labels.view(), indexes);
    follow();
  }

  void follow() {
    weigh();
    subject_ = subject_->refreshed(mirror_.list(), weightings_.back());
    make_reference();
  }

  std::vector<std::uint32_t> let_die(Random& random) {
    std::vector<std::uint32_t> dead;
    for (std::uint32_t i = 0; i < size() / 10; ++i)
      if (chance(random, 0.5)) dead.push_back(static_cast<std::uint32_t>(random() % size()));
    return dead;
  }

  std::vector<std::uint32_t> all_indexes() const {
    std::vector<std::uint32_t> all(size());
    std::iota(all.begin(), all.end(), 0U);
    return all;
  }

  void weigh() {
    std::vector<std::uint32_t> df(columns_);
    double live = 0;
    const SegmentListPointer list = mirror_.list();
    for (std::uint32_t index = 0; index < size(); ++index) {
      live += mirror_.is_dead(index) ? 0 : 1;
      for (const std::uint32_t term : list->terms_of(mirror_.number_of(index)).columns) ++df[term];
    }
    Random random = random_for(shape_, kIdf), tuned = random_for(shape_, kTuned);
    TermWeighting weighting;
    for (const std::uint32_t n : df) {
      const double drawn = static_cast<double>(random() % 1000) / 100;
      double idf = n == 0 ? 0 : std::log((live + 1) / n);
      if (shape_.weights == kRandomIdf && n > 0) idf = drawn;
      if (shape_.weights == kTunedIdf) idf = tuned_idf(tuned);
      weighting.idf.push_back(idf);
    }
    weighting.tf.push_back(0);
    for (std::uint32_t count = 1; count <= kMaxCount; ++count)
      weighting.tf.push_back(shape_.weights == kPlainCounts ? count : 1 + std::log(count));
    if (shape_.dot != 0) weighting.divisor = RowDivisor::kLongest;
    weightings_.push_back(std::move(weighting));
  }

  /// All rows in the order of their indexes, dead ones empty.
  void make_reference() {
    reference_.reset();
    whole_ = {mirror_.whole(), mirror_.whole_labels()};
    reference_ = make_backend(mirror_.joined(whole_.rows.view(), whole_.labels.view()),
                              weightings_.back(), cpu_);
  }

  const TwinCase& shape_;
  const BackendOptions& cpu_;
  std::uint32_t columns_;
  std::deque<Piece> pieces_;
  test::SegmentedMirror mirror_;
  std::deque<TermWeighting> weightings_;
  Piece whole_;
  std::unique_ptr<const Backend> subject_, reference_;
};

/// A batch of queries, and what is wanted of it.
struct Batch {
  Csr queries;
  std::optional<Queries> weighed;  ///< the same as weights, to be asked instead
  std::size_t k = 1;
  bool is_filtered = false;
  RowSet allowed;
  std::vector<std::uint32_t> exclude;
  std::size_t labels = 1;

  QueryView view() const {
    if (weighed) return weighed->view();
    return {queries.rows(), queries.row_begin.data(), queries.column.data(), nullptr,
            queries.count.data()};
  }
};

/// @param most queries
Batch random_batch(const TwinCase& shape, const LivingMirror& mirror, std::uint64_t number,
                   std::uint64_t most) {
  Random random = random_for(shape, kBatch, number);
  Batch batch;
  const std::uint64_t n = 1 + random() % std::min(most, shape.queries);
  batch.queries.columns = mirror.columns();
  const CsrView rows = mirror.first_rows().view();
  if (rows.rows > 0 && random() % 100 < shape.rows_as_queries) {
    for (std::uint64_t i = 0; i < n; ++i)
      append_row(rows, static_cast<std::uint32_t>(random() % rows.rows), batch.queries);
  } else {
    batch.queries = random_rows(shape, n, mirror.columns(), 0.02, random);
  }
  batch.k = std::min(log_number(random, static_cast<double>(shape.neighbors)), kMostAnswers / n);
  batch.is_filtered = random() % 100 < shape.filters;
  const double density = (chance(random, 0.5) ? 0.01 : 1) * share(random);
  batch.allowed = test::random_rows(mirror.size(), density, random());
  if (chance(random, 0.5))
    for (std::uint64_t i = 0; i < n; ++i)
      batch.exclude.push_back(chance(random, 0.2) ? kNoDocument
                                                  : mirror.number_of(static_cast<std::uint32_t>(
                                                        random() % mirror.size())));
  batch.labels = 1 + random() % 8;
  return batch;
}

/// The queries of a batch as weights, by the mirror's own weighting.
Queries weighed(const Csr& batch, const TermWeighting& weighting) {
  Queries queries;
  for (std::uint32_t row = 0; row < batch.rows(); ++row)
    test::add_row_query(queries, batch.view(), row, weighting);
  return queries;
}

/// Every third batch is a single query, every third a small one.
Batch usual_batch(const TwinCase& shape, const LivingMirror& mirror, std::uint64_t number) {
  constexpr std::uint64_t kSmall = 40;
  const std::uint64_t most[] = {1, kSmall, shape.queries};
  return random_batch(shape, mirror, number, most[number % 3]);
}

/// One of any size, often for as many neighbors as a tuning looks at or one more, and as weights.
Batch batch_of_a_tuning(const TwinCase& shape, const LivingMirror& mirror, std::uint64_t number) {
  constexpr std::uint64_t kBlendNeighbors = 45, kFirst = 1'000'000;  // numbers of their own
  Random random = random_for(shape, kMore, number);
  Batch batch = random_batch(shape, mirror, kFirst + number,
                             log_number(random, static_cast<double>(kMostQueries)));
  if (chance(random, 0.5)) batch.k = kBlendNeighbors + random() % 2;
  if (chance(random, 0.5)) batch.weighed = weighed(batch.queries, mirror.weighting());
  return batch;
}

std::string text_of(const Neighbor& neighbor) {
  return "document " + std::to_string(neighbor.number) + " of similarity " +
         std::to_string(neighbor.similarity);
}
std::string text_of(const LabelShare& share) {
  return "label " + std::to_string(share.label) + " of share " + std::to_string(share.share);
}

/// Asks both backends, and appends what was found.
template <typename Answer, typename Ask>
void compare_answers(const LivingMirror& mirror, std::size_t queries, std::size_t each,
                     const std::string& what, Comparison& comparison, Ask&& ask) {
  std::vector<Answer> found(queries * each), expected(queries * each);
  ask(mirror.subject(), found);
  ask(mirror.reference(), expected);
  comparison.answers += found.size();
  const auto [own, other] = std::mismatch(found.begin(), found.end(), expected.begin());
  if (own == found.end() || !comparison.difference.empty()) return;
  const auto at = static_cast<std::size_t>(own - found.begin());
  comparison.difference = what + ", query " + std::to_string(at / each) + ", place " +
                          std::to_string(at % each) + ": " + text_of(*own) + ", expected " +
                          text_of(*other);
}

/// The documents that may answer a batch, as a backend takes them.
class Allowed {
 public:
  Allowed(const LivingMirror& mirror, const Backend& backend, const Batch& batch)
      : set_(backend.mirror()), is_filtered_(batch.is_filtered) {
    if (!is_filtered_) return;
    batch.allowed.for_each([&](std::uint32_t index) { set_.insert(mirror.number_of(index)); });
  }
  operator const DocumentSet*() const { return is_filtered_ ? &set_ : nullptr; }

 private:
  DocumentSet set_;
  const bool is_filtered_;
};

void compare_batch(const LivingMirror& mirror, const Batch& batch, std::uint64_t number,
                   Comparison& comparison) {
  const QueryView queries = batch.view();
  const std::string name =
      "batch " + std::to_string(number) + " of " + std::to_string(queries.rows) +
      " queries, k = " + std::to_string(batch.k) + (batch.is_filtered ? ", filtered" : "");
  compare_answers<Neighbor>(mirror, queries.rows, batch.k, name, comparison,
                            [&](const Backend& backend, std::vector<Neighbor>& neighbors) {
                              backend.nearest(queries, batch.k, Allowed(mirror, backend, batch),
                                              neighbors);
                            });
  const std::size_t k = std::min<std::size_t>(batch.k, kMostVoters);
  compare_answers<LabelShare>(
      mirror, queries.rows, batch.labels, name + ", votes", comparison,
      [&](const Backend& backend, std::vector<LabelShare>& shares) {
        const Allowed voters(mirror, backend, batch);
        backend.vote(queries, {k, batch.labels, voters, batch.exclude}, shares);
      });
}

}  // namespace

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all = {
      {"replicas", &TwinCase::replicas, 0},
      {"tiles", &TwinCase::tiles, 0},
      {"threads", &TwinCase::threads, 0},
      {"changes", &TwinCase::changes, 0},
      {"relabels", &TwinCase::relabels, 0},
      {"queries", &TwinCase::queries, 1},
      {"empties", &TwinCase::empties, 0},
      {"more-batches", &TwinCase::more_batches, 0},
      {"gap", &TwinCase::gap, 1},
      {"rows", &TwinCase::rows, 1},
      {"columns", &TwinCase::columns, 1},
      {"terms", &TwinCase::terms, 1},
      {"long-rows", &TwinCase::long_rows, 0},
      {"counts", &TwinCase::counts, 0},
      {"neighbors", &TwinCase::neighbors, 1},
      {"filters", &TwinCase::filters, 0},
      {"repeats", &TwinCase::repeats, 0},
      {"weights", &TwinCase::weights, 0},
      {"dot", &TwinCase::dot, 0},
      {"labels", &TwinCase::labels, 1},
      {"rows-as-queries", &TwinCase::rows_as_queries, 0},
  };
  return all;
}

TwinCase random_case(std::uint64_t seed, bool several_devices) {
  TwinCase shape;
  shape.seed = seed;
  Random random = random_for(shape, kShape);
  shape.columns = log_number(random, 1e5);
  shape.rows = log_number(random, 2e5);
  shape.terms = 1 + log_number(random, 200);
  shape.long_rows = chance(random, 0.4) ? random() % 200 : 0;
  const std::uint64_t each = shape.terms + shape.long_rows * shape.columns / 20'000;
  shape.rows = std::clamp<std::uint64_t>(shape.rows, 1, kMostEntries / each);
  shape.repeats = chance(random, 0.3) ? random() % 100 : 5;
  shape.counts = random() % kCountKinds;
  shape.weights = random() % kWeightKinds;
  shape.dot = chance(random, 0.3) ? 1 : 0;
  shape.labels = 1 + log_number(random, 1000);
  shape.changes = random() % 4;
  shape.queries = kMostQueries;
  shape.rows_as_queries = 50;
  shape.neighbors = 2000;
  shape.filters = 40;
  if (several_devices && chance(random, 0.7)) shape.replicas = 1;
  shape.tiles = random() % 3;
  if (shape.tiles == 2) shape.queries = 100;  // row by row takes many times as long

  // The more entries, the fewer queries. All rows may repeat a long one.
  const bool repeats_long = shape.repeats > 50 && shape.long_rows > 0;
  const std::uint64_t entries = shape.rows * (repeats_long ? shape.columns / 2 + 1 : each);
  shape.queries = std::clamp<std::uint64_t>(kMostWork / entries, 40, shape.queries);

  shape.threads = random() % 4;
  shape.relabels = random() % 40;
  Random more = random_for(shape, kMoreShape);
  shape.empties = chance(more, 0.3) ? 1 + more() % 60 : 0;
  shape.gap = chance(more, 0.4) ? log_number(more, 1000) : 1;
  shape.more_batches = more() % 4;
  return shape;
}

std::string options_of(const TwinCase& shape) {
  std::string text = "--case " + std::to_string(shape.seed);
  for (const Parameter& parameter : parameters())
    text += std::string(" --") + parameter.name + ' ' + std::to_string(shape.*parameter.value);
  return text;
}

Comparison compare(const TwinCase& shape, const std::string& kind,
                   const std::vector<int>& devices) {
  BackendOptions subject, cpu;
  subject.kind = kind;
  cpu.kind = "cpu";
  if (kind == "cpu") {
    subject.tiles = static_cast<TileTiming>(shape.tiles % 3);
    subject.threads = shape.threads;
  }
  if (shape.replicas > 0 && !devices.empty()) subject.devices = devices;
  constexpr std::uint64_t kBatches = 3;  // after each change
  LivingMirror mirror(shape, subject, cpu);
  Comparison comparison;
  for (std::uint64_t change = 0; change <= shape.changes; ++change) {
    if (change > 0) mirror.change(change);
    for (std::uint64_t i = 0; i < kBatches; ++i)
      compare_batch(mirror, usual_batch(shape, mirror, change * kBatches + i),
                    change * kBatches + i, comparison);
    for (std::uint64_t i = 0; i < shape.more_batches; ++i) {
      const std::uint64_t number = change * shape.more_batches + i;
      compare_batch(mirror, batch_of_a_tuning(shape, mirror, number), number, comparison);
    }
  }
  return comparison;
}

}  // namespace kindred::attack
