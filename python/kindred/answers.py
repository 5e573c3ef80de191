# Made of plugin/ask/questions.txt by make_questions.
"""Answers and their parts as dataclasses. A key that an answer lacks is None, or empty."""

from __future__ import annotations

from typing import Any, Optional

from .rows import *
from .rows import Row, empty, none, row


@row
class Voter(Row):
    id: Id
    docid: int
    similarity: float  # in (0, 1]
    labels: list[Name]
    title: Optional[str] = None  # with titles
    group_count: Optional[int] = None  # with groups; later voters of its group, which it stands for


@row
class TermContribution(Row):
    term: Name  # as the index spells it, prefix included
    word: str  # as people write it
    contribution: float


@row
class TagVoter(Row):
    id: Id
    share: float  # part of the votes of all voters


@row
class TagReason(Row):
    label: Name
    threshold: Optional[float]  # that its confidence had to reach; 0 if its rank decided, null if nothing reaches it
    voters: Rows[TagVoter]  # those that have it, nearest first
    terms: Rows[TermContribution]  # that make them similar, at most ten, largest first
    name: Optional[str] = None  # what the vocabulary calls it


@row
class FoldedDocument(Row):
    id: Id
    docid: int
    similarity: float


@row
class NeighborTerm(Row):
    term: Name  # as the index spells it, prefix included
    word: str  # as people write it
    contribution: float
    id: Id  # the neighbor that it came from most
    docid: int


@row
class RelatedDocument(Row):
    id: Id  # unique id, or the docid in digits if there is none
    docid: int
    similarity: float  # to the examples, in (0, 1]
    rank_score: float  # what the order is by; without feedback, the similarity
    labels: list[Name]  # from people
    title: Optional[str] = None  # or its first words
    terms: Rows[TermContribution] = none()  # with explain; largest first, adding up to the similarity
    neighbor_terms: Rows[NeighborTerm] = none()  # with explain and feedback; words that neighbors of the examples brought, with their parts of the rank_score, at most ten, largest first
    folded: Rows[FoldedDocument] = none()  # with fold; the near-duplicates that this one stands for
    group_count: Optional[int] = None  # with groups; the other documents of its group, such as a thread, which it stands for


@row
class Facet(Row):
    value: Name
    count: int


@row
class Run(Row):
    matched: int  # documents that the request is about
    continued: int  # of these, done by an interrupted run of the same request
    examined: int  # of these, done by this run; the numbers below are about them
    gone: int  # deleted meanwhile
    written: int


@row
class NearMiss(Row):
    label: Name
    confidence: float
    threshold: Optional[float]  # null if nothing reaches it
    name: Optional[str] = None  # what the vocabulary calls it


@row
class VotingUnit(Row):
    unit: int
    topic: int
    documents: int  # that voted


@row
class Classified(Row):
    id: Optional[Id]  # of the document or record
    tags: Rows[Tag]  # confidence descending, then in byte order
    best: Optional[Tag]  # the strongest one, even if it misses the threshold
    docid: Optional[int] = None  # of a document that was asked for by it
    withheld: Rows[Tag] = none()  # that the vote gives, but that people took off; all tags if it opted out
    reasons: Rows[TagReason] = none()  # with explain, one for each tag
    near_misses: Rows[NearMiss] = none()  # with explain
    voters: Rows[Voter] = none()  # with voters or explain, nearest first
    unit: Optional[VotingUnit] = None  # in the vote unit; missing if no term is on the map


@row
class Suspect(Row):
    id: Id
    docid: int
    title: str
    labels: list[Name]
    label: Name  # that it lacks, or has by mistake
    confidence: float  # of the vote in this label
    proposed: Rows[Tag]  # that it would be given
    reasons: Rows[TagReason]  # one for each of these
    voters: Rows[Voter]
    name: Optional[str] = None  # what the vocabulary calls it
    rival: Optional[Tag] = None  # of a wrong one: a tag that it would be given, and that is hardly ever beside it


@row
class SuspectList(Row):
    found: int  # in all
    clear: int  # of these, where the tag that is lacking has a confidence of at least 0.95
    suspects: Rows[Suspect]  # the clearest first, then docid ascending
    next: Optional[int]  # for offset, to go on


