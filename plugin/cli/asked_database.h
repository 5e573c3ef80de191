#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "plugin/ask/ask.h"
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

  /// The answer, a line without its end. @throws Error as kindred::ask().
  std::string ask(std::string_view question, const Json& request);

  /// Asks, and reads the answer. With --json, prints it, too. @throws Error as kindred::ask().
  Json answer(std::string_view question, const Json& request);

 private:
  const DatabaseOptions& options_;
  Progress progress_;
  AskedIndex index_;
  std::optional<Engine> engine_;
};

}  // namespace kindred::cli
