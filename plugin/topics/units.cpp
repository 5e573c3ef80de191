#include "plugin/topics/units.h"

#include <xxhash.h>
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "config/error.h"
#include "config/shown.h"
#include "gpu/som/quality.h"
#include "gpu/som/start.h"
#include "gpu/twins/factory.h"
#include "plugin/store/string_table.h"
#include "plugin/topics/topic_map_file.h"
#include "plugin/topics/topic_memory.h"

namespace kindred {
namespace {

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
