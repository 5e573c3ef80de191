#include "gpu/knn/device_layout.h"

#include <string>
#include <utility>
#include <vector>

#include "config/error.h"
#include "gpu/knn/coalescing_backend.h"
#include "gpu/knn/replicated_backend.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

/// A device answers many queries in hardly more time than one, so single ones are put together.
std::unique_ptr<const Backend> coalesced(std::unique_ptr<const Backend> backend, MirrorSize size,
                                         const BackendOptions& options) {
  return options.coalesce ? coalesce(std::move(backend), size) : std::move(backend);
}

}  // namespace

std::unique_ptr<const Backend> make_on_devices(std::size_t devices, const MakeShard& make,
                                               const SegmentListPointer& mirror,
                                               const TermWeighting& weighting,
                                               const BackendOptions& options) {
  const MirrorSize size = size_of(*mirror);
  const auto make_whole = [&](std::size_t i) {
    return coalesced(make(i, mirror, weighting), size, options);
  };
  if (devices == 1) return make_whole(0);
  if (options.layout != DeviceLayout::kSharded) {
    try {
      std::vector<std::unique_ptr<const Backend>> replicas(devices);
      for_each_item(devices, options.threads, [&](std::size_t i) { replicas[i] = make_whole(i); });
      return replicate(std::move(replicas), options.threads, options.log);
    } catch (const Error& e) {
      if (e.code() != Errc::kOutOfMemory || options.layout == DeviceLayout::kReplicated) throw;
      if (options.log)
        options.log("the rows are divided among " + std::to_string(devices) +
                    " devices: " + e.what());
    }
  }
  return coalesced(shard(mirror, weighting, devices, options.threads, make), size, options);
}

}  // namespace kindred
