#include "gpu/knn/fallback_backend.h"

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "config/error.h"

namespace kindred {
namespace {

class FallbackBackend final : public Backend {
 public:
  /// If `device` is null, the spare answers from the beginning.
  FallbackBackend(std::unique_ptr<const Backend> device, MakeSpare make_spare,
                  SegmentListPointer mirror, const TermWeighting& weighting,
                  double longest_elsewhere, Log log)
      : device_(std::move(device)),
        make_spare_(std::move(make_spare)),
        mirror_(std::move(mirror)),
        weighting_(weighting),
        longest_elsewhere_(longest_elsewhere),
        log_(std::move(log)),
        lost_(device_ == nullptr) {
    if (lost_) static_cast<void>(spare());
  }

  void nearest(const QueryView& queries, std::size_t k, const RowSet* allowed,
               std::span<Neighbor> neighbors) const override {
    answer([&](const Backend& twin) { twin.nearest(queries, k, allowed, neighbors); });
  }

  void vote(const QueryView& queries, const Vote& vote,
            std::span<LabelShare> shares) const override {
    answer([&](const Backend& twin) { twin.vote(queries, vote, shares); });
  }

  std::unique_ptr<const Backend> refreshed(SegmentListPointer mirror,
                                           const TermWeighting& weighting,
                                           double longest_elsewhere) const override {
    std::unique_ptr<const Backend> device;
    if (!lost_) {
      try {
        device = device_->refreshed(mirror, weighting, longest_elsewhere);
      } catch (const Error& e) {
        note(e);
      }
    }
    return std::make_unique<FallbackBackend>(std::move(device), make_spare_, std::move(mirror),
                                             weighting, longest_elsewhere, log_);
  }

  double longest() const override { return lost_ ? spare().longest() : device_->longest(); }
  BackendInfo info() const override { return lost_ ? spare().info() : device_->info(); }

 private:
  template <typename Ask>
  void answer(Ask&& ask) const {
    if (!lost_) {
      try {
        return ask(*device_);
      } catch (const Error& e) {
        note(e);
      }
    }
    ask(spare());
  }

  /// Called in a handler. Returns if the CPU is to answer; rethrows what is not the device's fault.
  void note(const Error& error) const {
    if (error.code() != Errc::kDevice && error.code() != Errc::kOutOfMemory) throw;
    const bool is_lost = error.code() == Errc::kDevice;
    const bool is_told = is_lost ? lost_.exchange(true) : short_of_memory_.exchange(true);
    if (log_ && !is_told)
      log_(std::string("the CPU answers") + (is_lost ? ": " : " what does not fit: ") +
           error.what());
  }

  const Backend& spare() const {
    const std::lock_guard lock(mutex_);
    if (spare_ == nullptr) spare_ = make_spare_(mirror_, weighting_, longest_elsewhere_);
    return *spare_;
  }

  const std::unique_ptr<const Backend> device_;
  const MakeSpare make_spare_;
  const SegmentListPointer mirror_;
  const TermWeighting& weighting_;
  const double longest_elsewhere_;
  const Log log_;
  mutable std::atomic<bool> lost_, short_of_memory_{false};
  mutable std::mutex mutex_;  ///< guards what follows; locked only after the device failed
  mutable std::unique_ptr<const Backend> spare_;
};

}  // namespace

std::unique_ptr<const Backend> fall_back(std::unique_ptr<const Backend> device,
                                         MakeSpare make_spare, SegmentListPointer mirror,
                                         const TermWeighting& weighting, Log log) {
  return std::make_unique<FallbackBackend>(std::move(device), std::move(make_spare),
                                           std::move(mirror), weighting, 0, std::move(log));
}

}  // namespace kindred
