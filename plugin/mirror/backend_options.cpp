#include "plugin/mirror/backend_options.h"
#include "gpu/options.h"

#include <utility>

namespace kindred {

BackendOptions backend_options(const BackendSettings& settings, Log log) {
  BackendOptions options;
  options.kind = settings.kind;
  options.threads = static_cast<std::size_t>(settings.threads);
  options.device = static_cast<int>(settings.device);
  options.memory = static_cast<std::size_t>(settings.memory_mb) << 20;
  options.log = std::move(log);
  return options;
}

}  // namespace kindred
