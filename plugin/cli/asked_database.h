#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plugin/ask/ask_json.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/progress.h"

namespace kindred::cli {

/// A database that questions are asked of. It is opened when a question needs it.
class AskedDatabase {
 public:
  /// `progress`: the mode of a Progress. `done`: what is done to documents, such as "compared".
  explicit AskedDatabase(const DatabaseOptions& options, const std::string& progress = "auto",
                         const std::string& done = "");

  Engine& engine();
  void set_others(SomExchange* others) { index_.others = others; }

  /// Tunes if that is due. On a terminal, standard error shows how far it is, and what was found.
  void tune_if_needed();

  /// @throws Error as kindred::ask().
  Json ask(std::string_view question, const Json& request);

  /// Asks. With --json, prints the answer, too. @throws Error as kindred::ask().
  Json answer(std::string_view question, const Json& request);

 private:
  const DatabaseOptions& options_;
  Progress progress_;
  AskedIndex index_;
  std::optional<Engine> engine_;
};

}  // namespace kindred::cli
