#pragma once

namespace kindred::cli {

struct Point {
  double x = 0, y = 0;
};

}  // namespace kindred::cli
