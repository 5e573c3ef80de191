#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "plugin/answers.h"
#include "plugin/classify/classifier.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// Classifies rows of a mirror by the other rows, and calls `on_classified` for each row, in the
/// order of `rows`. `voters`: as Classifier::classify(). No row votes for itself.
/// @throws Error as Classifier::classify(); whatever `on_classified` throws.
void classify_rows(
    const Snapshot& snapshot, const Classifier& classifier, const std::vector<std::uint32_t>& rows,
    const ClassifyRequest& request, const RowSet* voters,
    const std::function<void(std::uint32_t row, const Classification& prediction)>& on_classified);

/// Lets the labeled documents of a mirror classify each other, as Engine::cross_validate().
/// `voters`: as Classifier::classify().
/// @throws Error as Classifier::classify(), and kInvalidArgument if folds is 1 or below 0.
void cross_validate(const Snapshot& snapshot, const Classifier& classifier,
                    const CrossValidation& how, const ClassifyRequest& request,
                    const RowSet* voters, const OnClassified& on_classified);

}  // namespace kindred
