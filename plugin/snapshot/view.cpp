#include "plugin/snapshot/view.h"

#include <algorithm>
#include <utility>

#include "analyzer/smart_weighting.h"
#include "gpu/csr.h"
#include "plugin/votes/weights/label_weights.h"

namespace kindred {
namespace {

constexpr std::size_t kRare = 4096;  // most terms are in fewer documents, so few logarithms remain

}  // namespace

std::vector<double> tf_table(const std::string& letters) {
  const SmartWeighting smart(letters);
  std::vector<double> tf(kMaxCount + 1);
  for (std::uint32_t count = 0; count <= kMaxCount; ++count) tf[count] = smart.tf(count);
  return tf;
}

TermWeighting weighting_tables(const Mirror& mirror, const std::string& letters) {
  const SmartWeighting smart(letters);
  TermWeighting weighting;
  weighting.tf = tf_table(letters);
  const std::uint32_t documents = mirror.documents();
  const auto idf_of = [&](std::uint32_t df) { return df == 0 ? 0 : smart.idf(documents, df); };
  std::vector<double> of_rare(std::min<std::size_t>(kRare, mirror.df.size()));
  for (std::uint32_t df = 0; df < of_rare.size(); ++df) of_rare[df] = idf_of(df);
  weighting.idf.resize(mirror.df.size());
  std::transform(mirror.df.begin(), mirror.df.end(), weighting.idf.begin(),
                 [&](std::uint32_t df) { return df < of_rare.size() ? of_rare[df] : idf_of(df); });
  return weighting;
}

BackendOptions backend_options(const BackendSettings& settings, Log log) {
  BackendOptions options;
  options.kind = settings.kind;
  options.threads = static_cast<std::size_t>(settings.threads);
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
  const BackendInfo info = view.backend.info();
  return (view.weighting.idf.capacity() + view.weighting.tf.capacity()) * sizeof(double) +
         (info.kind == "cpu" ? info.bytes : 0);
}

std::unique_ptr<const Backend> reweighted(const Backend& backend, const Mirror& mirror,
                                          const TermWeighting& weighting) {
  return backend.refreshed(mirror.counts.list(), weighting);
}

IdfView::IdfView(const Mirror& mirror, View base) : mirror_(mirror), base_(base) {}

void IdfView::follow(const IdfView& before) {
  if (!before.has()) return;
  std::call_once(once_, [&] {
    if (has_same_documents(mirror_, before.mirror_)) return keep(before.made_);
    auto weighting = root_weighting();
    auto backend = reweighted(*before.made_.backend, mirror_, *weighting);
    keep({std::move(weighting), std::move(backend)});
  });
}

View IdfView::get() const {
  std::call_once(once_, [&] {
    auto weighting = root_weighting();
    auto backend = reweighted(base_.backend, mirror_, *weighting);
    keep({std::move(weighting), std::move(backend)});
  });
  return {*made_.weighting, *made_.backend};
}

std::size_t IdfView::bytes() const {
  return has() ? bytes_of({*made_.weighting, *made_.backend}) : 0;
}

void IdfView::keep(Made made) const {
  made_ = std::move(made);
  has_.store(true, std::memory_order_release);
}

std::shared_ptr<const TermWeighting> IdfView::root_weighting() const {
  return std::make_shared<const TermWeighting>(TermWeighting{
      roots_of_idf(base_.weighting.idf), base_.weighting.tf, base_.weighting.divisor});
}

}  // namespace kindred
