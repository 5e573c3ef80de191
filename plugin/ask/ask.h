#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "config/api.h"
#include "config/settings.h"
#include "gpu/som/exchange.h"
#include "plugin/engine.h"

namespace kindred {

/// How far a question is.
struct AskStep {
  std::string doing;  ///< for people, such as "epoch 3 of 20: ..."; "": nothing but documents
  std::uint64_t done = 0;
  std::uint64_t all = 0;  ///< 0: not known
};

/// Who answers, and how.
struct AskedIndex {
  std::string path;                 ///< of the database
  Settings settings;                ///< that it was opened with
  std::function<Engine&()> engine;  ///< called if the question needs it
  /// Called when a question begins and every 20 ms or so while it is answered, in the calling
  /// thread; with the latest step, if there is no new one. If it returns false, the question is
  /// canceled. May be empty.
  std::function<bool(const AskStep&)> on_step = {};
  bool tunes = true;              ///< tagging tunes first if that is due
  bool follows = false;           ///< the engine is refreshed after what changes the index
  SomExchange* others = nullptr;  ///< processes that share the training of a map
};

/// Answers a question of plugin/ask/questions.txt: `request` is JSON ("" = {}), and so is the
/// answer, one line in which every character may be shown. Names that the index holds (ids, labels,
/// terms) are written with a backslash as \\ and bytes that are not UTF-8 as \xNN, and read so.
/// @throws Error kInvalidArgument that names key and place; as the method of Engine, or the
/// function of plugin/writing, that answers.
KINDRED_API std::string ask(const AskedIndex& index, std::string_view question,
                            std::string_view request);

/// True for a question that may take the write lock of the database.
KINDRED_API bool writes(std::string_view question);

}  // namespace kindred
