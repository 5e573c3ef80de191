#include "plugin/store/termlist_walk.h"

#include <sys/stat.h>
#include <xxhash.h>
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <unordered_set>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/zim.h"
#include "plugin/store/zim_file.h"

namespace kindred {
namespace {

constexpr int kWalkAttempts = 8;
constexpr std::size_t kLeavesAtOnce = 16;   // of the new ones, or runs of old ones, by one thread
constexpr std::size_t kBlocksAtOnce = 256;  // to be compared with their checksums
constexpr const char* kOtherHistory = "a backup was copied back since, and written to";
constexpr Xapian::docid kLastDocid = std::numeric_limits<Xapian::docid>::max();

[[noreturn]] void refuse_walk(const char* why) { throw Error(Errc::kCorrupt, why); }

/// The sum of the hashes of a document's items. Equal sums stand for equal items: two different
/// ones agree once in 2^64.
struct DocumentHash {
  Xapian::docid document;
  std::uint64_t hash;
};

/// What leaves of a termlist table hold of each document.
class LeafHashes {
 public:
  /// Adds the items of a leaf, whose documents are not before `begin`, nor before those of the
  /// leaves before. The first leaf of a table has an item with an empty key before all others.
  /// @throws Error kCorrupt if it is damaged, or its keys do not ascend.
  void add(const GlassBlock& leaf, Xapian::docid begin, bool is_first) {
    std::pair<std::string_view, unsigned> last;

    begin = std::max(begin, this->last());
    for (std::size_t i = 0; i < leaf.items(); ++i) {
      const GlassBlock::LeafItem item = leaf.leaf_item(i);
      if (item.key.empty() && i == 0 && is_first) continue;

      const Xapian::docid document = key_document(item.key);
      const std::pair key(item.key, item.component);

      // Keys ascend in a leaf, and documents from leaf to leaf.
      if (key <= last || document < begin) refuse_walk("items are out of order");
      last = key;
      begin = document;

      add({document, XXH3_64bits(item.bytes.data(), item.bytes.size())});
    }
  }

  /// Adds what leaves hold that come after these. @throws Error kCorrupt as above.
  void append(const LeafHashes& later) {
    if (!later.documents_.empty() && later.documents_.front().document < last())
      refuse_walk("items are out of order");
    for (const DocumentHash& each : later.documents_) add(each);
  }

  /// 0 if there are none.
  Xapian::docid last() const {
    if (documents_.empty()) return 0;
    return documents_.back().document;
  }
  const std::vector<DocumentHash>& documents() const { return documents_; }  ///< docids ascending

 private:
  void add(DocumentHash each) {
    if (last() != each.document)
      documents_.push_back(each);
    else
      documents_.back().hash += each.hash;
  }

  std::vector<DocumentHash> documents_;
};

/// A leaf that an older revision had, as it was. Nothing if a writer has used its number again
/// since, or is about to. Glass writes a block at once, from its first byte on, and its revision is
/// in the first bytes. So if the revision is still old after the block was read, the block was not
/// being written before.
std::optional<GlassBlock> read_old_leaf(const GlassFile& file, std::uint32_t number,
                                        std::uint64_t revision) {
  try {
    GlassBlock leaf = file.block(number);
    const GlassBlock again = file.block_header(number);
    const bool is_old = leaf.level() == 0 && again.level() == 0 && leaf.revision() <= revision &&
                        again.revision() == leaf.revision();
    if (is_old) return leaf;
  } catch (const Error&) {  // another table's revision may lie there, half written
  }
  return std::nullopt;
}

/// A table with more blocks is looked at only if it uses a part of them.
constexpr std::size_t kManyBlocks = std::size_t{1} << 24;
constexpr std::size_t kMostBlocksPerLeaf = 64;
constexpr std::size_t kMostLeaves = std::size_t{1} << 30;

/// Where the blocks of a state are in it, by their number.
class KnownBlocks {
 public:
  struct Subtree {
    unsigned level = 0;
    std::size_t first_leaf = 0;
    std::size_t leaves = 0;
    std::size_t branch = 0;  ///< from here to branches_end: the branch itself and those below it
    std::size_t branches_end = 0;
  };

