#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/options.h"

namespace kindred::attack {

/// A random mirror and what is asked of it. Each part of the data depends on the seed, on the
/// number of the part and on its own parameters only, so that a case stays much the same when one
/// parameter gets smaller.
struct TwinCase {
  std::uint64_t seed = 1;
  std::uint64_t rows = 1;             ///< at first
  std::uint64_t columns = 1;          ///< at first
  std::uint64_t terms = 1;            ///< of a row, in the mean
  std::uint64_t repeats = 0;          ///< percent of rows that repeat the one before: exact ties
  std::uint64_t long_rows = 0;        ///< of 10,000 rows, those that may have any number of terms
  std::uint64_t counts = 0;           ///< a CountKind
  std::uint64_t weights = 0;          ///< a WeightKind
  std::uint64_t dot = 0;              ///< 1: in the order of the dot product
  std::uint64_t labels = 1;           ///< distinct ones
  std::uint64_t changes = 0;          ///< of the mirror: rows replaced, added, and dead
  std::uint64_t relabels = 0;         ///< percent of changes that give rows only other labels
  std::uint64_t empties = 0;          ///< percent of changes after which no row is alive
  std::uint64_t gap = 1;              ///< between the numbers of documents, about; 1: none
  std::uint64_t queries = 1;          ///< at most, of a batch
  std::uint64_t more_batches = 0;     ///< after each change, of any size, in the forms of a tuning
  std::uint64_t rows_as_queries = 0;  ///< percent of batches made of rows of the mirror
  std::uint64_t neighbors = 1;        ///< wanted, at most
  std::uint64_t filters = 0;          ///< percent of batches that only some rows may answer
  std::uint64_t replicas = 0;         ///< 1: several devices, each with the whole mirror
  std::uint64_t tiles = 0;            ///< a TileTiming of the CPU that follows
  std::uint64_t threads = 0;          ///< of the CPU that follows, without replicas
};

enum CountKind : std::uint64_t { kOnes, kText, kBytes, kAny, kLearned, kCountKinds };
/// kTunedIdf: over four orders of magnitude, half of them 0, also of terms that no document has.
enum WeightKind : std::uint64_t { kLogarithms, kPlainCounts, kRandomIdf, kTunedIdf, kWeightKinds };

/// A parameter of a case, and the smallest value that it may have.
struct Parameter {
  const char* name;
  std::uint64_t TwinCase::*value;
  std::uint64_t least;
};

/// All but the seed, those first whose decrease makes a case most legible.
const std::vector<Parameter>& parameters();

TwinCase random_case(std::uint64_t seed, bool several_devices);

/// As the options of the program: "--case 7 --rows 12 ...".
std::string options_of(const TwinCase& shape);

/// What comparing a case showed.
struct Comparison {
  std::size_t answers = 0;  ///< neighbors and shares of labels that were compared
  std::string difference;   ///< the first one, in words; "" if there is none
};

/// Lets `kind` ("cuda" or "cpu") follow the changes of the case's mirror, and compares each answer
/// with that of a CPU backend made from nothing, bit by bit.
/// @param devices the ordinals of several, for a case of replicas; CPUs need none
/// @throws Error of the backend.
Comparison compare(const TwinCase& shape, const std::string& kind, const std::vector<int>& devices);

}  // namespace kindred::attack