@row
class ReliabilityBin(Row):
    low: float
    high: float
    documents: int
    confidence: float
    accuracy: float


@row
class TunedMethod(Row):
    vote: str
    neighbors: int
    linear: bool  # whether the blend has linear classifiers


@row
class TuningScores(Row):
    documents: int
    micro_f1: float
    macro_f1: float
    precision: float
    recall: float
    accuracy: float
    calibration_error: float
    log_loss: float


@row
class UsedTuning(Row):
    revision: int
    filter: str
    method: TunedMethod
    scores: TuningScores  # by leave-one-out
    known_terms: int  # terms whose weight it stores
    thresholds: int
    goal: str  # of the thresholds, as asked for; empty: both F1
    voters: int
    automatic: bool
    forward_documents: int  # latest documents to which the blend was fitted; 0: by leave-one-out
    both_levels: Optional[float] = None  # where the vocabulary has broader terms, the share of the documents with a label below another one that have a broader label, too


@row
class TopicMapAgreement(Row):
    documents: int
    unit_purity: float
    unit_nmi: float
    topic_purity: float
    topic_nmi: float


@row
class TopicMap(Row):
    units: int
    documents: int
    epochs: int  # that were trained
    quantization_error: float  # mean distance of a document to its unit
    topographic_error: float  # share of documents whose two nearest units are not neighbors
    map_revision: int  # of the index that the map was made of
    training_seconds: float
    agreement: Optional[TopicMapAgreement] = None  # over the documents with exactly one label


@row
class RelatedAnswerOf(Row):
    docid: int
    results: Rows[RelatedDocument]


@row
class Candidate(Row):
    id: Id
    docid: int
    title: str
    confidence: float
    labels: list[Name]  # from people
    predicted: list[Name]
    reason: Optional[TagReason] = None  # with explain
    voters: Rows[Voter] = none()  # with explain


@row
class Duplicate(Row):
    id: Id
    docid: int
    title: str  # or its first words
    labels: list[Name]
    group_count: Optional[int] = None  # with groups; later documents of its group among these, which it stands for


@row
class DuplicateGroup(Row):
    least_similarity: float  # of the pairs that reach the threshold
    greatest_similarity: float
    documents: Rows[Duplicate]  # two or more, docid ascending; with groups, the first of each


@row
class EvaluationReport(Row):
    documents: int  # that were measured
    labels: int  # that some document has or gets
    micro_precision: float  # share of the predicted tags that are true
    micro_recall: float  # share of the true tags that are predicted
    micro_f1: float
    macro_f1: float  # mean F1 of the labels
    accuracy: float  # share of documents whose best tag is true, even if it misses the threshold
    macro_precision: float
    macro_recall: float
    subset_accuracy: float  # share of documents whose tags are exactly the true ones
    all_labels: int  # of the index, and labels that are true for some document
    hamming_loss: float  # share of pairs of a document and one of all_labels that were decided wrongly
    one_error: float  # share of documents whose best tag is not true, or that have none
    coverage_error: float  # labels, from the best down, that it takes to have all true ones
    ranking_loss: float  # share of the pairs of a true and a false label that are in the wrong order
    ranking_average_precision: float  # of labels ranked at least as high as a true one, the share of true ones
    calibration_error: float  # of the confidences of the best tags
    calibration_error_by_chance: float  # what it would be if confidences were probabilities
    pair_calibration_error: float  # of all pairs of a document and one of all_labels


@row
class BestLabelsReport(Row):
    k: int  # so many of the best labels of each document; what follows are means over documents
    precision: float  # share of them that are true
    recall: float  # share of the true ones that are among them
    f1: float
    ndcg: float  # how far up the true ones stand, 1 if all of them come first