  /// The state must outlive this. @throws Error kCorrupt if the state makes no sense.
  explicit KnownBlocks(const TermlistState& state) : state_(state) {
    std::size_t blocks = 0;
    for (const auto& leaf : state.leaves) blocks = std::max(blocks, std::size_t{leaf.block} + 1);
    for (const auto& branch : state.branches) {
      blocks = std::max(blocks, std::size_t{branch.block} + 1);
      if (branch.level == 0 || branch.first_leaf > state.leaves.size() ||
          branch.leaves > state.leaves.size() - branch.first_leaf) {
        throw Error(Errc::kCorrupt, "the older state is damaged");
      }
    }

    // The table below has an entry for each number of a block, so the numbers must not be much
    // larger than what there is.
    if (state.leaves.size() >= kMostLeaves ||
        blocks > std::max(kManyBlocks, kMostBlocksPerLeaf * state.leaves.size())) {
      throw Error(Errc::kUnsupported, "the table has too many leaves, or too many free blocks");
    }

    codes_.resize(blocks);
    for (std::size_t i = 0; i < state.leaves.size(); ++i) {
      set(state.leaves[i].block, 2 * i + 1);
    }
    for (std::size_t i = 0; i < state.branches.size(); ++i) {
      set(state.branches[i].block, 2 * i + 2);
    }
  }

  std::optional<Subtree> find(std::uint32_t number) const {
    if (number >= codes_.size() || codes_[number] == 0) return std::nullopt;

    const std::uint32_t code = codes_[number];
    const std::size_t i = (code - 1) / 2;
    if (code % 2 == 1) return Subtree{0, i, 1, 0, 0};

    // The branches below this one follow it.
    const TermlistState::Branch& branch = state_.branches[i];
    std::size_t end = i + 1;
    while (end < state_.branches.size() && state_.branches[end].level < branch.level) ++end;
    return Subtree{branch.level, branch.first_leaf, branch.leaves, i, end};
  }

 private:
  void set(std::uint32_t number, std::size_t code) {
    if (codes_[number] != 0) throw Error(Errc::kCorrupt, "a block has two parents");
    codes_[number] = static_cast<std::uint32_t>(code);
  }

  const TermlistState& state_;
  std::vector<std::uint32_t> codes_;  ///< 0: none; 2 * leaf + 1; 2 * branch + 2
};

/// Goes through the tree of a revision in the order of its keys. With an older state it enters only
/// blocks that this state does not have. Glass never changes a block of a revision: it writes the
/// new block, and all those above it, to numbers that are free.
class TermlistWalk {
 public:
  TermlistWalk(const GlassHeader& header, const GlassFile& file, const TermlistState* before,
               const BlockChecksums* proof, std::size_t threads)
      : header_(header), file_(file), before_(before), proof_(proof), threads_(threads) {
    if (before_ != nullptr) known_.emplace(*before_);
    if (proof_ != nullptr && proof_->size() != before_->leaves.size() + before_->branches.size())
      refuse_walk("its proof is not of its state");
  }

  TermlistChanges run() {
    TermlistState& now = changes_.now;
    now.uuid = header_.uuid;
    now.revision = header_.revision;
    now.device = file_.device();
    now.inode = file_.inode();
    now.root = root();
    now.documents = header_.documents;

    if (root().entries < header_.documents) refuse_walk("documents were added without termlists");
    if (!root().is_fake) {
      visit(root().block, root().level, {}, static_cast<std::uint32_t>(header_.revision));
    }

    // Each step needs those before it: what is kept, then what is new, then what is gone between.
    if (before_ != nullptr) {
      check_kept_blocks();
      const LeafHashes hashes = read_new_leaves();
      add_gone_leaves(before_->leaves.size());
      check_unchanged();
      leave_out_equal_documents(hashes);
      add_straddling_documents();
    }
    return std::move(changes_);
  }

