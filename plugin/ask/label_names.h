#pragma once

#include <functional>
#include <string>

#include "plugin/ask/question.h"

// Labels in requests and answers, as the table of questions names them, and their names.

namespace kindred {

/// Replaces each label of a value of this shape by label_of(label), both as they are, not as JSON
/// writes names.
void replace_labels(const Shape& shape, Json& value,
                    const std::function<std::string(const std::string&)>& label_of);

/// Adds their names to the labels of a value of this shape: behind each that stands alone, and in
/// `names` for those of lists. `name_of` gives "" for a label without a name.
void add_label_names(const Shape& shape, Json& value,
                     const std::function<std::string(const std::string&)>& name_of, Json& names);

}  // namespace kindred
