#include "plugin/mirror/mirror_file.h"

#include <sys/file.h>
#include <algorithm>
#include <cerrno>
#include <deque>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/error.h"
#include "config/replacement.h"
#include "plugin/store/cbor.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/section_file.h"

namespace kindred {
namespace {

using Facts = nlohmann::json;

constexpr std::string_view kListMagic = "kindred-mirror 5";
constexpr std::string_view kSegmentMagic = "kindred-segment1";
constexpr std::string_view kTermsMagic = "kindred-terms  1";
constexpr const char* kWhat = "the saved mirror";
constexpr std::uint32_t kTermsOfFile = 1 << 16;

/// The sections of the list. A table of strings takes three numbers from its own on.
enum ListSection : std::uint32_t {
  kFacts = 1,
  kLabelNames = 20,
  kDf = 30,
  kLeaves = 40,  ///< of all shards, one after the other: three numbers each
  kBranches,     ///< likewise, four numbers; what a structure looks like in memory is no format
  kDead,         ///< of all segments, one after the other
  kProof,        ///< of all shards, one after the other
};

/// The sections of a segment.
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
};

/// The sections of a file of terms.
enum TermsSection : std::uint32_t { kText = 1, kEnd };

/// The files that a list names, in their order.
struct FileNames {
  std::vector<std::string> terms;
  std::vector<std::string> segments;
};

constexpr const char* kList = "list";

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
          labels.prediction_slot,
          labels.shards,
          settings.index.ids,
          settings.index.id_slot,
          settings.mirror.documents};
}

Facts shard_facts(const TermlistState& state) {
  return {{"uuid", state.uuid},
          {"revision", state.revision},
          {"header", state.header},
          {"device", state.device},
          {"inode", state.inode},
          {"documents", state.documents},
          {"leaves", state.leaves.size()},
          {"branches", state.branches.size()},
          {"root",
           {state.root.block, state.root.level, state.root.is_fake, state.root.entries,
            state.root.block_size}}};
}

Facts facts_of(const Mirror& mirror, const DatabaseState& state, const Settings& settings,
               const FileNames& files) {
  const TagCounts& tags = mirror.tags;
  Facts shards = Facts::array();
  for (const TermlistState& shard : state) shards.push_back(shard_facts(shard));

  return {{"settings", settings_facts(settings)},
          {"prefixes", mirror.prefixes},
          {"terms", files.terms},
          {"segments", files.segments},
          {"tags", {tags.tagged, tags.pending, tags.opted_out, tags.rejected}},
          {"uuid", mirror.uuid},
          {"shards", mirror.shards},
          {"revision", mirror.revision},
          {"state", std::move(shards)}};
}

void add_strings(SectionWriter& writer, std::uint32_t kind, const StringTable& table) {
  writer.add(kind, table.parts().text);
  writer.add(kind + 1, table.parts().end);
  writer.add(kind + 2, table.parts().slots);
}

/// The folder of a saved mirror. No link leads to it, and it belongs, as all in it, to the owner of
/// the index.
class SavedFolder {
 public:
  /// `make`: also if it is not there. @throws Error as GuardedFolder.
  SavedFolder(const std::string& path, bool make)
      : owners_(index_owners(path)), folder_(GuardedFile(path, owners_), make) {}

  GuardedFile file(const std::string& name) const { return {folder_, name, owners_}; }
  const GuardedFolder& folder() const { return folder_; }
  const Owners& owners() const { return owners_; }

 private:
  const Owners owners_;
  const GuardedFolder folder_;
};

/// Writes the terms that have the numbers [first, end). Returns the name of the file.
std::string write_terms(const StringTable& dictionary, std::uint32_t first, std::uint32_t end,
                        const SavedFolder& to, std::size_t threads) {
  std::string text;
  std::vector<std::uint64_t> ends;
  for (std::uint32_t term = first; term < end; ++term) {
    text += dictionary[term];
    ends.push_back(text.size());
  }

  SectionWriter writer(kTermsMagic);
  writer.add(kText, text);
  writer.add(kEnd, ends);
  return writer.write_named(to.folder(), to.owners(), threads);
}

