#include "plugin/engine_status.h"

namespace kindred {

Status status_of(const Snapshot& snapshot) {
  const Mirror& mirror = snapshot.mirror();
  Status status;
  status.documents = mirror.documents();
  status.terms = mirror.terms();
  status.nonzeros = mirror.nonzeros();
  status.labels = mirror.labels.order.size();
  status.labeled = mirror.labeled.count();
  status.revision = mirror.revision;
  status.uuid = mirror.uuid;
  status.shards = mirror.shard_revisions;
  const BackendInfo info = snapshot.backend().info();
  status.backend = info.kind;
  status.device = info.device;
  status.bytes = snapshot.bytes();
  status.compute_capability = info.compute_capability;
  status.device_bytes = info.kind == "cpu" ? 0 : info.bytes;
  status.tagged = mirror.tags.tagged;
  status.pending = mirror.tags.pending;
  status.opted_out = mirror.tags.opted_out;
  status.rejected = mirror.tags.rejected;
  if (snapshot.voting().tuning() != nullptr) status.tuning = *snapshot.voting().tuning();
  return status;
}

}  // namespace kindred
