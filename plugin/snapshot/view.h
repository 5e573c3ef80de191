#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
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

/// Term weights, and a backend of a mirror under them. Borrowed.
struct View {
  const TermWeighting& weighting;
  const Backend& backend;
};

/// The bytes of main memory that a view has besides the mirror. Those of a device are not counted.
std::size_t bytes_of(const View& view);

/// A backend of the same mirror as `backend`, under another weighting, which it borrows.
/// @throws Error as Backend::refreshed().
std::unique_ptr<const Backend> reweighted(const Backend& backend, const Mirror& mirror,
                                          const TermWeighting& weighting);

/// The view by which related documents are found where no tuning says what terms tell: they weigh
/// the root of their idf, so that it counts once in a cosine. It is made when it is first asked
/// for. Any number of threads may share it.
class IdfView {
 public:
  /// `base`: of the same mirror, by idf itself. Both are borrowed.
  IdfView(const Mirror& mirror, View base);
  IdfView(const IdfView&) = delete;
  IdfView& operator=(const IdfView&) = delete;

  /// Takes over what `before` has made, which may be destroyed afterwards. Called before all
  /// others, in one thread. `before`: of an earlier state of the mirror.
  void follow(const IdfView& before);

  /// It may be used as long as this. @throws Error as Backend::refreshed().
  View get() const;

  std::size_t bytes() const;  ///< of main memory, without what is borrowed

 private:
  struct Made {
    std::shared_ptr<const TermWeighting> weighting;
    std::shared_ptr<const Backend> backend;
  };
  bool has() const { return has_.load(std::memory_order_acquire); }
  void keep(Made made) const;
  std::shared_ptr<const TermWeighting> root_weighting() const;

  const Mirror& mirror_;
  const View base_;
  mutable std::once_flag once_;
  mutable Made made_;
  mutable std::atomic<bool> has_ = false;  ///< for those that do not wait for `once_`
};

}  // namespace kindred
