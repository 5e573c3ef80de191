#pragma once

#include <vector>

#include "config/api.h"
#include "plugin/questions.h"

namespace kindred {

using api::Confusion;
using api::ConfusionMatrix;

/// All confusions of a matrix: most documents first, then the largest share, then by names.
KINDRED_API std::vector<Confusion> worst_confusions(const ConfusionMatrix& matrix);

}  // namespace kindred
