// kindred index, kindred ingest: JSON Lines into a Xapian database.

#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/messages.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/record_batch.h"
#include "plugin/writing/ingest.h"

namespace kindred::cli {
namespace {

constexpr const char* kIndexFooter = R"(
Examples:
  kindred index --db wiki.db articles.jsonl.gz
  zcat *.gz | kindred index --db wiki.db --json -
Each line is a JSON object with the keys id (required), title, text, labels and lang; other keys are
kept for display. A record with a known id replaces its document. Bad lines are reported, counted
and skipped. The database is made if there is none.)";

constexpr const char* kIngestFooter = R"(
Examples:
  kindred ingest --db wiki.db new.jsonl
  kindred ingest --db wiki.db --config kindred.toml --json -
Does what 'kindred index' does, and gives records without labels the tags that their nearest labeled
documents suggest. These tags have a prefix of their own.)";

struct IndexOptions {
  DatabaseOptions database;
  std::vector<std::string> files;
  std::string progress = "auto";
  bool tag = false;
};

/// Checks that the files can be read, before anything is written.
/// @throws Error kNotFound.
void require_readable(const std::vector<std::string>& files) {
  for (const std::string& path : files) {
    if (path == "-") continue;
    std::error_code fault;
    if (std::filesystem::is_directory(path, fault)) {
      fault = std::make_error_code(std::errc::is_a_directory);
    } else if (access(path.c_str(), R_OK) != 0) {
      fault = {errno, std::generic_category()};
    } else {
      continue;
    }
    throw Error(Errc::kNotFound, path + ": cannot be read: " + fault.message());
  }
}

void add_line(const RecordLine& line, const std::string& path, Ingest& ingest) {
  std::optional<Record> record;
  try {
    record = parse_line(line);
    ingest.add(*record);
  } catch (const Error& e) {
    if (e.code() != Errc::kInvalidArgument) throw;
    if (!record) ingest.count_failure();
    report_bad_line(path, line.number, e.what());
  }
}

/// False if the file breaks off. The records before that place are kept.
bool add_file(const std::string& path, const Settings& settings, Ingest& ingest) {
  RecordReader reader(path, line_limit(settings));
  while (true) {
    std::optional<RecordLine> line;
    try {
      line = reader.next();
    } catch (const Error& e) {
      tell(std::string("kindred: ") + e.what());
      return false;
    }
    if (!line) return true;
    add_line(*line, path, ingest);
  }
}

void print_ingest(const IngestReport& report, double seconds, const IndexOptions& options) {
  if (options.database.common.json) {
    print_json({{"added", report.added},
                {"replaced", report.replaced},
                {"failed", report.failed},
                {"tagged", report.tagged},
                {"seconds", seconds},
                {"pending", report.pending}});
    return;
  }
  std::cout << "added " << report.added << ", replaced " << report.replaced << ", failed "
            << report.failed << ", tagged " << report.tagged << " in " << fixed(seconds, 2)
            << " s\n";
}

void report_pending(const IngestReport& report, const Settings& settings) {
  if (report.pending == 0) return;
  tell("kindred: " + std::to_string(report.pending) +
       " documents could not be tagged and are marked " + settings.labels.pending_term +
       "; --verbose says why");
}

int run(const IndexOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const Settings settings = read_settings(options.database);
  require_readable(options.files);
  Progress progress(options.progress, "committed");
  IngestOptions ingest_options;
  ingest_options.tag = options.tag;
  ingest_options.log = make_log(options.database.verbose);
  ingest_options.on_commit = [&](const IngestReport& report) {
    progress.report(report.added + report.replaced);
  };
  Ingest ingest(options.database.database, settings, ingest_options);
  bool whole = true;
  for (const std::string& path : options.files) whole = add_file(path, settings, ingest) && whole;
  ingest.commit();
  progress.finish();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print_ingest(ingest.report(), took.count(), options);
  report_pending(ingest.report(), settings);
  return whole && ingest.report().failed == 0 ? kGood : kFailed;
}

void add_command(Command program, Action& action, bool tag) {
  const Command command =
      tag ? program.add_subcommand("ingest",
                                   "Add documents from JSON Lines, and tag those without tags")
          : program.add_subcommand("index",
                                   "Add documents from JSON Lines, with the tags they have");
  auto options = std::make_shared<IndexOptions>();
  options->tag = tag;
  add_database_options(command, options->database);
  add_progress_option(command, options->progress);
  command.add_option("FILE", options->files, "JSON Lines files, plain or gzip; - is standard input")
      .type_name("")
      .required();
  command.footer((tag ? kIngestFooter : kIndexFooter) + 1);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace

void add_index(Command program, Action& action) { add_command(program, action, false); }

void add_ingest(Command program, Action& action) { add_command(program, action, true); }

}  // namespace kindred::cli
