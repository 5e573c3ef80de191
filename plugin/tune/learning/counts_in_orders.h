#pragma once

#include <mutex>
#include <optional>

#include "gpu/csr.h"
#include "plugin/tune/learning/frequent_first.h"

namespace kindred {

/// The counts of a mirror in the orders that fits go through them, made once for all of them. Any
/// number of threads may ask.
class CountsInOrders {
 public:
  /// Borrows the counts.
  explicit CountsInOrders(const CsrView& counts) : counts_(counts), postings_(transpose(counts)) {}

  const Csr& postings() const { return postings_; }

  /// Made when it is first asked for.
  const FrequentFirst& frequent_first() const {
    std::call_once(once_, [this] { frequent_first_.emplace(counts_); });
    return *frequent_first_;
  }

 private:
  const CsrView counts_;
  const Csr postings_;
  mutable std::once_flag once_;
  mutable std::optional<FrequentFirst> frequent_first_;
};

}  // namespace kindred
