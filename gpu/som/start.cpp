#include "gpu/som/start.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace kindred {
namespace {

/// Unlike the standard's distributions, this gives the same numbers in every library.
double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

void start_uniform(std::mt19937_64& random, SomCodebook& codebook) {
  // Numbers are drawn in the order of the weights, so that a seed gives the same map on every
  // machine. A double close to 1 would round up to it, which is no longer in [0, 1).
  std::vector<double> squared(codebook.units);
  for (std::size_t i = 0; i < codebook.weight.size(); ++i) {
    const auto value = static_cast<float>(uniform(random));
    codebook.weight[i] = std::min(value, 0x1.fffffep-1f);
    squared[i % codebook.units] += static_cast<double>(value) * value;
  }

  // All units have length 1, as rows of sparse weights do.
  for (std::size_t i = 0; i < codebook.weight.size(); ++i) {
    const double length = std::sqrt(squared[i % codebook.units]);
    if (length > 0) codebook.weight[i] = static_cast<float>(codebook.weight[i] / length);
  }
}

/// One row number per unit, counted over all partitions: all rows shuffled, as often as it takes.
/// None if there are no rows.
std::vector<std::uint64_t> draw_rows(std::uint64_t rows, std::uint32_t units,
                                     std::mt19937_64& random) {
  std::vector<std::uint64_t> deck(rows);
  std::iota(deck.begin(), deck.end(), std::uint64_t{0});
  std::vector<std::uint64_t> drawn;
  drawn.reserve(units);

  // A step of a shuffle (Fisher and Yates) for each unit: what is drawn moves to the front of the
  // deck. When all rows are drawn, the deck is shuffled again.
  while (rows > 0 && drawn.size() < units) {
    const std::uint64_t next = drawn.size() % rows;
    const auto pick =
        static_cast<std::uint64_t>(uniform(random) * static_cast<double>(rows - next));

    // The bound is for a number that rounds up to the whole rest.
    std::swap(deck[next], deck[next + std::min(pick, rows - next - 1)]);
    drawn.push_back(deck[next]);
  }
  return drawn;
}

void start_documents(Partitions partitions, std::mt19937_64& random, SomCodebook& codebook) {
  const auto drawn = draw_rows(count_rows(partitions), codebook.units, random);

  // Rows are numbered over all partitions: finds the partition, and the row's number in it.
  for (std::uint32_t unit = 0; unit < drawn.size(); ++unit) {
    std::uint64_t row = drawn[unit];
    std::size_t p = 0;
    while (row >= partitions[p].rows) {
      row -= partitions[p].rows;
      ++p;
    }

    const auto number = static_cast<std::uint32_t>(row);
    partitions[p].each_entry(number, [&](std::uint32_t column, float value) {
      // Columns that the row lacks stay 0.
      codebook.column(column)[unit] = value;
    });
  }
}

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add_scaled(double factor, const Vector& source, Vector& target) {
  for (std::size_t i = 0; i < target.size(); ++i) {
    target[i] += factor * source[i];
  }
}

/// Scales to length 1; returns the length it had.
double normalize(Vector& v) {
  const double length = std::sqrt(dot(v, v));
  for (double& value : v) value = length > 0 ? value / length : 0;
  return length;
}

Vector mean_of(Partitions partitions, std::uint32_t columns, double rows) {
  Vector mean(columns);
  for (const SomRows& partition : partitions) {
    for (std::uint32_t row = 0; row < partition.rows; ++row) {
      partition.each_entry(row, [&](std::uint32_t column, float value) {
        mean[column] += value / rows;
      });
    }
  }
  return mean;
}

struct PrincipalPlane {
  Vector mean;
  std::array<Vector, 2> axis;            ///< orthonormal, the axis of larger deviation first
  std::array<double, 2> deviation = {};  ///< standard deviation along each
};

/// One round: axis -> covariance x axis for both, orthonormalized.
void iterate(Partitions partitions, double rows, PrincipalPlane& plane) {
  std::array<Vector, 2> image = {Vector(plane.mean.size()), Vector(plane.mean.size())};

  // A row less the mean has this component less along each axis. So rows need not be centered,
  // which would make them dense.
  const std::array<double, 2> center = {dot(plane.mean, plane.axis[0]),
                                        dot(plane.mean, plane.axis[1])};

  for (const SomRows& partition : partitions) {
    for (std::uint32_t row = 0; row < partition.rows; ++row) {
      // First the row's components along both axes, then the row times each of these.
      std::array<double, 2> along = {-center[0], -center[1]};
      partition.each_entry(row, [&](std::uint32_t column, float x) {
        for (int i = 0; i < 2; ++i) along[i] += x * plane.axis[i][column];
      });
      partition.each_entry(row, [&](std::uint32_t column, float x) {
        for (int i = 0; i < 2; ++i) image[i][column] += x * along[i] / rows;
      });
    }
  }

  // The sum of `along` over all rows is 0, so subtracting the mean would not change the image.
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < i; ++j) add_scaled(-dot(image[i], image[j]), image[j], image[i]);
    plane.deviation[i] = std::sqrt(normalize(image[i]));
  }

  plane.axis = std::move(image);
}

void start_plane(const SomLattice& lattice, Partitions partitions, std::mt19937_64& random,
                 SomCodebook& codebook) {
  constexpr int kRounds = 30;

  const auto rows = static_cast<double>(count_rows(partitions));
  PrincipalPlane plane{mean_of(partitions, codebook.columns, rows), {}, {}};

  // Axes at random are almost surely not orthogonal to the principal ones. Each round turns them
  // towards these.
  for (Vector& axis : plane.axis) {
    axis.resize(codebook.columns);
    for (double& value : axis) value = uniform(random) - 0.5;
    normalize(axis);
  }

  for (int round = 0; round < kRounds; ++round) iterate(partitions, rows, plane);

  // The longer side of the map takes the larger component.
  const bool wide = lattice.columns >= lattice.rows;

  // Places 0 .. n - 1 on a line from -1 to 1; a map of one row or column lies on the mean.
  const auto place = [](std::uint32_t i, std::uint32_t n) {
    if (n <= 1) return 0.0;
    return 2.0 * i / (n - 1) - 1;
  };

  // One standard deviation to each side of the mean, along both axes.
  for (std::uint32_t column = 0; column < codebook.columns; ++column) {
    float* weights = codebook.column(column);
    for (std::uint32_t unit = 0; unit < codebook.units; ++unit) {
      const double x = place(unit % lattice.columns, lattice.columns);
      const double y = place(unit / lattice.columns, lattice.rows);
      const double first = wide ? x : y;
      const double second = wide ? y : x;
      weights[unit] = static_cast<float>(plane.mean[column] +
                                         first * plane.deviation[0] * plane.axis[0][column] +
                                         second * plane.deviation[1] * plane.axis[1][column]);
    }
  }
}

}  // namespace

SomCodebook start_codebook(const SomLattice& lattice, Partitions partitions, SomStart start,
                           std::uint64_t seed) {
  const std::uint32_t columns = partitions.front().columns;
  SomCodebook codebook{lattice.units(), columns,
                       std::vector<float>(std::size_t{columns} * lattice.units())};

  // The generator is the standard's, whose numbers are fixed, and is used in one fixed order.
  std::mt19937_64 random(seed);
  switch (start) {
    case SomStart::kUniform:
      start_uniform(random, codebook);
      break;
    case SomStart::kDocuments:
      start_documents(partitions, random, codebook);
      break;
    case SomStart::kPrincipalPlane:
      start_plane(lattice, partitions, random, codebook);
      break;
  }
  return codebook;
}

}  // namespace kindred