 private:
  /// A leaf that the older state does not have.
  struct NewLeaf {
    std::size_t number;    ///< among the leaves of this state
    std::uint32_t parent;  ///< as visit() has it
  };

  /// Leaves of the older state that are no more, and the documents that were in them.
  struct GoneLeaves {
    std::size_t begin;
    std::size_t end;
    DocidRange documents;
  };

  /// What became of the blocks of the older state.
  struct OldBlocks {
    std::vector<KnownBlocks::Subtree> kept;
    std::vector<GoneLeaves> gone;
    std::vector<TermlistState::Leaf> straddling;  ///< a kept leaf, with the document to look for
    std::size_t compared = 0;                     ///< leaves that were kept or are gone
  };

  const GlassRoot& root() const { return header_.root(GlassTable::kTermlist); }
  /// True if the root is of a higher level than before.
  bool grew() const {
    return before_ != nullptr && !before_->root.is_fake && root().level > before_->root.level;
  }

  /// `parent` is the revision of the block above.
  void visit(std::uint32_t number, unsigned level, TermlistBound begin, std::uint32_t parent) {
    if (const auto subtree = unchanged(number, level, parent)) {
      if (grew() && level + 1 == root().level) refuse_walk("a writer changed blocks in place");
      return keep(*subtree, begin);
    }

    // A walk without an older state needs no leaf, only where each begins.
    if (level == 0 && before_ == nullptr) return add_leaf({number, begin});

    if (!entered_.insert(number).second) refuse_walk("a block has two parents");
    if (level > 0) return enter(read_new(number, level, parent), number, begin);

    // A new leaf is read later, with the others, by several threads.
    new_leaves_.push_back({changes_.now.leaves.size(), parent});
    add_leaf({number, begin});
  }

  GlassBlock read_new(std::uint32_t number, unsigned level, std::uint32_t parent) const {
    GlassBlock block = file_.block(number);
    check(block, level, parent);
    if (before_ != nullptr && block.revision() <= before_->revision)
      refuse_walk("an old block is new to the tree");
    return block;
  }

  LeafHashes read_new_leaves() const {
    const std::vector<TermlistState::Leaf>& leaves = changes_.now.leaves;

    // A thread knows of the other leaves only where they begin. So it holds each leaf against the
    // beginning of the next.
    std::vector<LeafHashes> read(new_leaves_.size());
    for_each_chunk(read.size(), kLeavesAtOnce, threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const auto [number, parent] = new_leaves_[i];
        const auto& [block, begin] = leaves[number];
        read[i].add(read_new(block, 0, parent), begin.document, number == 0);
        if (number + 1 < leaves.size() && leaves[number + 1].begin.document < read[i].last())
          refuse_walk("blocks are out of order");
      }
    });

    LeafHashes all;
    for (const LeafHashes& each : read) all.append(each);
    return all;
  }

  static void check(const GlassBlock& block, unsigned level, std::uint32_t parent) {
    if (block.level() != level) refuse_walk("a block is not of its level");
    if (block.revision() > parent) refuse_walk("a block is newer than its parent");
  }

  /// The subtree below a block of the older state, if it is the same block. A number that the older
  /// tree used is not used again before the second revision after it.
  std::optional<KnownBlocks::Subtree> unchanged(std::uint32_t number, unsigned level,
                                                std::uint32_t parent) const {
    if (before_ == nullptr) return std::nullopt;
    const auto subtree = known_->find(number);

    // After one commit, a number of the older tree still stands for the same block. After several,
    // the block has to say of which revision it is.
    if (subtree && header_.revision > before_->revision + 1) {
      const GlassBlock block = file_.block_header(number);
      check(block, level, parent);
      if (block.revision() > before_->revision) return std::nullopt;
    }
    if (subtree && subtree->level != level) refuse_walk("an old block is of another level");
    return subtree;
  }

