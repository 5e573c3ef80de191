#include "plugin/tune/tune.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/error.h"
#include "config/shown.h"
#include "plugin/tune/combiner_fit.h"
#include "plugin/tune/cross_fit.h"
#include "plugin/tune/drift.h"
#include "plugin/tune/forward_fit.h"
#include "plugin/tune/hierarchy_fit.h"
#include "plugin/tune/leakage.h"
#include "plugin/tune/parts.h"
#include "plugin/tune/promise.h"
#include "plugin/tune/thresholds.h"
#include "plugin/tune/weighed.h"
#include "plugin/votes/frozen_weights.h"

namespace kindred {
namespace {

constexpr std::size_t kClassified = 4000;  // of kDefault documents
constexpr std::size_t kLearning = 12000;   // of kDefault documents
const std::uint64_t kDefault = TuneRequest{}.documents;
constexpr std::size_t kFewestForLinear = 200;  // fewer do not bear more coefficients
constexpr double kMostDrift = 0.1;             // more is as much the chance of what came when
constexpr double kTaught = 0.8;                // of the voters, by the other folds

void check(const TuneRequest& request, std::size_t documents) {
  if (request.documents < 2) throw Error(Errc::kInvalidArgument, "documents: expected at least 2");
  if (documents >= kFewestVoters) return;

  std::string of_filter;
  if (!request.filter.empty()) of_filter = "filter '" + shortened(request.filter) + "': ";
  throw Error(Errc::kInvalidArgument, of_filter +
                                          "tuning needs at least two labeled documents, found " +
                                          std::to_string(documents));
}

/// How many of the voters are looked at: request.documents, and a quarter more for each doubling
/// beyond.
std::size_t looked_at(const TuneRequest& request, std::size_t voters) {
  constexpr double kForDoubling = 0.25;
  const auto most = static_cast<double>(request.documents);
  const double doublings = std::log2(std::max(1.0, static_cast<double>(voters) / most));
  return static_cast<std::size_t>(most * (1 + kForDoubling * doublings));
}

/// `of_default`, and more if the request asks for more documents than by default.
std::size_t scaled(std::size_t of_default, const TuneRequest& request) {
  return of_default * std::max(request.documents, kDefault) / kDefault;
}

/// What is done now, and how much of the whole work is done; whoever listens hears it. How much a
/// step will be is known before it only about: what it does beyond that is not counted, and what it
/// leaves out counts when it ends.
class Steps {
 public:
  explicit Steps(const OnTuning& on_tuning) : on_tuning_(on_tuning) {
    if (!on_tuning) return;
    pulse_ = Pulse([this] {
      report();
    });
  }

  /// Steps are planned in the order in which they are done.
  void plan(const std::string& doing, std::uint64_t work) {
    all_ += work;
    planned_.push_back({doing, all_});
  }

  /// Ends the step before, if there is one.
  void begin_next() {
    end();
    ++begun_;
    done_ = 0;
  }

  void end() {
    if (begun_ == 0) return;
    done_ = all_;
    report();
  }

  /// Any thread may call it.
  CrossFit::Tick tick() {
    return [this](std::uint64_t work) {
      done_ += work;
      pulse_();
    };
  }

  const Pulse& pulse() const { return pulse_; }

 private:
  struct Step {
    std::string doing;
    std::uint64_t end;  ///< of the whole work, when it is done
  };

  void report() const {
    if (!on_tuning_ || begun_ == 0) return;
    const Step& step = planned_[begun_ - 1];
    const std::uint64_t begin = begun_ > 1 ? planned_[begun_ - 2].end : 0;
    on_tuning_(step.doing, std::min(begin + done_, step.end), all_);
  }

