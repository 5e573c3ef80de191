#include "plugin/topics/units.h"

#include <sys/resource.h>
#include <unistd.h>
#include <xxhash.h>
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "config/error.h"
#include "config/shown.h"
#include "gpu/som/start.h"
#include "gpu/twins/factory.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/map_file.h"

namespace kindred {
namespace {

/// The number after a key, and spaces, in a file of lines "KEY NUMBER ...", or, without one,
/// "NUMBER ...". Nothing if there is none.
std::optional<std::uint64_t> number_after(const char* path, std::string_view key = "") {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const std::size_t begin = std::min(line.find_first_not_of(' ', key.size()), line.size());
    std::uint64_t number = 0;
    const auto read = std::from_chars(line.data() + begin, line.data() + line.size(), number);
    if (read.ec == std::errc()) return std::optional(number);
    return std::nullopt;
  }
  return {};
}

std::uint64_t rest(std::uint64_t limit, std::uint64_t used) {
  if (limit > used) return limit - used;
  return 0;
}

/// The page cache of a control group can be reclaimed, so only anonymous memory counts as used.
std::optional<std::uint64_t> free_in_group() {
  const auto limit = number_after("/sys/fs/cgroup/memory.max");  // or "max"
  const auto used = number_after("/sys/fs/cgroup/memory.stat", "anon ");
  if (!limit || !used) return {};
  return rest(*limit, *used);
}

std::optional<std::uint64_t> free_addresses() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  const auto pages = number_after("/proc/self/statm");
  if (!pages) return {};
  return rest(limit.rlim_cur, *pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

std::optional<std::uint64_t> free_in_machine() {
  const auto kilobytes = number_after("/proc/meminfo", "MemAvailable: ");
  if (!kilobytes) return {};
  return *kilobytes << 10;
}

/// How many bytes this process can still take: the least that the machine, its control group
/// (version 2) and its limit of address space (RLIMIT_AS) allow. Empty if the system does not tell.
std::optional<std::uint64_t> free_memory() {
  std::optional<std::uint64_t> least;
  for (const auto free : {free_in_machine(), free_in_group(), free_addresses()})
    if (free) least = std::min(*free, least.value_or(UINT64_MAX));
  return least;
}

std::string readable(std::uint64_t bytes) {
  const auto in_units_of = [&](int unit) {
    const double units = static_cast<double>(bytes) / unit;
    return number_text(std::round(units * 10) / 10);
  };
  if (bytes >= std::uint64_t{1} << 30) return in_units_of(1 << 30) + " GiB";
  return in_units_of(1 << 20) + " MiB";
}

/// `limit_mb`: MiB that may be used; 0: what this process can still take.
/// @throws Error kOutOfMemory that says how much is needed, how much there is and what helps.
void check_memory(const TopicMemory& memory, std::int64_t limit_mb) {
  const std::uint64_t needed = memory.bytes();
  std::optional<std::uint64_t> limit = static_cast<std::uint64_t>(limit_mb) << 20;
  if (limit_mb == 0) limit = free_memory();

  if (!limit || needed <= *limit) return;

  throw Error(Errc::kOutOfMemory,
              "topics: a map of " + std::to_string(memory.units) + " units over " +
                  std::to_string(memory.terms) + " terms takes " + readable(needed) +
                  " of memory to train, but " + readable(*limit) +
                  (limit_mb == 0 ? " are free" : " are allowed (topics.memory_mb)") +
                  "; expected a smaller map (--rows, --columns) or fewer terms (topics.min_df)");
}

/// Terms in `min_df` documents, in their order, and how many entries they have.
std::uint64_t choose_terms(const Mirror& mirror, std::int64_t min_df, TopicRows& rows) {
  // If no term is in so many documents, as in a small index, all are taken.
  const bool any = std::ranges::any_of(mirror.df, [&](std::uint32_t df) {
    return df >= min_df;
  });

  std::uint64_t entries = 0;
  for (const std::uint32_t term : terms_in_order(mirror)) {
    if (any && mirror.df[term] < min_df) continue;
    rows.terms.push_back(term);
    entries += mirror.df[term];
  }
  return entries;
}

/// The revision of a mirror in digits, or those of its shards with commas between them.
std::string revision_text(const Mirror& mirror) {
  if (!mirror.shard_revisions) return std::to_string(mirror.revision);
  std::string text;
  for (const ShardRevision& shard : *mirror.shard_revisions)
    append_item(text, std::to_string(shard.revision));
  return text;
}

std::string text_of(const TrainTopicsRequest& request) {
  std::string text = "lattice " + request.lattice + " start " + request.start;
  const auto append = [&](const char* name, std::int64_t value) {
    text.append(" ").append(name).append(" ").append(std::to_string(value));
  };

  if (request.rows) append("rows", *request.rows);
  if (request.columns) append("columns", *request.columns);
  append("epochs", request.epochs);
  append("seed", request.seed);
  append("topics", request.topics);
  append("toroidal", request.toroidal ? 1 : 0);
  append("resume", request.resume ? 1 : 0);
  return text;
}

/// Things that must be the same in all processes: what they are, and the value that this one has.
using SharedFacts = std::vector<std::pair<std::string, std::string>>;

SharedFacts facts_of(const TopicTraining& training, const TopicMap* base) {
  const Mirror& mirror = training.snapshot.mirror();
  Settings used = training.settings;
  used.backend = {};  // every backend finds the same

  return {{"UUID of the index", mirror.uuid},
          {"revision of the index", revision_text(mirror)},
          {"documents of the index", std::to_string(mirror.documents())},
          {"settings", settings_text(used)},
          {"request", text_of(training.request)},
          {"checksum of the map", base != nullptr ? topic_map_name(*base) : "none"}};
}

/// The rows [begin, end) of a process.
struct RowShare {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Divides `rows` rows among the processes, so that no two of them differ by more than one.
RowShare share_of(const SomExchange* others, std::size_t rows) {
  if (others == nullptr) return {0, rows};
  return {rows * others->rank() / others->size(), rows * (others->rank() + 1) / others->size()};
}

/// The matches of all rows, in their order, in every process; `own`: those of its share. They are
/// sums, to which only one process gives anything but 0.
std::vector<SomMatch> gather_matches(SomExchange* others, std::vector<SomMatch> own,
                                     std::size_t rows) {
  if (others == nullptr) return own;
  using Words = std::array<std::int64_t, sizeof(SomMatch) / sizeof(std::int64_t)>;
  static_assert(sizeof(Words) == sizeof(SomMatch));
  constexpr std::size_t kWords = std::tuple_size_v<Words>;

  // A match goes as words of 64 bits, bit by bit: a sum with nothing but zeros keeps it.
  std::vector<std::int64_t> words(rows * kWords);
  auto out = words.begin() + static_cast<std::ptrdiff_t>(share_of(others, rows).begin * kWords);
  for (const SomMatch& match : own) out = std::ranges::copy(std::bit_cast<Words>(match), out).out;

  others->all_reduce(words, SomReduction::kSum);
  std::vector<SomMatch> all(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    Words of_row;
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(row * kWords), kWords, of_row.begin());
    all[row] = std::bit_cast<SomMatch>(of_row);
  }
  return all;
}

/// The weights of an earlier map over the columns of this one.
SomCodebook codebook_of(const TopicMap& earlier, const StringTable& terms) {
  // A term that the earlier map had not begins with weight 0; one that is gone is forgotten.
  SomCodebook codebook{earlier.codebook->units(), terms.size(), {}};
  codebook.weight.resize(std::size_t{codebook.units} * terms.size());
  for (std::uint32_t column = 0; column < terms.size(); ++column) {
    if (const auto known = earlier.terms->find(terms[column]))
      earlier.codebook->each_weight(*known, [&](std::uint32_t u, float weight) {
        codebook.column(column)[u] = weight;
      });
  }
  return codebook;
}

}  // namespace

std::uint64_t TopicMemory::bytes() const {
  // Whole codebooks in main memory: on the CPU the weights, the sums and the result, beside a
  // device the result alone; and the start, if there is one. Units of many documents also have sums
  // of 8 bytes.
  constexpr std::uint64_t kNarrowRows = SomGrid::kNarrowRows;
  const std::uint64_t own = on_device ? 1 : 3;
  const std::uint64_t codebooks = warm ? own + 1 : own;
  const std::uint64_t wide = on_device ? 0 : std::min(units, documents / (kNarrowRows + 1));
  return terms * (units * sizeof(float) * codebooks + wide * sizeof(std::int64_t));
}

SomRows TopicRows::view() const {
  return {static_cast<std::uint32_t>(row_begin.size() - 1),
          static_cast<std::uint32_t>(terms.size()), row_begin.data(), column.data(), weight.data()};
}

std::vector<SomRows> TopicRows::partitions(std::size_t begin, std::size_t end) const {
  const SomRows all = view();
  std::vector<SomRows> parts;
  do {
    const std::size_t next = std::min(end, begin + kAtOnce);
    parts.push_back(
        partition_of(all, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(next)));
    begin = next;
  } while (begin < end);
  return parts;
}

TopicRows topic_rows(const Snapshot& snapshot, std::int64_t min_df) {
  const Mirror& mirror = snapshot.mirror();
  TopicRows rows;
  rows.docids = mirror.list->numbers();
  const std::span<const Xapian::docid> all(rows.docids);

  const std::uint64_t entries = choose_terms(mirror, min_df, rows);
  rows.column.reserve(entries);
  rows.weight.reserve(entries);
  rows.row_begin.reserve(all.size() + 1);

  std::vector<std::uint32_t> column_of(mirror.df.size(), UINT32_MAX);
  for (std::uint32_t column = 0; column < rows.terms.size(); ++column)
    column_of[rows.terms[column]] = column;

  // Part by part, so that the counts of a large index need not be in memory beside the rows.
  std::vector<std::pair<std::uint32_t, float>> entries_of_row;
  for (std::size_t begin = 0; begin < all.size(); begin += TopicRows::kAtOnce) {
    const std::size_t count = std::min(TopicRows::kAtOnce, all.size() - begin);
    const Csr part = matrix_of(*mirror.list, all.subspan(begin, count));
    const std::vector<float> weights = unit_weights(part.view(), snapshot.weighting());

    // Only the terms of the map, with weights of rows that have length 1 over all terms.
    for (std::uint32_t row = 0; row < part.rows(); ++row) {
      entries_of_row.clear();
      for (std::uint64_t i = part.row_begin[row]; i < part.row_begin[row + 1]; ++i) {
        if (column_of[part.column[i]] != UINT32_MAX && weights[i] != 0)
          entries_of_row.emplace_back(column_of[part.column[i]], weights[i]);
      }

      // Terms are numbered as they came into the index, columns in their own order.
      if (!std::ranges::is_sorted(entries_of_row)) std::ranges::sort(entries_of_row);
      for (const auto& [column, weight] : entries_of_row) {
        rows.column.push_back(column);
        rows.weight.push_back(weight);
      }

      rows.row_begin.push_back(rows.column.size());
    }
  }
  return rows;
}

void check_agreement(const TopicTraining& training, const TopicMap* base) {
  SomExchange* const others = training.others;
  if (others == nullptr) return;

  // Each process puts hashes of its facts into its own part of an array. The sum of all arrays,
  // which every process gets, has all of them.
  const SharedFacts facts = facts_of(training, base);
  std::vector<std::int64_t> hashes(others->size() * facts.size());  // by process and fact
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const std::string& value = facts[i].second;
    hashes[others->rank() * facts.size() + i] =
        static_cast<std::int64_t>(XXH3_64bits(value.data(), value.size()));
  }

