"""KindredClassifier in scikit-learn: its forms of labels, a pipeline, pickles, and the checks of
check_estimator, which are about tables of numbers. A subclass that makes a text of each row passes
all of them; of the class itself, NOT_OF_TEXTS lists those that do not hold.

usage: sklearn_test.py PACKAGES (the folder that has the package), with $KINDRED_LIBRARY"""

import copy
import json
import os
import pickle
import sys
import unittest
import warnings
from functools import partial

sys.path.insert(0, sys.argv.pop(1))
try:
    import numpy
    from scipy.sparse import csr_matrix
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, MultiLabelBinarizer
    from sklearn.utils.estimator_checks import check_estimator
    from sklearn.utils.validation import check_array
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)
import kindred  # noqa: E402
from kindred.sklearn import KindredClassifier  # noqa: E402

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/topics.jsonl")
RECORDS = [json.loads(line) for line in open(DATA, encoding="utf-8")]
TEXTS = [record["text"] for record in RECORDS]
LISTS = [sorted(record["labels"]) for record in RECORDS]
FOLDS = KFold(3, shuffle=True, random_state=1)
FIRST = [labels[-1] for labels in LISTS]


TABLE = "expected one column of texts, found "
"""Why most checks do not hold for texts: they fit a table of several columns of numbers."""

NOT_OF_TEXTS = {
    "check_classifier_data_not_an_array": "what it fits can only become an array of numbers",
    "check_classifiers_one_label": "it says of any failure that there is just one class",
    "check_classifiers_regression_target": "the table is refused before its target is",
    "check_complex_data": "complex numbers are refused as no texts, by another message",
    "check_estimator_sparse_data": "a sparse table is refused as no texts, by another message",
    "check_estimator_sparse_array": "a sparse table is refused as no texts, by another message",
    "check_estimator_sparse_matrix": "a sparse table is refused as no texts, by another message",
    "check_estimators_empty_data_messages": "a table without columns is refused by another message",
    "check_estimators_nan_inf": "NaN is refused as no text, by another message",
    "check_fit2d_1feature": "a column of numbers is refused as no texts, by another message",
    "check_fit2d_1sample": "a row of ten numbers is refused for the number of columns"}


def is_checked(tags, form):
    """Tags with which scikit-learn runs its checks, which are for a "2darray" alone."""
    if isinstance(tags, dict):
        return {**tags, "X_types": form, "no_validation": False}
    tags.input_tags.two_d_array = True
    tags.no_validation = False
    return tags


class Texts(KindredClassifier):
    """The class itself."""

    def _more_tags(self):
        return is_checked(super()._more_tags(), ["2darray", "string"])

    def __sklearn_tags__(self):
        return is_checked(super().__sklearn_tags__(), None)


class Numbers(KindredClassifier):
    """The same of tables of numbers: a word for each step that a number reaches."""

    def _texts(self, X, fit=False):
        X = check_array(X, accept_sparse=False)
        if fit:
            self.n_features_in_ = X.shape[1]
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but Numbers is expecting "
                             f"{self.n_features_in_} features as input")
        return [" ".join("f%sx%s" % (i, "abcdefghijklmnopqrst"[step])
                         for i, value in enumerate(row) for step in range(20)
                         if value > (step - 10) / 4) for row in X]

    def fit(self, X, y):
        return super().fit(self._texts(X, True), y)

    def _tags(self, X, **options):
        return super()._tags(self._texts(X), **options)

    def _more_tags(self):
        return is_checked(super()._more_tags(), ["2darray"])

    def __sklearn_tags__(self):
        return is_checked(super().__sklearn_tags__(), None)


