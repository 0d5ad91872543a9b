"""Files for other evaluators."""

from __future__ import annotations

import numpy as np

from drac.evaluate import exports


def test_f51_a_run_keeps_its_order_whoever_sorts_it() -> None:
    ranking = [("z b", 1.0), ("a", 1.0), ("c", 1.0 - 1e-12), ("d", -2.0)]
    lines = [line.split() for line in exports.trec_run({"q 1": ranking}, "my set")]
    assert [line[2] for line in lines] == ["z%20b", "a", "c", "d"]
    scores = [float(np.float32(line[4])) for line in lines]
    assert scores == sorted(set(scores), reverse=True)
    assert [line[3] for line in lines] == ["1", "2", "3", "4"]
    assert {(line[0], line[5]) for line in lines} == {("q%201", "my%20set")}


def test_qrels() -> None:
    assert list(exports.trec_qrels({"q": {"a b": 2}})) == ["q 0 a%20b 2\n"]
    assert list(exports.beir_qrels({"q": {"a": 1}})) == ["query-id\tcorpus-id\tscore\n", "q\ta\t1\n"]
