// The lengths of a mirror's rows are those of the definition, to the bit, where they were measured,
// on every instruction set. Where they lag behind a weighting, they are within the bound.
#include "gpu/cpu/mirror/row_lengths.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "config/error.h"
#include "gpu/scoring.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/knn_oracle.h"
#include "tests/fixtures/random_csr.h"

namespace kindred {
namespace {

using cpu::InstructionSet;

/// Those that the processor has.
std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
  for (const char* name : {"baseline", "avx2", "avx512"}) {
    const test::ForcedInstructionSet forced(name);
    try {
      sets.push_back(cpu::choose_instruction_set());
    } catch (const Error&) {
    }
  }
  return sets;
}

std::vector<double> defined_lengths(CsrView matrix, const TermWeighting& weighting) {
  std::vector<double> lengths;
  for (std::uint32_t row = 0; row < matrix.rows; ++row) {
    const std::uint64_t begin = matrix.row_begin[row];
    lengths.push_back(euclidean_length(matrix.row_begin[row + 1] - begin, [&](std::size_t j) {
      return weighting.tf[matrix.count[begin + j]] * weighting.idf[matrix.column[begin + j]];
    }));
  }
  return lengths;
}

std::vector<double> lengths_of(const cpu::RowLengths& lengths, const cpu::MirrorRows& mirror) {
  std::vector<double> result;
  for (std::uint32_t place = 0; place < mirror.places(); ++place) result.push_back(lengths[place]);
  return result;
}

/// Rows of all small sizes, and of sizes around the largest that a kernel takes.
Csr rows_of_all_sizes() {
  std::mt19937_64 random(1);
  Csr csr;
  csr.columns = 5000;
  for (std::uint32_t size = 0; size < 80; ++size)
    for (std::uint32_t t = 0; t <= size; ++t) {
      if (t == size) csr.row_begin.push_back(csr.column.size());
      if (t == size) break;
      csr.column.push_back(t * 60 + static_cast<std::uint32_t>(random() % 60));
      csr.count.push_back(test::random_count(random));
    }
  for (const std::uint32_t size : {4094u, 4095u, 4096u, 5000u}) {
    for (std::uint32_t t = 0; t < size; ++t)
      csr.column.push_back(t), csr.count.push_back(test::random_count(random));
    csr.row_begin.push_back(csr.column.size());
  }
  return csr;
}

TEST_CASE("measured lengths are those of the definition", "[lengths]") {
  const auto set = GENERATE(from_range(instruction_sets()));
  const auto factor = GENERATE(0.0, 1e-320, 1e-305, 1e-300, 1e-9, 1.0, 1e250);
  CAPTURE(cpu::name(set), factor);
  const Csr csr = rows_of_all_sizes();
  TermWeighting weighting = test::ltc_weighting(csr.view());
  for (std::size_t t = 0; t < weighting.idf.size(); ++t)
    weighting.idf[t] *= t % 7 == 0 ? factor * 0.01 : factor;
  const cpu::MirrorRows mirror(csr.view(), {}, 2);
  const cpu::RowLengths lengths(mirror, weighting, {set, 2});
  CHECK(lengths.is_exact());
  CHECK((lengths_of(lengths, mirror) == defined_lengths(csr.view(), weighting)));
}

/// The lengths of a mirror whose rows stay, under weightings that change, beside the true ones.
class FollowedLengths {
 public:
  /// Rows that hold a term are found in lists, or, without these, among all rows.
  FollowedLengths(const Csr& csr, TermWeighting weighting, bool has_lists = true)
      : csr_(csr),
        has_lists_(has_lists),
        postings_(transpose(csr.view())),
        mirror_(csr.view(), {}, 2),
        weighting_(std::move(weighting)),
        lengths_(mirror_, weighting_, kOptions) {}

  const TermWeighting& weighting() const { return weighting_; }
  const cpu::RowLengths& lengths() const { return lengths_; }
  std::size_t asked() const { return asked_; }  ///< terms whose rows were asked for

  void follow(TermWeighting later) {
    const cpu::LargestTf largest = [&](std::uint32_t) {
      return *std::ranges::max_element(later.tf);
    };
    const auto find = [&](std::uint32_t term, std::size_t most, auto& rows) {
      ++asked_;
      const std::uint64_t begin = postings_.row_begin[term], end = postings_.row_begin[term + 1];
      if (end - begin > most) return false;
      for (std::uint64_t i = begin; i < end; ++i)
        rows.push_back({postings_.column[i],
                        i % 2 == 0 ? postings_.count[i] : std::uint16_t{0}});  // not always known
      return true;
    };
    const cpu::HolderLists holders = has_lists_ ? cpu::HolderLists{find, 1} : cpu::HolderLists{};
    lengths_ = cpu::RowLengths(lengths_, mirror_, {weighting_, later, largest, holders}, kOptions);
    weighting_ = std::move(later);
  }