/// Returns the name of the file.
std::string write_segment(const DocumentRows& documents, const SavedFolder& to,
                          std::size_t threads) {
  SectionWriter writer(kSegmentMagic);
  writer.add(kDocids, documents.docids);
  add_strings(writer, kIds, documents.ids);
  writer.add(kRowBegin, documents.counts.row_begin);
  writer.add(kColumn, documents.counts.column);
  writer.add(kCount, documents.counts.count);
  writer.add(kLabelBegin, documents.label_begin);
  writer.add(kLabel, documents.label);
  writer.add(kTagged, documents.tagged.words());
  writer.add(kMarked, documents.marked.words());
  return writer.write_named(to.folder(), to.owners(), threads);
}

FileNames write_files(const Mirror& mirror, const SavedFolder& to, std::size_t threads) {
  FileNames files;

  // Files are named by their contents, and a mirror that follows keeps most of its terms and
  // segments. So most files are there from the last save, and stay.
  const std::uint32_t terms = mirror.dictionary.size();
  for (std::uint32_t first = 0; first < terms; first += kTermsOfFile) {
    const std::uint32_t end = first + std::min(kTermsOfFile, terms - first);
    files.terms.push_back(write_terms(mirror.dictionary, first, end, to, threads));
  }
  for (const LivingSegment& each : mirror.segments)
    files.segments.push_back(write_segment(each.segment->documents, to, threads));
  return files;
}

void write_list(const Mirror& mirror, const DatabaseState& state, const DatabaseProof& proof,
                const Settings& settings, const FileNames& files, const SavedFolder& to,
                std::size_t threads) {
  const auto facts = Facts::to_cbor(facts_of(mirror, state, settings, files));

  // Of all shards, one after the other. The facts say how many each has.
  std::vector<std::uint32_t> leaves;
  std::vector<std::uint32_t> branches;
  for (const TermlistState& shard : state) {
    for (const auto& [block, begin] : shard.leaves)
      leaves.insert(leaves.end(), {block, begin.document, begin.is_inside ? 1u : 0u});
    for (const auto& [block, level, first_leaf, below] : shard.branches)
      branches.insert(branches.end(), {block, level, first_leaf, below});
  }

  std::vector<std::uint64_t> dead;
  for (const LivingSegment& each : mirror.segments)
    dead.insert(dead.end(), each.dead.words().begin(), each.dead.words().end());

  BlockChecksums checksums;
  for (const BlockChecksums& shard : proof)
    checksums.insert(checksums.end(), shard.begin(), shard.end());

  // The writer borrows the arrays, so all of them live until it has written.
  SectionWriter writer(kListMagic);
  writer.add(kFacts, facts);
  const StringTable names = mirror.labels.names.joined();
  add_strings(writer, kLabelNames, names);
  writer.add(kDf, mirror.df);
  writer.add(kLeaves, leaves);
  writer.add(kBranches, branches);
  writer.add(kDead, dead);
  writer.add(kProof, checksums);
  writer.write(to.file(kList), threads);
}

/// Waits until no other save works in the folder. The lock ends with the folder's descriptor.
void lock(const GuardedFolder& folder) {
  while (::flock(folder.descriptor(), LOCK_EX) != 0 && errno == EINTR) continue;  // or no locks
}

/// True for a file that a save has finished, or that a killed save left.
bool is_name_of_save(const std::string& name) {
  if (is_hexadecimal_name(name) || is_unfinished_name(name, kList)) return true;

  const std::string replaced = name.substr(0, name.find('.'));
  return is_hexadecimal_name(replaced) && is_unfinished_name(name, replaced);
}

