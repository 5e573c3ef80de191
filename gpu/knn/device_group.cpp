#include "gpu/knn/device_group.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace kindred {

BackendInfo joined_info(std::span<const BackendInfo> devices) {
  BackendInfo joined = devices.front();
  joined.device.clear();
  joined.bytes = 0;
  std::vector<std::pair<std::string, std::size_t>> names;
  for (const BackendInfo& device : devices) {
    joined.bytes += device.bytes;
    const auto same = std::find_if(names.begin(), names.end(),
                                   [&](const auto& name) { return name.first == device.device; });
    if (same == names.end())
      names.emplace_back(device.device, 1);
    else
      ++same->second;
  }
  for (const auto& [name, times] : names)
    joined.device += (joined.device.empty() ? "" : ", ") +
                     (times > 1 ? std::to_string(times) + " x " : "") + name;
  return joined;
}

}  // namespace kindred
