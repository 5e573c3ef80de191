#pragma once

#include <string_view>
#include <vector>

#include "page/html/address.h"

namespace search_server {

/// A file of the page that is built into the program. Its path holds the hash of its bytes, so it
/// never changes, and the path is its ETag as well.
struct Asset {
  Path path;
  std::string_view type;  ///< media type
  std::string_view text;
};

/// The style, the script and the icon.
const std::vector<Asset>& all_assets();

/// Their places in all_assets().
enum AssetNumber { kStyleAsset, kScriptAsset, kIconAsset };

/// Null if there is none at this path.
const Asset* find_asset(std::string_view path);

}  // namespace search_server
