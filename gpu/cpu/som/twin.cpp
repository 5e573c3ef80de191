#include "gpu/som/twin.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "gpu/cpu/aligned_array.h"
#include "gpu/cpu/instruction_set.h"
#include "gpu/cpu/som/kernels.h"
#include "gpu/cpu/som/sums.h"
#include "gpu/som/quality.h"
#include "gpu/workers.h"

namespace kindred {
namespace cpu {
namespace {

/// The units, padded to whole vectors. Never a multiple of 4 KiB, which would put all columns into
/// the same few sets of a cache.
std::uint32_t padded(std::uint32_t units) {
  const std::uint32_t stride = (units + kSomLanes - 1) / kSomLanes * kSomLanes;
  if (stride % 1024 == 0) return stride + kSomLanes;
  return stride;
}

/// True if all values are 0. Has no early exit, so that the compiler makes vectors of it: most rows
/// of most columns are 0 throughout.
bool is_zero(const float* values, std::uint32_t size) {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < size; ++i) bits |= std::bit_cast<std::uint32_t>(values[i]) << 1;
  return bits == 0;
}

/// Smooths images of one value per unit by a neighborhood: in two passes if its factors are
/// separable, else row by row. Values that are 0 cost nothing. Immutable; each thread brings its
/// own Scratch.
class SomSmoother {
 public:
  /// Borrows the factors.
  SomSmoother(const SomFactors& factors, const SomKernels& kernels)
      : factors_(factors), lattice_(factors.lattice()), kernels_(kernels) {}

  struct Scratch {
    std::vector<float> along;  ///< [2, units]: onto rows of the same shift, then of the other
    std::vector<std::uint32_t> rows;  ///< that hold a nonzero value
  };

  /// out[u] = sum over v of h(u, v) values[v]. Both are [units] and do not overlap.
  void smooth(const float* values, Scratch& scratch, float* out) const {
    std::fill_n(out, lattice_.units(), 0.0f);
    if (!factors_.is_separable()) return smooth_cut(values, out);
    smooth_along(values, scratch);
    smooth_across(scratch, out);
  }

 private:
  /// The factors of a source in this column for targets in columns 0, 1, 2, ...
  const float* offsets(std::uint32_t table, std::uint32_t source_column) const {
    return factors_.tables().data() + std::size_t{table} * factors_.width() +
           (lattice_.columns - 1 - source_column);
  }

  void smooth_along(const float* values, Scratch& scratch) const {
    const std::uint32_t columns = lattice_.columns;

    scratch.along.resize(2 * std::size_t{lattice_.units()});
    scratch.rows.clear();
    for (std::uint32_t row = 0; row < lattice_.rows; ++row) {
      // Most rows of most columns are 0 throughout, and are passed over here and in the second
      // pass.
      const float* source = values + std::size_t{row} * columns;
      if (is_zero(source, columns)) continue;
      scratch.rows.push_back(row);

      // A hexagonal lattice has rows of two shifts, so each source row is smoothed for targets of
      // its own shift, and for those of the other.
      for (const std::uint32_t other : {row, row + 1}) {
        if (other != row && !lattice_.hexagonal) continue;
        float* target = scratch.along.data() + std::size_t{row} * columns;
        if (other != row) target += lattice_.units();
        std::fill_n(target, columns, 0.0f);

        const std::uint32_t table = factors_.table_of(other, row);
        for (std::uint32_t c = 0; c < columns; ++c)
          if (source[c] != 0) kernels_.add_scaled(source[c], offsets(table, c), columns, target);
      }
    }
  }

  void smooth_across(const Scratch& scratch, float* out) const {
    const std::uint32_t columns = lattice_.columns;
    for (std::uint32_t target = 0; target < lattice_.rows; ++target) {
      for (const std::uint32_t source : scratch.rows) {
        const float factor = factors_.across()[std::size_t{target} * lattice_.rows + source];
        if (factor == 0) continue;

        // Rows of the other shift have been smoothed apart.
        const float* along = scratch.along.data() + std::size_t{source} * columns;
        if (factors_.is_shifted(target, source)) along += lattice_.units();
        kernels_.add_scaled(factor, along, columns, out + std::size_t{target} * columns);
      }
    }
  }

