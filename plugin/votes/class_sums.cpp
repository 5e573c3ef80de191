#include "plugin/votes/class_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/scoring.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr double kPrior = 0.03;  // a; 0.01 and 0.1 hardly differ: docs/quality.md
constexpr std::uint32_t kTermsAtOnce = 512;
constexpr std::uint32_t kDocumentsAtOnce = 8192;
constexpr std::size_t kChangedAtOnce = 64;  // terms

// The units of fixed point: of sums, of the weights of a query, and of logarithms.
constexpr double kSumUnit = 0x1p-30, kQueryUnit = 0x1p-40, kLogUnit = 0x1p-40;

std::int64_t fixed(double value, double unit) { return std::llrint(value / unit); }

double log_odds(double inside, double outside) {
  return std::log((inside * kSumUnit + kPrior) / (outside * kSumUnit + kPrior));
}

std::int64_t fixed_log_odds(std::int64_t inside, std::int64_t outside) {
  return fixed(log_odds(static_cast<double>(inside), static_cast<double>(outside)), kLogUnit);
}

double length_of(const RowCounts::Row& row, const TermWeighting& weighting) {
  return euclidean_length(row.size(), [&](std::size_t i) {
    return weighting.tf[row.counts[i]] * weighting.idf[row.columns[i]];
  });
}

/// |d| of every voter, and 0 for other rows.
std::vector<double> lengths_of(const RowCounts& rows, const Voters& voters,
                               const TermWeighting& weighting, std::size_t threads) {
  std::vector<double> lengths(voters.labels.rows, 0);
  const auto measure = [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t row = begin; row < end; ++row)
      if (voters.votes(row)) lengths[row] = length_of(rows[row], weighting);
  };
  for_each_chunk(voters.labels.rows, kDocumentsAtOnce, threads, measure);
  return lengths;
}

/// What a document adds to the sums of one term; negative if it left.
struct TermPart {
  std::uint32_t term;
  std::int64_t unit;
  const VotingDocument* document;
};

/// Appends the parts of a document. False if no term of it weighs anything.
bool append_parts(const VotingDocument& document, const TermWeighting& weighting, int sign,
                  std::vector<TermPart>& parts) {
  const double length = length_of(document.terms, weighting);
  if (!(length > 0)) return false;
  for (std::size_t i = 0; i < document.terms.size(); ++i) {
    const std::uint32_t term = document.terms.columns[i];
    const double weight = weighting.tf[document.terms.counts[i]] * weighting.idf[term];
    parts.push_back({term, sign * fixed(weight / length, kSumUnit), &document});
  }
  return true;
}

}  // namespace

/// Adds up the sums of one term by label. Reused from term to term.
class ClassSums::TermSums {
 public:
  explicit TermSums(std::uint32_t label_count) : of_label_(label_count, 0), met_(label_count, 0) {}

  void begin(const Term& before) {
    total_ = before.total;
    for (const LabelSum& entry : before.entries) add(entry.label, entry.sum);
  }

  void add(std::int64_t unit, std::span<const std::uint32_t> labels) {
    total_ += unit;
    for (const std::uint32_t label : labels) add(label, unit);
  }

  OwnTerm take() {
    OwnTerm term;
    term.total = std::exchange(total_, 0);
    term.absent = fixed_log_odds(0, term.total);
    std::sort(present_.begin(), present_.end());
    for (const std::uint32_t label : present_) {
      met_[label] = 0;
      const std::int64_t sum = std::exchange(of_label_[label], 0);
      if (sum == 0) continue;
      term.entries.push_back({label, sum, fixed_log_odds(sum, term.total - sum) - term.absent});
    }
    present_.clear();
    return term;
  }

 private:
  void add(std::uint32_t label, std::int64_t unit) {
    if (met_[label] == 0) present_.push_back(label);
    met_[label] = 1;
    of_label_[label] += unit;
  }

  std::int64_t total_ = 0;
  std::vector<std::int64_t> of_label_;
  std::vector<char> met_;
  std::vector<std::uint32_t> present_;
};

ClassSums::ClassSums(const RowCounts& rows, const Voters& voters, const TermWeighting& weighting,
                     std::uint32_t label_count, std::size_t threads)
    : documents_(label_count), square_(label_count), mass_(label_count) {
  const std::vector<double> lengths = lengths_of(rows, voters, weighting, threads);
  const CsrView& postings = voters.postings;
  std::vector<OwnTerm> sums(postings.rows);
  const auto add_up_terms = [&](std::uint32_t begin, std::uint32_t end) {
    TermSums term_sums(label_count);
    for (std::uint32_t term = begin; term < end; ++term) {
      for (std::uint64_t i = postings.row_begin[term]; i < postings.row_begin[term + 1]; ++i) {
        const std::uint32_t row = postings.column[i];
        if (!(lengths[row] > 0)) continue;
        const double weight = weighting.tf[postings.count[i]] * weighting.idf[term];
        term_sums.add(fixed(weight / lengths[row], kSumUnit), voters.labels.of(row));
      }
      sums[term] = term_sums.take();
    }
  };
  for_each_chunk(postings.rows, kTermsAtOnce, threads, add_up_terms);
  auto matrix = std::make_shared<Matrix>();
  for (const OwnTerm& term : sums) append(term, *matrix);
  matrix_ = std::move(matrix);
  for (std::uint32_t row = 0; row < lengths.size(); ++row) {
    if (!(lengths[row] > 0)) continue;
    for (const std::uint32_t label : voters.labels.of(row)) ++documents_[label];
  }
}

