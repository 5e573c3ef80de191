#pragma once

#include "gpu/row_set.h"
#include "plugin/answers.h"
#include "plugin/classify/classifier.h"
#include "plugin/mirror/mirror.h"

#include <cstdint>
#include <functional>
#include <vector>

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

class MirroredDatabase;
class Snapshot;

/// Classifies every labeled document by the other voters. It is a suspect for a tag that it would
/// be given and lacks. If that tag excludes a label of the document (the two are hardly ever on one
/// document), and the vote for this label is nearly nothing, then the label is the suspect.
/// A tag that it must not get speaks against none: people have decided.
/// Titles are left empty. `asked`: the rows that match the query of the request; null: all.
/// @throws Error as Classifier::classify(), and kInvalidArgument if limit < 1; kCanceled by
/// on_progress; whatever on_progress throws.
SuspectReport find_suspects(MirroredDatabase& database, const Snapshot& snapshot,
                            const Classifier& classifier, const SuspectsRequest& request,
                            const RowSet* asked, const RowSet* voters);

}  // namespace kindred