  void enter(const GlassBlock& block, std::uint32_t number, TermlistBound begin) {
    TermlistState& now = changes_.now;
    if (block.items() == 0) refuse_walk("a branch is empty");

    const std::size_t branch = now.branches.size();
    const auto first = static_cast<std::uint32_t>(now.leaves.size());
    now.branches.push_back({number, block.level(), first, 0});

    for (std::size_t i = 0; i < block.items(); ++i) {
      const GlassBlock::BranchItem item = block.branch_item(i);
      // A search never looks at the first key: all from the beginning of the branch is there.
      const TermlistBound child = i == 0 ? begin : key_bound(item.key, item.component);
      visit(item.child, block.level() - 1, child, block.revision());
    }

    // Only now it is known how many leaves are below.
    now.branches[branch].leaves = static_cast<std::uint32_t>(now.leaves.size()) - first;
  }

  void add_leaf(const TermlistState::Leaf& leaf) {
    if (leaf.begin.document < reached_) refuse_walk("blocks are out of order");
    reached_ = leaf.begin.document;
    changes_.now.leaves.push_back(leaf);
  }

  /// Takes over a leaf, or a branch with all below it. Only its beginning may have moved.
  void keep(const KnownBlocks::Subtree& subtree, TermlistBound begin) {
    if (subtree.first_leaf < old_.compared) refuse_walk("old blocks are out of order");

    // Old blocks come in the order of their keys. What is skipped between two of them is gone.
    add_gone_leaves(subtree.first_leaf);
    old_.compared = subtree.first_leaf + subtree.leaves;

    TermlistState& now = changes_.now;
    old_.kept.push_back(subtree);

    // Leaves have other numbers in the new state.
    for (std::size_t i = subtree.branch; i < subtree.branches_end; ++i) {
      TermlistState::Branch branch = before_->branches[i];
      branch.first_leaf += static_cast<std::uint32_t>(now.leaves.size() - subtree.first_leaf);
      now.branches.push_back(branch);
    }

    for (std::size_t i = subtree.first_leaf; i < old_.compared; ++i) {
      const TermlistState::Leaf& leaf = before_->leaves[i];
      add_leaf({leaf.block, i == subtree.first_leaf ? begin : leaf.begin});
    }
  }

  /// True if a block has the content that the older state says, as far as there is a proof.
  bool is_proven(std::uint32_t block, std::size_t number) const {
    return proof_ == nullptr || file_.checksum(block) == (*proof_)[number];
  }

