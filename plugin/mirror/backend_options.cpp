#include "plugin/mirror/backend_options.h"
#include "gpu/options.h"

#include <utility>

namespace kindred {

BackendOptions backend_options(const BackendSettings& settings, Log log) {
  BackendOptions options;
  options.kind = settings.kind;
  options.threads = static_cast<std::size_t>(settings.threads);
  const std::vector<std::int64_t>& devices = settings.devices.numbers;
  options.devices.assign(devices.begin(), devices.end());
  options.all_devices = settings.devices.all;
  const bool has_one = devices.empty() && !settings.devices.all;
  options.device = has_one           ? static_cast<int>(settings.device)
                   : devices.empty() ? 0
                                     : options.devices.front();
  options.coalesce = true;
  options.memory = static_cast<std::size_t>(settings.memory_mb) << 20;
  options.log = std::move(log);
  return options;
}

}  // namespace kindred
