#pragma once

#include <memory>

#include "gpu/knn/backend.h"

namespace kindred {

/// A backend that answers as `inner` does, to the last bit, but gathers single-row calls that
/// several threads make at the same time into batches. Calls that arrive while a batch runs wait
/// for its end, and the next batch takes all that wait, up to 256.
///
/// Only calls that can share a batch wait for each other:
/// - all of nearest(), or all of vote(), with the same k;
/// - all with weights, or all with counts;
/// - under the same set of allowed documents, or of voters (the same object; null counts as one,
/// too);
/// - for at most 1,024 neighbors or shares.
/// All other calls go straight to `inner`, and so does a call that nobody shares a batch with.
///
/// Arguments are checked before a call joins a batch. An error after that fails every call of the
/// batch. info() is that of `inner`, and what refreshed() makes coalesces as well.
std::unique_ptr<const Backend> coalesce(std::unique_ptr<const Backend> inner);

}  // namespace kindred