  /// By its number and its revision a block may be that of another history.
  void check_kept_blocks() const {
    if (proof_ == nullptr) return;

    std::vector<std::pair<std::uint32_t, std::size_t>> blocks;  // with their numbers in the proof
    const std::size_t leaves = before_->leaves.size();
    for (const KnownBlocks::Subtree& subtree : old_.kept) {
      for (std::size_t i = subtree.first_leaf; i < subtree.first_leaf + subtree.leaves; ++i)
        blocks.emplace_back(before_->leaves[i].block, i);
      for (std::size_t i = subtree.branch; i < subtree.branches_end; ++i)
        blocks.emplace_back(before_->branches[i].block, leaves + i);
    }

    for_each_chunk(blocks.size(), kBlocksAtOnce, threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (!is_proven(blocks[i].first, blocks[i].second)) refuse_walk(kOtherHistory);
    });
  }

  /// The leaves of the older state from `old_.compared` to `end` are no more. What they held is in
  /// newer leaves, or gone, except for a document that may begin in the leaf before them.
  void add_gone_leaves(std::size_t end) {
    if (old_.compared == end) return;

    const auto& leaves = before_->leaves;
    DocidRange range{std::max<Xapian::docid>(leaves[old_.compared].begin.document, 1), kLastDocid};

    // What a document has may go on from the leaf before, which is kept, into one that is gone.
    if (old_.compared > 0 && leaves[old_.compared].begin.is_inside) {
      old_.straddling.push_back({leaves[old_.compared - 1].block, leaves[old_.compared].begin});
    }

    // The next leaf that is kept begins behind the range, or inside of its last document.
    if (end < leaves.size()) {
      range.last = leaves[end].begin.document;
      if (!leaves[end].begin.is_inside) --range.last;
    }

    if (range.first > range.last) return;
    changes_.ranges.push_back(range);
    old_.gone.push_back({old_.compared, end, range});
  }

  /// A leaf is rewritten as a whole if one of its documents changes. Where the old leaves can still
  /// be read, the documents that they held as the new ones do have not changed, and those that the
  /// new ones lack are gone.
  void leave_out_equal_documents(const LeafHashes& hashes) {
    std::vector<std::optional<LeafHashes>> read(old_.gone.size());
    for_each_chunk(read.size(), kLeavesAtOnce, threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) read[i] = read_old_leaves(old_.gone[i]);
    });

    // A range whose leaves are overwritten stays as it is: each of its documents may have changed.
    LeafHashes readable;
    std::vector<DocidRange> unread;  // ascending
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (read[i])
        readable.append(*read[i]);
      else
        unread.push_back(old_.gone[i].documents);
    }

    const auto is_unread = [&](Xapian::docid document) {
      const auto range = std::ranges::lower_bound(unread, document, {}, &DocidRange::last);
      return range != unread.end() && range->first <= document;
    };

    // Both lists ascend: what differs from the old one, or is new, is to be read; what only the old
    // one has is gone. A document that is partly in an unread range cannot be compared.
    std::vector<DocumentHash> old;
    std::vector<DocumentHash> differing;
    std::vector<DocumentHash> gone;
    const auto& now = hashes.documents();
    std::ranges::remove_copy_if(readable.documents(), std::back_inserter(old), is_unread,
                                &DocumentHash::document);

    const auto whole = [](const DocumentHash& each) {
      return std::pair(each.document, each.hash);
    };
    std::ranges::set_difference(now, old, std::back_inserter(differing), {}, whole, whole);
    std::ranges::set_difference(old, now, std::back_inserter(gone), {}, &DocumentHash::document,
                                &DocumentHash::document);

    for (const DocumentHash& each : differing) changes_.present.push_back(each.document);
    changes_.ranges = std::move(unread);
    for (const DocumentHash& each : gone) changes_.ranges.push_back({each.document, each.document});
    std::ranges::sort(changes_.ranges, {}, &DocidRange::first);
  }

  /// Nothing if one of them is overwritten.
  std::optional<LeafHashes> read_old_leaves(const GoneLeaves& leaves) const {
    LeafHashes old;
    for (std::size_t i = leaves.begin; i < leaves.end; ++i) {
      const std::uint32_t block = before_->leaves[i].block;
      const auto leaf = read_old_leaf(file_, block, before_->revision);
      if (!leaf || !is_proven(block, i)) return std::nullopt;
      old.add(*leaf, 0, i == 0);
    }
    return old;
  }

  /// If the tree is the old one, so is what the header says of it.
  void check_unchanged() const {
    const GlassRoot& old = before_->root;
    const bool is_same = entered_.empty() && changes_.ranges.empty() && old_.straddling.empty();
    if (is_same && (root().entries != old.entries || header_.documents != before_->documents)) {
      refuse_walk("a writer changed blocks in place");
    }
  }

  /// Documents that begin in a leaf that is kept, and went on in one that is not.
  void add_straddling_documents() {
    std::vector<Xapian::docid>& present = changes_.present;
    for (const TermlistState::Leaf& leaf : old_.straddling) {
      const GlassBlock block = file_.block(leaf.block);
      if (block.items() == 0) continue;

      // The document goes on behind this leaf if the last item of the leaf is one of its own.
      const std::string_view key = block.leaf_item(block.items() - 1).key;
      if (!key.empty() && key_document(key) == leaf.begin.document) {
        present.push_back(leaf.begin.document);
      }
    }

    std::sort(present.begin(), present.end());
    present.erase(std::unique(present.begin(), present.end()), present.end());
  }

  const GlassHeader& header_;
  const GlassFile& file_;
  const TermlistState* const before_;
  const BlockChecksums* const proof_;  ///< of *before_, or null
  const std::size_t threads_;
  std::optional<KnownBlocks> known_;  ///< of *before_
  TermlistChanges changes_;
  std::unordered_set<std::uint32_t> entered_;
  std::vector<NewLeaf> new_leaves_;  ///< in the order of their keys
  Xapian::docid reached_ = 0;        ///< no docid before it may come
  OldBlocks old_;
};

