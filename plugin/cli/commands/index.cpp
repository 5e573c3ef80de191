// kindred index, ingest: records of files into a Xapian database.

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "config/shown.h"
#include "plugin/ask/asking.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/folder_run.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/question.h"
#include "plugin/cli/record_lines.h"
#include "plugin/input/names.h"
#include "plugin/readers/folder/file_kind.h"
#include "plugin/writing/ingest.h"

namespace kindred::cli {
namespace {

constexpr const char* kIndexFooter = R"(
Examples:
  kindred index --db wiki.db articles.jsonl.gz
  zcat *.gz | kindred index --db wiki.db --json -
  kindred index --db train.db --split train all.jsonl.gz
  kindred index --db news.db --map text=body,labels=tags --separator ';' news.csv
  kindred index --db docs.db --prune ~/Documents
Each line is a JSON object with the keys id, title, text, labels and lang; other keys are kept for
display. Files may also be a JSON array, or CSV or TSV by their names, whose first line names the
columns. A record without an id gets one of file and line. A record with a known id replaces its
document. Bad lines are reported, counted and skipped. The database is made if there is none.
Of a folder, files become documents whose names end in .txt, .md, .html, .eml or .mbox, those of a
Maildir, and with pdftotext, antiword, unzip and the like also PDF and office documents. Their ids
are the paths in the folder. A later run takes only what has changed.)";

constexpr const char* kIngestFooter = R"(
Examples:
  kindred ingest --db wiki.db new.jsonl
  kindred ingest --db wiki.db --config kindred.toml --json -
  kindred ingest --db wiki.db --set ingest.near_duplicates=0.9 new.jsonl
Does what 'kindred index' does, and gives records without labels the tags that their nearest labeled
documents suggest. These tags have a prefix of their own.)";

struct IndexOptions {
  DatabaseOptions database;
  std::vector<std::string> files;  // and folders
  std::string progress = "auto";
  std::string dead_letters;
  std::string split;
  MapOptions map;
  bool allow_empty = false;
  bool prune = false;
  bool documents = false;
  bool tag = false;
};

Settings settings_of(const IndexOptions& options) {
  Settings settings = read_settings(options.database);
  if (!options.dead_letters.empty()) {
    settings.ingest.dead_letters = options.dead_letters;
    settings.ingest.on_failure = "dead_letter";
  }
  return settings;
}

/// What there is to read: files of records, and folders.
struct Sources {
  std::vector<std::string> files;
  std::vector<std::string> folders;
};

/// True for a file that a folder would give as a document, unless it begins as records do, whatever
/// its name.
bool is_document(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::string start(512, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));

  const std::size_t first = start.find_first_not_of("\xEF\xBB\xBF \t\r\n");
  const bool is_json = first == start.npos || start[first] == '{' || start[first] == '[';
  return !is_json && kind_of_file(path, start).form != FileKind::Form::kUnknown;
}

/// Checks that the sources can be read, before anything is written.
/// @throws Error kNotFound; kInvalidArgument for options that the sources do not have.
Sources readable_sources(const IndexOptions& options) {
  Sources sources;
  for (const std::string& path : options.files) {
    std::error_code ignored;
    if (path != "-" && access(path.c_str(), R_OK) != 0)
      throw Error(Errc::kNotFound, path + ": cannot be read: " +
                                       std::error_code(errno, std::generic_category()).message());
    const bool is_folder = path != "-" && std::filesystem::is_directory(path, ignored);
    if (!is_folder && is_document(path))
      throw Error(Errc::kInvalidArgument,
                  path +
                      ": expected records: JSON, or a table whose name ends in .csv or .tsv; "
                      "documents such as this one are read from a folder, so name that");
    if (is_folder)
      sources.folders.push_back(path);
    else
      sources.files.push_back(path);
  }

  if (options.prune && sources.folders.empty())
    throw Error(Errc::kInvalidArgument, "--prune: expected a folder, found files only");
  if (!options.split.empty() && !sources.folders.empty())
    throw Error(Errc::kInvalidArgument,
                sources.folders[0] + ": expected a file for --split, found a folder");
  return sources;
}

