#pragma once

namespace kindred::test {

/// Makes the process's CUDA device unusable, as a fault of the hardware would. This cannot be
/// undone. False if the device still works.
bool break_device();

}  // namespace kindred::test
