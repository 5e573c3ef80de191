// The kernels of a map in the compiler's vectors of 16 floats. This header has no guard:
// kernels.cpp includes it in a namespace for each instruction set, after it has defined there
// - KINDRED_TARGET: the attribute of the set;
// - kVectors: the vectors of units that fit its registers.
//
// Floor: a weight of a row takes one load and one multiply-add for 16 units. So a match
// moves nonzeros x units x 4 bytes, most of it from the second-level cache. Units go in chunks of
// kVectors x 16, which keeps the frequent columns of a chunk there for a whole block of rows.

typedef float Floats __attribute__((vector_size(64)));
typedef std::int32_t Ints __attribute__((vector_size(64)));

/// The two best units of each lane.
struct LaneBest {
  Floats score[2];
  Ints unit[2];
};

KINDRED_TARGET inline void clear(LaneBest& best) {
  for (int i = 0; i < 2; ++i) {
    best.score[i] = Floats{} + std::numeric_limits<float>::infinity();
    best.unit[i] = Ints{} - 1;
  }
}

/// Enters |w|^2 - 2 dot of 16 units from `first`. Units come in ascending order, so `<` leaves ties
/// to the lower one.
KINDRED_TARGET inline void enter(const Floats& dot, const float* squared_norm, std::uint32_t first,
                                 LaneBest& best) {
  const Floats score = *reinterpret_cast<const Floats*>(squared_norm + first) - (dot + dot);
  const Ints lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Ints unit = lane + static_cast<std::int32_t>(first);

  // Both places are decided before any is written: what takes the first place moves the former
  // first to the second. Choices by mask keep all 16 lanes together.
  const Ints first_place = score < best.score[0];
  const Ints second_place = score < best.score[1];
  const Floats rest = second_place ? score : best.score[1];
  const Ints rest_unit = second_place ? unit : best.unit[1];

  best.score[1] = first_place ? best.score[0] : rest;
  best.unit[1] = first_place ? best.unit[0] : rest_unit;
  best.score[0] = first_place ? score : best.score[0];
  best.unit[0] = first_place ? unit : best.unit[0];
}

/// The two best of all lanes: by score, then by unit.
KINDRED_TARGET inline SomBest finish(const LaneBest& lanes) {
  constexpr float kNone = std::numeric_limits<float>::infinity();
  SomBest best = {{kNone, kNone}, {UINT32_MAX, UINT32_MAX}};

  // Lanes hold units in turn, so that here, the number decides between equal scores.
  for (int place = 0; place < 2; ++place) {
    for (std::uint32_t lane = 0; lane < kSomLanes; ++lane) {
      const float score = lanes.score[place][lane];
      const auto unit = static_cast<std::uint32_t>(lanes.unit[place][lane]);
      if (!(score < kNone)) continue;

      const auto before = [&](int i) {
        return score < best.score[i] || (score == best.score[i] && unit < best.unit[i]);
      };

      // What takes the first place moves the former first to the second.
      if (before(0)) {
        best.score[1] = best.score[0];
        best.unit[1] = best.unit[0];
        best.score[0] = score;
        best.unit[0] = unit;
      } else if (before(1)) {
        best.score[1] = score;
        best.unit[1] = unit;
      }
    }
  }
  return best;
}

/// V vectors of units from `first`, for one row.
template <int V>
KINDRED_TARGET inline void match_units(const SomCodebookView& codebook, const SomRows& rows,
                                       std::uint32_t row, std::uint32_t first, LaneBest& best) {
  Floats dot[V] = {};

  // The weights of a column lie side by side, so an entry of the row serves all units of the chunk.
  const std::uint64_t end = rows.row_begin[row + 1];
  for (std::uint64_t i = rows.row_begin[row]; i < end; ++i) {
    const auto* weights = reinterpret_cast<const Floats*>(
        codebook.weight + std::size_t{rows.column[i]} * codebook.stride + first);
    const float x = rows.weight[i];
    for (int v = 0; v < V; ++v) dot[v] += x * weights[v];
  }

  for (int v = 0; v < V; ++v)
    enter(dot[v], codebook.squared_norm, first + static_cast<std::uint32_t>(v) * kSomLanes, best);
}

KINDRED_TARGET void match(const SomCodebookView& codebook, const SomRows& rows, std::uint32_t begin,
                          std::uint32_t end, SomBest* best) {
  alignas(64) LaneBest lanes[kSomBlock];
  for (std::uint32_t row = begin; row < end; ++row) clear(lanes[row - begin]);

  // Whole chunks first, then one vector at a time. All rows of the block go through a chunk before
  // the next, as its frequent columns are in the cache then.
  constexpr std::uint32_t kChunk = kVectors * kSomLanes;
  std::uint32_t first = 0;
  for (; first + kChunk <= codebook.stride; first += kChunk)
    for (std::uint32_t row = begin; row < end; ++row)
      match_units<kVectors>(codebook, rows, row, first, lanes[row - begin]);
  for (; first < codebook.stride; first += kSomLanes)
    for (std::uint32_t row = begin; row < end; ++row)
      match_units<1>(codebook, rows, row, first, lanes[row - begin]);

  for (std::uint32_t row = begin; row < end; ++row) best[row - begin] = finish(lanes[row - begin]);
}

KINDRED_TARGET void add_scaled(float factor, const float* source, std::size_t size, float* target) {
  for (std::size_t i = 0; i < size; ++i) target[i] += factor * source[i];
}

KINDRED_TARGET void take(const float* quanta, std::size_t size, std::int32_t* sums, float* values) {
  for (std::size_t i = 0; i < size; i += kSomLanes) {
    auto* sum = reinterpret_cast<Ints*>(sums + i);
    *reinterpret_cast<Floats*>(values + i) =
        __builtin_convertvector(*sum, Floats) * *reinterpret_cast<const Floats*>(quanta + i);
    *sum = Ints{};
  }
}

constexpr SomKernels kKernels = {match, add_scaled, take};
