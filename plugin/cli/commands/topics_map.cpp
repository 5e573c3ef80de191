// kindred topics map: draws the map as HTML and SVG.

#include <memory>
#include <string>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/output_file.h"
#include "plugin/cli/pages/map/map_drawing.h"
#include "plugin/topics/map.h"

namespace kindred::cli {
namespace {

struct MapOptions {
  DatabaseOptions database;
  std::string html, svg;
  std::string color = "heights";
};

int run(const MapOptions& options) {
  const auto map = open_engine(options.database).topic_map();
  const ColoredMap colored = color_map(*map, options.color);
  Json files = Json::array();
  const auto write = [&](const std::string& path, const auto& draw) {
    if (path.empty()) return;
    write_output_file(path, draw());
    files.push_back(path);
  };
  write(options.html, [&] { return draw_html(*map); });
  write(options.svg, [&] { return draw_svg(*map, colored); });
  if (options.database.common.json) print_json({{"files", std::move(files)}});
  return kGood;
}

}  // namespace

void add_topics_map(CLI::App& topics, Action& action) {
  CLI::App& command = *topics.add_subcommand("map", "Draw the map as HTML or SVG");
  auto options = std::make_shared<MapOptions>();
  add_database_options(command, options->database);
  const auto file = [&](const char* name, std::string& path, const char* what) {
    command.add_option(name, path, what)->type_name("FILE")->check(not_empty("a file"));
  };
  file("--html", options->html, "Write an interactive page to this file");
  file("--svg", options->svg, "Write a drawing with the names of topics to this file");
  command
      .add_option("--color", options->color,
                  "What the colors of --svg show: heights (distances to the units\n"
                  "around), documents, topics, labels, or the weights of a term")
      ->type_name("WHAT")
      ->capture_default_str();
  command.callback([options, &action] {
    if (options->html.empty() && options->svg.empty())
      throw CLI::ValidationError("expected --html or --svg");
    action = [options] { return run(*options); };
  });
}

}  // namespace kindred::cli
