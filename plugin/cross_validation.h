#pragma once

#include "plugin/classification.h"
#include "plugin/classifier.h"
#include "plugin/mirror.h"

namespace kindred {

/// Has the labeled documents of a mirror classified by each other, as Engine::cross_validate().
/// `allowed` limits the voters, if given.
/// @throws Error as Classifier::classify(), and kInvalidArgument if folds is 1 or below 0.
void cross_validate(const Snapshot& snapshot, const Classifier& classifier,
                    const CrossValidation& how, const ClassifyRequest& request,
                    const RowBits* allowed, const OnClassified& on_classified);

}  // namespace kindred
