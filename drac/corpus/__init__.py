"""What the user gave, as documents with an identity: folders, files, patterns and corpus files.

Identity is a collection and a path under a root, never the stem: `a/report.docx` and `b/report.docx`
are two documents, and so are `x.docx` and `x.pptx`.
"""

from drac.corpus.description import (
    ChunkSet,
    Collection,
    Corpus,
    CorpusFile,
    load_corpus,
    read_corpus_file,
)
from drac.corpus.discovery import Discovery, Root, discover
from drac.corpus.finding import find_corpus
from drac.corpus.names import doc_id, original, printable, real_path
from drac.corpus.questions import load_judgments, load_queries

__all__ = [
    "ChunkSet",
    "Collection",
    "Corpus",
    "CorpusFile",
    "Discovery",
    "Root",
    "discover",
    "doc_id",
    "find_corpus",
    "load_corpus",
    "load_judgments",
    "load_queries",
    "original",
    "printable",
    "read_corpus_file",
    "real_path",
]
