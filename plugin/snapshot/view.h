#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/log.h"
#include "config/settings.h"
#include "gpu/knn/backend.h"
#include "gpu/options.h"
#include "gpu/queries.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// The tf of a SMART weighting for counts 0 to kMaxCount.
/// @throws Error kInvalidArgument from SmartWeighting.
std::vector<double> tf_table(const std::string& letters);

/// The tables of a SMART weighting for a mirror, for the cosine whatever its last letter is; N and
/// df are those of all its documents.
/// @throws Error kInvalidArgument from SmartWeighting.
TermWeighting weighting_tables(const Mirror& mirror, const std::string& letters);

/// The settings about where to compute, as backends and the training of maps need them.
BackendOptions backend_options(const BackendSettings& settings, Log log);

/// Term weights, and a backend of a mirror under them.
struct View {
  std::shared_ptr<const TermWeighting> weighting;
  std::shared_ptr<const Backend> backend;
};

/// The bytes of main memory that a view has besides the mirror. Those of a device are not counted.
std::size_t bytes_of(const View& view);

/// A backend of a mirror under another weighting, which it borrows, made of one of this mirror or
/// of an earlier state. @throws Error as Backend::refreshed().
std::unique_ptr<const Backend> reweighted(const Backend& backend, const Mirror& mirror,
                                          const TermWeighting& weighting);

/// The same as a view.
View reweighted(const Backend& backend, const Mirror& mirror,
                std::shared_ptr<const TermWeighting> weighting);

/// A value that is made when it is first asked for. Any number of threads may share it.
template <typename T>
class Lazy {
 public:
  /// The value, by make() at the first call; others wait for it. What it throws goes to the caller,
  /// and the next call tries again.
  template <typename Make>
  const T& get(Make&& make) const {
    std::call_once(once_, [&] {
      value_.emplace(make());
      has_.store(true, std::memory_order_release);
    });
    return *value_;
  }
  /// Null if it is not made yet. Waits for nobody.
  const T* get_if_made() const { return has_.load(std::memory_order_acquire) ? &*value_ : nullptr; }

 private:
  mutable std::once_flag once_;
  mutable std::optional<T> value_;
  mutable std::atomic<bool> has_ = false;
};

}  // namespace kindred