/// Removes the files of other mirrors, and those of saves that were killed. What else is there, and
/// what is no regular file, stays.
void keep_only(const FileNames& files, const SavedFolder& in) {
  std::set<std::string> kept(files.terms.begin(), files.terms.end());
  kept.insert(files.segments.begin(), files.segments.end());

  for (const std::string& name : in.folder().names()) {
    if (kept.contains(name) || !is_name_of_save(name)) continue;
    try {
      std::error_code ignored;
      in.file(name).remove(ignored);
    } catch (const Error&) {  // it is not one of ours
    }
  }
}

StringTable read_strings(const SectionReader& reader, std::uint32_t kind) {
  StringTable::Parts parts{reader.read_text(kind), reader.read<std::uint64_t>(kind + 1),
                           reader.read<std::uint32_t>(kind + 2)};
  try {
    return StringTable::from_parts(std::move(parts));
  } catch (const Error& e) {
    reader.refuse(e.what());
  }
}

/// The set of some of `rows` rows that the next of `words` hold; takes these away.
RowSet read_rows(std::span<const std::uint64_t>& words, std::size_t rows,
                 const SectionReader& reader) {
  RowSet set(rows);
  if (words.size() < set.words().size()) reader.refuse("a set lacks rows");

  // Bit by bit, so that bits behind the last row, which a damaged file may have, are not taken.
  for (std::size_t row = 0; row < rows; ++row)
    if ((words[row / 64] >> row % 64 & 1) != 0) set.set(row);
  words = words.subspan(set.words().size());
  return set;
}

RowSet read_rows(const SectionReader& reader, std::uint32_t kind, std::size_t rows) {
  const auto all = reader.read<std::uint64_t>(kind);
  std::span<const std::uint64_t> words = all;
  return read_rows(words, rows, reader);
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

  const auto below = [](std::size_t limit) {
    return [=](std::uint32_t v) {
      return v < limit;
    };
  };
  const bool fits = offsets_fit(counts.row_begin, rows, counts.column.size()) &&
                    counts.count.size() == counts.column.size() && documents.ids.size() == rows &&
                    std::adjacent_find(documents.docids.begin(), documents.docids.end(),
                                       std::greater_equal<>()) == documents.docids.end() &&
                    offsets_fit(documents.label_begin, rows, documents.label.size()) &&
                    std::ranges::all_of(documents.label, below(mirror.labels.names.size()));
  if (!fits) reader.refuse("its parts do not fit together");

  // What backends rely on is checked by their own functions, which know nothing of files.
  try {
    check_csr(counts.view(), threads);
    check_labels(documents.labels(), documents.rows(), threads);
  } catch (const Error& e) {
    reader.refuse(e.what());
  }
}

/// The files of a folder that is being read. They are open, so a save may remove them.
struct OpenFiles {
  std::deque<SectionReader> terms;
  std::deque<SectionReader> segments;
};

void open_files(const std::vector<std::string>& names, const SavedFolder& folder,
                std::string_view magic, std::size_t threads, std::deque<SectionReader>& files) {
  for (const std::string& name : names) {
    if (!is_hexadecimal_name(name)) throw Error(Errc::kCorrupt, "it names a file " + name);
    files.emplace_back(folder.file(name), kWhat, magic, threads);
    if (files.back().name() != name) files.back().refuse("its name is not that of its contents");
  }
}

StringTable read_dictionary(const std::deque<SectionReader>& files) {
  StringTable dictionary;
  for (const SectionReader& reader : files) {
    const std::string text = reader.read_text(kText);
    std::size_t begin = 0;
    for (const std::uint64_t end : reader.read<std::uint64_t>(kEnd)) {
      // Ends that do not ascend would lead out of the text.
      if (end < begin || end > text.size()) reader.refuse("its parts do not fit together");
      dictionary.push_back(std::string_view(text).substr(begin, end - begin));
      begin = end;
    }
  }

  dictionary.index();
  return dictionary;
}

