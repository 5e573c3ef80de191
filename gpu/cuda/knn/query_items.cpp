#include "gpu/cuda/knn/query_items.h"

#include <algorithm>
#include <array>

namespace kindred::cuda {
namespace {

constexpr std::uint64_t kStep = 8;  // terms
constexpr std::size_t kCosts = kManyTerms / kStep + 2;

/// Falls with the number of terms. 0: more than kManyTerms.
std::size_t place_of(std::uint64_t terms) {
  return terms > kManyTerms ? 0 : 1 + (kManyTerms - terms) / kStep;
}

}  // namespace

std::uint32_t list_items(const QueryView& queries, Chunk chunk, std::span<QueryItem> items) {
  const std::uint64_t* const begin = queries.row_begin;
  std::array<std::uint32_t, kCosts + 1> first{};
  for (std::size_t q = chunk.first; q < chunk.last; ++q)
    ++first[place_of(begin[q + 1] - begin[q]) + 1];
  const std::uint32_t of_many_terms = first[1];
  for (std::size_t cost = 1; cost < first.size(); ++cost) first[cost] += first[cost - 1];
  for (std::size_t q = chunk.first; q < chunk.last; ++q) {
    const std::uint64_t terms = begin[q + 1] - begin[q];
    items[first[place_of(terms)]++] = {static_cast<std::uint32_t>(begin[q] - begin[chunk.first]),
                                       static_cast<std::uint32_t>(terms),
                                       static_cast<std::uint32_t>(q - chunk.first)};
  }
  return std::min(of_many_terms, kMostLong);
}

}  // namespace kindred::cuda
