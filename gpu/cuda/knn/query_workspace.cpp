#include "gpu/cuda/knn/query_workspace.cuh"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "config/error.h"
#include "gpu/cuda/knn/scan_one.cuh"
#include "gpu/knn/row_shares.h"

namespace kindred::cuda {

QueryWorkspace::QueryWorkspace() : fault(1), progress(1), arrived(1) {}

QueryWorkspace::~QueryWorkspace() {
  stream.settle();
  beside.stream.settle();
}

void QueryWorkspace::wait_for(std::span<const std::uint64_t> words) const {
  constexpr int kLooks = 1 << 16;         // about 200 us
  constexpr int kLooksBetween = 1 << 12;  // two checks whether the stream failed

  // Goes on from the word that was waited for last. Words are volatile, as the device writes them.
  const volatile std::uint64_t* word = words.data();
  const auto have_arrived = [&] {
    while (word != words.data() + words.size() && *word != kNotYet) ++word;
    return word == words.data() + words.size();
  };

  // Looks for a while, and at times asks whether the stream failed: then no word would ever come.
  for (int look = 1; !have_arrived() && look < kLooks; ++look) {
    if (look % kLooksBetween != 0) continue;
    const cudaError_t state = cudaStreamQuery(stream);
    if (state == cudaErrorNotReady)
      ignore_status(state);
    else
      cuda_check(state, "search");
  }

  // Waiting for the stream instead leaves the processor to others. If it is done and a word is
  // missing, no kernel has answered.
  if (!have_arrived()) {
    wait();
    if (!have_arrived()) check_answered(0, 1);
  }

  // What the words announce is read after them.
  std::atomic_thread_fence(std::memory_order_acquire);
}

void check_answered(std::size_t answered, std::size_t asked) {
  if (answered != asked)
    throw Error(Errc::kDevice, "CUDA: the kernels gave " + std::to_string(answered) +
                                   " answers where " + std::to_string(asked) + " were asked for");
}

namespace {

constexpr std::uint64_t kStep = 8;  // terms
constexpr std::size_t kCosts = kManyTerms / kStep + 2;

/// Falls with the number of terms. 0: more than kManyTerms.
std::size_t place_of(std::uint64_t terms) {
  if (terms > kManyTerms) return 0;
  return 1 + (kManyTerms - terms) / kStep;
}

}  // namespace

std::uint32_t list_items(const QueryView& queries, Chunk chunk, std::span<QueryItem> items) {
  const std::uint64_t* const begin = queries.row_begin;

  // A counting sort by cost: how many queries each cost has, where each cost begins, then each
  // query to its place.
  std::array<std::uint32_t, kCosts + 1> first{};
  for (std::size_t q = chunk.first; q < chunk.last; ++q)
    ++first[place_of(begin[q + 1] - begin[q]) + 1];

  const std::uint32_t of_many_terms = first[1];
  for (std::size_t cost = 1; cost < first.size(); ++cost) {
    first[cost] += first[cost - 1];
  }

  // first[cost] is where the next query of this cost goes.
  for (std::size_t q = chunk.first; q < chunk.last; ++q) {
    const std::uint64_t terms = begin[q + 1] - begin[q];
    items[first[place_of(terms)]++] = {static_cast<std::uint32_t>(begin[q] - begin[chunk.first]),
                                       static_cast<std::uint32_t>(terms),
                                       static_cast<std::uint32_t>(q - chunk.first)};
  }

  return std::min(of_many_terms, kMostLong);
}

namespace {

/// Parts that differ by one row at most.
std::vector<std::uint32_t> equal_parts(std::uint32_t rows, std::uint32_t parts) {
  std::vector<std::uint32_t> begin;
  for (std::uint32_t part = 0; part <= parts; ++part)
    begin.push_back(part * (rows / parts) + std::min(part, rows % parts));
  return begin;
}

std::uint64_t steps_of(std::uint64_t entries) {
  return (entries + kEntriesOfStep - 1) / kEntriesOfStep;
}

}  // namespace

ScanParts::ScanParts(const DeviceMirror& mirror) {
  const DevicePointer& device = mirror.device();
  const SegmentList& list = mirror.list();
  if (!pays_to_scan(*device, list.nonzeros())) return;
  count_ = scan_parts(*device, list.places());

  // A part costs what its rows have in entries.
  std::vector<std::uint32_t> cost(list.places());  // entries; none at a dead place
  list.for_each(0, list.places(), [&](std::uint32_t place, const RowEntries& row) {
    cost[place] = static_cast<std::uint32_t>(row.size());
  });

  // Equal numbers of rows are the simplest, and best if each part is done in one step.
  const std::uint64_t steps = steps_of(largest_share(cost, equal_parts(list.places(), count_)));
  if (steps <= 1) return;  // looking up where a part begins would only cost time

  // A row costs a bit by itself, as so many of them take a step, too. The parts by cost are kept
  // only if they save a step.
  for (std::uint32_t& own : cost) own += kEntriesOfStep / kRowsOfStep;
  const std::vector<std::uint32_t> begin = share_rows(cost, count_);
  if (steps_of(largest_share(cost, begin)) < steps) begin_ = upload<std::uint32_t>(device, begin);
}

}  // namespace kindred::cuda