/// An ordinary commit writes a new root for a table at least.
void require_new_root(const std::string& path, const GlassHeader& header) {
  for (std::size_t i = 0; i < kGlassTables; ++i) {
    const GlassRoot& root = header.roots[i];
    if (root.is_fake) continue;

    const GlassFile file(path, static_cast<GlassTable>(i), root.block_size);
    if (file.block_header(root.block).revision() == header.revision) return;
  }
  refuse_walk("a writer changed blocks in place, or the tables lost a level");
}

/// True if somebody wrote into the header since, instead of replacing it.
bool is_overwritten(const TermlistState& state) {
  struct stat now {};
  return state.header_file && ::fstat(*state.header_file, &now) == 0 &&
         stamp_of(now) != state.header;
}

/// The database now, and what was known of it.
struct Comparison {
  const GlassHeader& header;
  const GlassFile& file;
  const std::string& header_stamp;
  const TermlistState& before;
  const BlockChecksums* proof;
};

/// Nothing has to be compared if the header is the same file.
TermlistChanges compare_revisions(const std::string& path, const Comparison& all,
                                  std::size_t threads) {
  const auto& [header, file, stamp, before, proof] = all;
  const GlassRoot& root = header.root(GlassTable::kTermlist);
  // First whether it is the same history: a walk tells nothing of another one.
  if (header.uuid != before.uuid) refuse_walk("it is another database");
  if (file.device() != before.device || file.inode() != before.inode ||
      root.block_size != before.root.block_size) {
    refuse_walk("its files were replaced");
  }
  if (header.revision < before.revision) refuse_walk("it went back to an older revision");

  const bool is_same_revision = header.revision == before.revision;
  if (is_same_revision && (root != before.root || header.documents != before.documents))
    refuse_walk("the same revision has another content");
  if (is_overwritten(before))
    refuse_walk("its files were written in place, as a backup is that is copied back");

  if (is_same_revision && stamp == before.header) return {before, {}, {}};
  if (is_same_revision && proof == nullptr)
    refuse_walk("the header of the same revision is another file");
  if (!is_same_revision) require_new_root(path, header);

  return TermlistWalk(header, file, &before, proof, threads).run();
}

/// Remembers the header, and keeps its file open. False if it is not the current one any more.
bool keep_header(const std::string& path, const FileContent& header, TermlistState& state) {
  if (state.header_file && state.header == header.stamp) return true;
  state.header = header.stamp;
  state.header_file = open_glass_header(path);
  return *state.header_file >= 0 && !is_overwritten(state);
}

