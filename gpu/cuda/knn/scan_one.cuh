#pragma once

#include <cuda_runtime.h>
#include <cstdint>

#include "gpu/cuda/device/device.cuh"
#include "gpu/cuda/knn/search.cuh"

namespace kindred::cuda {

/// Called once per device, which is current, before the first scan. @throws Error kDevice.
void enable_scan();

/// True if a single query is answered sooner from the rows, which have this many entries, than from
/// their postings.
bool pays_to_scan(const Device& device, std::uint64_t entries);

/// How many blocks scan a mirror of this many rows: the parts of a query.
std::uint32_t scan_parts(const Device& device, std::uint32_t rows);

/// How many entries a block scans in one step. So many rows take a step, too.
inline constexpr std::uint32_t kEntriesOfStep = 5760;
inline constexpr std::uint32_t kRowsOfStep = 288;

/// Like search_one(), but scores every row of the mirror, those of job.part_begin by a block each.
/// Does not read job.slot_bits.
template <typename OwnQuery>
void scan_one(const SearchJob& job, const OwnQuery& query, cudaStream_t stream);

}  // namespace kindred::cuda
