#include "plugin/snapshot/view.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analyzer/smart_weighting.h"

namespace kindred {

std::vector<double> tf_table(const std::string& letters) {
  const SmartWeighting smart(letters);
  std::vector<double> tf(kMaxCount + 1);
  for (std::uint32_t count = 0; count <= kMaxCount; ++count) tf[count] = smart.tf(count);
  return tf;
}

TermWeighting weighting_tables(const Mirror& mirror, const std::string& letters) {
  constexpr std::size_t kRare = 4096;  // most are in fewer documents, so few logarithms remain

  const SmartWeighting smart(letters);
  TermWeighting weighting;
  weighting.tf = tf_table(letters);

  // An idf follows from df alone. Those of rare terms, which are nearly all, are computed once and
  // looked up.
  const std::uint32_t documents = mirror.documents();
  const auto idf_of = [&](std::uint32_t df) {
    return df == 0 ? 0 : smart.idf(documents, df);
  };
  std::vector<double> of_rare(std::min<std::size_t>(kRare, mirror.df.size()));
  for (std::uint32_t df = 0; df < of_rare.size(); ++df) {
    of_rare[df] = idf_of(df);
  }

  weighting.idf.reserve(mirror.df.size());
  for (const std::uint32_t df : mirror.df) {
    weighting.idf.push_back(df < of_rare.size() ? of_rare[df] : idf_of(df));
  }

  // Where all documents have the same terms, none is rare. Equal texts are alike nevertheless.
  const auto is_telling = [](double idf) {
    return idf > 0;
  };
  if (std::ranges::none_of(weighting.idf, is_telling)) std::ranges::fill(weighting.idf, 1.0);

  return weighting;
}

BackendOptions backend_options(const BackendSettings& settings, Log log) {
  BackendOptions options;
  options.kind = settings.kind;
  options.threads = static_cast<std::size_t>(settings.threads);

  // What has only one device, as maps have, takes the first of the list.
  const std::vector<std::int64_t>& devices = settings.devices.numbers;
  options.devices.assign(devices.begin(), devices.end());
  options.all_devices = settings.devices.all;
  if (!devices.empty()) options.device = options.devices.front();

  options.coalesce = true;
  options.memory = static_cast<std::size_t>(settings.memory_mb) << 20;
  options.log = std::move(log);
  return options;
}

std::size_t bytes_of(const View& view) {
  std::size_t bytes =
      (view.weighting->idf.capacity() + view.weighting->tf.capacity()) * sizeof(double);
  const BackendInfo info = view.backend->info();
  if (info.kind == "cpu") bytes += info.bytes;
  return bytes;
}

View reweighted(const Backend& backend, const Mirror& mirror,
                std::shared_ptr<const TermWeighting> weighting) {
  auto made = backend.refreshed(mirror.list, *weighting);
  return {std::move(weighting), std::move(made)};
}

}  // namespace kindred
