#include "page/frame/assets.h"

#include <algorithm>

#include "page/frame/app_asset.h"
#include "page/frame/icon_asset.h"
#include "page/frame/style_asset.h"

namespace search_server {

const std::vector<Asset>& all_assets() {
  static const std::vector<Asset> assets = {
      {kStylePath, "text/css; charset=utf-8", kStyleText},
      {kAppPath, "text/javascript; charset=utf-8", kAppText},
      {kIconPath, "image/svg+xml", kIconText},
  };
  return assets;
}

const Asset* find_asset(std::string_view path) {
  const auto& assets = all_assets();
  const auto found = std::find_if(assets.begin(), assets.end(),
                                  [&](const Asset& asset) { return asset.path.text() == path; });
  return found == assets.end() ? nullptr : &*found;
}

}  // namespace search_server
