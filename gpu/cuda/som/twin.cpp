#include "gpu/som/twin.h"

#include <algorithm>
#include <future>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "config/error.h"
#include "gpu/cuda/som/map.cuh"
#include "gpu/cuda/som/match.cuh"
#include "gpu/cuda/som/rows.cuh"
#include "gpu/cuda/som/sums.cuh"
#include "gpu/cuda/som/update.cuh"
#include "gpu/workers.h"

namespace kindred {
namespace cuda {
namespace {

/// The neighbors of each unit, [units, kMostNeighbors].
std::vector<std::uint32_t> list_neighbors(const SomLattice& lattice) {
  constexpr std::size_t kMost = SomMatcher::kMostNeighbors;
  std::vector<std::uint32_t> list(lattice.units() * kMost, SomMatch::kNoUnit);
  for (std::uint32_t unit = 0; unit < lattice.units(); ++unit) {
    std::size_t place = unit * kMost;
    for (const std::uint32_t other : neighbors_of(lattice, unit)) {
      list[place] = other;
      ++place;
    }
  }
  return list;
}

class CudaSom final : public SomTwin {
 public:
  /// Called in a scope of the device.
  CudaSom(const SomLattice& lattice, std::uint32_t columns, DevicePointer device,
          std::size_t threads)
      : lattice_(lattice),
        device_(std::move(device)),
        code_(SomMatcher::code(*device_)),
        staging_(device_, threads),
        map_(device_, staging_, lattice.units(), columns),
        matcher_(device_),
        accumulator_(device_),
        updater_(device_, map_.view()),
        neighbors_(upload<std::uint32_t>(device_, list_neighbors(lattice))),
        hits_(lattice.units()) {
    updater_.measure_norms(map_.view());
  }

  void load(const SomCodebook& codebook) override {
    check_shape(codebook, lattice_.units(), map_.view().columns);

    const DeviceScope scope(*device_);
    map_.write_weights(0, codebook.weight);

    // Sums of the former codebook mean nothing for the new one.
    begin(SomGrid({}, std::vector<std::int64_t>(lattice_.units())));
    updater_.measure_norms(map_.view());
  }
  std::unique_ptr<SomPart> hold(const SomRows& rows) override;
  void begin_sums(const SomGrid& grid) override {
    const DeviceScope scope(*device_);
    begin(grid);
  }
  void read_sums(std::uint32_t first, std::span<std::int64_t> sums) const override {
    const DeviceScope scope(*device_);
    map_.read_sums(first, sums);
  }
  void write_sums(std::uint32_t first, std::span<const std::int64_t> sums) override {
    const DeviceScope scope(*device_);
    map_.write_sums(first, sums);
  }
  void add_sums(const SomTwin& other, std::uint32_t first, std::uint32_t last) override {
    const DeviceScope scope(*device_);
    const CudaSom* const readable = readable_by_kernels(other);
    if (readable == nullptr) return SomTwin::add_sums(other, first, last);
    map_.add_sums(readable->map_, first, last);
  }
  void update(const SomNeighborhood& neighborhood, std::uint32_t first,
              std::uint32_t last) override {
    const DeviceScope scope(*device_);
    updater_.update(SomFactors(lattice_, neighborhood), hits_, map_.view(), first, last);
    device_->stream().wait("update of a map");
  }
  void read_weights(std::uint32_t first, std::span<float> weights) const override {
    const DeviceScope scope(*device_);
    map_.read_weights(first, weights);
  }
  void write_weights(std::uint32_t first, std::span<const float> weights) override {
    const DeviceScope scope(*device_);
    map_.write_weights(first, weights);
  }
  void copy_weights(const SomTwin& other, std::uint32_t first, std::uint32_t last) override {
    const DeviceScope scope(*device_);
    const CudaSom* const readable = readable_by_kernels(other);
    if (readable == nullptr) return SomTwin::copy_weights(other, first, last);
    map_.copy_weights(readable->map_, first, last);
  }
  void end_update() override {
    const DeviceScope scope(*device_);
    updater_.measure_norms(map_.view());
    device_->stream().wait("update of a map");
    hits_.assign(hits_.size(), 0);
  }
  SomCodebook codebook() const override {
    SomCodebook copy{units(), map_.view().columns,
                     std::vector<float>(std::size_t{units()} * map_.view().columns)};
    read_weights(0, copy.weight);
    return copy;
  }

  std::uint32_t units() const override { return lattice_.units(); }
  std::size_t threads() const override { return staging_.threads(); }
  std::string description() const override { return code_.on(*device_); }