  void smooth_cut(const float* values, float* out) const {
    const std::uint32_t columns = lattice_.columns;
    for (std::uint32_t source = 0; source < lattice_.units(); ++source) {
      if (values[source] == 0) continue;

      // All of a row's factors may be 0, where it is too far from the source.
      const std::uint32_t row = source / columns;
      for (std::uint32_t target = 0; target < lattice_.rows; ++target) {
        if (factors_.across()[std::size_t{target} * lattice_.rows + row] == 0) continue;
        kernels_.add_scaled(values[source],
                            offsets(factors_.table_of(target, row), source % columns), columns,
                            out + std::size_t{target} * columns);
      }
    }
  }

  const SomFactors& factors_;
  const SomLattice& lattice_;
  const SomKernels& kernels_;
};

class CpuSom final : public SomTwin {
 public:
  CpuSom(const SomLattice& lattice, std::uint32_t columns, std::size_t threads)
      : lattice_(lattice),
        columns_(columns),
        threads_(number_of_threads(threads)),
        set_(choose_instruction_set()),
        kernels_(choose_som_kernels(set_)),
        stride_(padded(lattice.units())),
        codebook_(std::size_t{columns} * stride_),
        sums_(lattice.units(), stride_, columns, threads_),
        squared_norm_(stride_) {
    sums_.drop();
    measure_norms();
  }

  void load(const SomCodebook& codebook) override {
    check_shape(codebook, units(), columns_);
    write_weights(0, codebook.weight);
    end_update();
  }
  std::unique_ptr<SomPart> hold(const SomRows& rows) override;
  void begin_sums(const SomGrid& grid) override { sums_.begin(grid); }
  void read_sums(std::uint32_t first, std::span<std::int64_t> sums) const override {
    sums_.read(first, sums);
  }
  void write_sums(std::uint32_t first, std::span<const std::int64_t> sums) override {
    sums_.write(first, sums);
  }
  void update(const SomNeighborhood& neighborhood, std::uint32_t first,
              std::uint32_t last) override {
    const SomFactors factors(lattice_, neighborhood);
    const SomSmoother smoother(factors, kernels_);
    const std::vector<float> hits(sums_.grid().hits().begin(), sums_.grid().hits().end());

    // What a unit gets in all, which each column's sum is divided by. It is the same for all
    // columns.
    std::vector<float> reached(units());
    SomSmoother::Scratch once;
    smoother.smooth(hits.data(), once, reached.data());

    for_each_chunk(last - first, kSomColumns, threads_,
                   [&](std::uint32_t begin, std::uint32_t end) {
                     SomSmoother::Scratch scratch;
                     const auto sums = AlignedArray<float>::for_overwrite(stride_);
                     std::vector<float> smoothed(units());

                     // Units that nothing reaches stay as they are.
                     for (std::uint32_t c = first + begin; c < first + end; ++c) {
                       sums_.take(c, kernels_, sums.data());
                       smoother.smooth(sums.data(), scratch, smoothed.data());
                       float* weights = codebook_.data() + std::size_t{c} * stride_;
                       for (std::uint32_t u = 0; u < units(); ++u)
                         if (reached[u] > 0) weights[u] = smoothed[u] / reached[u];
                     }
                   });
  }

  void read_weights(std::uint32_t first, std::span<float> weights) const override {
    for (std::size_t begin = 0; begin < weights.size(); begin += units()) {
      std::copy_n(codebook_.data() + std::size_t{first} * stride_, units(), weights.data() + begin);
      ++first;
    }
  }
  void write_weights(std::uint32_t first, std::span<const float> weights) override {
    for (std::size_t begin = 0; begin < weights.size(); begin += units()) {
      std::copy_n(weights.data() + begin, units(), codebook_.data() + std::size_t{first} * stride_);
      ++first;
    }
  }
  void end_update() override {
    sums_.drop();
    measure_norms();
  }
  SomCodebook codebook() const override {
    SomCodebook copy{units(), columns_, std::vector<float>(std::size_t{columns_} * units())};
    read_weights(0, copy.weight);
    return copy;
  }
  std::uint32_t units() const override { return lattice_.units(); }
  std::size_t threads() const override { return threads_; }
  std::string description() const override { return describe(set_, threads_); }

  /// Matches all rows. `matches` has the last matches and gets the new ones.
  SomTally match(const SomRows& rows, std::span<SomMatch> matches) const {
    // Units before the match, to count the rows that change theirs.
    std::vector<std::uint32_t> before(matches.size());
    for (std::size_t row = 0; row < matches.size(); ++row) {
      before[row] = matches[row].unit;
    }

    match_rows(rows, matches);

    SomTally tally = tally_of(lattice_, matches);
    for (std::size_t row = 0; row < matches.size(); ++row)
      if (matches[row].unit != before[row]) ++tally.moved;
    return tally;
  }