std::shared_ptr<const DocumentSegment> read_segment(const SectionReader& reader,
                                                    const Mirror& mirror, std::size_t threads) {
  DocumentRows documents;
  documents.docids = reader.read<std::uint32_t>(kDocids);
  const std::size_t rows = documents.docids.size();

  documents.ids = read_strings(reader, kIds);
  documents.counts = Csr{mirror.dictionary.size(), reader.read<std::uint64_t>(kRowBegin),
                         reader.read<std::uint32_t>(kColumn), reader.read<std::uint16_t>(kCount)};

  documents.label_begin = reader.read<std::uint64_t>(kLabelBegin);
  documents.label = reader.read<std::uint32_t>(kLabel);
  documents.tagged = read_rows(reader, kTagged, rows);
  documents.marked = read_rows(reader, kMarked, rows);

  // A checksum says that the bytes are those that were written, not that they make sense.
  check_parts(documents, mirror, reader, threads);
  return std::make_shared<const DocumentSegment>(std::move(documents));
}

/// The numbers of the next `count` blocks, `size` for each; takes them away.
std::span<const std::uint32_t> read_blocks(const Facts& count, std::size_t size,
                                           std::span<const std::uint32_t>& numbers) {
  const auto blocks = whole_number<std::uint32_t>(count);
  if (blocks > numbers.size() / size)
    throw Error(Errc::kCorrupt, "a shard has leaves or branches that are not there");

  const auto taken = numbers.first(blocks * size);
  numbers = numbers.subspan(taken.size());
  return taken;
}

DatabaseState read_state(const SectionReader& reader, const Facts& shards) {
  const auto leaves = reader.read<std::uint32_t>(kLeaves);
  const auto branches = reader.read<std::uint32_t>(kBranches);
  std::span<const std::uint32_t> left_leaves = leaves;
  std::span<const std::uint32_t> left_branches = branches;

  DatabaseState all;
  for (const Facts& facts : shards) {
    TermlistState& state = all.emplace_back();
    state.uuid = facts.at("uuid").get<std::string>();
    state.revision = whole_number<std::uint64_t>(facts.at("revision"));
    state.header = facts.at("header").get<std::string>();
    state.device = whole_number<std::uint64_t>(facts.at("device"));
    state.inode = whole_number<std::uint64_t>(facts.at("inode"));
    state.documents = whole_number<std::uint64_t>(facts.at("documents"));

    const Facts& root = facts.at("root");
    state.root = {whole_number<std::uint32_t>(root.at(0)), whole_number<std::uint32_t>(root.at(1)),
                  root.at(2).get<bool>(), whole_number<std::uint64_t>(root.at(3)),
                  whole_number<std::uint32_t>(root.at(4))};

    // The numbers of each shard follow those of the one before, as the facts count them.
    const auto leaf = read_blocks(facts.at("leaves"), 3, left_leaves);
    for (std::size_t i = 0; i < leaf.size(); i += 3)
      state.leaves.push_back({leaf[i], {leaf[i + 1], leaf[i + 2] != 0}});

    const auto branch = read_blocks(facts.at("branches"), 4, left_branches);
    for (std::size_t i = 0; i < branch.size(); i += 4) {
      const std::uint32_t first = branch[i + 2];
      const std::uint32_t below = branch[i + 3];
      if (first > state.leaves.size() || below > state.leaves.size() - first)
        throw Error(Errc::kCorrupt, "a branch has leaves that are not there");
      state.branches.push_back({branch[i], branch[i + 1], first, below});
    }
  }

  if (all.empty()) throw Error(Errc::kCorrupt, "it has no shards");
  return all;
}

DatabaseProof read_proof(const SectionReader& reader, const DatabaseState& state) {
  const auto checksums = reader.read<std::uint64_t>(kProof);
  std::span<const std::uint64_t> left = checksums;

  // The checksums of each shard follow those of the one before, one for each block.
  DatabaseProof proof;
  for (const TermlistState& shard : state) {
    const std::size_t blocks = shard.leaves.size() + shard.branches.size();
    if (left.size() < blocks) throw Error(Errc::kCorrupt, "a shard lacks checksums");
    proof.emplace_back(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(blocks));
    left = left.subspan(blocks);
  }
  return proof;
}