  const DevicePointer& device() const { return device_; }
  std::unique_ptr<DeviceSomRows> empty_rows() {
    return std::make_unique<DeviceSomRows>(device_, staging_, SomMatcher::near_columns(*device_));
  }

  /// Room for the sums of the wide units that these rows may have, beside those held before.
  void reserve_wide(const SomRows& rows) {
    held_ += rows.rows;
    map_.reserve_wide(
        std::min<std::uint64_t>(lattice_.units(), held_ / (SomGrid::kNarrowRows + 1)));
  }
  /// Room for parts of `rows` rows.
  void reserve(std::uint32_t rows) {
    matcher_.reserve(rows);
    accumulator_.reserve(map_.view(), rows);
  }
  SomTally match(const DeviceSomRows& rows, SomMatch* matches) {
    return matcher_.match(rows, map_.view(), neighbors_.data(), matches);
  }
  void accumulate(const DeviceSomRows& rows, const SomMatch* matches) {
    accumulator_.add(rows, matches, map_.view());
  }
  void count_hits(const SomMatch* matches, std::uint32_t rows, std::span<std::int64_t> hits) {
    accumulator_.count_hits(matches, rows, hits);
  }

 private:
  /// The other twin if this one's kernels can read its memory, else null.
  const CudaSom* readable_by_kernels(const SomTwin& other) const {
    const auto* const on_device = dynamic_cast<const CudaSom*>(&other);
    if (on_device == nullptr || !on_device->device_->lets_read(*device_)) return nullptr;
    return on_device;
  }
  void begin(const SomGrid& grid) {
    map_.begin_sums(grid);
    hits_ = grid.hits();
  }

  const SomLattice lattice_;
  const DevicePointer device_;
  const KernelCode code_;  // asked for before any kernel is launched
  Staging staging_;
  DeviceSomMap map_;
  SomMatcher matcher_;
  SomAccumulator accumulator_;
  SomUpdater updater_;
  const DeviceBuffer<std::uint32_t> neighbors_;  // [units, kMostNeighbors]
  std::vector<std::int64_t> hits_;               // of the grid
  std::uint64_t held_ = 0;                       // rows
};

std::size_t bytes_of(const SomRows& rows) {
  return (rows.row_begin[rows.rows] - rows.row_begin[0]) * sizeof(SomEntry);
}

/// Cuts rows into portions of at most `bytes`, but of at least one row.
std::vector<SomRows> cut(const SomRows& rows, std::size_t bytes) {
  std::vector<SomRows> portions;
  const std::uint32_t count = rows.rows;
  for (std::uint32_t begin = 0; begin < count;) {
    std::uint32_t end = begin + 1;
    while (end < count && bytes_of(partition_of(rows, begin, end + 1)) <= bytes) ++end;
    portions.push_back(partition_of(rows, begin, end));
    begin = end;
  }
  return portions;
}

/// Rows in training. The device holds all of them, or gets them in portions whenever they are
/// needed: the next portion is copied while the one before is worked on. Every other pass goes
/// backwards, so it begins with the two portions that are still there.
class CudaSomPart final : public SomPart {
 public:
  CudaSomPart(CudaSom& twin, const SomRows& rows)
      : twin_(twin), matches_(twin.device(), rows.rows) {
    cuda_check(cudaMemsetAsync(matches_.data(), 0xff, matches_.bytes(), twin.device()->stream()),
               "matches");  // kNoUnit

    // If all rows fit beside the sums, they stay on the device. Otherwise they come in portions,
    // and the host finds their bound.
    twin.reserve_wide(rows);
    if (try_to_hold(rows)) return;
    portion(rows);
    bound_ = bound_of(rows, twin.threads());
  }
  ~CudaSomPart() override {
    const DeviceScope scope(*twin_.device(), std::nothrow);
    slots_.clear();
  }

  SomBound bound() const override { return bound_; }
  SomTally match() override {
    SomTally tally;
    run([&](const DeviceSomRows& rows, SomMatch* matches) {
      // The order of portions may show in the last bits of the distance, which is only reported.
      tally += twin_.match(rows, matches);
    });
    return tally;
  }
  void count_hits(std::span<std::int64_t> hits) const override {
    const DeviceScope scope(*twin_.device());
    twin_.count_hits(matches_.data(), static_cast<std::uint32_t>(matches_.size()), hits);
  }
  void accumulate() override {
    run([&](const DeviceSomRows& rows, SomMatch* matches) {
      // Sums are integers, so the order of portions does not matter.
      twin_.accumulate(rows, matches);
    });
  }
  std::vector<SomMatch> matches() const override {
    const DeviceScope scope(*twin_.device());
    return download(*twin_.device(), matches_.data(), matches_.size(), "matches");
  }

