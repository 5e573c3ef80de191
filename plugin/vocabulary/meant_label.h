#pragma once

#include <string>

#include "plugin/mirror/mirror.h"
#include "plugin/vocabulary/vocabulary.h"

namespace kindred {

/// The label that somebody means by a text: the label of an index or the id of a term with this
/// text, else the id of the term with this name or synonym. The text itself if there is none, or no
/// vocabulary (null).
/// @throws Error kInvalidArgument that lists the ids, if several terms are called so.
std::string meant_label(const std::string& text, const Mirror& mirror,
                        const Vocabulary* vocabulary);

}  // namespace kindred
