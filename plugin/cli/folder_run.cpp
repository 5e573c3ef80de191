#include "plugin/cli/folder_run.h"

#include <unistd.h>
#include <xapian.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "plugin/cli/folder_run_lock.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/engine.h"
#include "plugin/input/document_data.h"
#include "plugin/readers/folder/folder_file.h"
#include "plugin/readers/folder/folder_walk.h"
#include "plugin/writing/deletion.h"

namespace kindred::cli {

/// A name as a number. The data of a document have a space for a line end.
static std::size_t hash_of(std::string_view name) {
  std::string line(name);
  std::ranges::replace(line, '\n', ' ');
  std::ranges::replace(line, '\r', ' ');
  return std::hash<std::string>()(line);
}

/// A set of names, of which it keeps no more than a number of 64 bits each.
class NameSet {
 public:
  void add(std::string_view name) {
    numbers_.push_back(hash_of(name));
    is_sorted_ = false;
  }

  bool contains(std::string_view name) {
    if (!is_sorted_) std::ranges::sort(numbers_);
    is_sorted_ = true;
    return std::ranges::binary_search(numbers_, hash_of(name));
  }

 private:
  std::vector<std::size_t> numbers_;
  bool is_sorted_ = true;
};

/// A folder that is indexed, what the index has of it, and what this run has found in it.
struct IndexedFolder {
  std::string given;                      // as the user named it
  std::string whole;                      // without links; it is the value of kFolderKey
  NameSet known;                          // stamps of files that the index has
  std::map<std::string, NameSet> others;  // files that the index has of other folders
  NameSet present;                        // files that are there
  NameSet read;                           // those that were read to their end
  NameSet written;                        // ids of their records
  std::vector<std::string> unreadable;    // paths in it

  bool is_in_unreadable(std::string_view file) const {
    return std::ranges::any_of(unreadable, [&](const std::string& path) {
      if (!file.starts_with(path)) return false;
      return file.size() == path.size() || file[path.size()] == '/';
    });
  }

  /// True if the document of this id and file stands for nothing that is there.
  bool is_gone(const std::string& id, const std::string& file) {
    if (!present.contains(file)) return !is_in_unreadable(file);
    return read.contains(file) && !written.contains(id);
  }
};

namespace {

/// What a document of an index says of the file that it is from.
struct FileOfDocument {
  std::string data;
  std::string_view value(const char* key) const { return document_field(data, key); }
};

using TakeDocument = std::function<void(Xapian::docid, const FileOfDocument&)>;

void for_each_of(const Xapian::Database& database, const TakeDocument& take) {
  const auto end = database.postlist_end("");
  for (auto each = database.postlist_begin(""); each != end; ++each) {
    const FileOfDocument document{database.get_document(*each).get_data()};
    if (!document.value(kFolderKey).empty()) take(*each, document);
  }
}

/// Calls `take` with each document of an index that is from a file of a folder. Where others write
/// meanwhile, it begins anew, so some come twice.
void for_each_of_folders(const std::string& path, const TakeDocument& take) {
  constexpr int kMostAttempts = 20;
  for (int attempt = 1;; ++attempt) {
    try {
      return for_each_of(Xapian::Database(path), take);
    } catch (const Xapian::DatabaseModifiedError& e) {
      if (attempt == kMostAttempts)
        throw Error(Errc::kDatabase, path + ": others write to it all the time: " + e.get_msg());
    } catch (const Xapian::DatabaseOpeningError&) {
      return;  // there is none yet
    } catch (const Xapian::Error& e) {
      throw Error(Errc::kDatabase, path + ": cannot be read: " + e.get_msg());
    }
  }
}

std::string stamp_of(std::string_view file, std::string_view modified, std::string_view size) {
  return std::string(file) + '\0' + std::string(modified) + '\0' + std::string(size);
}

std::string kind_text(const FolderEntry& entry) {
  switch (entry.kind) {
    case FolderEntry::Kind::kLink:
      return "links";
    case FolderEntry::Kind::kHidden:
      return "hidden";
    case FolderEntry::Kind::kSpecial:
      return "no regular files";
    default:
      return "";
  }
}

std::string kind_text(const std::string& path) {
  const std::string end = end_of_name(path);
  return end.empty() ? "without an ending" : end;
}

/// How much there is to read of a file, as far as its name tells.
std::uint64_t bytes_to_read(const FolderEntry& entry) {
  const bool is_known = kind_of_file(entry.path, "").form != FileKind::Form::kUnknown;
  return is_known || end_of_name(entry.path).empty() ? entry.bytes : 0;
}

/// Those of all files. @throws Error kNotFound if there are none.
std::uint64_t count_bytes(const std::string& folder) {
  std::uint64_t bytes = 0;
  bool has_file = false;
  FolderWalk walk(folder);
  while (const auto entry = walk.next()) {
    if (entry->kind != FolderEntry::Kind::kFile) continue;
    has_file = true;
    bytes += bytes_to_read(*entry);
  }
  if (!has_file) throw Error(Errc::kNotFound, folder + ": expected files, found none");
  return bytes;
}

}  // namespace

struct FolderRun::Impl {
  explicit Impl(const std::string& path) : database(path), lock(path) {}

