#pragma once

#include <cstdint>
#include <string>

#include "plugin/ask/ask.h"
#include "plugin/ask/question.h"

namespace kindred::cli {

/// Prints a line of JSON on standard output.
void print_json(const Json& json);

// Texts of answers.

std::string name_of(const Json& name);   ///< a name, read back from its escapes
std::string text_of(const Json& value);  ///< a text as it is, anything else as JSON
/// The title of a document, with how many of its group it stands for.
std::string grouped_title(const Json& document);
std::string joined(const Json& names, const char* separator = ", ");  ///< "space, science"

/// What people call a label: its name, by the vocabulary, and in brackets the label; else the
/// label. `labeled`: what has it, under the key "label" or `key`.
std::string label_text(const Json& labeled, const char* key = "label");

/// The names of labels in a list of an answer, or of a part of it; labels without a name as they
/// are. `answer` has "names".
std::string labels_text(const Json& labels, const Json& answer);

double number_of(const Json& value);  ///< NaN for null
std::string fixed(const Json& number, int decimals);

/// "because of cat, purr; votes: cat1 60.0 %, cat2 40.0 %": the words of a reason, and the first
/// three voters; or "by its name: cat".
std::string reason_text(const Json& reason);

/// The "method" of a tuning in a few words: "blend + linear, k 45".
std::string method_text(const Json& method);

/// What to expect of later documents, by an answer to "tune": "expect the best tag of 81 to 91 % of
/// later documents to be right".
std::string expectation_text(const Json& tuned);

}  // namespace kindred::cli
