// The step of a batch map: smooths the sums over the lattice and moves the units.
// Floor: the sums read and the codebook written once, and two passes of columns x units x side
// multiply-adds in between.
// Shape: a block takes 64 columns of a line of the lattice (a row or a column of units) through
// shared memory. A thread has two columns and eight targets. Sources are added in ascending order,
// with one rounding per multiplication and one per addition, as on the CPU.
#include "gpu/cuda/som/update.cuh"

#include <algorithm>

namespace kindred::cuda {
namespace {

constexpr unsigned kTileColumns = 64;
constexpr unsigned kTileLanes = 32;
constexpr unsigned kTileTargets = 8;
constexpr unsigned kColumnsAThread = kTileColumns / kTileLanes;
constexpr unsigned kTargetsAThread = 8;
constexpr std::uint32_t kSources = 64;  // of a line, in shared memory at once
constexpr std::uint32_t kTargets = kTileTargets * kTargetsAThread;
constexpr std::size_t kAlongFloats = std::size_t{1} << 24;

/// Values of units by column, [units, all_columns]; columns [first, first + columns) of them.
struct Image {
  const float* value;
  std::uint32_t all_columns;
  std::uint32_t first;
  std::uint32_t columns;

  __device__ float at(std::uint32_t unit, std::uint32_t column) const {
    if (column >= columns) return 0;
    return value[std::size_t{unit} * all_columns + first + column];
  }
};

/// The sums of units, as floats; columns [first, first + columns) of them.
struct SumsImage {
  SomMapView map;
  std::uint32_t first;
  std::uint32_t columns;

