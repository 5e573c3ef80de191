// kindred status: what the mirror of a database holds.

#include <iostream>
#include <memory>

#include "plugin/cli/commands.h"
#include "plugin/cli/json_output.h"
#include "plugin/cli/options.h"
#include "plugin/cli/table.h"

namespace kindred::cli {
namespace {

constexpr const char* kFooter = R"(
Examples:
  kindred status --db wiki.db
  kindred status --db ~/.mail/.notmuch/xapian --json)";

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
                     {"rejected", status.rejected}};
  if (options.common.json) {
    print_json(json);
    return kGood;
  }
  Table table({"property", "value"});
  for (const auto& [key, value] : json.items()) {
    if (value == "") continue;
    table.add_row({key, value.is_string() ? value.get<std::string>() : value.dump()});
  }
  table.print();
  return kGood;
}

}  // namespace

void add_status(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("status", "Show what a database holds");
  auto options = std::make_shared<DatabaseOptions>();
  add_database_options(command, *options);
  command.footer(kFooter + 1);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace kindred::cli
