#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kindred::cli {

/// What completes the last of these words, which follow the name of the program: a candidate and
/// its description a line, with a tab between them; or the line ":files" where a file is expected.
/// Shells choose the candidates that begin as the word does. Their scripts are in
/// plugin/cli/completion.
std::string completions(const CLI::App& program, std::vector<std::string> words);

}  // namespace kindred::cli