@row
class GroupReport(Row):
    value: str  # of the key that the records are grouped by
    documents: int  # that were measured
    labels: int  # that some document has or gets
    micro_precision: float  # share of the predicted tags that are true
    micro_recall: float  # share of the true tags that are predicted
    micro_f1: float
    macro_f1: float  # mean F1 of the labels
    accuracy: float  # share of documents whose best tag is true, even if it misses the threshold
    macro_precision: float
    macro_recall: float
    subset_accuracy: float  # share of documents whose tags are exactly the true ones
    all_labels: int  # of the index, and labels that are true for some document
    hamming_loss: float  # share of pairs of a document and one of all_labels that were decided wrongly
    one_error: float  # share of documents whose best tag is not true, or that have none
    coverage_error: float  # labels, from the best down, that it takes to have all true ones
    ranking_loss: float  # share of the pairs of a true and a false label that are in the wrong order
    ranking_average_precision: float  # of labels ranked at least as high as a true one, the share of true ones
    calibration_error: float  # of the confidences of the best tags
    calibration_error_by_chance: float  # what it would be if confidences were probabilities
    pair_calibration_error: float  # of all pairs of a document and one of all_labels
    best_labels: Rows[BestLabelsReport] = none()


@row
class LabelReport(Row):
    label: Name
    support: int  # documents that have it
    predicted: int  # that were given it
    right: int  # both
    precision: float
    recall: float
    f1: float
    name: Optional[str] = None  # what the vocabulary calls it


@row
class Confusion(Row):
    label: Name
    taken_for: Optional[Name]
    documents: int
    share: float  # of the documents of the label
    name: Optional[str] = None  # what the vocabulary calls it
    taken_for_name: Optional[str] = None  # what the vocabulary calls it


@row
class ConfusionMatrix(Row):
    labels: list[Name]
    counts: list[list[int]]  # documents by label (row) and best label (column); the last column: none
    worst: Rows[Confusion]  # most documents first


@row
class TopicTerm(Row):
    term: Name
    word: str  # as people write it
    score: float


@row
class TypicalDocument(Row):
    docid: int
    id: Id
    title: str
    similarity: float


@row
class DescribedTopic(Row):
    number: int  # from 1
    name: str  # its first words
    documents: int
    neighbors: list[int]  # topics that border on it
    terms: Rows[TopicTerm]  # most telling first
    typical: Rows[TypicalDocument]  # nearest to the middle of the topic first


@row
class TopicPlace(Row):
    unit: Optional[int]  # from 0, row by row
    row: Optional[int]
    column: Optional[int]
    topic: Optional[int]
    name: Optional[str]
    distance: Optional[float]
    novelty: float  # share of the map's documents that lie nearer to their units
    map_revision: int  # of the index that the map was made of


@row
class MapUnit(Row):
    x: float
    y: float
    topic: int
    documents: int
    height: float  # mean distance to the units around it
    label: Name  # the most frequent label of its documents, or empty
    name: Optional[str] = None  # what the vocabulary calls it


@row
class MapPlace(Row):
    id: Id
    docid: int
    unit: int
    topic: int  # 0: none of its terms is on the map


@row
class MatchingDocument(Row):
    id: Id
    docid: int
    title: str
    labels: list[Name]  # from people
    predicted: Rows[Tag]


@row
class SnippetPart(Row):
    text: str
    hit: bool  # it matches the query


@row
class FoldedResult(Row):
    id: Id
    title: str
    similarity: float  # to this document


@row
class FoundDocument(Row):
    id: Id  # the docid in digits if the document has none
    docid: int
    title: str  # or its first words
    labels: list[Name]  # from people, in byte order
    predicted: Rows[Tag]  # confidence descending
    topic: Optional[TopicName]
    language: Optional[str]  # ISO 639 code
    values: dict[str, Any]
    etag: str  # an entity tag of HTTP, another one when the document or its tags are
    text: Optional[str] = None  # what the index keeps of it
    fields: dict[str, str] = empty()  # further keys of its data
    score: Optional[float] = None  # the higher the better; 0 unless sorted by relevance
    snippet: Rows[SnippetPart] = none()  # the part of its text that says why it matches
    duplicates: Rows[FoldedResult] = none()  # with fold: what this document stands for


@row
class LabelFacet(Row):
    value: Name
    documents: int  # that people gave it to
    predicted: int  # that have it as a predicted tag
    name: Optional[str] = None  # what the vocabulary calls it


