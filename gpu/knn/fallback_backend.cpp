#include "gpu/knn/fallback_backend.h"

#include <atomic>
#include <string>
#include <utility>

#include "config/error.h"
#include "gpu/document_set.h"
#include "gpu/lazy.h"

namespace kindred {
namespace {

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
    answer([&](const Backend& twin) {
      twin.nearest(queries, k, allowed, neighbors);
    });
  }

  void vote(const QueryView& queries, const Vote& vote,
            std::span<LabelShare> shares) const override {
    answer([&](const Backend& twin) {
      twin.vote(queries, vote, shares);
    });
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

}  // namespace kindred