  void check() const {
    const std::vector<double> expected = defined_lengths(csr_.view(), weighting_);
    if (lengths_.is_exact()) CHECK((lengths_of(lengths_, mirror_) == expected));
    std::size_t outside = 0;
    for (std::uint32_t row = 0; row < csr_.rows(); ++row)
      outside += lengths_[row] * cpu::RowLengths::kShortest <= expected[row] &&
                         expected[row] <= lengths_[row] * cpu::RowLengths::kLongest
                     ? 0
                     : 1;
    CHECK(outside == 0);
    const double longest = *std::ranges::max_element(expected);
    CHECK(lengths_.longest(mirror_, weighting_, true, 2) == longest);
    CHECK(scale_exponent(lengths_.longest(mirror_, weighting_, false, 2)) ==
          scale_exponent(longest));
  }

 private:
  static constexpr cpu::MeasureOptions kOptions{InstructionSet::kBaseline, 2};

  const Csr& csr_;
  const bool has_lists_;
  const Csr postings_;
  const cpu::MirrorRows mirror_;
  TermWeighting weighting_;
  cpu::RowLengths lengths_;
  std::size_t asked_ = 0;
};

TEST_CASE("lengths that lag behind stay within their bound", "[lengths]") {
  const auto seed = GENERATE(range(1u, 5u));
  const bool has_lists = seed % 2 == 1;
  CAPTURE(seed, has_lists);
  const Csr csr = test::random_csr({.rows = 20000, .columns = 9000, .mean_length = 20}, seed);
  const TermWeighting first = test::ltc_weighting(csr.view());
  FollowedLengths followed(csr, first, has_lists);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  int behind = 0;
  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    TermWeighting later = i % 17 == 16 ? first : followed.weighting();
    const double drift = (unit(random) - 0.5) * 4e-3;  // of all, as N moves it
    for (double& idf : later.idf) idf = std::max(0.0, idf + drift);
    for (int n = 0; n < 4; ++n) later.idf[3000 + random() % 6000] *= 0.5 + unit(random);
    followed.follow(std::move(later));
    followed.check();
    behind += followed.lengths().is_exact() ? 0 : 1;
  }
  CHECK(behind > 20);
  CHECK((followed.asked() > 0) == has_lists);
}

TEST_CASE("lengths stay within their bound as single terms move on and on", "[lengths]") {
  const bool has_lists = GENERATE(true, false);
  CAPTURE(has_lists);
  const Csr csr = test::random_csr({.rows = 20000, .columns = 9000, .mean_length = 20}, 3);
  TermWeighting weighting = test::ltc_weighting(csr.view());
  FollowedLengths followed(csr, weighting, has_lists);
  for (int i = 0; i < 60; ++i) {  // always upwards, so that nothing cancels out
    CAPTURE(i);
    for (std::size_t t = 2000; t < 9000; t += 100) weighting.idf[t] *= 1.02;
    followed.follow(weighting);
    followed.check();
    CHECK(!followed.lengths().is_exact());
  }
}

TEST_CASE("a row that was the longest counts no more when it gets shorter", "[lengths]") {
  Csr csr = test::random_csr({.rows = 3000, .columns = 900, .mean_length = 20}, 1);
  csr.column.push_back(csr.columns++), csr.count.push_back(1);
  csr.row_begin.push_back(csr.column.size());
  TermWeighting weighting = test::ltc_weighting(csr.view());
  FollowedLengths followed(csr, weighting, GENERATE(true, false));
  for (const double factor : {1e9, 1e-9, 1e5}) {
    CAPTURE(factor);
    weighting.idf.back() *= factor;
    followed.follow(weighting);
    followed.check();
    CHECK(!followed.lengths().is_exact());
  }
}

TEST_CASE("all lengths are measured where most rows hold terms that moved", "[lengths]") {
  const Csr csr = test::random_csr({.rows = 3000, .columns = 900, .mean_length = 20}, 1);
  TermWeighting weighting = test::ltc_weighting(csr.view());
  FollowedLengths followed(csr, weighting, GENERATE(true, false));
  for (double& idf : weighting.idf) idf *= 1.5;
  followed.follow(weighting);
  CHECK(followed.lengths().is_exact());
  followed.check();
}

TEST_CASE("rows of hardly any weight are measured again as it changes", "[lengths]") {
  Csr csr = test::random_csr({.rows = 3000, .columns = 900, .mean_length = 20}, 1);
  for (int row = 0; row < 20; ++row) {  // that hold nothing but the most frequent term
    csr.column.push_back(0), csr.count.push_back(static_cast<std::uint16_t>(1 + row % 3));
    csr.row_begin.push_back(csr.column.size());
  }
  TermWeighting weighting = test::ltc_weighting(csr.view());
  weighting.idf[0] = 0;
  FollowedLengths followed(csr, weighting);
  for (const double idf : {1e-9, 0.0, 1e-7, 1e-6, 3e-6, 1e-5, 0.0, 2e-6}) {
    CAPTURE(idf);
    weighting.idf[0] = idf;
    followed.follow(weighting);
    followed.check();
    CHECK(!followed.lengths().is_exact());
  }
  CHECK(followed.asked() == 0);
}

}  // namespace
}  // namespace kindred