@row
class TopicFacet(Row):
    value: int  # its number
    count: int
    name: str  # its first words; empty if there is no map


@row
class UnitFacet(Row):
    value: int
    count: int


@row
class LabelCount(Row):
    label: Name
    documents: int  # that people gave it to
    predicted: int  # that have it as a predicted tag
    rejected: int  # that must not get it
    name: Optional[str] = None  # what the vocabulary calls it


@row
class AnalyzedWord(Row):
    word: str  # folded; empty if it is not indexed
    term: Optional[str] = None  # the feature, prefix included; empty if there is none
    position: Optional[int] = None  # among the words of the text, from 1
    stop_word: Optional[bool] = None
    joined: list[Name] = none()  # features of several words that end with this one
    terms: list[Name] = none()  # of a query: under which the index may have it


@row
class PrefixTerms(Row):
    prefix: Name
    terms: int
    documents: int


@row
class Dictionary(Row):
    name: str
    path: str


@row
class TagChange(Row):
    id: Id
    docid: int
    given: Rows[Tag]
    taken_off: list[Name]


@row
class EditedDocument(Row):
    id: Id
    labels: list[Name]  # from people
    predicted: list[Name]
    rejected: list[Name]
    auto_tag: bool


@row
class LogStep(Row):
    step: str  # given, accepted, taken_off, rejected or allowed, by people; predicted or dropped, by Kindred; opted_out or opted_in, of all predicted tags
    label: Optional[Name]  # null if the document opted out or in
    name: Optional[str] = None  # what the vocabulary calls it
    confidence: Optional[float] = None  # of a predicted tag that came or went


@row
class LogEdit(Row):
    edit: int  # its number; they ascend
    run: int  # number of the first edit that was made with it
    time: str  # in UTC
    who: str  # the user or program
    how: str  # index, ingest, tag, edit, label or undo
    id: Id
    steps: Rows[LogStep]


@row
class KeptTag(Row):
    id: Id
    label: Optional[Name]
    reason: str  # a later edit of it, another program, or the document is gone
    edit: Optional[int]  # the later one
    who: Optional[str]  # who made it
    name: Optional[str] = None  # what the vocabulary calls it


@row
class JudgedTags(Row):
    accepted: int  # predicted tags that people took over
    refused: int  # that they rejected, or took off in another program
    right: Optional[float]  # the share of the accepted; null if none was judged


@row
class DriftingLabel(Row):
    label: Name
    latest: JudgedTags  # of the latest days
    before: JudgedTags  # of all days before that the history has
    name: Optional[str] = None  # what the vocabulary calls it


@row
class TagSpelling(Row):
    labels: list[Name]  # that differ in case, accents, signs or the plural only
    documents: list[int]  # that have each of them, from people or predicted


@row
class DifferingCopies(Row):
    similarity: float  # the least of the pairs that reach the threshold
    documents: Rows[Duplicate]
    labels: list[Name]  # that some of the labeled ones have, and not all


@row
class LanguageText(Row):
    text: str
    language: Optional[str] = None  # such as en or pt-BR


@row
class VocabularyTerm(Row):
    id: Name  # the label
    names: Rows[LanguageText] = none()  # the first one is shown to readers of other languages
    synonyms: Rows[LanguageText] = none()  # by which it is found, too
    broader: list[Name] = none()  # ids of broader terms
    use_instead: list[Name] = none()  # ids of terms that took its place
    note: Optional[str] = None
    deprecated: Optional[bool] = None


@row
class VocabularyMistake(Row):
    term: int  # which one, from 0
    id: Name
    fault: str


@row
class ShownTerm(Row):
    id: Name  # the label
    documents: int  # that people gave it to
    predicted: int  # that have it as a predicted tag
    above: list[Name]  # its broader terms, theirs, and so on, the nearest first; at most 100
    below: list[Name]  # its narrower terms, at most 100
    names: Rows[LanguageText] = none()  # the first one is shown to readers of other languages
    synonyms: Rows[LanguageText] = none()  # by which it is found, too
    broader: list[Name] = none()  # ids of broader terms
    use_instead: list[Name] = none()  # ids of terms that took its place
    note: Optional[str] = None
    deprecated: Optional[bool] = None


