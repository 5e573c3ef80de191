#pragma once

namespace kindred::cuda {

/// How many CUDA devices the machine has, at least one.
/// @throws Error kUnsupported if none answers.
int count_devices();

}  // namespace kindred::cuda
