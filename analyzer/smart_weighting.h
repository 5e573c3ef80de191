#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kindred {

/// A SMART weighting "<tf><idf><norm>" (Salton and Buckley 1988; letters as Xapian::TfIdfWeight):
///
///   tf    n  c            b  1            s  c^2         l, L  1 + ln c
///   idf   n  1            t  ln(N/df)     p  max(0, ln((N-df)/df))
///         f  1/df         s  ln(N/df)^2   r  sqrt(ln(N/df))
///   norm  c  cosine: every vector is divided by its Euclidean length
///         n  none: the dot product
///
/// r is Kindred's own: a cosine takes the weights of both documents, so with r it counts idf once.
/// L divides l by a constant of the document, 1 + ln of its mean count. The cosine cancels that, so
/// here L equals l, and there is no L without c.
class SmartWeighting {
 public:
  /// @throws Error kInvalidArgument that names the unknown letter and the known ones, or says that
  /// L needs c.
  explicit SmartWeighting(std::string_view letters);

  /// Weight of a count >= 1; 0 for 0.
  double tf(std::uint32_t count) const;

  /// Weight of a term that `df` of `documents` documents hold; 0 if df is 0. Finite and >= 0.
  double idf(std::uint64_t documents, std::uint64_t df) const;

  bool is_cosine() const { return norm_ == 'c'; }  ///< else the dot product

 private:
  char tf_;
  char idf_;
  char norm_;
};

}  // namespace kindred