@row
class RelatedAnswer(Row):
    results: Rows[RelatedDocument] = none()  # rank_score descending, then docid ascending
    answers: Rows[RelatedAnswerOf] = none()  # with each, in its order


@row
class ClassifyAnswer(Row):
    id: Optional[Id] = None  # of the document or record
    docid: Optional[int] = None  # of a document that was asked for by it
    tags: Rows[Tag] = none()  # confidence descending, then in byte order
    best: Optional[Tag] = None  # the strongest one, even if it misses the threshold
    withheld: Rows[Tag] = none()  # that the vote gives, but that people took off; all tags if it opted out
    reasons: Rows[TagReason] = none()  # with explain, one for each tag
    near_misses: Rows[NearMiss] = none()  # with explain
    voters: Rows[Voter] = none()  # with voters or explain, nearest first
    unit: Optional[VotingUnit] = None  # in the vote unit; missing if no term is on the map
    answers: Rows[Classified] = none()  # with examples, in their order
    untuned: Optional[bool] = None  # true: without a tuning and with many voters, a confidence is the share of the vote, so 1 where a single document votes
    tuning_unused: Optional[str] = None  # why the tuning that the index has was not used


@row
class CandidatesAnswer(Row):
    examined: int  # documents that match the filter and lack the tag
    found: int  # candidates, including those beyond the limit
    candidates: Rows[Candidate]  # confidence descending, then docid ascending
    next: Optional[int]  # for offset, to go on
    tuning_unused: Optional[str] = None  # why the tuning that the index has was not used


@row
class SuspectsAnswer(Row):
    examined: int  # documents that were looked at; more than asked for, where the lists of more are kept
    missing: SuspectList  # tags that documents lack
    wrong: SuspectList  # tags that people gave and the vote excludes
    labeled: int  # documents that match the query and have a label
    tuning_unused: Optional[str] = None  # why the tuning that the index has was not used


@row
class DuplicatesAnswer(Row):
    examined: int  # documents that match the filter
    found: int  # groups, including those beyond the limit
    grouped: int  # documents in them
    groups: Rows[DuplicateGroup]  # most documents first, then by their first docid


@row
class EvaluateAnswer(Row):
    documents: int  # that were measured
    labels: int  # that some document has or gets
    micro_precision: float  # share of the predicted tags that are true
    micro_recall: float  # share of the true tags that are predicted
    micro_f1: float
    macro_f1: float  # mean F1 of the labels
    accuracy: float  # share of documents whose best tag is true, even if it misses the threshold
    macro_precision: float
    macro_recall: float
    subset_accuracy: float  # share of documents whose tags are exactly the true ones
    all_labels: int  # of the index, and labels that are true for some document
    hamming_loss: float  # share of pairs of a document and one of all_labels that were decided wrongly
    one_error: float  # share of documents whose best tag is not true, or that have none
    coverage_error: float  # labels, from the best down, that it takes to have all true ones
    ranking_loss: float  # share of the pairs of a true and a false label that are in the wrong order
    ranking_average_precision: float  # of labels ranked at least as high as a true one, the share of true ones
    calibration_error: float  # of the confidences of the best tags
    calibration_error_by_chance: float  # what it would be if confidences were probabilities
    pair_calibration_error: float  # of all pairs of a document and one of all_labels
    reliability: Rows[ReliabilityBin]  # ten bins of the best tags
    pair_reliability: Rows[ReliabilityBin]  # the same for all pairs of a document and a label
    best_labels: Rows[BestLabelsReport] = none()  # in the order of at
    groups: Rows[GroupReport] = none()  # of the program with --by, in byte order of their values
    per_label: Rows[LabelReport] = none()
    confusion: Optional[ConfusionMatrix] = None  # null if a document has more than one label
    tuning_unused: Optional[str] = None  # why the tuning that the index has was not used


@row
class GeometryAnswer(Row):
    labels: list[Name]  # in byte order
    documents: list[int]  # of each label that have a feature
    mean_square_distance: list[list[Optional[float]]]  # 0 to 2, null where there is no pair
    nearest: list[list[int]]  # documents by label (row) and that of their nearest (column); the last column: similar to none
    intra: Optional[float]  # mean of the diagonal
    inter: Optional[float]  # mean of the rest
    informativeness: Optional[float]  # inter over intra


