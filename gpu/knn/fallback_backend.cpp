#include "gpu/knn/fallback_backend.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "config/error.h"
#include "gpu/knn/check.h"
#include "gpu/knn/row_places.h"

namespace kindred {
namespace {

/// A row of a segment.
struct RowOfSegment {
  std::size_t segment;
  std::uint32_t row;
};

/// The segments of a mirror: its first rows, then those of each change. All but `where` is
/// borrowed.
struct GrownMirror {
  std::vector<CsrView> rows;
  std::vector<LabelView> labels;  ///< one per segment, of its rows or of none
  RowPlaces where;
  std::uint32_t columns;  ///< of the last segment, or more

  /// The rows in the order of their places.
  std::vector<RowOfSegment> by_place() const {
    std::vector<RowOfSegment> result;
    result.reserve(where.places());
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::uint32_t row = 0; row < rows[i].rows; ++row) result.push_back({i, row});
    return result;
  }
};

/// The segments as one matrix, its rows in the order of their numbers, dead rows empty, and its
/// labels.
struct Joined {
  Csr rows;
  std::vector<std::uint64_t> label_begin{0};
  std::vector<std::uint32_t> label;

  LabelView labels() const {
    if (label.empty()) return {};
    return {rows.rows(), label_begin.data(), label.data()};
  }
};

void append(const CsrView& segment, std::uint32_t row, Csr& joined) {
  const std::uint64_t begin = segment.row_begin[row];
  const std::uint64_t end = segment.row_begin[row + std::size_t{1}];
  joined.column.insert(joined.column.end(), segment.column + begin, segment.column + end);
  joined.count.insert(joined.count.end(), segment.count + begin, segment.count + end);
}

std::unique_ptr<const Joined> join(const GrownMirror& mirror) {
  auto joined = std::make_unique<Joined>();
  joined->rows.columns = mirror.columns;
  const std::vector<RowOfSegment> by_place = mirror.by_place();
  for (std::uint32_t number = 0; number < mirror.where.rows(); ++number) {
    const std::uint32_t place = mirror.where.place_of(number);
    const auto [segment, row] = by_place[place];
    if (!mirror.where.dead().has(place)) append(mirror.rows[segment], row, joined->rows);
    joined->rows.row_begin.push_back(joined->rows.column.size());
    const auto own = mirror.labels[segment].of(row);
    joined->label.insert(joined->label.end(), own.begin(), own.end());
    joined->label_begin.push_back(joined->label.size());
  }
  return joined;
}

class FallbackBackend final : public Backend {
 public:
  /// If `device` is null, the spare answers from the beginning.
  FallbackBackend(std::unique_ptr<const Backend> device, MakeSpare make_spare, GrownMirror mirror,
                  const TermWeighting& weighting, Log log)
      : device_(std::move(device)),
        make_spare_(std::move(make_spare)),
        mirror_(std::move(mirror)),
        weighting_(weighting),
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

  std::unique_ptr<const Backend> refreshed(const MirrorChange& change,
                                           const TermWeighting& weighting) const override {
    check_change({mirror_.where.rows(), mirror_.columns}, change, 1);
    std::unique_ptr<const Backend> device;
    if (!lost_) {
      try {
        device = device_->refreshed(change, weighting);
      } catch (const Error& e) {
        note(e);
      }
    }
    GrownMirror mirror = mirror_;
    if (change.added.rows > 0) {
      mirror.rows.push_back(change.added);
      mirror.labels.push_back(change.added_labels);
    }
    mirror.where = mirror_.where.changed(change);
    mirror.columns = std::max(mirror.columns, change.added.columns);
    return std::make_unique<FallbackBackend>(std::move(device), make_spare_, std::move(mirror),
                                             weighting, log_);
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
    if (spare_ == nullptr) spare_ = make_spare();
    return *spare_;
  }

  std::unique_ptr<const Backend> make_spare() const {
    if (mirror_.rows.size() == 1 && mirror_.where.dead().count() == 0) {
      CsrView rows = mirror_.rows[0];
      rows.columns = mirror_.columns;
      return make_spare_(rows, weighting_, mirror_.labels[0]);
    }
    joined_ = join(mirror_);
    return make_spare_(joined_->rows.view(), weighting_, joined_->labels());
  }

  const std::unique_ptr<const Backend> device_;
  const MakeSpare make_spare_;
  const GrownMirror mirror_;
  const TermWeighting& weighting_;
  const Log log_;
  mutable std::atomic<bool> lost_, short_of_memory_{false};
  mutable std::mutex mutex_;  ///< guards what follows; locked only after the device failed
  mutable std::unique_ptr<const Joined> joined_;
  mutable std::unique_ptr<const Backend> spare_;
};

}  // namespace

std::unique_ptr<const Backend> fall_back(std::unique_ptr<const Backend> device,
                                         MakeSpare make_spare, CsrView mirror,
                                         const TermWeighting& weighting, LabelView labels,
                                         Log log) {
  return std::make_unique<FallbackBackend>(
      std::move(device), std::move(make_spare),

      GrownMirror{{mirror}, {labels}, RowPlaces(mirror.rows), mirror.columns}, weighting,
      std::move(log));
}

}  // namespace kindred
