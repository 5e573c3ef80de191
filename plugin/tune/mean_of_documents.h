#pragma once

#include "gpu/ratio.h"

namespace kindred {

/// A mean over documents, and how far chance may lead it.
class MeanOfDocuments {
 public:
  void add(double of_document);
  double mean() const { return ratio_or_zero(sum_, documents_); }
  double clear() const;  ///< the mean if it is above two standard errors, else 0
  bool is_clearly_above(const MeanOfDocuments& other) const;  ///< by two standard errors
  /// The mean as far as it is not chance: less the square of its standard error over the mean
  /// (James and Stein); 0 if it is not above its standard error.
  double shrunk() const;

 private:
  double standard_error() const;

  double documents_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

}  // namespace kindred