/// A file that grows while it is read would never end.
/// @throws Error kInvalidArgument.
void require_apart(const std::vector<std::string>& files, const IngestSettings& settings) {
  if (settings.on_failure != "dead_letter") return;
  for (const std::string& path : files) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(path, settings.dead_letters, ignored)) continue;
    throw Error(Errc::kInvalidArgument,
                path + ": expected another file than the one that takes the dead letters");
  }
}

/// The records at the start of a file that have no words. They wait until one has, since a file in
/// which none has is refused before any of it is written.
class WordlessStart {
 public:
  WordlessStart(const std::string& split, const std::vector<std::string>& body_fields)
      : split_(split), body_fields_(body_fields) {}

  /// Keeps the line, or hands back all that waited, it among them, once there is no more to wait
  /// for.
  std::vector<RecordLine> add(RecordLine line) {
    bool is_over = bytes_ + line.text.size() > kMostBytes;
    try {
      const Record record = parse_line(line);
      if (is_in_split(record, split_)) {
        ++records_;
        if (record.labels.empty()) ++unlabeled_;
        for (const auto& [key, value] : record.fields) ++keys_[key];
        is_over = is_over || has_words(record, body_fields_);
      }
    } catch (const Error&) {  // the ingest says what is wrong
    }

    bytes_ += line.text.size();
    lines_.push_back(std::move(line));
    if (!is_over) return {};
    return std::exchange(lines_, {});
  }