  __device__ float at(std::uint32_t unit, std::uint32_t column) const {
    if (column >= columns) return 0;
    const SomUnitGrid grid = map.grid[unit];
    const float sum = grid.slot == SomGrid::kNarrow
                          ? static_cast<float>(map.narrow_sum(unit, first + column))
                          : static_cast<float>(map.wide_sum(grid.slot, first + column));
    return sum * grid.quantum;
  }
};

/// Units on a line of the lattice: unit i is first + i * step.
struct LatticeLine {
  std::uint32_t first;
  std::uint32_t step;
  std::uint32_t size;
  __device__ std::uint32_t unit(std::uint32_t i) const { return first + i * step; }
};

/// A thread's sums: of target base + threadIdx.y + k * kTileTargets, in column column_of(j).
struct TargetSums {
  float value[kTargetsAThread][kColumnsAThread];
};

__device__ std::uint32_t column_of(unsigned j) {
  return blockIdx.y * kTileColumns + j * kTileLanes + threadIdx.x;
}

/// A block's shared memory: a part of each plane of a line, and the factors between it and its
/// targets, by target - source.
template <unsigned kPlanes>
struct LineStage {
  float source[kPlanes][kSources][kTileColumns];
  float factor[kTargets + kSources];
};

/// Adds, for targets `base` and on of a line, factor(target - source) times the sources in plane
/// (target + source) % kPlanes. `table` is indexed by target - source + line.size - 1.
template <unsigned kPlanes, typename Plane>
__device__ void add_line(LineStage<kPlanes>& shared, const Plane* planes, const LatticeLine& line,
                         const float* table, std::uint32_t base, TargetSums& sums) {
  const unsigned thread = threadIdx.y * kTileLanes + threadIdx.x;

  // Sources of a line go through shared memory in parts.
  for (std::uint32_t from = 0; from < line.size; from += kSources) {
    const std::uint32_t count = min(kSources, line.size - from);

    // All are done with the part before.
    __syncthreads();
    for (unsigned plane = 0; plane < kPlanes; ++plane)
      for (std::uint32_t s = threadIdx.y; s < count; s += kTileTargets)
        for (unsigned j = 0; j < kColumnsAThread; ++j)
          shared.source[plane][s][j * kTileLanes + threadIdx.x] =
              planes[plane].at(line.unit(from + s), column_of(j));

    // Entry i: target - source = base - from - (kSources - 1) + i.
    for (std::uint32_t i = thread; i < kTargets + kSources; i += kTileLanes * kTileTargets) {
      const std::int64_t apart = std::int64_t{base} - from - (kSources - 1) + i;
      const std::int64_t entry = apart + line.size - 1;
      const bool is_in_table = entry >= 0 && entry < 2 * std::int64_t{line.size} - 1;
      shared.factor[i] = is_in_table ? table[entry] : 0;
    }
    __syncthreads();

    for (std::uint32_t s = 0; s < count; ++s) {
      const std::uint32_t shift = threadIdx.y + (kSources - 1) - s;
      // Targets of a thread are 8 apart, so all have one parity.
      const unsigned plane = kPlanes == 1 ? 0 : (base + threadIdx.y + from + s) % 2;

      float value[kColumnsAThread];
      for (unsigned j = 0; j < kColumnsAThread; ++j)
        value[j] = shared.source[plane][s][j * kTileLanes + threadIdx.x];

      // A source value serves eight targets, each factor two columns.
      for (unsigned k = 0; k < kTargetsAThread; ++k) {
        const float factor = shared.factor[shift + k * kTileTargets];
        for (unsigned j = 0; j < kColumnsAThread; ++j) sums.value[k][j] += value[j] * factor;
      }
    }
  }
}

/// Calls write(unit, column of the image, sum) for the thread's targets on a line.
template <typename Write>
__device__ void for_targets(const LatticeLine& line, std::uint32_t base, std::uint32_t columns,
                            const TargetSums& sums, Write&& write) {
  for (unsigned k = 0; k < kTargetsAThread; ++k) {
    const std::uint32_t target = base + threadIdx.y + k * kTileTargets;
    if (target >= line.size) return;
    for (unsigned j = 0; j < kColumnsAThread; ++j)
      if (column_of(j) < columns) write(line.unit(target), column_of(j), sums.value[k][j]);
  }
}

/// Writes smoothed sums as they are, to [units].
struct ReachedOutput {
  float* reached;
  __device__ void write(std::uint32_t unit, std::uint32_t, float sum) const { reached[unit] = sum; }
};

/// Divides smoothed sums and writes them to the codebook.
struct CodebookOutput {
  SomMapView map;
  const float* reached;
  __device__ void write(std::uint32_t unit, std::uint32_t column, float sum) const {
    if (reached[unit] > 0) map.weight[map.place(unit, column)] = sum / reached[unit];
  }
};

/// Smooths along the rows, one block per row and plane: onto rows of the same shift (plane 0), and
/// onto rows of the other shift (plane 1; table 1 for even rows, 2 for odd ones).
template <typename Sums>
__global__ void smooth_along_kernel(Sums sums, SomLattice lattice, const float* tables,
                                    std::uint32_t width, float* along,
                                    std::uint32_t along_columns) {
  __shared__ LineStage<1> shared;
  const std::uint32_t row = blockIdx.x % lattice.rows;
  const std::uint32_t plane = blockIdx.x / lattice.rows;
  const LatticeLine line = {row * lattice.columns, 1, lattice.columns};
  std::uint32_t table = 0;
  if (plane != 0) table = row % 2 == 0 ? 1 : 2;

  // A block has all units of its row in some columns, so each sum is added up by one thread, in the
  // order of the sources.
  for (std::uint32_t base = 0; base < line.size; base += kTargets) {
    TargetSums result{};
    add_line<1>(shared, &sums, line, tables + std::size_t{table} * width, base, result);
    for_targets(line, base, sums.columns, result,
                [&](std::uint32_t unit, std::uint32_t column, float sum) {
                  const std::size_t units = std::size_t{lattice.rows} * lattice.columns;
                  along[(plane * units + unit) * along_columns + column] = sum;
                });
  }
}

/// Smooths across the rows, one block per column of the lattice. `across`: by target - source +
/// rows - 1.
template <unsigned kPlanes, typename Output>
__global__ void smooth_across_kernel(Image same, Image other, SomLattice lattice,
                                     const float* across, std::uint32_t first, Output output) {
  __shared__ LineStage<kPlanes> shared;
  const Image planes[2] = {same, other};
  const LatticeLine line = {blockIdx.x, lattice.columns, lattice.rows};

  // The units of a column of the lattice are a line, too: `lattice.columns` apart.
  for (std::uint32_t base = 0; base < line.size; base += kTargets) {
    TargetSums result{};
    add_line<kPlanes>(shared, planes, line, across, base, result);
    for_targets(line, base, same.columns, result,
                [&](std::uint32_t unit, std::uint32_t column, float sum) {
                  output.write(unit, first + column, sum);
                });
  }
}

/// Smooths by a cut neighborhood, one block per row of targets.
template <typename Sums, typename Output>
__global__ void smooth_cut_kernel(Sums sums, SomLattice lattice, const float* tables,
                                  std::uint32_t width, const float* across, std::uint32_t first,
                                  Output output) {
  __shared__ LineStage<1> shared;
  const std::uint32_t row = blockIdx.x;
  const LatticeLine targets = {row * lattice.columns, 1, lattice.columns};

  // Sums of all source rows come together in one thread, in their order.
  for (std::uint32_t base = 0; base < targets.size; base += kTargets) {
    TargetSums result{};

    // Rows that are too far away have factor 0 throughout, and are passed over.
    for (std::uint32_t source = 0; source < lattice.rows; ++source) {
      if (across[source + lattice.rows - 1 - row] == 0) continue;

      // Three tables for each distance, by how the rows are shifted: SomFactors::table_of().
      const std::uint32_t apart = max(row, source) - min(row, source);
      std::uint32_t table = apart * 3;
      if (lattice.hexagonal && apart % 2 == 1) table += row % 2 == 1 ? 1 : 2;
      const LatticeLine sources = {source * lattice.columns, 1, lattice.columns};
      add_line<1>(shared, &sums, sources, tables + std::size_t{table} * width, base, result);
    }

    for_targets(targets, base, sums.columns, result,
                [&](std::uint32_t unit, std::uint32_t column, float sum) {
                  output.write(unit, first + column, sum);
                });
  }
}

/// One warp per slice, one lane per unit.
__global__ void measure_norms_kernel(SomMapView map) {
  const std::uint32_t unit = blockIdx.x * kSliceUnits + threadIdx.x;
  const float* weights = map.weight + std::size_t{blockIdx.x} * map.columns * kSliceUnits;

  // A lane adds up its unit alone, in the order of the columns, as on the CPU.
  double sum = 0;
#pragma unroll 64
  for (std::uint32_t c = 0; c < map.columns; ++c) {
    const double weight = weights[std::size_t{c} * kSliceUnits + threadIdx.x];
    sum += weight * weight;
  }

  map.exact_norm[unit] = sum;
  map.squared_norm[unit] = unit < map.units ? static_cast<float>(sum) : INFINITY;
}

}  // namespace

SomUpdater::SomUpdater(DevicePointer device, const SomMapView& map)
    : device_(std::move(device)),
      columns_at_once_(static_cast<std::uint32_t>(
          std::clamp<std::size_t>(kAlongFloats / map.units / kTileColumns * kTileColumns,
                                  kTileColumns, (map.columns / kTileColumns + 1) * kTileColumns))),
      along_(device_, std::size_t{2} * map.units * columns_at_once_),
      hits_(device_, map.units),
      reached_(device_, map.units) {}

/// Smooths an image of sums by unit.
template <typename Sums, typename Output>
void SomUpdater::smooth(const SomFactors& factors, const Sums& sums, const Output& output) {
  const SomLattice& lattice = factors.lattice();
  const cudaStream_t stream = device_->stream();
  const std::uint32_t first = sums.first;
  const std::uint32_t columns = sums.columns;
  const unsigned tiles = (columns + kTileColumns - 1) / kTileColumns;
  const dim3 threads(kTileLanes, kTileTargets);

  // A cut neighborhood does not separate, so each row of targets looks at all rows of sources.
  if (!factors.is_separable()) {
    smooth_cut_kernel<<<dim3(lattice.rows, tiles), threads, 0, stream>>>(
        sums, lattice, tables_.data(), factors.width(), across_.data(), first, output);
    return launch_check("smooth_cut_kernel");
  }

  // Along the rows first: onto rows of the same shift and, on a hexagonal lattice, onto those of
  // the other.
  const unsigned planes = lattice.hexagonal ? 2 : 1;
  smooth_along_kernel<<<dim3(lattice.rows * planes, tiles), threads, 0, stream>>>(
      sums, lattice, tables_.data(), factors.width(), along_.data(), columns_at_once_);
  launch_check("smooth_along_kernel");

  // Then across the rows. A target takes from the plane that has its own shift or the other, by the
  // parity of the distance.
  const std::size_t plane = std::size_t{lattice.units()} * columns_at_once_;
  const Image same = {along_.data(), columns_at_once_, 0, columns};
  const Image other = {along_.data() + plane, columns_at_once_, 0, columns};

  const auto across =
      planes == 2 ? smooth_across_kernel<2, Output> : smooth_across_kernel<1, Output>;
  across<<<dim3(lattice.columns, tiles), threads, 0, stream>>>(same, other, lattice, across_.data(),
                                                               first, output);
  launch_check("smooth_across_kernel");
}

void SomUpdater::update(const SomFactors& factors, const std::vector<std::int64_t>& hits,
                        const SomMapView& map, std::uint32_t first, std::uint32_t last) {
  const SomLattice& lattice = factors.lattice();

  // The factor across the rows depends on how far apart they are.
  std::vector<float> across(2 * std::size_t{lattice.rows} - 1);
  for (std::uint32_t apart = 0; apart < lattice.rows; ++apart) {
    const float factor = factors.across()[apart];
    across[lattice.rows - 1 + apart] = factor;
    across[lattice.rows - 1 - apart] = factor;
  }

  tables_ = upload<float>(device_, factors.tables());
  across_ = upload<float>(device_, across);
  hits_ = upload<float>(device_, std::vector<float>(hits.begin(), hits.end()));

  // Smoothed hits are what each unit's smoothed sums are divided by. They are the same for all
  // columns, so they come first.
  smooth(factors, Image{hits_.data(), 1, 0, 1}, ReachedOutput{reached_.data()});
  for (; first < last; first += columns_at_once_)
    smooth(factors, SumsImage{map, first, std::min(columns_at_once_, last - first)},
           CodebookOutput{map, reached_.data()});
}

void SomUpdater::measure_norms(const SomMapView& map) {
  measure_norms_kernel<<<map.slices(), kSliceUnits, 0, device_->stream()>>>(map);
  launch_check("measure_norms_kernel");
}

}  // namespace kindred::cuda