@row
class TopicsAnswer(Row):
    map: TopicMap
    topics: Rows[DescribedTopic]  # the largest first


@row
class TopicOfAnswer(Row):
    places: Rows[TopicPlace]  # in their order; all but novelty and map_revision are null if no term is on the map


@row
class MapAnswer(Row):
    map: TopicMap
    stamp: str  # another one for another map
    rows: int
    columns: int
    lattice: str
    toroidal: bool
    units: Rows[MapUnit]  # row by row
    places: Rows[MapPlace] = none()  # docid ascending


@row
class DocumentsAnswer(Row):
    documents: Rows[StoredDocument]  # in the order of the examples


@row
class MatchingAnswer(Row):
    found: int  # documents that match, including those beyond the limit
    documents: Rows[MatchingDocument]  # docid ascending
    next: Optional[int]  # for offset, to go on


@row
class SearchAnswerTotal(Row):
    estimate: int
    exact: bool  # the estimate is the number of matching documents


@row
class SearchAnswerFacets(Row):
    label: Rows[LabelFacet]
    topic: Rows[TopicFacet]
    language: Rows[Facet]
    values: dict[str, Rows[Facet]]
    unit: Rows[UnitFacet] = none()  # with units


@row
class SearchAnswer(Row):
    documents: Rows[FoundDocument]  # with text and fields if they were asked for by ids, else with score and snippet
    total: Optional[SearchAnswerTotal] = None
    facets: Optional[SearchAnswerFacets] = None  # the most frequent values among the matching documents, most frequent first
    counted: Optional[int] = None  # of how many matching documents the facets are; fewer than match if there are very many
    correction: Optional[str] = None  # the query with unknown words put right
    folded: Optional[int] = None  # with fold; documents to the end of this page that others stand for


@row
class LabelsAnswer(Row):
    labels: Rows[LabelCount]  # in the order that is asked for
    found: int  # in all, including those beyond the limit
    next: Optional[int]  # for offset, to go on


@row
class AnalyzeAnswer(Row):
    words: Rows[AnalyzedWord]
    language: Optional[str] = None
    prefix: Optional[str] = None  # of features
    query: Optional[str] = None  # for Xapian::Query::unserialise(), with escapes


@row
class StatusAnswerAnalysis(Row):
    recorded: bool
    rules: dict[str, str]
    versions: dict[str, str]
    other_versions: str  # a sentence on versions that differ from the record, or empty


@row
class StatusAnswerGuess(Row):
    profile: str
    settings: str  # as TOML
    unknown: list[str]  # what its terms do not tell


@row
class StatusAnswer(Row):
    documents: int
    terms: int  # features
    nonzeros: int  # pairs of a document and a feature
    labels: int
    vocabulary_terms: int  # terms of the vocabulary, which names labels; 0 without one
    uuid: str
    backend: str  # cpu or cuda
    device: str
    bytes: int  # of main memory
    labeled: int  # documents with a label: the voters
    compute_capability: str
    device_bytes: int
    tagged: int  # documents with a predicted tag
    pending: int  # documents marked to be tagged later
    opted_out: int
    rejected: int  # pairs of a document and a tag that it must not get
    tuning: Optional[UsedTuning]  # that tags follow
    tuning_due: bool  # ingest and tagging will tune first
    tuning_unused: str  # why the tuning that it has is not used, or empty
    related_by: str  # whose term weights find related documents: the tuning's, those learned from neighbors, idf where these were clearly worse, or those of weighting.smart
    profile: str  # whose index it is, or none
    remembered: str  # where the index remembers settings
    analysis: StatusAnswerAnalysis  # how texts are analyzed
    lift_documents: Optional[int] = None  # that the index had when the weights were learned from neighbors
    prefixes: Rows[PrefixTerms] = none()  # with survey, stems excepted, in byte order
    dictionaries: Rows[Dictionary] = none()  # with survey
    guess: Optional[StatusAnswerGuess] = None  # with guess


