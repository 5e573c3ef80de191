#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cpu/instruction_set.h"

namespace kindred::cpu {

/// Documents that a scan takes at once; tiles are padded to it.
inline constexpr std::uint32_t kScanGroup = 128;

/// One bit plane of one query term: `add` for every document whose bit is set.
struct BitPlane {
  const std::uint16_t* bits;  ///< of the whole tile
  std::uint32_t add;
};

/// What passed the scan: documents by their number in the tile, ascending, and their sums.
struct Survivors {
  static constexpr std::uint32_t kCapacity = 512;
  std::uint32_t size = 0;
  std::uint32_t document[kCapacity + 16];  ///< room for one vector's overrun
  std::uint32_t sum[kCapacity + 16];
};

struct ScanInput {
  std::uint32_t* accumulators;  ///< [padded documents], 64-byte aligned; left 0 where scanned
  const float* reciprocals;     ///< [padded documents], 64-byte aligned, 0 for padding, which so
                                ///< never survives
  const BitPlane* planes;
  std::size_t plane_count;
  const std::uint64_t* allowed;  ///< bit d % 64 of word d / 64, or null: all; not read for padding
  std::uint32_t begin, end;      ///< documents, multiples of kScanGroup
  float threshold;               ///< survivors have float(sum + lacks) * reciprocal > threshold
  std::uint32_t lacks;           ///< at most, by a sum; with it a sum is below 2^31
};

/// Finishes the sums of documents [begin, end) with the planes, appends the survivors, and zeroes
/// the accumulators. Returns `end`. If `survivors` may not have room for another kScanGroup, stops
/// before and returns the multiple of kScanGroup where it stopped.
using ScanFunction = std::uint32_t (*)(const ScanInput& input, Survivors& survivors);

/// The kernel for an instruction set; all give the same bits.
ScanFunction choose_scan(InstructionSet set);

}  // namespace kindred::cpu
