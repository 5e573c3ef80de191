#include "plugin/votes/class_sums.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "gpu/scoring.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

constexpr std::uint32_t kTermsAtOnce = 512;
constexpr std::uint32_t kDocumentsAtOnce = 8192;
constexpr std::size_t kChangedAtOnce = 64;  // terms

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

/// Appends the parts of a document. False if no term of it weighs anything.
bool append_parts(const VotingDocument& document, const TermWeighting& weighting, int sign,
                  std::vector<TermPart>& parts) {
  const double length = length_of(document.terms, weighting);
  if (!(length > 0)) return false;
  for (std::size_t i = 0; i < document.terms.size(); ++i) {
    const std::uint32_t term = document.terms.columns[i];
    const double weight = weighting.tf[document.terms.counts[i]] * weighting.idf[term];
    parts.push_back({term, sign * fixed_point(weight / length, kSumUnit), document.labels});
  }
  return true;
}

}  // namespace

ClassSums::ClassSums(const RowCounts& rows, const Voters& voters, const TermWeighting& weighting,
                     std::uint32_t label_count, std::size_t threads)
    : documents_(label_count), square_(label_count), mass_(label_count) {
  const std::vector<double> lengths = lengths_of(rows, voters, weighting, threads);
  const CsrView& postings = voters.postings;
  std::vector<OwnTermSums> sums(postings.rows);
  const auto add_up_terms = [&](std::uint32_t begin, std::uint32_t end) {
    TermAdder term_sums(label_count);
    for (std::uint32_t term = begin; term < end; ++term) {
      for (std::uint64_t i = postings.row_begin[term]; i < postings.row_begin[term + 1]; ++i) {
        const std::uint32_t row = postings.column[i];
        if (!(lengths[row] > 0)) continue;
        const double weight = weighting.tf[postings.count[i]] * weighting.idf[term];
        term_sums.add(fixed_point(weight / lengths[row], kSumUnit), voters.labels.of(row));
      }
      sums[term] = term_sums.take();
    }
  };
  for_each_chunk(postings.rows, kTermsAtOnce, threads, add_up_terms);
  auto matrix = std::make_shared<Matrix>();
  for (const OwnTermSums& term : sums) append(term, *matrix);
  matrix_ = std::move(matrix);
  for (std::uint32_t row = 0; row < lengths.size(); ++row) {
    if (!(lengths[row] > 0)) continue;
    for (const std::uint32_t label : voters.labels.of(row)) ++documents_[label];
  }
}

ClassSums::ClassSums(const ClassSums& before, const VoterChange& change,
                     const TermWeighting& weighting, std::uint32_t label_count, std::size_t threads)
    : ClassSums(before) {
  documents_.resize(label_count);
  square_.resize(label_count);
  mass_.resize(label_count);
  std::vector<TermPart> parts;
  for (const VotingDocument& document : change.gone) {
    if (!append_parts(document, weighting, -1, parts)) continue;
    for (const std::uint32_t label : document.labels) --documents_[label];
  }
  for (const VotingDocument& document : change.come) {
    if (!append_parts(document, weighting, 1, parts)) continue;
    for (const std::uint32_t label : document.labels) ++documents_[label];
  }
  std::ranges::sort(parts, {}, &TermPart::term);
  std::vector<std::size_t> begin;  // of each changed term
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (i == 0 || parts[i].term != parts[i - 1].term) begin.push_back(i);
  std::vector<TermSumsChange> changes(begin.size());
  begin.push_back(parts.size());
  const auto add_up_terms = [&](std::size_t first, std::size_t last) {
    for (std::size_t t = first; t < last; ++t) {
      const std::uint32_t number = parts[begin[t]].term;
      changes[t] = TermSumsChange(changed_term(number), matrix_->term(number),
                                  std::span(parts).subspan(begin[t], begin[t + 1] - begin[t]));
    }
  };
  for_each_chunk(changes.size(), kChangedAtOnce, threads, add_up_terms);
  std::shared_ptr<Block> block;  // that of the last term
  for (std::size_t t = 0; t < changes.size(); ++t) {
    const std::uint32_t number = parts[begin[t]].term;
    const bool is_same = t > 0 && number / kBlock == parts[begin[t - 1]].term / kBlock;
    if (!is_same) block = copied_block(number / kBlock);
    for (const auto& [label, old, now] : changes[t].steps()) count_label(label, old, now);
    count_total(changes[t].total_before(), changes[t].after()->total());
    (*block)[number % kBlock] = changes[t].after();
  }
}

