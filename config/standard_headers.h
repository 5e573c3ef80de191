#pragma once
// Headers of the standard library that most sources include. Together they take longer to parse
// than most sources, so every target precompiles them. No source includes this file.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
