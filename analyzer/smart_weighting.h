#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kindred {

/// A SMART weighting "<tf><idf>c" (Salton and Buckley 1988; letters as Xapian::TfIdfWeight):
///
///   tf   n  c            b  1            s  c^2         l, L  1 + ln c
///   idf  n  1            t  ln(N/df)     p  max(0, ln((N-df)/df))
///        f  1/df         s  ln(N/df)^2
///   c    cosine: every vector is divided by its Euclidean length
///
/// L divides l by a constant of the document, 1 + ln of its mean count. The cosine cancels that, so
/// here L equals l.
class SmartWeighting {
 public:
  /// @throws Error kInvalidArgument that names the unknown letter and the known ones.
  explicit SmartWeighting(std::string_view letters);

  /// Weight of a count >= 1; 0 for 0.
  double tf(std::uint32_t count) const;

  /// Weight of a term that `df` of `documents` documents hold; 0 if df is 0. Finite and >= 0.
  double idf(std::uint64_t documents, std::uint64_t df) const;

 private:
  char tf_;
  char idf_;
};

}  // namespace kindred
