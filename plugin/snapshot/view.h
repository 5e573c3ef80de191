#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "config/log.h"
#include "config/settings.h"
#include "gpu/knn/backend.h"
#include "gpu/options.h"
#include "gpu/queries.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// The tables of a SMART weighting for a mirror, for the cosine whatever its last letter is; N and
/// df are those of all its documents. If no term has an idf above 0, all have 1.
/// @throws Error kInvalidArgument from SmartWeighting.
TermWeighting weighting_tables(const Mirror& mirror, const std::string& letters);

/// The tf of a SMART weighting for counts 0 to kMaxCount.
std::vector<double> tf_table(const std::string& letters);

/// The settings about where to compute, as backends and the training of maps need them.
BackendOptions backend_options(const BackendSettings& settings, Log log);

/// Term weights, and a backend of a mirror under them.
struct View {
  std::shared_ptr<const TermWeighting> weighting;
  std::shared_ptr<const Backend> backend;
};

/// The bytes of main memory that a view has besides the mirror. Those of a device are not counted.
std::size_t bytes_of(const View& view);

/// The view of a mirror under another weighting, made of a backend of this mirror or of an earlier
/// state. @throws Error as Backend::refreshed().
View reweighted(const Backend& backend, const Mirror& mirror,
                std::shared_ptr<const TermWeighting> weighting);

}  // namespace kindred