@row
class SettingsAnswer(Row):
    remembered: str  # where the index remembers settings, or empty
    profile: str
    toml: str  # those that are not the defaults
    settings: Any  # all, by section and key


@row
class TuneAnswer(Row):
    tuned: bool  # false if nothing was due
    removed: Optional[bool] = None  # with remove: whether there was one
    tuning: Optional[UsedTuning] = None
    file: Optional[str] = None  # where it is stored
    expected_accuracy: Optional[float] = None  # for documents that come later, at least; 0 if nothing was measured: no label has two documents
    expected_at_most: Optional[float] = None  # the largest accuracy to expect, at most 0.1 more; absent if nothing was measured
    drift: Optional[float] = None  # how much lower it is for documents that differ from earlier ones as the latest did
    siblings: Optional[float] = None  # how much lower it is for documents of sources that the index does not have
    alone: Optional[float] = None  # the share of documents none of whose labels another has
    changed: Optional[int] = None  # with changes


@row
class TrainTopicsAnswer(Row):
    map: TopicMap
    topics: int  # how many


@row
class AssignTopicsAnswer(Row):
    map_revision: int  # of the index that the map was made of
    matched: int  # documents that the request is about
    continued: int  # of these, done by an interrupted run of the same request
    examined: int  # of these, done by this run; the numbers below are about them
    gone: int  # deleted meanwhile
    written: int


@row
class TagAnswer(Row):
    dry_run: bool
    matched: int  # documents that the request is about
    continued: int  # of these, done by an interrupted run of the same request
    examined: int  # of these, done by this run; the numbers below are about them
    gone: int  # deleted meanwhile
    written: int
    tagged: int  # documents with predicted tags now
    labeled: int  # with tags from people
    opted_out: int
    changed: int  # whose predicted tags changed
    given: int  # tags that documents got
    taken_off: int  # tags that documents lost
    rejected: int  # tags that somebody was found to have taken off
    allowed: int  # rejections that allow_all ended
    sample: Rows[TagChange]  # the first changes
    run: int  # its number in the history; 0 if nothing changed
    tuning_unused: Optional[str] = None  # why the tuning that the index has was not used


@row
class EditAnswer(Row):
    documents: Rows[EditedDocument]  # of each edit, as it is after all of them


@row
class EditLabelAnswer(Row):
    dry_run: bool
    documents: int  # that changed, or would
    merged: bool  # two labels are one now, so the tuning of the index is due
    run: int  # its number in the history; 0 if nothing changed


@row
class LogAnswer(Row):
    edits: Rows[LogEdit]  # the latest first
    found: int  # in all, including those beyond the limit
    next: Optional[int]  # for before, to go on
    first: Optional[int]  # number of the oldest edit that the history has, of all; null if it has none
    damaged: int  # bytes of the history that cannot be read
    others: int  # edits of another index that was at the same place


@row
class UndoAnswer(Row):
    dry_run: bool
    edits: int  # that are to be taken back
    documents: int  # that changed, or would
    tags: int  # of these documents that changed, or would
    kept: int  # tags that stay as they are, since they were changed again
    kept_tags: Rows[KeptTag]  # the first of them
    run: int  # its own number in the history; 0 if nothing changed


@row
class ReviewAnswer(Row):
    time: str  # in UTC
    missing: SuspectList  # tags that documents lack
    wrong: SuspectList  # tags that people gave and the vote excludes
    drifting: Rows[DriftingLabel]  # whose predicted tags people refuse more often than before
    copies: Rows[DifferingCopies]  # near-duplicates with different tags, the most similar first
    copies_found: int  # in all
    spellings: Rows[TagSpelling]  # labels that are perhaps one
    judged: JudgedTags  # what people said of predicted tags in the latest days
    judged_before: JudgedTags  # and before, as far as the history goes
    given: int  # labels that people gave in the latest days
    taken_off: int  # labels that they took off


@row
class LoadVocabularyAnswer(Row):
    file: Optional[str]  # where it is stored; null if it is not
    terms: int  # that are good
    mistakes: Rows[VocabularyMistake]  # the first ten
    mistaken: int  # mistakes in all
    labels: int  # of the index
    named: int  # of these, are terms
    unnamed: list[Name]  # of these, the first three that are no terms
    ids: list[Name]  # of the first three terms


