#include "gpu/knn/backend.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "config/error.h"

namespace kindred {

std::vector<Neighbor> Backend::nearest(const Queries& queries, std::size_t k,
                                       const DocumentSet* allowed) const {
  std::vector<Neighbor> neighbors(answer_size(queries.rows(), k, sizeof(Neighbor)));
  nearest(queries.view(), k, allowed, neighbors);
  return neighbors;
}

BackendInfo joined_info(std::span<const BackendInfo> devices) {
  BackendInfo joined = devices.front();
  joined.device.clear();
  joined.bytes = 0;

  // Devices of one name are counted together, in the order in which the names first come.
  using Name = std::pair<std::string, std::size_t>;
  std::vector<Name> names;
  for (const BackendInfo& device : devices) {
    joined.bytes += device.bytes;
    const auto same = std::ranges::find(names, device.device, &Name::first);
    if (same == names.end())
      names.emplace_back(device.device, 1);
    else
      ++same->second;
  }

  for (const auto& [name, times] : names) {
    if (!joined.device.empty()) joined.device += ", ";
    if (times > 1) joined.device += std::to_string(times) + " x ";
    joined.device += name;
  }
  return joined;
}

namespace {

[[noreturn]] void refuse(const std::string& fault) { throw Error(Errc::kInvalidArgument, fault); }

[[noreturn]] void refuse_query(std::size_t q, const std::string& fault) {
  refuse("query " + std::to_string(q) + " " + fault);
}

bool ascends(const std::uint32_t* value, std::uint64_t begin, std::uint64_t end) {
  bool fault = false;  // without a branch: this becomes vector code
  for (std::uint64_t i = begin + 1; i < end; ++i) fault |= value[i] <= value[i - 1];
  return !fault;
}

void check_set(const DocumentSet* set, const SegmentList& mirror, const char* what) {
  if (set != nullptr && !set->mirror().has_parts_of(mirror))
    refuse(std::string("the set of ") + what + " documents is one of another mirror");
}

void check_values(const std::vector<double>& values, const char* what) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= 0 && std::isfinite(values[i])))
      refuse(std::string("mirror: ") + what + "[" + std::to_string(i) +
             "] is negative or not finite");
}

}  // namespace

std::size_t answer_size(std::size_t rows, std::size_t each, std::size_t item_bytes) {
  if (each == 0) refuse("0 is asked for each query; expected at least 1");
  if (each > PTRDIFF_MAX / item_bytes / (rows + 1))
    throw Error(Errc::kOutOfMemory,
                std::to_string(each) + " for each query is more than memory could hold");
  return rows * each;
}

void check_offsets(const QueryView& queries) {
  if (queries.rows == 0) return;

  if (queries.row_begin == nullptr || queries.row_begin[0] != queries.begin)
    refuse("the offsets of the queries do not begin with " + std::to_string(queries.begin));
  for (std::size_t q = 0; q < queries.rows; ++q)
    if (queries.row_begin[q + 1] < queries.row_begin[q]) refuse_query(q, "ends before it begins");

  // A batch without entries needs neither weights nor counts.
  if (queries.row_begin[queries.rows] == queries.begin) return;
  const bool has_both = queries.weight != nullptr && queries.count != nullptr;
  const bool has_neither = queries.weight == nullptr && queries.count == nullptr;
  if (has_both || has_neither) refuse("queries have either weights or counts");
}

void check_queries(const QueryView& queries, std::uint32_t columns) {
  // The terms of a row can be read only between valid offsets.
  check_offsets(queries);
  for (std::size_t q = 0; q < queries.rows; ++q) {
    const std::uint64_t begin = queries.row_begin[q];
    const std::uint64_t end = queries.row_begin[q + 1];
    if (begin == end) continue;
    if (!ascends(queries.term, begin, end)) refuse_query(q, "has terms that do not ascend");

    // The last term is the largest, as they ascend.
    const std::uint32_t last = queries.term[end - 1];
    if (last >= columns)
      refuse_query(q, "names term " + std::to_string(last) + ", but the mirror has only " +
                          std::to_string(columns));
  }
}

void check_nearest(const SegmentList& mirror, const QueryView& queries, std::size_t k,
                   const DocumentSet* allowed, std::size_t size) {
  if (size != answer_size(queries.rows, k, sizeof(Neighbor)))
    refuse("there is room for " + std::to_string(size) + " neighbors; expected " +
           std::to_string(queries.rows) + " x " + std::to_string(k));

  check_set(allowed, mirror, "allowed");
  check_offsets(queries);
}

void check_vote(const SegmentList& mirror, const QueryView& queries, const Vote& vote,
                std::size_t size) {
  // Only for its checks: k neighbors of each query must fit memory, too.
  answer_size(queries.rows, vote.k, sizeof(Neighbor));

  if (size != answer_size(queries.rows, vote.labels, sizeof(LabelShare)))
    refuse("there is room for " + std::to_string(size) + " shares; expected " +
           std::to_string(queries.rows) + " x " + std::to_string(vote.labels));

  if (!vote.exclude.empty() && vote.exclude.size() != queries.rows)
    refuse(std::to_string(vote.exclude.size()) + " documents to exclude come with " +
           std::to_string(queries.rows) + " queries");

  check_set(vote.voters, mirror, "voting");
  check_offsets(queries);
}

void check_weighting(const TermWeighting& weighting, std::uint32_t columns) {
  if (weighting.idf.size() != columns)
    refuse("mirror: " + std::to_string(columns) + " terms, but " +
           std::to_string(weighting.idf.size()) + " values of idf");
  check_values(weighting.idf, "idf");
  check_values(weighting.tf, "tf");
}

}  // namespace kindred
