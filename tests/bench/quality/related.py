"""Quality of related documents, beside what Xapian offers, on the same questions in the same run.

usage: related.py KINDRED DATABASE... [--questions N]

Documents with an even docid teach: from their labels term weights are learned. Those with an odd
docid ask (--questions: at most about N of them, evenly spread) for the ten that are most like them,
among the odd. The figure is the share of the ten that share a label with the document that asked.
A second row per database holds labels out instead: every other label in byte order teaches, and
documents that have one of the others are asked about these.

The columns smart, idf, labels and both are those of `kindred evaluate --related`. Beside them:

- eset: Xapian's expansion, the 40 best terms of the document, weighed by BM25;
- mlt: "more like this", the 40 terms of the document with the largest tf-idf, weighed by BM25.

Stems (prefix Z) are terms, and K is the prefix of labels. Needs Xapian's bindings for Python.
"""
import argparse
import json
import math
import subprocess
import sys

import xapian

K = 10
TERMS = 40


class Stems(xapian.ExpandDecider):
    def __call__(self, term):
        return term.startswith(b"Z")


class Among(xapian.MatchDecider):
    def __init__(self, docids):
        super().__init__()
        self.docids = docids

    def __call__(self, document):
        return document.get_docid() in self.docids


def labels_of(database):
    """docid -> the labels of the document; only documents that have one."""
    labels = {}
    for item in database.allterms("K"):
        for posting in database.postlist(item.term):
            labels.setdefault(posting.docid, set()).add(item.term)
    return labels


def asked_of(labels, held_out):
    """docid -> what the document is asked about; only those that are asked."""
    if held_out == "documents":
        return {docid: its for docid, its in labels.items() if docid % 2 == 1}
    taught = set(sorted(set().union(*labels.values()))[::2])
    return {docid: its - taught for docid, its in labels.items() if its - taught}


def eset_terms(database, docid):
    rset = xapian.RSet()
    rset.add_document(docid)
    return [item.term for item in xapian.Enquire(database).get_eset(TERMS, rset, Stems())]


def mlt_terms(database, docid):
    documents = database.get_doccount()
    weights = {item.term: item.wdf * math.log(1 + documents / item.termfreq)
               for item in database.get_document(docid).termlist() if item.term[:1] == b"Z"}
    return sorted(weights, key=weights.get, reverse=True)[:TERMS]


def share(database, asked, questions, terms_of):
    among, shared = Among(asked), 0
    enquire = xapian.Enquire(database)
    for docid in questions:
        terms = terms_of(database, docid)
        if not terms:
            continue
        enquire.set_query(xapian.Query(xapian.Query.OP_OR, terms))
        found = [match.docid for match in enquire.get_mset(0, K + 1, None, among)]
        others = [other for other in found if other != docid][:K]
        shared += sum(not asked[docid].isdisjoint(asked[other]) for other in others)
    return shared / (K * len(questions))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("kindred")
    parser.add_argument("databases", nargs="+")
    parser.add_argument("--questions", type=int, default=2000)
    options = parser.parse_args()
    print("| database | held out | asked | smart | idf | labels | both | ESet | more like this |")
    print("|---|---|---|---|---|---|---|---|---|")
    for path in options.databases:
        database = xapian.Database(path)
        labels = labels_of(database)
        for held_out in ("documents", "labels"):
            asked = asked_of(labels, held_out)
            questions = sorted(asked)[::max(1, len(asked) // options.questions)]
            command = [options.kindred, "evaluate", "--db", path, "--related", "--json",
                       "--hold-out", held_out]
            report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
            if report["asked"] != len(asked):
                sys.exit(f"{path}: {report['asked']} documents asked, and {len(asked)} here")
            figures = [report["shares"][name] for name in ("smart", "idf", "labels", "both")]
            figures += [share(database, asked, questions, terms) for terms in (eset_terms, mlt_terms)]
            print(f"| {path} | {held_out} | {len(asked)} |",
                  " | ".join(f"{figure:.3f}" for figure in figures), "|", flush=True)


if __name__ == "__main__":
    main()
