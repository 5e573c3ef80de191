#include "gpu/knn/backend.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gpu/knn/check.h"

namespace kindred {

std::vector<Neighbor> Backend::nearest(const Queries& queries, std::size_t k,
                                       const RowSet* allowed) const {
  std::vector<Neighbor> neighbors(answer_size(queries.rows(), k, sizeof(Neighbor)));
  nearest(queries.view(), k, allowed, neighbors);
  return neighbors;
}

AnswerRoom Backend::make_room(std::size_t neighbors) const {
  return std::make_shared<Neighbor[]>(neighbors);
}

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