  void read_index() {
    for_each_of_folders(database, [this](Xapian::docid, const FileOfDocument& document) {
      const std::string_view of = document.value(kFolderKey);
      for (IndexedFolder& folder : folders) take_known(folder, of, document);
    });
  }

  void take_known(IndexedFolder& folder, std::string_view of, const FileOfDocument& document) {
    if (of != folder.whole) {
      folder.others[std::string(of)].add(document.value(kFileKey));
    } else if (!document.value(kModifiedKey).empty()) {
      folder.known.add(stamp_of(document.value(kFileKey), document.value(kModifiedKey),
                                document.value(kSizeKey)));
    }
  }

  bool add(IndexedFolder& folder, Ingest& ingest) {
    FolderWalk walk(folder.given);
    bool has_readable = false;
    while (const auto entry = walk.next()) {
      const std::string place = folder.given + "/" + entry->path;
      if (entry->kind == FolderEntry::Kind::kUnreadable) {
        folder.unreadable.push_back(entry->path);
        ingest.add_failure("cannot be read: " + entry->fault, {place, 0});
      } else if (entry->kind != FolderEntry::Kind::kFile) {
        pass_over(kind_text(*entry), nullptr);
      } else {
        has_readable = add_file(folder, walk, *entry, place, ingest) || has_readable;
        bytes_before += bytes_to_read(*entry);
        bytes_read.store(bytes_before, std::memory_order_relaxed);
      }
    }
    if (!has_readable)
      tell("kindred: " + folder.given + ": expected files that can be read, found none; " +
           "kindred index --help says which these are");
    return has_readable;
  }

  /// `filter` would read it; null if none is known.
  void pass_over(const std::string& kind, const Filter* filter) {
    constexpr std::size_t kMostKinds = 200;  // endings may be as many as files
    const bool has_room = report.passed_over.size() < kMostKinds || filter != nullptr ||
                          report.passed_over.contains(kind);
    FolderReport::PassedOver& passed = report.passed_over[has_room ? kind : "others"];
    ++passed.files;
    if (filter != nullptr) passed.package = filter->package;
  }

  /// False for a file of a kind that is not read.
  bool add_file(IndexedFolder& folder, const FolderWalk& walk, const FolderEntry& entry,
                const std::string& place, Ingest& ingest) {
    folder.present.add(entry.path);
    try {
      const int opened = walk.open_file();
      if (opened < 0) throw Error(Errc::kNotFound, "cannot be read: " + last_fault().message());
      FolderFile file(opened, entry.path, filters);
      folder.present.add(file.path());

      if (!file.is_readable()) {
        pass_over(kind_text(entry.path), file.kind().filter);
        return false;
      }
      if (folder.known.contains(stamp_of(file.path(), file.modified(), file.size()))) {
        ++report.unchanged;
      } else {
        add_records(folder, file, place, ingest);
      }
    } catch (const Error& e) {
      if (e.code() == Errc::kDatabase) throw;
      ingest.add_failure(e.what(), {place, 0});
    } catch (const std::bad_alloc&) {
      ingest.add_failure("takes more memory than there is", {place, 0});
    }
    return true;
  }

  void add_records(IndexedFolder& folder, FolderFile& file, const std::string& place,
                   Ingest& ingest) {
    check_apart(folder, file.path());
    std::uint64_t number = 0;
    const bool is_mailbox = file.kind().form == FileKind::Form::kMailbox;
    while (std::optional<Record> record = file.next()) {
      ++number;
      bytes_read.store(bytes_before + file.read_bytes(), std::memory_order_relaxed);
      record->fields[kFolderKey] = folder.whole;
      folder.written.add(record->id);
      try {
        ingest.add(*record, {place, is_mailbox ? number : 0});
      } catch (const Error& e) {  // of one record the ingest counts and reports it
        if (e.code() != Errc::kInvalidArgument) throw;
      }
    }
    folder.read.add(file.path());
  }

