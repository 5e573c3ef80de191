// kindred status: counts of a database, where answers are computed, and how it is tuned.

#include <iostream>
#include <memory>
#include <tuple>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/tuning_output.h"
#include "plugin/votes/tuning_json.h"

namespace kindred::cli {
namespace {

constexpr const char* kStatusFooter = R"(
Examples:
  kindred status --db wiki.db
  kindred status --db ~/.mail/.notmuch/xapian --json
Shows how many documents, terms and tags the database has, what computes the answers, how much
memory that takes, and the tuning that tags follow ('kindred tune').)";

int run(const DatabaseOptions& options) {
  const Status status = open_engine(options).status();
  const Json json = {{"documents", status.documents},
                     {"terms", status.terms},
                     {"nonzeros", status.nonzeros},
                     {"labels", status.labels},
                     {"revision", status.revision},
                     {"uuid", status.uuid},
                     {"backend", status.backend},
                     {"device", status.device},
                     {"bytes", status.bytes},
                     {"labeled", status.labeled},
                     {"compute_capability", status.compute_capability},
                     {"device_bytes", status.device_bytes},
                     {"tagged", status.tagged},
                     {"pending", status.pending},
                     {"opted_out", status.opted_out},
                     {"rejected", status.rejected},
                     {"tuning", status.tuning ? tuning_json(*status.tuning) : Json()}};
  if (options.common.json) {
    print_json(json);
    return kGood;
  }
  Table table({"property", "value"});
  for (const auto& [key, value] : json.items()) {
    if (value == "" || key == "tuning") continue;
    table.add_row({key, value.is_string() ? value.get<std::string>() : value.dump()});
  }
  if (status.tuning) {
    const auto& [method, scores] = std::tie(status.tuning->method, status.tuning->scores);
    table.add_row({"tuned at", "revision " + std::to_string(status.tuning->revision)});
    table.add_row({"tags by", method_text(method)});
    table.add_row({"leave-one-out", "micro F1 " + fixed(scores.micro_f1, 4) + ", macro F1 " +
                                        fixed(scores.macro_f1, 4)});
  }
  table.print();
  return kGood;
}

}  // namespace

void add_status(Command program, Action& action) {
  const Command command = program.add_subcommand("status", "Show what a database holds");
  auto options = std::make_shared<DatabaseOptions>();
  add_database_options(command, *options);
  command.footer(kStatusFooter + 1);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
