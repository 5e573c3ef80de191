#pragma once

#include <xapian.h>
#include <cstddef>
#include <span>
#include <vector>

#include "gpu/queries.h"
#include "gpu/workers.h"

namespace kindred {

/// Documents as queries, in their order: what weigh(docid, queries) appends for each, called by
/// several threads.
template <typename Weigh>
Queries weighed(std::span<const Xapian::docid> docids, std::size_t threads, Weigh&& weigh) {
  constexpr std::size_t kWeighedAtOnce = 64;
  std::vector<Queries> parts(number_of_chunks(docids.size(), kWeighedAtOnce));
  for_each_chunk(docids.size(), kWeighedAtOnce, threads, [&](std::size_t begin, std::size_t end) {
    Queries& part = parts[begin / kWeighedAtOnce];
    for (const Xapian::docid docid : docids.subspan(begin, end - begin)) weigh(docid, part);
  });
  Queries all;
  for (const Queries& part : parts) all.append(part);
  return all;
}

}  // namespace kindred