/// body(header, file, stamp) for the current revision, again if a writer committed meanwhile.
template <typename Body>
std::optional<TermlistChanges> walk_revision(const std::string& path, std::string& why,
                                             Body&& body) {
  for (int attempt = 0; attempt < kWalkAttempts; ++attempt) {
    const FileContent content = glass_header(path);
    try {
      const GlassHeader header = parse_glass_header(content.bytes);
      const GlassFile file(path, GlassTable::kTermlist,
                           header.root(GlassTable::kTermlist).block_size);

      TermlistChanges changes = body(header, file, content.stamp);
      if (keep_header(path, content, changes.now) && still_at(path, changes.now)) return changes;
      why = "writers committed while it was read";
    } catch (const Error& e) {
      why = e.what();
      // Blocks that a writer has overwritten look like any damage. If nobody has committed, the
      // damage is real.
      if (glass_header(path) == content) return std::nullopt;
    }
  }

  return std::nullopt;
}

/// The index of a ZIM file. Nothing for what is no ZIM file.
std::optional<TermlistState> zim_state(const std::string& path) {
  if (!is_zim(path)) return std::nullopt;

  const Xapian::Database database = open_zim(path);
  TermlistState state;
  state.uuid = database.get_uuid();
  state.revision = database.get_revision();
  state.documents = database.get_doccount();
  return state;
}

}  // namespace

bool same_revision(const TermlistState& a, const TermlistState& b) {
  return a.uuid == b.uuid && a.revision == b.revision;
}

std::optional<TermlistState> read_termlist_state(const std::string& path, std::string& why) {
  if (auto zim = zim_state(path)) return zim;
  auto changes = walk_revision(
      path, why, [](const GlassHeader& header, const GlassFile& file, const std::string&) {
        return TermlistWalk(header, file, nullptr, nullptr, 1).run();
      });
  if (!changes) return std::nullopt;
  return std::move(changes->now);
}

std::optional<BlockChecksums> read_checksums(const std::string& path, const TermlistState& state,
                                             std::string& why, std::size_t threads) {
  if (is_zim(path)) return BlockChecksums();

  const std::size_t leaves = state.leaves.size();
  BlockChecksums checksums(leaves + state.branches.size());

  why = "writers committed while its blocks were read";
  try {
    const GlassFile file(path, GlassTable::kTermlist, state.root.block_size);
    const auto read = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const bool is_leaf = i < leaves;
        const std::uint32_t block =
            is_leaf ? state.leaves[i].block : state.branches[i - leaves].block;
        checksums[i] = file.checksum(block);
      }
    };
    for_each_chunk(checksums.size(), kBlocksAtOnce, threads, read);
  } catch (const Error& e) {
    why = e.what();
    return std::nullopt;
  }

  // A writer may have overwritten blocks meanwhile.
  if (is_overwritten(state) || !still_at(path, state)) return std::nullopt;
  return checksums;
}

std::optional<TermlistChanges> walk_changes(const std::string& path, const TermlistState& before,
                                            std::string& why, std::size_t threads,
                                            const BlockChecksums* proof) {
  // A ZIM file never changes: it is the same index, or another file.
  if (auto zim = zim_state(path)) {
    why = "it was replaced by another file";
    if (!same_revision(*zim, before)) return std::nullopt;
    return TermlistChanges{std::move(*zim), {}, {}};
  }

  return walk_revision(
      path, why, [&](const GlassHeader& header, const GlassFile& file, const std::string& stamp) {
        return compare_revisions(path, {header, file, stamp, before, proof}, threads);
      });
}

bool still_at(const std::string& path, const TermlistState& state) {
  if (const auto zim = zim_state(path)) return same_revision(*zim, state);

  // The header is another file after each commit. That of a backup has another stamp, too, and the
  // table may be another file.
  const FileContent content = glass_header(path);
  try {
    const GlassHeader header = parse_glass_header(content.bytes);
    const GlassFile file(path, GlassTable::kTermlist, state.root.block_size);
    return content.stamp == state.header && header.uuid == state.uuid &&
           header.revision == state.revision && file.device() == state.device &&
           file.inode() == state.inode;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace kindred
