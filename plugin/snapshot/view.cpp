#include "plugin/snapshot/view.h"

#include <utility>

#include "plugin/votes/weights/label_weights.h"

namespace kindred {

std::size_t bytes_of(const View& view) {
  const BackendInfo info = view.backend.info();
  return (view.weighting.idf.capacity() + view.weighting.tf.capacity()) * sizeof(double) +
         (info.kind == "cpu" ? info.bytes : 0);
}

std::unique_ptr<const Backend> reweighted(const Backend& backend, const Mirror& mirror,
                                          const TermWeighting& weighting) {
  MirrorChange nothing;
  nothing.added.columns = mirror.counts.columns();
  return backend.refreshed(nothing, weighting);
}

IdfView::IdfView(const Mirror& mirror, View base) : mirror_(mirror), base_(base) {}

void IdfView::follow(const IdfView& before, const MirrorChange& change) {
  if (!before.has()) return;
  std::call_once(once_, [&] {
    if (has_same_documents(mirror_, before.mirror_)) return keep(before.made_);
    auto weighting = root_weighting();
    auto backend = before.made_.backend->refreshed(change, *weighting);
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