class Test(unittest.TestCase):
    def test_a_label_for_each_text(self):
        found = KindredClassifier().fit(TEXTS, FIRST)
        self.assertEqual(list(found.classes_), sorted(set(FIRST)))
        self.assertEqual(list(found.predict(["Astronauts on the moon", "A slice of bread"])),
                         ["space", "cooking"])
        shares = found.predict_proba(["moon", "zzzz"])
        self.assertEqual(shares.shape, (2, len(found.classes_)))
        numpy.testing.assert_allclose(shares.sum(axis=1), 1)
        numpy.testing.assert_allclose(shares[1], [FIRST.count(c) / len(FIRST)
                                                  for c in found.classes_])
        self.assertEqual(found.database_.classify("moon", why=True).reasons[0].label, "space")

    def test_lists_of_labels_and_a_matrix_agree(self):
        form = MultiLabelBinarizer()
        matrix = form.fit_transform(LISTS)
        lists = KindredClassifier().fit(TEXTS, LISTS)
        of_matrix = KindredClassifier().fit(RECORDS, csr_matrix(matrix))
        self.assertEqual(list(of_matrix.classes_), list(range(5)))
        plain = KindredClassifier().fit(TEXTS, matrix)
        self.assertEqual([list(row) for row in form.inverse_transform(plain.predict(TEXTS))],
                         [sorted(row) for row in lists.predict(TEXTS)])
        numpy.testing.assert_array_equal(lists.predict_proba(TEXTS), plain.predict_proba(TEXTS))
        self.assertEqual(lists.score(TEXTS, LISTS), plain.score(TEXTS, matrix))
        self.assertIn("science", lists.classes_)

    def test_in_a_pipeline(self):
        lower = FunctionTransformer(lambda texts: [text.lower() for text in texts])
        pipeline = make_pipeline(lower, KindredClassifier())
        self.assertGreater(cross_val_score(pipeline, TEXTS, FIRST, cv=FOLDS).mean(), 0.7)
        matrix = MultiLabelBinarizer().fit_transform(LISTS)
        self.assertGreater(cross_val_score(KindredClassifier(), TEXTS, matrix, cv=FOLDS,
                                           scoring="f1_micro").mean(), 0.7)
        search = GridSearchCV(KindredClassifier(), {"neighbors": [1, 10]}, cv=FOLDS).fit(TEXTS, FIRST)
        self.assertIn(search.best_params_["neighbors"], (1, 10))

    def test_several_processes(self):
        both = cross_val_score(KindredClassifier(), TEXTS, FIRST, cv=FOLDS, n_jobs=2)
        one = cross_val_score(KindredClassifier(), TEXTS, FIRST, cv=FOLDS)
        numpy.testing.assert_array_equal(both, one)

    def test_it_is_tuned_where_there_is_enough(self):
        many = [text + more for more in ("", " again", " once more") for text in TEXTS]
        tuned = KindredClassifier().fit(many, FIRST * 3)
        self.assertIsNotNone(tuned.database_.ask("status")["tuning"])
        for plain in (KindredClassifier(tune=False), KindredClassifier(neighbors=3)):
            self.assertIsNone(plain.fit(many, FIRST * 3).database_.ask("status")["tuning"])
        again = pickle.loads(pickle.dumps(tuned))
        numpy.testing.assert_array_equal(again.predict_proba(TEXTS), tuned.predict_proba(TEXTS))
        numpy.testing.assert_array_equal(copy.deepcopy(tuned).predict_proba(TEXTS),
                                         tuned.predict_proba(TEXTS))
        self.assertFalse(hasattr(clone(tuned), "database_"))
        self.assertFalse(hasattr(pickle.loads(pickle.dumps(clone(tuned))), "database_"))

    def test_any_labels(self):
        texts = ["alpha", "beta", "gamma", "delta", "epsilon"]
        for labels in ([" a ", "a", "", "\u00e9", "e\u0301"], ["x" * 300, "y" * 300, "\x01", "a|b", "\\"],
                       [3, -1, 7, 12, 5], [True, False, True, True, False], [1.0, 2.0, 3.0, 4.0, 5.0]):
            found = KindredClassifier(neighbors=1).fit(texts, labels)
            self.assertEqual(found.predict(texts).tolist(), labels)
        self.assertEqual(KindredClassifier(neighbors=1).fit(texts, [["a"], ["a", "b"], [], ["c"], ["b"]])
                         .predict(["beta", "zzz"]), [["a", "b"], []])

    def test_bad_input(self):
        for texts, labels, part in (("text", ["a"], "single"), ([1.5], ["a"], "row 0"),
                                    (["x"], ["a", "b"], "2 labels"), ([], [], "0 sample"),
                                    (numpy.array([["x", "y"]]), ["a"], "2"),
                                    (["x", "y"], [0.5, 1.5], "Unknown label type")):
            with self.assertRaisesRegex(ValueError, part):
                KindredClassifier().fit(texts, labels)
        with self.assertRaisesRegex(ValueError, "y is None"):
            KindredClassifier().fit(TEXTS, None)

    def test_a_wrong_parameter_fails_in_fit(self):
        for name, value, part in (("vote", "foo", "expected one of majority, .*blend.* found \"foo\""),
                                  ("neighbors", -1, "classify.neighbors"),
                                  ("min_confidence", 2, "classify.min_confidence"),
                                  ("tune", "no", "tune: expected True or False, found 'no'"),
                                  ("settings", ["x"], "settings: expected TOML, a dict or None"),
                                  ("settings", {"classify.kk": 1}, "kk")):
            with self.assertRaisesRegex(ValueError, part):
                KindredClassifier(**{name: value}).fit(TEXTS, FIRST)

    def test_the_vote_blend_is_that_of_a_tuning(self):
        found = KindredClassifier(vote="blend").fit(TEXTS, FIRST)
        self.assertEqual(found.database_.ask("status")["tuning"]["method"]["vote"], "blend")
        self.assertEqual(found.predict(["Astronauts on the moon"])[0], "space")
        with self.assertRaisesRegex(ValueError, "vote: .*'blend'.* tune=False"):
            KindredClassifier(vote="blend", tune=False).fit(TEXTS, FIRST)
        with self.assertRaisesRegex(ValueError, "at least two labeled documents, found 1"):
            KindredClassifier(vote="blend").fit(TEXTS[:1], FIRST[:1])
        search = GridSearchCV(KindredClassifier(), {"vote": ["blend", "similarity"]}, cv=FOLDS,
                              error_score="raise").fit(TEXTS, FIRST)
        self.assertIn(search.best_params_["vote"], ("blend", "similarity"))

    def test_check_estimator(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_estimator(Numbers())
            held, failed, of_tables = set(), set(), set()
            for estimator, check in check_estimator(Texts(), generate_only=True):
                name = check
                while isinstance(name, partial):
                    name = name.func
                try:
                    check(estimator)
                    held.add(name.__name__)
                except unittest.SkipTest:
                    continue
                except Exception as error:
                    is_table = str(error).startswith(TABLE)
                    (of_tables if is_table else failed).add(name.__name__)
        self.assertEqual(failed - NOT_OF_TEXTS.keys(), set())
        self.assertEqual(held & NOT_OF_TEXTS.keys(), set())
        self.assertIn("check_classifiers_train", of_tables)
        self.assertIn("check_parameters_default_constructible", held)


if __name__ == "__main__":
    unittest.main()
