#include "plugin/mirror/mirror_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "config/error.h"
#include "plugin/mirror/section_file.h"
#include "plugin/store/cbor.h"
#include "plugin/store/index_file.h"

namespace kindred {
namespace {

using Facts = nlohmann::json;

constexpr SectionMagic kMirrorMagic = {'k', 'i', 'n', 'd', 'r', 'e', 'd', '-',
                                       'm', 'i', 'r', 'r', 'o', 'r', ' ', '3'};

/// The sections of the file. A table of strings takes three numbers from its own on.
enum MirrorSection : std::uint32_t {
  kFacts = 1,
  kVocabulary = 10,
  kLabelNames = 20,
  kDf = 30,
  kLeaves = 40,
  kBranches,
};

/// The sections of each segment: that of number i adds (i + 1) * kSectionsOfSegment.
enum SegmentSection : std::uint32_t {
  kDocids = 1,
  kIds = 10,
  kRowBegin = 20,
  kColumn,
  kCount,
  kLabelBegin,
  kLabel,
  kTagged,
  kMarked,
  kDead,
  kSectionsOfSegment = 100,
};

std::uint32_t section_of(std::size_t segment, std::uint32_t section) {
  return static_cast<std::uint32_t>((segment + 1) * kSectionsOfSegment) + section;
}

/// The settings that decide what a mirror holds.
Facts settings_facts(const Settings& settings) {
  const LabelSettings& labels = settings.labels;
  return {settings.mirror.term_prefixes,
          settings.index.id_prefix,
          settings.index.not_ids,
          labels.prefix,
          labels.system,
          labels.predicted_prefix,
          labels.rejected_prefix,
          labels.prediction_slot};
}

Facts shard_facts(const TermlistState& state) {
  return {{"uuid", state.uuid},
          {"revision", state.revision},
          {"device", state.device},
          {"inode", state.inode},
          {"documents", state.documents},
          {"leaves", state.leaves.size()},
          {"branches", state.branches.size()},
          {"root",
           {state.root.block, state.root.level, state.root.is_fake, state.root.entries,
            state.root.block_size}}};
}

Facts state_facts(const DatabaseState& state) {
  Facts shards = Facts::array();
  for (const TermlistState& shard : state) shards.push_back(shard_facts(shard));
  return shards;
}

Facts facts_of(const Mirror& mirror, const DatabaseState& state, const Settings& settings) {
  const TagCounts& tags = mirror.tags;
  return {{"settings", settings_facts(settings)},
          {"prefixes", mirror.prefixes},
          {"segments", mirror.segments.size()},
          {"tags", {tags.tagged, tags.pending, tags.opted_out, tags.rejected}},
          {"uuid", mirror.uuid},
          {"shards", mirror.shards},
          {"revision", mirror.revision},
          {"state", state_facts(state)}};
}

/// Leaves and branches as numbers: what a structure looks like in memory is no format.
std::vector<std::uint32_t> leaf_numbers(const DatabaseState& state) {
  std::vector<std::uint32_t> numbers;
  for (const TermlistState& shard : state)
    for (const TermlistState::Leaf& leaf : shard.leaves)
      numbers.insert(numbers.end(),
                     {leaf.block, leaf.begin.document, leaf.begin.is_inside ? 1u : 0u});
  return numbers;
}

std::vector<std::uint32_t> branch_numbers(const DatabaseState& state) {
  std::vector<std::uint32_t> numbers;
  for (const TermlistState& shard : state)
    for (const TermlistState::Branch& branch : shard.branches)
      numbers.insert(numbers.end(), {branch.block, branch.level, branch.first_leaf, branch.leaves});
  return numbers;
}

template <typename T>
std::span<const T> all_of(const std::vector<T>& values) {
  return values;
}

void add_strings(SectionWriter& writer, std::uint32_t kind, const StringTable& table) {
  writer.add(kind, std::string_view(table.parts().text));
  writer.add(kind + 1, all_of(table.parts().end));
  writer.add(kind + 2, all_of(table.parts().slots));
}

void add_segment(SectionWriter& writer, std::size_t number, const LivingSegment& each) {
  const DocumentRows& documents = each.segment->documents;
  const auto add = [&](std::uint32_t section, const auto& values) {
    writer.add(section_of(number, section), values);
  };
  add(kDocids, all_of(documents.docids));
  add_strings(writer, section_of(number, kIds), documents.ids);
  add(kRowBegin, all_of(documents.counts.row_begin));
  add(kColumn, all_of(documents.counts.column));
  add(kCount, all_of(documents.counts.count));
  add(kLabelBegin, all_of(documents.label_begin));
  add(kLabel, all_of(documents.label));
  add(kTagged, documents.tagged.words());
  add(kMarked, documents.marked.words());
  add(kDead, each.dead.words());
}

StringTable take_strings(const SectionReader& reader, std::uint32_t kind) {
  StringTable::Parts parts{reader.take_text(kind), reader.take<std::uint64_t>(kind + 1),
                           reader.take<std::uint32_t>(kind + 2)};
  try {
    return StringTable::from_parts(std::move(parts));
  } catch (const Error& e) {
    reader.refuse(e.what());
  }
}

RowSet take_rows(const SectionReader& reader, std::uint32_t kind, std::size_t rows) {
  const auto words = reader.take<std::uint64_t>(kind);
  RowSet set(rows);
  if (words.size() != set.words().size()) reader.refuse("a set has another number of rows");
  for (std::size_t row = 0; row < rows; ++row)
    if ((words[row / 64] >> row % 64 & 1) != 0) set.set(row);
  return set;
}

/// The leaves and branches of all shards, one shard after the other.
struct SavedBlocks {
  std::vector<std::uint32_t> leaves, branches;
  std::size_t next_leaf = 0, next_branch = 0;
};

void take_blocks(const Facts& facts, const SectionReader& reader, SavedBlocks& saved,
                 TermlistState& state) {
  const auto leaves = whole_number<std::uint32_t>(facts.at("leaves"));
  const auto branches = whole_number<std::uint32_t>(facts.at("branches"));
  if (leaves > (saved.leaves.size() - saved.next_leaf) / 3 ||
      branches > (saved.branches.size() - saved.next_branch) / 4)
    reader.refuse("a shard has leaves or branches that are not there");
  for (std::uint32_t i = 0; i < leaves; ++i, saved.next_leaf += 3) {
    const std::uint32_t* const leaf = saved.leaves.data() + saved.next_leaf;
    state.leaves.push_back({leaf[0], {leaf[1], leaf[2] != 0}});
  }
  for (std::uint32_t i = 0; i < branches; ++i, saved.next_branch += 4) {
    const std::uint32_t* const at = saved.branches.data() + saved.next_branch;
    const TermlistState::Branch branch{at[0], at[1], at[2], at[3]};
    if (branch.first_leaf > leaves || branch.leaves > leaves - branch.first_leaf)
      reader.refuse("a branch has leaves that are not there");
    state.branches.push_back(branch);
  }
}

DatabaseState state_of(const Facts& shards, const SectionReader& reader) {
  SavedBlocks saved{reader.take<std::uint32_t>(kLeaves), reader.take<std::uint32_t>(kBranches)};
  DatabaseState all;
  for (const Facts& facts : shards) {
    TermlistState& state = all.emplace_back();
    state.uuid = facts.at("uuid").get<std::string>();
    state.revision = whole_number<std::uint64_t>(facts.at("revision"));
    state.device = whole_number<std::uint64_t>(facts.at("device"));
    state.inode = whole_number<std::uint64_t>(facts.at("inode"));
    state.documents = whole_number<std::uint64_t>(facts.at("documents"));
    const Facts& root = facts.at("root");
    state.root = {whole_number<std::uint32_t>(root.at(0)), whole_number<std::uint32_t>(root.at(1)),
                  root.at(2).get<bool>(), whole_number<std::uint64_t>(root.at(3)),
                  whole_number<std::uint32_t>(root.at(4))};
    take_blocks(facts, reader, saved, state);
  }
  if (all.empty()) reader.refuse("it has no shards");
  return all;
}

bool offsets_fit(std::span<const std::uint64_t> begin, std::size_t rows, std::size_t entries) {
  return begin.size() == rows + 1 && begin.front() == 0 && begin.back() == entries &&
         std::is_sorted(begin.begin(), begin.end());
}

/// Checks what the readers of a segment rely on.
void check_parts(const DocumentRows& documents, const Mirror& mirror, const SectionReader& reader,
                 std::size_t threads) {
  const std::size_t rows = documents.docids.size();
  const Csr& counts = documents.counts;
  const auto below = [](std::size_t limit) { return [=](std::uint32_t v) { return v < limit; }; };
  const bool fits = offsets_fit(counts.row_begin, rows, counts.column.size()) &&
                    counts.count.size() == counts.column.size() && documents.ids.size() == rows &&
                    std::adjacent_find(documents.docids.begin(), documents.docids.end(),
                                       std::greater_equal<>()) == documents.docids.end() &&
                    offsets_fit(documents.label_begin, rows, documents.label.size()) &&
                    std::all_of(documents.label.begin(), documents.label.end(),
                                below(mirror.labels.names.size()));
  if (!fits) reader.refuse("its parts do not fit together");
  try {
    check_csr(counts.view(), threads);
    check_labels(documents.labels(), documents.rows(), threads);
  } catch (const Error& e) {
    reader.refuse(e.what());
  }
}

LivingSegment take_segment(const SectionReader& reader, std::size_t number, const Mirror& mirror,
                           std::size_t threads) {
  const auto at = [&](std::uint32_t section) { return section_of(number, section); };
  DocumentRows documents;
  documents.docids = reader.take<std::uint32_t>(at(kDocids));
  const std::size_t rows = documents.docids.size();
  documents.ids = take_strings(reader, at(kIds));
  documents.counts =
      Csr{mirror.vocabulary.size(), reader.take<std::uint64_t>(at(kRowBegin)),
          reader.take<std::uint32_t>(at(kColumn)), reader.take<std::uint16_t>(at(kCount))};
  documents.label_begin = reader.take<std::uint64_t>(at(kLabelBegin));
  documents.label = reader.take<std::uint32_t>(at(kLabel));
  documents.tagged = take_rows(reader, at(kTagged), rows);
  documents.marked = take_rows(reader, at(kMarked), rows);
  check_parts(documents, mirror, reader, threads);
  return {std::make_shared<const DocumentSegment>(std::move(documents)),
          take_rows(reader, at(kDead), rows)};
}

SavedMirror decode(const SectionReader& reader, const Settings& settings, const std::string& path,
                   std::size_t threads) {
  const Facts facts = parse_cbor(reader.take_text(kFacts));
  if (facts.at("settings") != settings_facts(settings))
    throw Error(Errc::kInvalidArgument, path + ": saved with other settings of the index");
  SavedMirror saved;
  Mirror& mirror = saved.mirror;
  mirror.prefixes = facts.at("prefixes").get<std::vector<std::string>>();
  const Facts& tags = facts.at("tags");
  mirror.tags = {whole_number<std::uint64_t>(tags.at(0)), whole_number<std::uint64_t>(tags.at(1)),
                 whole_number<std::uint64_t>(tags.at(2)), whole_number<std::uint64_t>(tags.at(3))};
  mirror.uuid = facts.at("uuid").get<std::string>();
  mirror.shards = facts.at("shards").get<std::vector<std::string>>();
  mirror.revision = whole_number<std::uint64_t>(facts.at("revision"));
  mirror.vocabulary = take_strings(reader, kVocabulary);
  mirror.labels.names = take_strings(reader, kLabelNames);
  mirror.df = reader.take<std::uint32_t>(kDf);
  if (mirror.df.size() != mirror.vocabulary.size()) reader.refuse("its parts do not fit together");
  const auto segments = whole_number<std::uint32_t>(facts.at("segments"));
  for (std::uint32_t i = 0; i < segments; ++i)
    mirror.segments.push_back(take_segment(reader, i, mirror, threads));
  try {  // which finds a document that two segments have
    mirror.take_segments();
  } catch (const Error& e) {
    reader.refuse(e.what());
  }
  saved.state = state_of(facts.at("state"), reader);
  return saved;
}

}  // namespace

std::string saved_mirror_path(const std::string& database, const std::string& uuid,
                              const MirrorSettings& settings) {
  if (settings.directory.empty()) return index_file_path(database, "mirror");
  return settings.directory + "/" + uuid.substr(0, uuid.find(':')) + ".kindred-mirror";
}

void save_mirror(const Mirror& mirror, const DatabaseState& state, const Settings& settings,
                 const std::string& path, std::size_t threads) {
  static_assert(std::is_same_v<Xapian::docid, std::uint32_t>);
  const auto facts = Facts::to_cbor(facts_of(mirror, state, settings));
  const auto leaves = leaf_numbers(state), branches = branch_numbers(state);
  SectionWriter writer(kMirrorMagic);
  writer.add(kFacts, std::string_view(reinterpret_cast<const char*>(facts.data()), facts.size()));
  const StringTable vocabulary = mirror.vocabulary.joined(), names = mirror.labels.names.joined();
  add_strings(writer, kVocabulary, vocabulary);
  add_strings(writer, kLabelNames, names);
  writer.add(kDf, all_of(mirror.df));
  for (std::size_t i = 0; i < mirror.segments.size(); ++i)
    add_segment(writer, i, mirror.segments[i]);
  writer.add(kLeaves, all_of(leaves));
  writer.add(kBranches, all_of(branches));
  writer.write(path, threads);
}

SavedMirror load_mirror(const std::string& path, const Settings& settings, std::size_t threads) {
  const SectionReader reader(path, "the saved mirror", kMirrorMagic, threads);
  try {
    return decode(reader, settings, path, threads);
  } catch (const Facts::exception& e) {
    reader.refuse(e.what());
  }
}

}  // namespace kindred
