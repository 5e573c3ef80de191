#include "gpu/twins/factory.h"

#include <atomic>
#include <numeric>
#include <string>
#include <utility>

#include "config/error.h"
#include "gpu/knn/coalescing_backend.h"
#include "gpu/knn/replicated_backend.h"
#include "gpu/on_demand.h"
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

class FallbackBackend final : public Backend {
 public:
  /// If `device` is null, the spare answers from the beginning.
  FallbackBackend(std::unique_ptr<const Backend> device, MakeSpare make_spare,
                  SegmentListPointer mirror, const TermWeighting& weighting, Log log)
      : device_(std::move(device)),
        make_spare_(std::move(make_spare)),
        mirror_(std::move(mirror)),
        weighting_(weighting),
        log_(std::move(log)),
        lost_(device_ == nullptr) {
    if (lost_) static_cast<void>(spare());
  }

  void nearest(const QueryView& queries, std::size_t k, const DocumentSet* allowed,
               std::span<Neighbor> neighbors) const override {
    answer([&](const Backend& twin) { twin.nearest(queries, k, allowed, neighbors); });
  }

  void vote(const QueryView& queries, const Vote& vote,
            std::span<LabelShare> shares) const override {
    answer([&](const Backend& twin) { twin.vote(queries, vote, shares); });
  }

  std::unique_ptr<const Backend> refreshed(SegmentListPointer mirror,
                                           const TermWeighting& weighting) const override {
    std::unique_ptr<const Backend> device;
    if (!lost_) {
      // What the device cannot take, the spare will. After a refresh, memory may suffice again, but
      // a lost device stays lost.
      try {
        device = device_->refreshed(mirror, weighting);
      } catch (const Error& e) {
        check_fault(e);
      }
    }

    return std::make_unique<FallbackBackend>(std::move(device), make_spare_, std::move(mirror),
                                             weighting, log_);
  }

  const SegmentListPointer& mirror() const override { return mirror_; }
  double longest() const override { return active().longest(); }
  BackendInfo info() const override { return active().info(); }

 private:
  template <typename Ask>
  void answer(Ask&& ask) const {
    // The spare answers the whole call again: it overwrites what the device may have written.
    if (!lost_) {
      try {
        return ask(*device_);
      } catch (const Error& e) {
        check_fault(e);
      }
    }

    ask(spare());
  }

  /// Called in a handler. Returns if the CPU is to answer; rethrows what is not the device's fault.
  void check_fault(const Error& error) const {
    if (error.code() != Errc::kDevice && error.code() != Errc::kOutOfMemory) throw;

    // A lost device is given up for good; where memory was short, the next call tries again. Each
    // is logged once, however many threads meet it.
    const bool is_lost = error.code() == Errc::kDevice;
    const bool was_logged = is_lost ? lost_.exchange(true) : short_of_memory_.exchange(true);

    if (!log_ || was_logged) return;
    const std::string what = is_lost ? "the CPU answers: " : "the CPU answers what does not fit: ";
    log_(what + error.what());
  }

  const Backend& spare() const {
    return *spare_.get([this] {
      // By whoever needs it first; others wait for it.
      return make_spare_(mirror_, weighting_);
    });
  }

  /// The one that answers now.
  const Backend& active() const {
    if (lost_) return spare();
    return *device_;
  }

  const std::unique_ptr<const Backend> device_;
  const MakeSpare make_spare_;
  const SegmentListPointer mirror_;
  const TermWeighting& weighting_;
  const Log log_;
  mutable std::atomic<bool> lost_;
  mutable std::atomic<bool> short_of_memory_{false};
  Lazy<std::unique_ptr<const Backend>> spare_;  ///< made after the device failed
};

}  // namespace

std::unique_ptr<const Backend> fall_back(std::unique_ptr<const Backend> device,
                                         MakeSpare make_spare, SegmentListPointer mirror,
                                         const TermWeighting& weighting, Log log) {
  return std::make_unique<FallbackBackend>(std::move(device), std::move(make_spare),
                                           std::move(mirror), weighting, std::move(log));
}

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
      options, [&] { return make_cpu(mirror, weighting); },
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
