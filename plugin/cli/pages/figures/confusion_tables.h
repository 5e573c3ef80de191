#pragma once

#include <string>

#include "plugin/evaluate/evaluate.h"

namespace kindred::cli {

/// The worst confusions of a matrix as a list, and the matrix itself; of a large one, the part with
/// the labels that are confused most. As HTML.
std::string confusion_tables(const ConfusionMatrix& matrix);

}  // namespace kindred::cli
