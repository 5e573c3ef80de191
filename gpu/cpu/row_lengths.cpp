#include "gpu/cpu/row_lengths.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "config/error.h"
#include "gpu/scoring.h"
#include "gpu/workers.h"

// The lengths of all rows, after every change of N, df or rows.
//
// Floor: 6 bytes an entry over the memory's rate, and a look-up of idf.

namespace kindred::cpu {
namespace {

/// The length of a row, whose counts are in the table of tf.
using LengthFunction = double (*)(const TermWeighting& weighting, const RowEntries& row);

double length_by_definition(const TermWeighting& weighting, const RowEntries& row) {
  return euclidean_length(row.size(), [&](std::size_t i) {
    return weighting.tf[row.counts[i]] * weighting.idf[row.columns[i]];
  });
}

#if defined(__x86_64__)

// With AVX-512, weights wait in the first-level cache until the largest is known. Nearly all counts
// are below 16, whose tf two registers hold.

constexpr std::size_t kMostEntries = 4095;  // whose squares fit 64 bits
constexpr std::size_t kMeasuredAtOnce = 8;
constexpr std::size_t kAhead = 128;  // entries of the rows that follow, fetched from memory

/// tf[0] .. tf[15], as far as there are so many.
struct FirstTf {
  __m512d low;
  __m512d high;
};

KINDRED_AVX512 inline FirstTf first_tf(const std::vector<double>& tf) {
  const auto mask = static_cast<unsigned>(tf.size() < 16 ? (1u << tf.size()) - 1 : 0xFFFF);
  return {_mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), tf.data()),
          _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask >> 8), tf.data() + 8)};
}

KINDRED_AVX512 double length_avx512(const TermWeighting& weighting, const RowEntries& row) {
  // Sums of squares of longer rows might not fit 64 bits.
  if (row.size() == 0 || row.size() > kMostEntries) return length_by_definition(weighting, row);

  const FirstTf first = first_tf(weighting.tf);
  alignas(64) double weight[kMostEntries + kMeasuredAtOnce];
  __m512d most = _mm512_setzero_pd();

  // Weighs eight entries at a time, and keeps the weights and the largest of them. The mask leaves
  // out what is beyond the row's end: masked lanes weigh 0.
  for (std::size_t i = 0; i < row.size(); i += kMeasuredAtOnce) {
    __builtin_prefetch(row.columns.data() + i + kAhead);
    __builtin_prefetch(row.counts.data() + i + kAhead);

    const std::size_t left = row.size() - i;
    const auto mask = static_cast<__mmask8>(left >= kMeasuredAtOnce ? 0xFF : (1u << left) - 1);
    const __m256i column = _mm256_maskz_loadu_epi32(mask, row.columns.data() + i);
    const __m512i count = _mm512_cvtepu16_epi64(_mm_maskz_loadu_epi16(mask, row.counts.data() + i));

    // Counts below 16 are looked up in registers, the few larger ones in memory.
    __m512d tf = _mm512_permutex2var_pd(first.low, count, first.high);
    const __mmask8 large = _mm512_cmpgt_epu64_mask(count, _mm512_set1_epi64(15));
    if (large != 0) tf = _mm512_mask_i64gather_pd(tf, large, count, weighting.tf.data(), 8);

    const __m512d idf =
        _mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, column, weighting.idf.data(), 8);

    const __m512d own = _mm512_mul_pd(tf, idf);
    _mm512_store_pd(weight + i, own);
    most = _mm512_max_pd(most, own);
  }

  // All weights are scaled by the power of two of the largest, as the definition says.
  const double largest = _mm512_reduce_max_pd(most);
  if (!(largest > 0) || std::isinf(largest)) return largest;
  const double scale = length_scale(largest);

  // The squares are rounded to integers by the same operations as SquareSum::add(), so the sum has
  // the same bits in any order.
  __m512i sum = _mm512_setzero_si512();
  for (std::size_t i = 0; i < row.size(); i += kMeasuredAtOnce) {
    const __m512d scaled = _mm512_mul_pd(_mm512_load_pd(weight + i), _mm512_set1_pd(scale));
    const __m512d square = _mm512_mul_pd(_mm512_mul_pd(scaled, scaled), _mm512_set1_pd(0x1p52));
    sum = _mm512_add_epi64(sum, _mm512_cvtpd_epi64(square));
  }

  return SquareSum{static_cast<std::uint64_t>(_mm512_reduce_add_epi64(sum))}.root() / scale;
}

#endif

/// All give the same bits.
LengthFunction choose_length(InstructionSet set, std::size_t columns) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512 && columns <= std::size_t{INT32_MAX}) return length_avx512;
#endif
  static_cast<void>(set);
  static_cast<void>(columns);
  return length_by_definition;
}

constexpr std::uint32_t kRowsMeasuredAtOnce = 8192;  // one item of parallel work

}  // namespace

AlignedArray<double> measure_lengths(const SegmentList& mirror, const TermWeighting& weighting,
                                     const MeasureOptions& options) {
  // Not filled with zeros first: every place is written, dead ones, too.
  auto lengths = AlignedArray<double>::for_overwrite(mirror.places());
  const LengthFunction length_of = choose_length(options.set, weighting.idf.size());

  // A length that is not finite would spoil the scale, and with it all similarities.
  const auto measure = [&](std::uint32_t place, const RowEntries& row) {
    const double length = length_of(weighting, row);
    lengths.data()[place] = length;
    if (!std::isfinite(length))
      throw Error(Errc::kInvalidArgument, "mirror: the length of document " +
                                              std::to_string(mirror.number_at(place)) +
                                              " is not finite");
  };

  for_each_chunk(mirror.places(), kRowsMeasuredAtOnce, options.threads,
                 [&](std::uint32_t begin, std::uint32_t end) {
                   // Looks up the segment once for all of these rows.
                   mirror.for_each(begin, end, measure);
                 });
  return lengths;
}

}  // namespace kindred::cpu
