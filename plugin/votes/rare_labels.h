#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kindred {

/// Where a document is left out, its label of c documents shows the c - 1 others, and so does each
/// other label, of which a document is silent. So what a tuning learns of labels of c documents
/// comes of those of c + 1, of which there are fewer, each of them likelier. Where N(c) labels have
/// c documents, the odds of one of them are multiplied by
///
///     (N(c + 1) + 10) / (N(c) + 10), at most 1
///
/// (after Good 1953, who estimates what has been seen c times by what was seen c + 1 times).
class RareLabels {
 public:
  /// The largest c whose odds change.
  static constexpr std::size_t kMost = 10;

  RareLabels() { factors_.fill(1); }
  /// `documents`: of each label.
  explicit RareLabels(std::span<const std::uint32_t> documents);

  /// The probability of a label of so many documents.
  double corrected(double probability, std::uint32_t documents) const;

 private:
  std::array<double, kMost + 1> factors_{};  // by c
};

}  // namespace kindred