  others->all_reduce(hashes, SomReduction::kSum);

  // All compare with rank 0, so all find the same fault, and none waits for one that has ended.
  for (std::size_t i = facts.size(); i < hashes.size(); ++i) {
    if (hashes[i] == hashes[i % facts.size()]) continue;
    throw Error(Errc::kInvalidArgument, "processes that train one map differ: rank " +
                                            std::to_string(i / facts.size()) + " has another " +
                                            facts[i % facts.size()].first + " than rank 0");
  }
}

TrainedUnits train_units(const TopicTraining& training, const SomPlan& plan, const TopicRows& rows,
                         const StringTable& terms, const TopicMap* earlier,
                         const BackendOptions& options) {
  const SomRows all = rows.view();

  // Without rows, every process says so by itself.
  const bool shared = training.others != nullptr && all.rows > 0;
  const bool is_warm = earlier != nullptr || shared;

  auto twins = make_som_twins(plan.lattice, all.columns, options, [&](bool on_device) {
    check_memory({plan.lattice.units(), all.columns, all.rows, on_device, is_warm},
                 training.settings.topics.memory_mb);
  });

  // All processes begin with the same codebook: that of the earlier map, or one made from all rows.
  SomCodebook warm;
  if (earlier != nullptr) {
    warm = codebook_of(*earlier, terms);
  } else if (shared) {
    warm = start_codebook(plan.lattice, rows.partitions(0, all.rows), plan.start, plan.seed);
  }

  std::vector<SomTwin*> borrowed(twins.size());
  std::ranges::transform(twins, borrowed.begin(), [](const auto& twin) {
    return twin.get();
  });
  const RowShare own = share_of(training.others, all.rows);
  const SomResult trained =
      train_som({borrowed, shared ? training.others : nullptr}, rows.partitions(own.begin, own.end),
                plan, training.progress, is_warm ? &warm : nullptr);

  twins.clear();  // frees their codebooks before the map makes its own
  auto codebook = std::make_shared<const SparseCodebook>(trained.codebook);
  const SomRows share =
      partition_of(all, static_cast<std::uint32_t>(own.begin), static_cast<std::uint32_t>(own.end));

  auto matches = gather_matches(training.others, codebook->match(share, options.threads), all.rows);
  return {std::move(codebook), u_matrix(plan.lattice, trained.codebook), std::move(matches),
          static_cast<std::uint32_t>(trained.epochs.size())};
}

}  // namespace kindred