@row
class VocabularyAnswer(Row):
    terms: Rows[ShownTerm]  # with query first those that are called so or begin so; else by their ids
    ids: list[Name]  # of these terms
    found: int  # in all, including those beyond the limit
    next: Optional[int]  # for offset, to go on
    all: int  # terms of the vocabulary
    languages: list[str]  # of its names and synonyms
    labels: int  # of the index
    named: int  # of these, are terms


@row
class RemoveVocabularyAnswer(Row):
    removed: bool  # whether there was a vocabulary


@row
class DeleteAnswer(Row):
    deleted: int
    unknown: int  # ids and docids that no document has


@row
class StoreRelatedAnswer(Row):
    slot: int  # the value slot that has them
    matched: int  # documents that the request is about
    continued: int  # of these, done by an interrupted run of the same request
    examined: int  # of these, done by this run; the numbers below are about them
    gone: int  # deleted meanwhile
    written: int


@row
class SaveMirrorAnswer(Row):
    path: str
    bytes: int
    documents: int


@row
class ExportAnswer(Row):
    documents: Rows[ExportedDocument]  # docid ascending; records as ingest takes them, with names as they are
    next: Optional[int]  # for after, to go on
    cut: int  # of these, have only the beginning of their text, as index.sample_bytes has it


__all__ = ["Voter",
           "TermContribution",
           "TagVoter",
           "TagReason",
           "FoldedDocument",
           "NeighborTerm",
           "RelatedDocument",
           "Facet",
           "Run",
           "NearMiss",
           "VotingUnit",
           "Classified",
           "Suspect",
           "SuspectList",
           "ReliabilityBin",
           "TunedMethod",
           "TuningScores",
           "UsedTuning",
           "TopicMapAgreement",
           "TopicMap",
           "RelatedAnswerOf",
           "Candidate",
           "Duplicate",
           "DuplicateGroup",
           "EvaluationReport",
           "BestLabelsReport",
           "GroupReport",
           "LabelReport",
           "Confusion",
           "ConfusionMatrix",
           "TopicTerm",
           "TypicalDocument",
           "DescribedTopic",
           "TopicPlace",
           "MapUnit",
           "MapPlace",
           "MatchingDocument",
           "SnippetPart",
           "FoldedResult",
           "FoundDocument",
           "LabelFacet",
           "TopicFacet",
           "UnitFacet",
           "LabelCount",
           "AnalyzedWord",
           "PrefixTerms",
           "Dictionary",
           "TagChange",
           "EditedDocument",
           "LogStep",
           "LogEdit",
           "KeptTag",
           "JudgedTags",
           "DriftingLabel",
           "TagSpelling",
           "DifferingCopies",
           "LanguageText",
           "VocabularyTerm",
           "VocabularyMistake",
           "ShownTerm",
           "RelatedAnswer",
           "ClassifyAnswer",
           "CandidatesAnswer",
           "SuspectsAnswer",
           "DuplicatesAnswer",
           "EvaluateAnswer",
           "GeometryAnswer",
           "TopicsAnswer",
           "TopicOfAnswer",
           "MapAnswer",
           "DocumentsAnswer",
           "MatchingAnswer",
           "SearchAnswerTotal",
           "SearchAnswerFacets",
           "SearchAnswer",
           "LabelsAnswer",
           "AnalyzeAnswer",
           "StatusAnswerAnalysis",
           "StatusAnswerGuess",
           "StatusAnswer",
           "SettingsAnswer",
           "TuneAnswer",
           "TrainTopicsAnswer",
           "AssignTopicsAnswer",
           "TagAnswer",
           "EditAnswer",
           "EditLabelAnswer",
           "LogAnswer",
           "UndoAnswer",
           "ReviewAnswer",
           "LoadVocabularyAnswer",
           "VocabularyAnswer",
           "RemoveVocabularyAnswer",
           "DeleteAnswer",
           "StoreRelatedAnswer",
           "SaveMirrorAnswer",
           "ExportAnswer"]