 private:
  bool try_to_hold(const SomRows& rows) try {
    twin_.reserve(rows.rows);
    slots_.push_back(twin_.empty_rows());
    slots_[0]->load(rows);
    bound_ = SomBound::of(slots_[0]->largest());
    return true;
  } catch (const Error& e) {
    if (e.code() != Errc::kOutOfMemory) throw;
    slots_.clear();
    return false;
  }

  /// Halves the portions until two of them fit at once.
  void portion(const SomRows& rows) {
    // Two slots, so that one portion can be copied while the other is worked on. A quarter of the
    // rows leaves room for what the calls need besides.
    std::size_t bytes = bytes_of(rows) / 4;
    while (true) {
      portions_ = cut(rows, bytes);
      bytes /= 2;

      // A slot is tried with the portion of most rows and with that of most entries. So it never
      // grows, and cannot fail, while the map is trained.
      try {
        const auto largest = std::ranges::max_element(portions_, {}, bytes_of);
        const auto longest = std::ranges::max_element(portions_, {}, &SomRows::rows);
        twin_.reserve(longest->rows);
        for (int slot = 0; slot < 2; ++slot) {
          slots_.push_back(twin_.empty_rows());
          slots_.back()->load(*longest);
          slots_.back()->load(*largest);
        }
        return;
      } catch (const Error& e) {
        slots_.clear();
        if (e.code() != Errc::kOutOfMemory || portions_.size() == rows.rows) throw;
      }
    }
  }

  /// Brings a portion to the device, unless it is there. Any thread may call it.
  void load(std::size_t portion) {
    // A portion always goes to the same slot. What the slot holds counts only when the copy has
    // ended.
    std::size_t& held = held_[portion % 2];
    if (held == portion) return;

    const DeviceScope scope(*twin_.device());
    held = kNone;
    slots_[portion % 2]->load(portions_[portion]);
    held = portion;
  }

  /// Calls work(rows, their matches) for all rows.
  template <typename Work>
  void run(Work&& work) {
    const DeviceScope scope(*twin_.device());

    if (portions_.empty()) return work(*slots_[0], matches_.data());

    // Every other pass goes backwards, so it finds its first two portions in the slots.
    const std::size_t count = portions_.size();
    const auto place = [&](std::size_t i) {
      if (backwards_) return count - 1 - i;
      return i;
    };

    load(place(0));

    // The next portion is on its way, in another thread, while this one is worked on.
    for (std::size_t i = 0; i < count; ++i) {
      std::future<void> next;
      if (i + 1 < count)
        next = run_beside(twin_.threads(), [this, portion = place(i + 1)] {
          load(portion);
        });

      const std::size_t portion = place(i);
      const auto first_row = portions_[portion].row_begin - portions_[0].row_begin;
      work(*slots_[portion % 2], matches_.data() + first_row);

      // What the copy throws is thrown here, in the caller's thread.
      if (next.valid()) next.get();
    }

    backwards_ = !backwards_;
  }

  static constexpr std::size_t kNone = SIZE_MAX;

  CudaSom& twin_;
  SomBound bound_;
  DeviceBuffer<SomMatch> matches_;
  std::vector<std::unique_ptr<DeviceSomRows>>
      slots_;  // one that holds all rows, or two for portions
  std::vector<SomRows> portions_;
  std::size_t held_[2] = {kNone, kNone};  // portions that the slots hold
  bool backwards_ = false;
};

std::unique_ptr<SomPart> CudaSom::hold(const SomRows& rows) {
  check_columns(rows, map_.view().columns);
  const DeviceScope scope(*device_);
  return std::make_unique<CudaSomPart>(*this, rows);
}

}  // namespace
}  // namespace cuda

std::unique_ptr<SomTwin> make_cuda_som(const SomLattice& lattice, std::uint32_t columns,
                                       const BackendOptions& options) {
  check_lattice(lattice);
  const auto device = std::make_shared<cuda::Device>(options.device, options.memory);
  const cuda::DeviceScope scope(*device);
  return std::make_unique<cuda::CudaSom>(lattice, columns, device, options.threads);
}

}  // namespace kindred
