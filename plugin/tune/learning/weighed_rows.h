#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/queries.h"
#include "gpu/workers.h"

namespace kindred {

/// Rows as queries, in their order: what weigh(row, queries) appends for each, called by several
/// threads.
template <typename Weigh>
Queries weighed_rows(std::span<const std::uint32_t> rows, std::size_t threads, Weigh&& weigh) {
  constexpr std::size_t kWeighedAtOnce = 64;
  std::vector<Queries> parts(number_of_chunks(rows.size(), kWeighedAtOnce));
  for_each_chunk(rows.size(), kWeighedAtOnce, threads, [&](std::size_t begin, std::size_t end) {
    Queries& part = parts[begin / kWeighedAtOnce];
    for (const std::uint32_t row : rows.subspan(begin, end - begin)) weigh(row, part);
  });
  Queries all;
  for (const Queries& part : parts) all.append(part);
  return all;
}

}  // namespace kindred
