#include "plugin/tune/mean_of_documents.h"

#include <algorithm>
#include <cmath>

namespace kindred {

void MeanOfDocuments::add(double of_document) {
  ++documents_;
  sum_ += of_document;
  squares_ += of_document * of_document;
}

double MeanOfDocuments::standard_error() const {
  return std::sqrt(std::max(squares_ / documents_ - mean() * mean(), 0.0) / documents_);
}

double MeanOfDocuments::clear() const {
  const bool is_clear = documents_ >= 2 && mean() > 2 * standard_error();
  return is_clear ? mean() : 0;
}

bool MeanOfDocuments::is_clearly_above(const MeanOfDocuments& other) const {
  return documents_ >= 2 && other.documents_ >= 2 &&
         mean() - other.mean() > 2 * std::hypot(standard_error(), other.standard_error());
}

double MeanOfDocuments::shrunk() const {
  if (documents_ < 2 || mean() <= standard_error()) return 0;
  return mean() - standard_error() * standard_error() / mean();
}

}  // namespace kindred