ClassSums::ClassSums(const ClassSums& before, const VoterChange& change,
                     const TermWeighting& weighting, std::size_t threads)
    : ClassSums(before) {
  std::vector<TermPart> parts;
  for (const VotingDocument& document : change.gone) {
    if (!append_parts(document, weighting, -1, parts)) continue;
    for (const std::uint32_t label : document.labels) --documents_[label];
  }
  for (const VotingDocument& document : change.come) {
    if (!append_parts(document, weighting, 1, parts)) continue;
    for (const std::uint32_t label : document.labels) ++documents_[label];
  }
  std::sort(parts.begin(), parts.end(),
            [](const TermPart& a, const TermPart& b) { return a.term < b.term; });
  std::vector<std::size_t> begin;  // of each changed term
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (i == 0 || parts[i].term != parts[i - 1].term) begin.push_back(i);
  std::vector<std::shared_ptr<const OwnTerm>> terms(begin.size());
  begin.push_back(parts.size());
  const auto add_up_terms = [&](std::size_t first, std::size_t last) {
    TermSums term_sums(labels());
    for (std::size_t t = first; t < last; ++t) {
      term_sums.begin(term(parts[begin[t]].term));
      for (std::size_t i = begin[t]; i < begin[t + 1]; ++i)
        term_sums.add(parts[i].unit, parts[i].document->labels);
      terms[t] = std::make_shared<const OwnTerm>(term_sums.take());
    }
  };
  for_each_chunk(terms.size(), kChangedAtOnce, threads, add_up_terms);
  std::shared_ptr<Block> block;  // that of the last term
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const std::uint32_t number = parts[begin[t]].term;
    const bool is_same = t > 0 && number / kBlock == parts[begin[t - 1]].term / kBlock;
    if (!is_same) block = copied_block(number / kBlock);
    count(term(number), -1);
    count(terms[t]->view(), 1);
    (*block)[number % kBlock] = std::move(terms[t]);
  }
}

void ClassSums::append(const OwnTerm& term, Matrix& matrix) {
  matrix.entries.insert(matrix.entries.end(), term.entries.begin(), term.entries.end());
  matrix.begin.push_back(matrix.entries.size());
  matrix.total.push_back(term.total);
  matrix.absent.push_back(term.absent);
  count(term.view(), 1);
}

/// Puts a copy of a block in its place, which may be written.
std::shared_ptr<ClassSums::Block> ClassSums::copied_block(std::uint32_t number) {
  if (blocks_.size() <= number) blocks_.resize(number + std::size_t{1});
  std::shared_ptr<const Block>& block = blocks_[number];
  auto copy = block != nullptr ? std::make_shared<Block>(*block) : std::make_shared<Block>();
  block = copy;
  return copy;
}

void ClassSums::count(const Term& term, int sign) {
  for (const LabelSum& entry : term.entries) {
    square_[entry.label] += sign * (Wide{entry.sum} * entry.sum);
    mass_[entry.label] += sign * entry.sum;
  }
  mass_of_all_ += sign * term.total;
  if (term.total > 0) terms_ += sign;
}

ClassSums::Term ClassSums::term(std::uint32_t number) const {
  if (number / kBlock < blocks_.size() && blocks_[number / kBlock] != nullptr)
    if (const auto& own = (*blocks_[number / kBlock])[number % kBlock]) return own->view();
  if (number >= matrix_->total.size()) return {};
  const std::uint64_t begin = matrix_->begin[number];
  const std::uint64_t end = matrix_->begin[number + std::size_t{1}];
  return {matrix_->total[number], matrix_->absent[number],
          std::span(matrix_->entries).subspan(begin, end - begin)};
}

std::size_t ClassSums::bytes() const {
  std::size_t matrix = matrix_->entries.capacity() * sizeof(LabelSum) +
                       matrix_->begin.capacity() * sizeof(matrix_->begin[0]) +
                       matrix_->total.capacity() * 2 * sizeof(matrix_->total[0]);
  std::size_t bytes = matrix / static_cast<std::size_t>(matrix_.use_count()) +
                      blocks_.capacity() * sizeof(blocks_[0]) +
                      documents_.capacity() * sizeof(documents_[0]) +
                      (square_.capacity() + mass_.capacity()) * sizeof(Wide);
  for (const auto& block : blocks_) {
    if (block == nullptr) continue;
    std::size_t own = sizeof(Block);
    for (const auto& term : *block)
      if (term != nullptr)
        own += (sizeof(OwnTerm) + term->entries.capacity() * sizeof(LabelSum)) /
               static_cast<std::size_t>(term.use_count());
    bytes += own / static_cast<std::size_t>(block.use_count());
  }
  return bytes;
}