  void accumulate(const SomRows& rows, std::span<const SomMatch> matches) {
    sums_.add(rows, matches);
  }

 private:
  /// |w|^2 of all units, in double and in the order of the columns.
  void measure_norms() {
    exact_norm_.assign(units(), 0);
    constexpr std::uint32_t kUnits = 1024;

    // Threads take units, not columns, so that each norm is added up by one thread, in the order of
    // the columns.
    for_each_chunk(units(), kUnits, threads_, [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t c = 0; c < columns_; ++c) {
        const float* weights = codebook_.data() + std::size_t{c} * stride_;
        for (std::uint32_t u = begin; u < end; ++u)
          exact_norm_[u] += static_cast<double>(weights[u]) * weights[u];
      }
    });

    // Padding is infinitely far, so it never wins.
    std::fill_n(squared_norm_.data(), stride_, std::numeric_limits<float>::infinity());
    for (std::uint32_t u = 0; u < units(); ++u)
      squared_norm_.data()[u] = static_cast<float>(exact_norm_[u]);
  }

  /// sqrt(|w|^2 - 2 x.w + |x|^2), each in double: exact enough for a report of the distance.
  double distance(const SomRows& rows, std::uint32_t row, std::uint32_t unit) const {
    double dot = 0;
    double squared = 0;

    rows.each_entry(row, [&](std::uint32_t column, float value) {
      const double x = value;
      dot += x * codebook_.data()[std::size_t{column} * stride_ + unit];
      squared += x * x;
    });

    // Rounding may leave less than 0 for a row that lies on its unit.
    return std::sqrt(std::max(0.0, exact_norm_[unit] - 2 * dot + squared));
  }

  void match_rows(const SomRows& rows, std::span<SomMatch> matches) const {
    const SomCodebookView view = {columns_, stride_, codebook_.data(), squared_norm_.data()};
    for_each_chunk(rows.rows, kSomBlock, threads_, [&](std::uint32_t begin, std::uint32_t end) {
      SomBest best[kSomBlock];
      kernels_.match(view, rows, begin, end, best);
      for (std::uint32_t row = begin; row < end; ++row) {
        const SomBest& found = best[row - begin];

        // Where no score was below infinity, the weights are too large to compare. Then the first
        // unit takes the row.
        const std::uint32_t unit = found.unit[0] == SomMatch::kNoUnit ? 0 : found.unit[0];
        matches[row] = {unit, found.unit[1], distance(rows, row, unit)};
      }
    });
  }

  const SomLattice lattice_;
  const std::uint32_t columns_;
  const std::size_t threads_;
  const InstructionSet set_;
  const SomKernels kernels_;
  const std::uint32_t stride_;
  AlignedArray<float> codebook_;  // [columns, stride]
  SomSums sums_;
  AlignedArray<float> squared_norm_;  // [stride]
  std::vector<double> exact_norm_;    // [units], squared
};

class CpuSomPart final : public SomPart {
 public:
  CpuSomPart(CpuSom& twin, const SomRows& rows)
      : twin_(twin), rows_(rows), matches_(rows.rows, {SomMatch::kNoUnit}) {}

  SomBound bound() const override { return bound_of(rows_, twin_.threads()); }
  SomTally match() override { return twin_.match(rows_, matches_); }
  void count_hits(std::span<std::int64_t> hits) const override {
    for (const SomMatch& match : matches_) ++hits[match.unit];
  }
  void accumulate() override { twin_.accumulate(rows_, matches_); }
  std::vector<SomMatch> matches() const override { return matches_; }

 private:
  CpuSom& twin_;
  const SomRows rows_;
  std::vector<SomMatch> matches_;
};

std::unique_ptr<SomPart> CpuSom::hold(const SomRows& rows) {
  check_columns(rows, columns_);
  return std::make_unique<CpuSomPart>(*this, rows);
}

}  // namespace
}  // namespace cpu

std::unique_ptr<SomTwin> make_cpu_som(const SomLattice& lattice, std::uint32_t columns,
                                      std::size_t threads) {
  check_lattice(lattice);
  return std::make_unique<cpu::CpuSom>(lattice, columns, threads);
}

}  // namespace kindred
