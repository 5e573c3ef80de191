// kindred mirror: saves the mirror beside the index, so that programs start at once.

#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "config/shown.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/table.h"

namespace kindred::cli {
namespace {

constexpr const char* kMirrorFooter = R"(
Examples:
  kindred mirror --db wiki.db
  kindred related --db wiki.db --id Moon
Saves the numbers that answers are computed from in wiki.db/kindred.mirror. Every program that opens
the index afterwards reads this folder, and of the index only the documents that have changed since.
Answers stay the same. A save writes what is new. 'kindred index', 'ingest' and 'tag' save it by themselves when they have
changed many documents (mirror.save). The older it is, the more has to be read. To do without it,
remove the folder.)";

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) bytes += entry.file_size();
  return bytes;
}

int save(const DatabaseOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const Engine engine = open_engine(options);
  const std::string path = engine.save_mirror();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const Status status = engine.status();
  const std::uint64_t bytes = bytes_in(path);
  if (options.common.json) {
    print_json(with_shards({{"path", path},
                            {"bytes", bytes},
                            {"documents", status.documents},
                            {"revision", status.revision},
                            {"seconds", took.count()}},
                           status.shards));
  } else {
    std::cout << "saved the mirror of " << status.documents << " documents in " << shown(path)
              << ", " << fixed(static_cast<double>(bytes) / 1e6, 1) << " MB\n";
  }
  return kGood;
}

}  // namespace

void add_mirror(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("mirror", "Save what answers need, so that programs start at once");
  auto options = std::make_shared<DatabaseOptions>();
  add_database_options(command, *options);
  command.footer(kMirrorFooter + 1);
  command.callback([options, &action] { action = [options] { return save(*options); }; });
}

}  // namespace kindred::cli