  const OnTuning& on_tuning_;
  Pulse pulse_;
  std::vector<Step> planned_;
  std::uint64_t all_ = 0;
  std::size_t begun_ = 0;                // of the steps
  std::atomic<std::uint64_t> done_ = 0;  // of the step that began last
};

/// Fits the combiner to the latest documents, which the earlier ones classify, if it gains by that.
/// Then these count for thresholds, too: `truth` and `lists` get them.
void fit_to_latest(const Snapshot& snapshot, CrossFit& fit, std::span<const Part> later,
                   Tuning& tuning, TrueLabels& truth, Shortlists& lists) {
  if (later.empty()) return;
  const TrueLabels own_truth = true_labels(snapshot.mirror(), later);
  const Shortlists own_lists = fit.shortlists_of(later);
  const auto forward =
      fit_forward(tuning.combiner, own_truth, own_lists, snapshot.voting().threads());
  if (!forward) return;

  tuning.forward_documents = own_truth.documents;
  tuning.combiner = *forward;
  truth.add(own_truth);
  lists.add(own_lists);
}

/// The threshold of each label, by the confidences that will be given.
void set_thresholds(const Mirror& mirror, std::span<const float> scores, const Shortlists& lists,
                    const TrueLabels& truth, const std::string& goal, Tuning& tuning) {
  const TagGoal parts = tag_goal(goal);
  const LabelCuts cuts = cut_labels(scores, lists, truth, parts);
  tuning.goal = goal;
  tuning.scores.micro_f1 = cuts.micro_f1;
  tuning.scores.macro_f1 = cuts.macro_f1;
  tuning.scores.precision = cuts.precision;
  tuning.scores.recall = cuts.recall;
  tuning.single_label = truth.single_label();
  tuning.max_labels = parts.kind == TagGoal::kTop ? parts.top : truth.most_labels();
  tuning.other_threshold = cuts.other;
  for (std::uint32_t label = 0; label < truth.labels; ++label)
    tuning.thresholds[std::string(mirror.labels.names[label])] = cuts.thresholds[label];
}

/// The labels whose names are near to each document, as the mirror of the sample numbers them.
NamedLabels named_labels(const Snapshot& snapshot, const TermMirror& terms,
                         const std::vector<Xapian::docid>& docids, const Mirror& sample) {
  constexpr std::size_t kAtOnce = 1000;
  const StringTable& names = snapshot.mirror().labels.names;
  NamedLabels named;
  for (std::size_t begin = 0; begin < docids.size(); begin += kAtOnce) {
    const auto batch = std::span(docids).subspan(begin, std::min(kAtOnce, docids.size() - begin));
    const Queries texts =
        weighed(batch, snapshot.voting().threads(), [&](Xapian::docid docid, Queries& queries) {
          snapshot.weigh_left_out(docid, snapshot.weighting(), queries);
        });
    std::vector<std::vector<NamedLabel>> found = terms.named_labels(texts.view());

    for (std::size_t i = 0; i < batch.size(); ++i) {
      std::vector<NamedLabel>& labels = named[batch[i]];
      for (const NamedLabel& each : found[i]) {
        const auto own = sample.labels.names.find(names[each.label]);
        if (own) labels.push_back({*own, each.similarity, each.whole_length, each.row});
      }
      std::ranges::sort(labels, {}, &NamedLabel::label);
    }
  }
  return named;
}

/// What a label says of those that are broader, if some are: the scores are corrected by it.
void learn_hierarchy(const LabelHierarchy* hierarchy, const Shortlists& lists,
                     const TrueLabels& truth, std::vector<float>& scores, Tuning& tuning) {
  if (hierarchy == nullptr || truth.single_label()) return;
  tuning.hierarchy = fit_hierarchy(*hierarchy, scores, lists, truth);
  for (std::size_t d = 0; d < truth.documents; ++d)
    tuning.hierarchy.correct(*hierarchy, lists.labels_of(d), lists.of(d, std::span(scores)));
}

/// What all voters teach.
void learn_from_all(const Snapshot& snapshot, const DocumentSet& voters, const CrossFit& fit,
                    std::span<const Part> parts, const Shortlists& lists, Tuning& tuning) {
  const Taught taught = fit.learn(voters);
  tuning.classifiers = taught.classifiers;
  tuning.weights =
      std::make_shared<const FrozenWeights>(snapshot.mirror().dictionary, taught.weighting.idf);
  if (taught.classifiers) taught.classifiers->left_out = fit.left_out_factors(taught, parts, lists);
}

/// Plans what fit_blend() does.
void plan_steps(const CrossFit& learned, const CrossFit& untaught, const Split& split,
                std::span<const Part> later, const DocumentSet& voters, Steps& steps) {
  const std::vector<Part>& parts = split.parts;

  steps.plan("leave-one-out", learned.work_of(parts));
  steps.plan("without what was learned", untaught.work_of(enough_of(parts)));
  if (!share_teaching(parts)) {
    steps.plan("halves of the documents by each other", learned.work_of(enough_of(parts)));
  } else {
    const bool has_siblings = !split.relatives.siblings.empty();
    steps.plan("documents without their siblings",
               has_siblings ? learned.work_of_comparing(enough_of(parts)) : 0);
  }
  steps.plan("weights of all documents", learned.work_of_learning(voters.count()));
  steps.plan("the latest documents by the earlier ones", learned.work_of(later));
}

/// What the documents of the parts, each classified by the others, give.
struct Blend {
  Shortlists lists;
  FittedCombiner fitted;
  std::vector<float> scores;  // of the labels on the lists
};

/// @param fit_by fit_combiner() or fit_shares()
Blend blend_of(CrossFit& fit, std::span<const Part> parts, const TrueLabels& truth,
               std::size_t threads, decltype(fit_combiner)& fit_by) {
  Blend blend;
  blend.lists = fit.shortlists_of(parts);
  blend.fitted = fit_by(truth, blend.lists, fit.hears_few(), threads);
  blend.scores = combined_scores(blend.fitted.without_fold, blend.lists, truth, threads);
  return blend;
}

/// The combiner, and how good it is.
void take_over(const Blend& blend, const TrueLabels& truth, Tuning& tuning) {
  tuning.combiner = blend.fitted.combiner;
  tuning.scores.log_loss = blend.fitted.log_loss;
  tuning.scores.documents = truth.documents;
  measure_best(blend.scores, blend.lists, truth, tuning.scores);
}

/// Fits one blend, and what goes with it.
TuneReport fit_blend(const Snapshot& snapshot, const DocumentSet& voters, AlsoHeard also,
                     Groups groups, const TuneRequest& request, const OnTuning& on_tuning) {
  const Mirror& mirror = snapshot.mirror();
  const std::size_t threads = snapshot.voting().threads();
  TuneReport report;
  Tuning& tuning = report.tuning;

  // Documents to classify, and what classifies them.
  DriftMeasure drift(mirror, voters);
  const Split split =
      split_apart(snapshot, voters, groups, scaled(kClassified, request), request.seed, drift);
  const std::vector<Part>& parts = split.parts;
  report.drift = std::min(drift.loss(), kMostDrift);
  TrueLabels truth = true_labels(mirror, parts);

  // One way that learns, and one that does not, in which the first may have to give way.
  Steps steps(on_tuning);
  const bool is_linear = truth.documents >= kFewestForLinear;
  const Learning learning = is_linear ? Learning::kLinear : Learning::kWeights;
  CrossFit learned(snapshot, also, scaled(kLearning, request), learning, steps.tick(),
                   steps.pulse());
  CrossFit untaught(learned, Learning::kNothing);
  CrossFit* fit = &learned;

  const auto later = latest(mirror, voters, parts.size(), truth.documents, request.seed);
  plan_steps(learned, untaught, split, later, voters, steps);

  steps.begin_next();
  Blend blend = blend_of(learned, parts, truth, threads, fit_combiner);

  // What few documents teach may be worse for later ones than nothing.
  double taught_share = is_linear ? kTaught : 1;
  steps.begin_next();
  if (Promise(snapshot, voters, groups, split, blend.scores, blend.lists).is_worse_than(untaught)) {
    fit = &untaught;
    blend = blend_of(untaught, parts, truth, threads, fit_shares);
    taught_share = 1;
  }

  take_over(blend, truth, tuning);
  Shortlists& lists = blend.lists;

  // What documents that come later may expect.
  const std::vector<float> own = combined_scores({&tuning.combiner, 1}, lists, truth, threads);
  const Promise promise(snapshot, voters, groups, split, own, lists);
  report.alone = promise.alone();
  steps.begin_next();
  promise.look_ahead(*fit, tuning.combiner, taught_share, report);

  steps.begin_next();
  learn_from_all(snapshot, voters, *fit, parts, lists, tuning);

  steps.begin_next();
  fit_to_latest(snapshot, *fit, later, tuning, truth, lists);
  std::vector<float> scores = combined_scores({&tuning.combiner, 1}, lists, truth, threads);
  learn_hierarchy(also.hierarchy, lists, truth, scores, tuning);
  set_thresholds(mirror, scores, lists, truth, request.goal, tuning);
  steps.end();
  return report;
}

}  // namespace

TuneReport tune(const Snapshot& snapshot, const Settings& settings, const DocumentSet& voters,
                Groups groups, const TuneRequest& request, const OnTuning& on_tuning,
                const TermMirror* terms) {
  const Mirror& mirror = snapshot.mirror();
  const std::size_t count = voters.count();
  check(request, count);
  tag_goal(request.goal);  // refused before it takes minutes

  // A small index is looked at as a whole, of a large one some of the voters.
  std::vector<Xapian::docid> docids;
  if (mirror.documents() <= request.documents) {
    docids = mirror.list->numbers();
  } else {
    docids = drawn(voters.numbers(), looked_at(request, count), request.seed);
  }

  // A copy also of the whole: fits take terms and labels by number, and its numbers follow names.
  const Snapshot sample(mirror_sample(mirror, docids), settings);
  DocumentSet sampled(sample.mirror().list);
  for (const Xapian::docid docid : voters.numbers()) sampled.insert(docid);

  // Few voters move toward documents of the whole index, which the sample may lack. Names are found
  // among those of all labels.
  AlsoHeard also;
  std::optional<FewLabels> few;
  if (count <= FewLabels::kMostVoters) also.few = &few.emplace(snapshot, voters);
  NamedLabels named;
  std::optional<LabelHierarchy> hierarchy;
  if (terms != nullptr) {
    named = named_labels(snapshot, *terms, sampled.numbers(), sample.mirror());
    also.named = &named;
    hierarchy.emplace(terms->vocabulary(), sample.mirror().labels.names);
    if (!hierarchy->is_flat()) also.hierarchy = &*hierarchy;
  }

  TuneReport report = fit_blend(sample, sampled, also, groups, request, on_tuning);
  report.tuning.voters = count;
  report.tuning.uuid = mirror.uuid;
  report.tuning.revision = mirror.revision;
  report.tuning.smart = settings.weighting.smart;
  report.tuning.prefixes = mirror.prefixes;
  report.tuning.filter = request.filter;
  return report;
}

}  // namespace kindred