void ClassSums::append(const OwnTermSums& term, Matrix& matrix) {
  matrix.entries.insert(matrix.entries.end(), term.entries.begin(), term.entries.end());
  matrix.begin.push_back(matrix.entries.size());
  matrix.total.push_back(term.total);
  matrix.absent.push_back(term.absent);
  for (const LabelSum& entry : term.entries) count_label(entry.label, 0, entry.sum);
  count_total(0, term.total);
}

/// Puts a copy of a block in its place, which may be written.
std::shared_ptr<ClassSums::Block> ClassSums::copied_block(std::uint32_t number) {
  if (blocks_.size() <= number) blocks_.resize(number + std::size_t{1});
  std::shared_ptr<const Block>& block = blocks_[number];
  auto copy = block != nullptr ? std::make_shared<Block>(*block) : std::make_shared<Block>();
  block = copy;
  return copy;
}

void ClassSums::count_label(std::uint32_t label, std::int64_t before, std::int64_t after) {
  square_[label] += Wide{after} * after - Wide{before} * before;
  mass_[label] += after - before;
}

void ClassSums::count_total(std::int64_t before, std::int64_t after) {
  mass_of_all_ += after - before;
  terms_ += (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
}

TermSums ClassSums::Matrix::term(std::uint32_t number) const {
  if (number >= terms()) return {};
  return {
      total[number], absent[number],
      std::span(entries).subspan(begin[number], begin[number + std::size_t{1}] - begin[number])};
}

const ChangedTermSums* ClassSums::changed_term(std::uint32_t number) const {
  if (number / kBlock >= blocks_.size() || blocks_[number / kBlock] == nullptr) return nullptr;
  return (*blocks_[number / kBlock])[number % kBlock].get();
}

TermSums ClassSums::term(std::uint32_t number) const {
  const TermSums in_matrix = matrix_->term(number);
  const ChangedTermSums* own = changed_term(number);
  return own != nullptr ? own->whole(in_matrix) : in_matrix;
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
      if (term != nullptr) own += term->bytes() / static_cast<std::size_t>(term.use_count());
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
      const std::int64_t x = fixed_point(left_out->vector.weights[i], kSumUnit);
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
      const std::int64_t q = fixed_point(query.weights[i], kQueryUnit);
      mass_ += q;
      if (is_left_out) {
        add_without(sums_.term(number), q, fixed_point(left_out.weights[other], kSumUnit));
      } else {
        add_whole(sums_.term(number), q);
      }
    }
  }

  void finish(std::span<double> cosines, std::span<double> profiles) const;

 private:
  void add_whole(const TermSums& term, std::int64_t q) {
    absent_ += Wide{q} * term.absent;
    for (const LabelSum& entry : term.entries) {
      dot_[entry.label] += Wide{q} * entry.sum;
      odds_[entry.label] += Wide{q} * entry.gain;
    }
  }

  void add_without(const TermSums& term, std::int64_t q, std::int64_t x) {
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
      (kSumPrior * static_cast<double>(sums_.terms_) - kSumPrior) / kSumUnit;
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
    const double length = std::sqrt(static_cast<double>(std::max<Wide>(square, 0)));
    cosines[label] = documents == 0 || square <= 0  // rounding may lead beyond 1
                         ? 0
                         : std::min(static_cast<double>(dot) * kQueryUnit / length, 1.0);
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
