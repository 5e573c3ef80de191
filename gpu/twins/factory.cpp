#include "gpu/twins/factory.h"

#include <numeric>
#include <string>
#include <utility>

#include "config/error.h"
#include "gpu/knn/coalescing_backend.h"
#include "gpu/knn/fallback_backend.h"
#include "gpu/knn/replicated_backend.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

/// A device answers many queries in hardly more time than one, so single ones are put together.
std::unique_ptr<const Backend> coalesced(std::unique_ptr<const Backend> backend,
                                         const BackendOptions& options) {
  if (!options.coalesce) return backend;
  return coalesce(std::move(backend));
}

/// Makes what options.kind asks for, by cpu() or cuda(). "auto" tries cuda() first, if this build
/// has it. If that throws an Error other than kInvalidArgument, options.log is told, and cpu()
/// makes it.
/// @throws Error kInvalidArgument for a kind that is not known, else as the maker.
template <typename MakeCpu, typename MakeCuda>
auto choose_twin(const BackendOptions& options, MakeCpu&& cpu, MakeCuda&& cuda) -> decltype(cpu()) {
  if (options.kind == "cpu") return cpu();
  if (options.kind == "cuda") return cuda();
  if (options.kind != "auto")
    throw Error(Errc::kInvalidArgument,
                "backend \"" + options.kind + "\" is not known; expected auto, cpu or cuda");

// Whatever keeps the device from answering leaves the CPU. An invalid argument would be one there,
// too.
#ifdef KINDRED_WITH_CUDA
  try {
    return cuda();
  } catch (const Error& e) {
    if (e.code() == Errc::kInvalidArgument) throw;
    if (options.log) options.log(std::string("the CPU answers: ") + e.what());
  }
#endif
  return cpu();
}

#ifndef KINDRED_WITH_CUDA
/// Stands in for cuda() in a build without CUDA. @throws Error kUnsupported.
[[noreturn]] void refuse_cuda() {
  throw Error(Errc::kUnsupported, "this build of Kindred has no CUDA backend");
}
#else
/// The devices that are asked for. @throws Error kUnsupported if all are, and there is none.
std::vector<int> devices_of(const BackendOptions& options) {
  if (!options.all_devices) {
    if (options.devices.empty()) return {options.device};
    return options.devices;
  }

  std::vector<int> all(static_cast<std::size_t>(count_cuda_devices()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::unique_ptr<const Backend> make_on_cuda(const SegmentListPointer& mirror,
                                            const TermWeighting& weighting,
                                            const BackendOptions& options) {
  const std::vector<int> devices = devices_of(options);
  const auto make = [&](std::size_t i) {
    BackendOptions own = options;
    own.device = devices[i];
    return make_cuda_backend(mirror, weighting, own);
  };
  return make_on_devices(devices.size(), make, options);
}
#endif

}  // namespace

std::unique_ptr<const Backend> make_on_devices(std::size_t devices, const MakeReplica& make,
                                               const BackendOptions& options) {
  if (devices == 1) return coalesced(make(0), options);
  std::vector<std::unique_ptr<const Backend>> replicas(devices);
  for_each_item(devices, options.threads, [&](std::size_t i) {
    // All devices take their copies of the mirror at the same time.
    replicas[i] = coalesced(make(i), options);
  });
  return replicate(std::move(replicas), options.threads);
}

std::unique_ptr<const Backend> make_backend(SegmentListPointer mirror,
                                            const TermWeighting& weighting,
                                            const BackendOptions& options) {
  const auto make_cpu = [threads = options.threads, tiles = options.tiles](
                            SegmentListPointer rows, const TermWeighting& weights) {
    return make_cpu_backend(std::move(rows), weights, threads, tiles);
  };

  return choose_twin(
      options,
      [&] {
        return make_cpu(mirror, weighting);
      },
      [&]() -> std::unique_ptr<const Backend> {
#ifdef KINDRED_WITH_CUDA
        auto device = make_on_cuda(mirror, weighting, options);

        // Only "auto" has a spare; "cuda" is to fail where the device does.
        if (options.kind == "cuda") return device;
        return fall_back(std::move(device), make_cpu, mirror, weighting, options.log);
#else
        refuse_cuda();
#endif
      });
}

std::future<void> start_devices(const BackendOptions& options) {
#ifdef KINDRED_WITH_CUDA
  if (options.kind == "cpu") return {};
  return run_beside(options.threads, [options] {
    try {
      for (const int device : devices_of(options)) start_cuda_device(device);
    } catch (const Error&) {
    }
  });
#else
  static_cast<void>(options);
  return {};
#endif
}

std::unique_ptr<const Backend> make_backend(CsrView mirror, const TermWeighting& weighting,
                                            const BackendOptions& options, LabelView labels) {
  return make_backend(
      std::make_shared<const SegmentList>(borrowed_segment(mirror, labels, options.threads)),
      weighting, options);
}

std::vector<std::unique_ptr<SomTwin>> make_som_twins(const SomLattice& lattice,
                                                     std::uint32_t columns,
                                                     const BackendOptions& options,
                                                     const AdmitSomTwin& admit) {
  using Twins = std::vector<std::unique_ptr<SomTwin>>;
  return choose_twin(
      options,
      [&] {
        // Asked first, since a twin takes its memory when it is made.
        if (admit) admit(false);

        Twins twins;
        twins.push_back(make_cpu_som(lattice, columns, options.threads));
        return twins;
      },
      [&]() -> Twins {
#ifdef KINDRED_WITH_CUDA
        if (admit) admit(true);

        // A twin for each device: they train the map together.
        Twins twins;
        for (const int device : devices_of(options)) {
          BackendOptions own = options;
          own.device = device;
          twins.push_back(make_cuda_som(lattice, columns, own));
        }
        return twins;
#else
        refuse_cuda();
#endif
      });
}

}  // namespace kindred