  /// Another folder may have a file of the same path. Its document is replaced only if that file is
  /// gone, as where a folder was moved.
  void check_apart(IndexedFolder& folder, const std::string& path) {
    const auto refuse = [](const std::string& other) {
      throw Error(Errc::kInvalidArgument, "the index has a file of this path from " + other +
                                              ": expected the folder that both are in, or an "
                                              "index for each");
    };

    for (IndexedFolder& other : folders)
      if (other.whole != folder.whole && other.read.contains(path)) refuse(other.whole);
    for (auto& [other, files] : folder.others) {
      const std::filesystem::path place = std::filesystem::path(other) / path;
      if (files.contains(path) && ::access(place.c_str(), F_OK) == 0) refuse(other);
    }
  }

  const std::string database;
  const FolderRunLock lock;
  std::vector<IndexedFolder> folders;
  InstalledFilters filters;
  FolderReport report;
  std::uint64_t all_bytes = 0;
  std::uint64_t bytes_before = 0;  // of files that were read
  std::atomic<std::uint64_t> bytes_read = 0;
};

FolderRun::FolderRun(const std::string& database, const std::vector<std::string>& folders) {
  // What cannot be read is found before the index is made.
  std::uint64_t bytes = 0;
  for (const std::string& folder : folders) bytes += count_bytes(folder);

  impl_ = std::make_unique<Impl>(database);
  impl_->all_bytes = bytes;
  for (const std::string& folder : folders) {
    IndexedFolder& indexed = impl_->folders.emplace_back();
    indexed.given = folder;
    while (indexed.given.size() > 1 && indexed.given.ends_with('/')) indexed.given.pop_back();
    indexed.whole = std::filesystem::canonical(folder).string();
  }
  impl_->read_index();
}

FolderRun::~FolderRun() = default;

RecordReader::Position FolderRun::position() const {
  const std::uint64_t read = impl_->bytes_read.load(std::memory_order_relaxed);
  return {std::min(read, impl_->all_bytes), impl_->all_bytes};
}

bool FolderRun::add_all(Ingest& ingest) {
  bool have_all = true;
  for (IndexedFolder& folder : impl_->folders) have_all = impl_->add(folder, ingest) && have_all;
  return have_all;
}

void FolderRun::prune(const Settings& settings) {
  std::vector<Xapian::docid> gone;
  for_each_of_folders(impl_->database, [&](Xapian::docid docid, const FileOfDocument& document) {
    for (IndexedFolder& folder : impl_->folders) {
      if (document.value(kFolderKey) != folder.whole) continue;
      if (folder.is_gone(std::string(document.value("id")), std::string(document.value(kFileKey))))
        gone.push_back(docid);
    }
  });
  if (gone.empty()) return;

  Settings on_cpu = settings;
  on_cpu.backend.kind = "cpu";  // which starts sooner
  Engine engine(impl_->database, on_cpu);
  impl_->report.deleted = delete_documents(engine, {}, gone).deleted;
}

const FolderReport& FolderRun::report() const { return impl_->report; }

void tell_passed_over(const FolderReport& report) {
  constexpr std::size_t kMost = 8;
  using Entry = std::pair<std::string, FolderReport::PassedOver>;
  std::vector<Entry> kinds(report.passed_over.begin(), report.passed_over.end());
  std::ranges::stable_sort(kinds, std::greater(), [](const Entry& entry) {
    return entry.second.files;
  });

  // Those that a package would read are told whatever their number.
  std::string text;
  std::uint64_t all = 0;
  std::uint64_t more = 0;
  std::size_t told = 0;
  for (const auto& [kind, passed] : kinds) {
    all += passed.files;
    if (told >= kMost && passed.package.empty()) {
      more += passed.files;
      continue;
    }
    ++told;
    std::string item = std::to_string(passed.files) + " " + kind;
    if (!passed.package.empty()) item += " (the package " + passed.package + " reads them)";
    append_item(text, item);
  }
  if (all == 0) return;
  if (more > 0) append_item(text, std::to_string(more) + " others");
  tell("kindred: passed over " + counted(all, "file") + ": " + text);
}

Json passed_over_json(const FolderReport& report) {
  Json list = Json::array();
  for (const auto& [kind, passed] : report.passed_over) {
    Json item = {{"kind", kind}, {"files", passed.files}};
    item["package"] = passed.package.empty() ? Json() : Json(passed.package);
    list.push_back(std::move(item));
  }
  return list;
}

void leave_out_folder_keys(std::map<std::string, std::uint64_t>& keys) {
  for (const char* key : {kFolderKey, kFileKey, kModifiedKey, kSizeKey, "from", "date"})
    keys.erase(key);
}

}  // namespace kindred::cli