/// Compares one query with all labels.
class ClassSums::Comparison {
 public:
  Comparison(const ClassSums& sums, const LeftOut* left_out)
      : sums_(sums), left_out_(left_out), dot_(sums.labels()), odds_(sums.labels()) {
    if (left_out == nullptr) return;
    with_left_out_.resize(sums.labels());
    own_.resize(sums.labels());
    for (const std::uint32_t label : left_out->labels) own_[label] = 1;
    for (std::size_t i = 0; i < left_out->vector.terms.size(); ++i) {
      const std::int64_t x = fixed(left_out->vector.weights[i], kSumUnit);
      gone_ += x;
      gone_square_ += Wide{x} * x;
      for (const LabelSum& entry : sums.term(left_out->vector.terms[i]).entries)
        with_left_out_[entry.label] += Wide{x} * entry.sum;
    }
  }

  void add(const SparseVector& query) {
    std::size_t other = 0;
    const SparseVector left_out = left_out_ != nullptr ? left_out_->vector : SparseVector();
    for (std::size_t i = 0; i < query.terms.size(); ++i) {
      const std::uint32_t number = query.terms[i];
      while (other < left_out.terms.size() && left_out.terms[other] < number) ++other;
      const bool is_left_out = other < left_out.terms.size() && left_out.terms[other] == number;
      const std::int64_t q = fixed(query.weights[i], kQueryUnit);
      mass_ += q;
      if (is_left_out) {
        add_without(sums_.term(number), q, fixed(left_out.weights[other], kSumUnit));
      } else {
        add_whole(sums_.term(number), q);
      }
    }
  }

  void finish(std::span<double> cosines, std::span<double> profiles) const;

 private:
  void add_whole(const Term& term, std::int64_t q) {
    absent_ += Wide{q} * term.absent;
    for (const LabelSum& entry : term.entries) {
      dot_[entry.label] += Wide{q} * entry.sum;
      odds_[entry.label] += Wide{q} * entry.gain;
    }
  }

  void add_without(const Term& term, std::int64_t q, std::int64_t x) {
    shared_ += Wide{q} * x;
    const std::int64_t none = fixed_log_odds(0, term.total - x);
    absent_ += Wide{q} * none;
    for (const auto& [label, sum, gain] : term.entries) {
      const std::int64_t rest = term.total - sum;
      const bool is_own = own_[label] != 0;
      dot_[label] += Wide{q} * sum;
      odds_[label] +=
          Wide{q} *
          ((is_own ? fixed_log_odds(sum - x, rest) : fixed_log_odds(sum, rest - x)) - none);
    }
  }

  const ClassSums& sums_;
  const LeftOut* const left_out_;
  std::vector<Wide> dot_, odds_, with_left_out_;  // the last: S(l) times the document's vector
  std::vector<char> own_;
  Wide absent_ = 0, shared_ = 0, mass_ = 0, gone_ = 0, gone_square_ = 0;
};

void ClassSums::Comparison::finish(std::span<double> cosines, std::span<double> profiles) const {
  const double mass = static_cast<double>(mass_) * kQueryUnit;
  const double smoothing =  // log_odds() adds one prior
      (kPrior * static_cast<double>(sums_.terms_) - kPrior) / kSumUnit;
  for (std::uint32_t label = 0; label < sums_.labels(); ++label) {
    Wide square = sums_.square_[label], inside = sums_.mass_[label], dot = dot_[label];
    Wide outside = sums_.mass_of_all_ - inside;
    std::uint64_t documents = sums_.documents_[label];
    if (left_out_ != nullptr && own_[label] != 0) {
      dot -= shared_;
      square += gone_square_ - 2 * with_left_out_[label];
      inside -= gone_;
      if (!left_out_->vector.terms.empty()) --documents;
    } else {
      outside -= gone_;
    }
    cosines[label] = documents == 0 || square <= 0 ? 0
                                                   : static_cast<double>(dot) * kQueryUnit /
                                                         std::sqrt(static_cast<double>(square));
    profiles[label] = static_cast<double>(odds_[label] + absent_) * kQueryUnit * kLogUnit -
                      mass * log_odds(std::max(static_cast<double>(inside) + smoothing, 0.0),
                                      std::max(static_cast<double>(outside) + smoothing, 0.0));
  }
}

void ClassSums::compare(const SparseVector& query, const LeftOut* left_out,
                        std::span<double> cosines, std::span<double> profiles) const {
  Comparison comparison(*this, left_out);
  comparison.add(query);
  comparison.finish(cosines, profiles);
}

}  // namespace kindred