  /// At the end of the file: what waited, as none of it is a record.
  /// @throws Error kInvalidArgument if there are records.
  std::vector<RecordLine> finish(const std::string& path) {
    if (records_ == 0) return std::exchange(lines_, {});

    std::string fault = path + ": none of " + std::to_string(records_) +
                        " records has title, text or terms; nothing of it was added";
    std::vector<std::string> wanted = {"text"};
    if (unlabeled_ == records_) wanted.emplace_back("labels");
    fault += unread_keys_text(keys_, wanted);
    throw Error(Errc::kInvalidArgument, fault + " (--allow-empty adds them as they are)");
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  const std::string& split_;
  const std::vector<std::string>& body_fields_;
  std::vector<RecordLine> lines_;
  std::size_t bytes_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t unlabeled_ = 0;
  std::map<std::string, std::uint64_t> keys_;
};

/// Adds a line, unless it is a record of another split.
void add_line(RecordLine line, const std::string& path, const std::string& split, Ingest& ingest) {
  if (!line.fault.empty()) return ingest.add_failure(line.fault, {path, line.number});
  try {
    // A line that cannot be read as a record has no split. It goes on to the ingest, which counts
    // it.
    if (!split.empty() && !is_in_split(parse_line(line), split)) return;
  } catch (const Error&) {  // the ingest says what is wrong
  }
  ingest.add_json(std::move(line.text), {path, line.number});
}

/// False if the file is refused or breaks off. The records before are kept.
bool add_file(const std::string& path, const IndexOptions& options, const FieldMap& map,
              const Settings& settings, Ingest& ingest) {
  const auto add_all = [&](std::vector<RecordLine> lines) {
    for (RecordLine& line : lines) add_line(std::move(line), path, options.split, ingest);
    return !lines.empty();
  };

  // What cannot be decompressed or read ends this file, not the others.
  WordlessStart start(options.split, settings.index.body_fields);
  bool has_started = options.allow_empty;
  std::unique_ptr<RecordFile> file;
  while (true) {
    std::optional<RecordLine> line;
    std::vector<RecordLine> waiting;
    try {
      if (file == nullptr) file = std::make_unique<RecordFile>(path, map);
      line = file->next();
      if (!line && !has_started) waiting = start.finish(path);
    } catch (const Error& e) {
      tell(std::string("kindred: ") + e.what());
      return false;
    }

    if (!line) {
      add_all(std::move(waiting));
      return true;
    }
    if (has_started) {
      add_line(std::move(*line), path, options.split, ingest);
    } else {
      has_started = add_all(start.add(std::move(*line)));
    }
  }
}

constexpr const char* kOutcomes[] = {"added", "replaced", "failed"};  // as DocumentReport::Outcome

Json near_duplicate_json(const std::optional<NearDuplicate>& nearest) {
  if (!nearest) return {};
  return {{"id", written_name(nearest->id)},
          {"docid", nearest->docid},
          {"similarity", shortest(nearest->similarity)}};
}

void print_document(const DocumentReport& report) {
  Json line = {{"file", report.origin.file},
               {"line", report.origin.line},
               {"id", report.id.empty() ? Json() : Json(written_name(report.id))},
               {"outcome", kOutcomes[static_cast<int>(report.outcome)]},
               {"tags", tags_json(report.tags)},
               {"pending", report.pending},
               {"reason", report.reason}};
  if (report.compared) line["near_duplicate"] = near_duplicate_json(report.near_duplicate);

  print_json(line);
}

void print_near_duplicate(const DocumentReport& report, Progress& progress) {
  progress.finish();
  const NearDuplicate& nearest = *report.near_duplicate;
  std::cout << shown(report.id) << ": nearly the same as " << shown(nearest.id) << " (docid "
            << nearest.docid << "), similarity " << fixed(nearest.similarity, 4) << '\n';
}

void report_document(const DocumentReport& report, const IndexOptions& options, BadLines& bad_lines,
                     Progress& progress) {
  // Each stands alone: a failed record is no near-duplicate, and --documents adds a line for each.
  if (report.outcome == DocumentReport::Outcome::kFailed)
    bad_lines.report(report.origin.file, report.origin.line, report.reason);
  if (report.near_duplicate && !options.database.common.json)
    print_near_duplicate(report, progress);

  if (!options.documents) return;
  print_document(report);
  if (report.outcome == DocumentReport::Outcome::kFailed) std::cout.flush();
}

/// `folders`: null if there were none.
void print_ingest(const IngestReport& report, const FolderReport* folders, double seconds,
                  const IndexOptions& options, bool compared) {
  if (options.database.common.json) {
    Json line = {{"added", report.added},
                 {"replaced", report.replaced},
                 {"failed", report.failed},
                 {"tagged", report.tagged},
                 {"seconds", seconds},
                 {"pending", report.pending},
                 {"near_duplicates", report.near_duplicates},
                 {"uncompared", report.uncompared},
                 {"unread_keys", report.unread_keys}};
    if (folders != nullptr) {
      line["unchanged"] = folders->unchanged;
      line["deleted"] = folders->deleted;
      line["passed_over"] = passed_over_json(*folders);
    }
    print_json(line);
    return;
  }

  std::cout << "added " << report.added << ", replaced " << report.replaced << ", failed "
            << report.failed << ", tagged " << report.tagged;
  if (compared) std::cout << ", near-duplicates " << report.near_duplicates;
  if (folders != nullptr)
    std::cout << ", unchanged " << folders->unchanged << ", deleted " << folders->deleted;
  std::cout << " in " << fixed(seconds, 2) << " s\n";
}

/// Says which documents did not get all that was asked for. `separator`: of labels, as it was
/// given.
void report_shortfalls(const IngestReport& report, const std::string& separator) {
  if (report.pending > 0) {
    tell("kindred: " + std::to_string(report.pending) +
         " documents could not be tagged and are marked " + kPendingTerm + "; --verbose says why");
  }
  if (report.uncompared > 0) {
    tell("kindred: " + std::to_string(report.uncompared) +
         " documents could not be compared with the others; --verbose says why");
  }

  if (report.named > 0)
    tell("kindred: " + counted(report.named, "record") +
         " without an id got one of file and line, such as " + shown(report.first_name));
  if (report.joined > 0 && separator.empty())
    tell("kindred: " + counted(report.joined, "record") + " with a label such as '" +
         shown(report.first_joined) + "'; if these are several, --separator '" +
         separator_in(report.first_joined) + "' parts them");

  // Keys with other names than Kindred's make documents without words or labels. Nothing else would
  // tell.
  const std::uint64_t written = report.added + report.replaced;
  std::vector<std::string> wanted;
  std::string lacking;
  if (written > 0 && report.wordless >= written) {
    wanted.emplace_back("text");
    lacking = "none with title, text or terms, so their documents have no words";
  } else if (written > 0 && report.textless >= written &&
             !likely_map(report.unread_keys, {"text"}).empty()) {
    wanted.emplace_back("text");
    lacking = "none with text";
  }
  if (written > 0 && report.unlabeled >= written) {
    wanted.emplace_back("labels");
    append_item(lacking, "none with labels");
  }
  // That none has labels is told only where a key looks as if it were meant.
  const bool has_likely = !likely_map(report.unread_keys, wanted).empty();
  const bool has_words = report.wordless < written;
  if (lacking.empty() || (has_words && !has_likely)) return;

  tell("kindred: " + counted(written, "record") + ", " + lacking +
       unread_keys_text(report.unread_keys, wanted));
}

/// False, and says so, if records of a split are wanted, and none is of it.
bool has_split(const IngestReport& report, const IndexOptions& options) {
  const bool is_empty = report.added + report.replaced + report.failed == 0;
  if (!is_empty || options.split.empty()) return true;

  tell("kindred: no record has the split '" + shown(options.split) + "'");
  return false;
}

int run(const IndexOptions& options) {
  const auto start = std::chrono::steady_clock::now();

  // Faults of files are found before the database is opened: an ingest of many hours must not end
  // at the last of them.
  const Settings settings = settings_of(options);
  const FieldMap map = options.map.read();
  const Sources sources = readable_sources(options);
  require_apart(sources.files, settings.ingest);
  std::optional<FolderRun> folders;
  if (!sources.folders.empty()) folders.emplace(options.database.database, sources.folders);

  Progress progress(options.progress, "committed");
  IngestOptions ingest_options;
  ingest_options.tag = options.tag;
  ingest_options.ids_by_origin = true;
  ingest_options.log = make_log(options.database.verbose);
  ingest_options.on_commit = [&](const IngestReport& report) {
    const std::uint64_t written = report.added + report.replaced;
    if (folders) {
      progress.report_read(written, folders->position());
    } else {
      progress.report(written);
    }
    if (options.documents) std::cout.flush();
  };

  BadLines bad_lines(options.database.verbose, !sources.files.empty());
  ingest_options.on_document = [&](const DocumentReport& report) {
    report_document(report, options, bad_lines, progress);
  };

  // A file that breaks off keeps what was read of it; the others follow.
  Ingest ingest(options.database.database, settings, ingest_options);
  bool whole = true;
  for (const std::string& path : sources.files)
    whole = add_file(path, options, map, settings, ingest) && whole;
  if (folders) whole = folders->add_all(ingest) && whole;

  ingest.commit();
  progress.finish();
  if (folders && options.prune) folders->prune(settings);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  IngestReport report = ingest.report();
  save_mirror_after(report.added + report.replaced, options.database, settings);
  if (folders) leave_out_folder_keys(report.unread_keys);
  print_ingest(report, folders ? &folders->report() : nullptr, took.count(), options,
               settings.ingest.near_duplicates > 0);
  bad_lines.finish();
  if (folders) tell_passed_over(folders->report());
  report_shortfalls(report, map.separator);

  if (whole && report.failed == 0 && has_split(report, options)) return kGood;
  return kFailed;
}

void add_command(CLI::App& program, Action& action, bool tag) {
  const char* const name = tag ? "ingest" : "index";
  const char* const description = tag ? "Add documents from files, and tag those without tags"
                                      : "Add documents from files, with the tags they have";
  CLI::App& command = *program.add_subcommand(name, description);

  auto options = std::make_shared<IndexOptions>();
  options->tag = tag;
  add_database_options(command, options->database);
  add_wait_option(command, options->database);
  add_progress_option(command, options->progress);

  command
      .add_option("FILE", options->files,
                  "Files of JSON, CSV or TSV, plain or gzip, or folders; - is JSON Lines from "
                  "standard input")
      ->type_name("")
      ->required();

  command.add_option("--split", options->split, "Only records whose key \"split\" has this value")
      ->type_name("NAME");

  add_map_options(command, options->map);
  command.add_flag("--allow-empty", options->allow_empty,
                   "Also add the records of a file in which none has a text");
  command.add_flag("--prune", options->prune,
                   "Delete the documents of files that are gone from a folder");

  command
      .add_flag("--documents", options->documents,
                "With --json: also a line for each record, once it is committed")
      ->needs(command.get_option("--json"));
  command
      .add_option("--dead-letters", options->dead_letters,
                  "Append records that fail to this file, to be indexed again; implies the setting "
                  "ingest.on_failure=dead_letter")
      ->type_name("FILE");

  command.footer((tag ? kIngestFooter : kIndexFooter) + 1);
  set_action(command, action, options, run);
}

}  // namespace

void add_index(CLI::App& program, Action& action) { add_command(program, action, false); }

void add_ingest(CLI::App& program, Action& action) { add_command(program, action, true); }

}  // namespace kindred::cli
