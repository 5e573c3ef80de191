// kindred tag: gives tags to documents that are in the index, and records corrections of them.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "plugin/cli/auto_tuning.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/tag_output.h"
#include "plugin/writing/edits.h"
#include "plugin/writing/tagging.h"

namespace kindred::cli {
namespace {

constexpr const char* kTagFooter = R"(
Examples:
  kindred tag --db wiki.db --query 'lang:en NOT label:stub' --dry-run
  kindred tag --db wiki.db --all
  kindred tag --db wiki.db --pending --json
  kindred tag --db wiki.db apollo-11 --remove sport
  kindred tag --db wiki.db apollo-11 --add-label space
  kindred tag --db wiki.db apollo-11 --opt-out
  kindred tag --db wiki.db --query 'lang:en' --allow-all
Documents that people have tagged get no predicted tags. A tag that was taken off a document is not
given to it again, except after --allow or --allow-all. If a run is interrupted, start it again: it
continues where it stopped.)";

struct TagOptions {
  DatabaseOptions database;
  std::string query;
  bool all = false;
  bool pending = false;
  bool dry_run = false;
  bool restart = false;
  bool allow_all = false;
  std::size_t sample = 10;
  std::string progress = "auto";
  std::vector<std::string> ids;
  std::vector<std::string> named;  ///< ids as arguments
  std::vector<std::string> remove;
  std::vector<std::string> allow;
  std::vector<std::string> add_label;
  std::vector<std::string> remove_label;
  bool opt_out = false;
  bool opt_in = false;

  bool edits() const {
    return !remove.empty() || !allow.empty() || !add_label.empty() || !remove_label.empty() ||
           opt_out || opt_in;
  }
};

int run_edit(const TagOptions& options) {
  TagEdit edit;
  edit.remove = options.remove;
  edit.allow = options.allow;
  edit.give = options.add_label;
  edit.take_back = options.remove_label;
  if (options.opt_out || options.opt_in) edit.auto_tag = options.opt_in;
  const DatabaseOptions& database = options.database;
  const StoredDocuments edited =
      edit_tags(database.database, read_settings(database), options.ids, edit);
  for (const StoredDocument& document : edited.documents)
    print_tags(document, database.common.json);
  return kGood;
}

int run_tagging(const TagOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Engine engine = open_engine(options.database);
  if (!options.dry_run) tune_if_needed(engine);
  Progress progress(options.progress, options.dry_run ? "examined" : "tagged");
  TagRequest request;
  request.query = options.query;
  request.pending = options.pending;
  request.dry_run = options.dry_run;
  request.restart = options.restart;
  request.allow_all = options.allow_all;
  request.sample = options.sample;
  request.on_progress = [&](const TagReport& report) {
    progress.report_share(report.continued + report.examined, report.matched);
  };
  const TagReport report = tag_documents(engine, request);
  progress.finish();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!options.dry_run) save_mirror_after(report.written, options.database, engine.settings());
  print_report(report, options.dry_run, took.count(), options.database.common.json);
  return kGood;
}

void add_run_options(CLI::App& command, TagOptions& options) {
  command.add_option("--query", options.query, "Tag the documents that match this Xapian query")
      ->type_name("QUERY")
      ->check(not_empty("a query (--all tags all documents)"));
  command.add_flag("--all", options.all, "Tag all documents");
  command.add_flag("--pending", options.pending,
                   "Tag the documents that ingest could not tag; with --query, those of\n"
                   "them that match");
  command.add_flag("--dry-run", options.dry_run, "Write nothing; show what would change");
  command.add_option("--sample", options.sample, "Show this many of the changes")
      ->type_name("N")
      ->capture_default_str()
      ->transform(whole_number(0, 1000000));
  command.add_flag("--restart", options.restart,
                   "Start over instead of continuing an interrupted run");
  command.add_flag("--allow-all", options.allow_all,
                   "Allow tags again that were refused or taken off");
  add_progress_option(command, options.progress);
}

void add_edit_options(CLI::App& command, TagOptions& options) {
  command.add_option("ID", options.named, "Change the tags of these documents")->type_name("");
  command.add_option("--id", options.ids, "Change the tags of the document with this unique id")
      ->type_name("ID")
      ->allow_extra_args(false);
  command.add_option("--remove", options.remove, "Take this predicted tag off for good")
      ->type_name("LABEL")
      ->allow_extra_args(false);
  command.add_option("--allow", options.allow, "Let this tag be predicted again")
      ->type_name("LABEL")
      ->allow_extra_args(false);
  command
      .add_option("--add-label", options.add_label,
                  "Give this label, as people do, also to accept a predicted tag")
      ->type_name("LABEL")
      ->allow_extra_args(false);
  command.add_option("--remove-label", options.remove_label, "Take back this label of people")
      ->type_name("LABEL")
      ->allow_extra_args(false);
  CLI::Option* const out =
      command.add_flag("--opt-out", options.opt_out, "Take all predicted tags off, and allow none");
  command.add_flag("--opt-in", options.opt_in, "Allow predicted tags again")->excludes(out);
}

/// What the options ask for. @throws CLI::ValidationError if they contradict each other.
Action choose(const std::shared_ptr<TagOptions>& options, bool query) {
  const bool run = query || options->all || options->pending;
  if (options->edits() || !options->ids.empty()) {
    if (run || options->dry_run || options->restart || options->allow_all) {
      throw CLI::ValidationError(
          "expected ID without --query, --all, --pending, --dry-run, --restart and --allow-all");
    }
    if (options->ids.empty()) throw CLI::ValidationError("expected ID with what is to change");
    if (!options->edits()) {
      throw CLI::ValidationError(
          "expected --remove, --allow, --add-label, --remove-label, --opt-out or --opt-in with ID");
    }
    return [options] { return run_edit(*options); };
  }
  if (!run) throw CLI::ValidationError("expected --query, --all, --pending or ID");
  if (options->all && (query || options->pending)) {
    throw CLI::ValidationError("expected --all without --query and --pending");
  }
  return [options] { return run_tagging(*options); };
}

}  // namespace

void add_tag(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("tag", "Tag documents of the index, or correct their predicted tags");
  auto options = std::make_shared<TagOptions>();
  add_database_options(command, options->database);
  add_wait_option(command, options->database);
  options->database.needs_labels = true;
  add_run_options(command, *options);
  add_edit_options(command, *options);
  command.footer(kTagFooter + 1);
  command.callback([options, &command, &action] {
    options->ids.insert(options->ids.end(), options->named.begin(), options->named.end());
    action = choose(options, command.get_option("--query")->count() > 0);
  });
}

}  // namespace kindred::cli