SavedMirror decode(const SectionReader& reader, const Facts& facts, const OpenFiles& files,
                   std::size_t threads) {
  SavedMirror saved;
  Mirror& mirror = saved.mirror;
  mirror.prefixes = facts.at("prefixes").get<std::vector<std::string>>();

  const Facts& tags = facts.at("tags");
  mirror.tags = {whole_number<std::uint64_t>(tags.at(0)), whole_number<std::uint64_t>(tags.at(1)),
                 whole_number<std::uint64_t>(tags.at(2)), whole_number<std::uint64_t>(tags.at(3))};

  mirror.uuid = facts.at("uuid").get<std::string>();
  mirror.shards = facts.at("shards").get<std::vector<std::string>>();
  mirror.revision = whole_number<std::uint64_t>(facts.at("revision"));

  // Before the segments, whose numbers of terms and labels are held against them.
  mirror.dictionary = read_dictionary(files.terms);
  mirror.labels.names = read_strings(reader, kLabelNames);
  mirror.df = reader.read<std::uint32_t>(kDf);
  if (mirror.df.size() != mirror.dictionary.size()) reader.refuse("its parts do not fit together");

  const auto all_dead = reader.read<std::uint64_t>(kDead);
  std::span<const std::uint64_t> dead = all_dead;
  for (const SectionReader& file : files.segments) {
    auto segment = read_segment(file, mirror, threads);
    const std::uint32_t rows = segment->documents.rows();
    mirror.segments.emplace_back(std::move(segment), read_rows(dead, rows, reader));
  }

  try {
    mirror.index_segments();  // which finds a document that two segments have
    saved.state = read_state(reader, facts.at("state"));
    saved.proof = read_proof(reader, saved.state);
  } catch (const Error& e) {
    reader.refuse(e.what());
  }
  return saved;
}

}  // namespace

std::string saved_mirror_path(const std::string& database, const std::string& uuid,
                              const MirrorSettings& settings) {
  if (settings.directory.empty()) return index_file_path(database, "mirror");
  return settings.directory + "/" + uuid.substr(0, uuid.find(':')) + ".kindred-mirror";
}

bool pays_to_save(std::uint64_t changed, std::uint64_t documents) {
  constexpr std::uint64_t kFew = 1000;
  constexpr std::uint64_t kShare = 8;  // 1 in so many
  return changed > std::max(kFew, documents / kShare);
}

void save_mirror(const Mirror& mirror, const DatabaseState& state, const DatabaseProof& proof,
                 const Settings& settings, const std::string& path, std::size_t threads) {
  static_assert(std::is_same_v<Xapian::docid, std::uint32_t>);
  const SavedFolder folder(path, true);

  // The list is written last, since it names the other files. What it does not name goes only when
  // it stands.
  lock(folder.folder());
  const FileNames files = write_files(mirror, folder, threads);
  write_list(mirror, state, proof, settings, files, folder, threads);
  keep_only(files, folder);
}

SavedMirror load_mirror(const std::string& path, const Settings& settings, std::size_t threads) {
  const SavedFolder folder(path, false);
  std::string former;
  while (true) {
    const SectionReader list(folder.file(kList), kWhat, kListMagic, threads);
    try {
      const Facts facts = parse_cbor(list.read_text(kFacts));
      if (facts.at("settings") != settings_facts(settings))
        throw Error(Errc::kInvalidArgument, path + ": saved with other settings of the index");

      OpenFiles files;
      open_files(facts.at("terms"), folder, kTermsMagic, threads, files.terms);
      open_files(facts.at("segments"), folder, kSegmentMagic, threads, files.segments);
      return decode(list, facts, files, threads);
    } catch (const Facts::exception& e) {
      list.refuse(e.what());
    } catch (const Error& e) {  // a save may have removed files that this list names
      if (e.code() != Errc::kNotFound) throw;
      if (list.name() == former) list.refuse(e.what());
      former = list.name();
    }
  }
}

}  // namespace kindred
