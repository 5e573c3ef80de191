#pragma once

namespace kindred::test {

/// Leaves the process's CUDA device unusable, as a fault of the hardware would; there is no way
/// back. False if it still works.
bool break_device();

}  // namespace kindred::test
