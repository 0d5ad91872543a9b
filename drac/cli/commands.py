"""The commands: each reads its options, calls the pipeline and prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from drac import __version__
from drac.cli import auditing, judging, show, show_audit, show_judged, work
from drac.cli import options as opt
from drac.cli.options import set_up_logging, settings_from

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Any document becomes page-true, retrieval-ready chunks.",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Any document becomes page-true, retrieval-ready chunks."""


@app.command()
def run(
    paths: opt.Paths,
    workspace: opt.Workspace = opt.DEFAULT_WORKSPACE,
    config: opt.Config = None,
    engine: opt.Engine = None,
    native: opt.Native = None,
    ocr_engine: opt.OcrEngine = None,
    ocr_language: opt.OcrLanguage = None,
    planner: opt.Planner = None,
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    endpoint_url: opt.EndpointUrl = None,
    region: opt.Region = None,
    aws_profile: opt.AwsProfile = None,
    concurrency: opt.Concurrency = None,
    max_usd: opt.MaxUsd = None,
    embedder: opt.Embedder = None,
    embedding_model: opt.EmbeddingModel = None,
    dimensions: opt.Dimensions = None,
    text_hint: opt.TextHint = None,
    collection: opt.Collection = None,
    root: opt.Root = None,
    set_name: opt.SetName = "default",
    hidden: opt.Hidden = None,
    notes: opt.Notes = None,
    pages: opt.PageList = None,
    workers: opt.Workers = None,
    password: opt.Password = None,
    password_file: opt.PasswordFile = None,
    retry: opt.Retry = None,
    max_fallback: opt.MaxFallback = None,
    archives: opt.Archives = False,
    min_blocks: opt.MinBlocks = None,
    max_blocks: opt.MaxBlocks = None,
    target_tokens: opt.TargetTokens = None,
    audit: opt.AuditToo = False,
    audit_sample: opt.AuditSample = None,
    on_mismatch: opt.OnMismatch = None,
    dry_run: opt.DryRun = False,
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Everything: normalize, convert, plan, export, and index where the extra `embed` is there."""
    set_up_logging(verbose)
    settings = settings_from(
        config,
        normalize={"archives": archives or None, "hidden": hidden, "notes": notes},
        convert=opt.convert_options(engine, native, ocr_engine, ocr_language),
        audit={"sample": audit_sample, "on_mismatch": on_mismatch},
        model=opt.model_options(
            model, base_url, endpoint_url, region, aws_profile, concurrency, max_usd
        ), model_read={"text_hint": text_hint},
        plan={"planner": planner, "min_blocks": min_blocks, "max_blocks": max_blocks,
              "target_tokens": target_tokens},
        search={"model": embedding_model, "embedder": embedder, "dimensions": dimensions},
        run={"workers": workers, "max_fallback": max_fallback},
    )  # fmt: skip
    wanted = work.Wanted(paths, collection, root, pages, password, password_file, retry)
    if dry_run:
        return show.dry_run(work.dry_run(workspace, settings, wanted, audit), as_json)
    outcome = work.run(workspace, settings, wanted, set_name, audit)
    show.run(outcome, as_json)
    return outcome.exit_code


@app.command()
def convert(
    paths: opt.Paths,
    workspace: opt.Workspace = opt.DEFAULT_WORKSPACE,
    config: opt.Config = None,
    engine: opt.Engine = None,
    native: opt.Native = None,
    ocr_engine: opt.OcrEngine = None,
    ocr_language: opt.OcrLanguage = None,
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    endpoint_url: opt.EndpointUrl = None,
    region: opt.Region = None,
    aws_profile: opt.AwsProfile = None,
    concurrency: opt.Concurrency = None,
    max_usd: opt.MaxUsd = None,
    text_hint: opt.TextHint = None,
    collection: opt.Collection = None,
    root: opt.Root = None,
    hidden: opt.Hidden = None,
    notes: opt.Notes = None,
    pages: opt.PageList = None,
    workers: opt.Workers = None,
    password: opt.Password = None,
    password_file: opt.PasswordFile = None,
    retry: opt.Retry = None,
    max_fallback: opt.MaxFallback = None,
    archives: opt.Archives = False,
    audit: opt.AuditToo = False,
    audit_sample: opt.AuditSample = None,
    on_mismatch: opt.OnMismatch = None,
    dry_run: opt.DryRun = False,
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Documents to PDFs to Markdown pages, and no further."""
    set_up_logging(verbose)
    settings = settings_from(
        config,
        normalize={"archives": archives or None, "hidden": hidden, "notes": notes},
        convert=opt.convert_options(engine, native, ocr_engine, ocr_language),
        audit={"sample": audit_sample, "on_mismatch": on_mismatch},
        model=opt.model_options(model, base_url, endpoint_url, region, aws_profile, concurrency, max_usd),
        model_read={"text_hint": text_hint},
        run={"workers": workers, "max_fallback": max_fallback},
    )
    wanted = work.Wanted(paths, collection, root, pages, password, password_file, retry)
    if dry_run:
        return show.dry_run(work.dry_run(workspace, settings, wanted, audit), as_json)
    outcome = work.convert(workspace, settings, wanted, audit)
    show.run(outcome, as_json)
    return outcome.exit_code


@app.command()
def audit(
    paths: opt.AuditPaths = None,
    workspace: opt.Workspace = opt.DEFAULT_WORKSPACE,
    config: opt.Config = None,
    audit_sample: opt.AuditSample = None,
    on_mismatch: opt.OnMismatch = None,
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    endpoint_url: opt.EndpointUrl = None,
    region: opt.Region = None,
    aws_profile: opt.AwsProfile = None,
    concurrency: opt.Concurrency = None,
    max_usd: opt.MaxUsd = None,
    collection: opt.Collection = None,
    workers: opt.Workers = None,
    max_fallback: opt.MaxFallback = None,
    dry_run: opt.DryRun = False,
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Compare stored pages with a second reader: what is lost, invented or mixed up; text aimed at models."""
    set_up_logging(verbose)
    settings = settings_from(
        config,
        audit={"sample": audit_sample, "on_mismatch": on_mismatch},
        model=opt.model_options(model, base_url, endpoint_url, region, aws_profile, concurrency, max_usd),
        run={"workers": workers, "max_fallback": max_fallback},
    )
    if dry_run:
        return show_audit.dry_run(auditing.dry_run(workspace, settings, paths, collection), as_json)
    outcome = auditing.audit(workspace, settings, paths, collection)
    show_audit.audit(outcome, as_json, verbose)
    return outcome.exit_code


@app.command()
def plan(
    workspace: opt.Workspace = opt.DEFAULT_WORKSPACE,
    config: opt.Config = None,
    planner: opt.Planner = None,
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    endpoint_url: opt.EndpointUrl = None,
    region: opt.Region = None,
    aws_profile: opt.AwsProfile = None,
    concurrency: opt.Concurrency = None,
    max_usd: opt.MaxUsd = None,
    set_name: opt.SetName = "default",
    min_blocks: opt.MinBlocks = None,
    max_blocks: opt.MaxBlocks = None,
    target_tokens: opt.TargetTokens = None,
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Plan the chunks anew from the pages that are stored; converts nothing."""
    set_up_logging(verbose)
    settings = settings_from(
        config,
        model=opt.model_options(
            model, base_url, endpoint_url, region, aws_profile, concurrency, max_usd
        ),
        plan={"planner": planner, "min_blocks": min_blocks, "max_blocks": max_blocks,
              "target_tokens": target_tokens},
    )  # fmt: skip
    outcome = work.plan(workspace, settings, set_name)
    show.run(outcome, as_json)
    return outcome.exit_code


@app.command()
def export(
    workspace: opt.Workspace = opt.DEFAULT_WORKSPACE,
    set_name: opt.SetName = "default",
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Write a set again with its own settings, over the sources as they are now."""
    set_up_logging(verbose)
    outcome = work.export(workspace, set_name)
    show.run(outcome, as_json)
    return outcome.exit_code


@app.command()
def index(
    workspace: opt.Workspace = opt.DEFAULT_WORKSPACE,
    config: opt.Config = None,
    set_name: opt.SetName = "default",
    retriever: Annotated[
        str | None,
        typer.Option(
            "--retriever", help="Whose index: dense (default), late or sparse; late:MODEL names one."
        ),
    ] = None,
    embedder: opt.Embedder = None,
    model: opt.SearchModel = None,
    dimensions: opt.Dimensions = None,
    base_url: opt.BaseUrl = None,
    endpoint_url: opt.EndpointUrl = None,
    region: opt.Region = None,
    aws_profile: opt.AwsProfile = None,
    concurrency: opt.Concurrency = None,
    max_usd: opt.MaxUsd = None,
    index_kind: opt.IndexKind = None,
    dry_run: opt.DryRun = False,
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Embed a set's chunks and build its index; chunks that did not change are not embedded again."""
    set_up_logging(verbose)
    how = opt.search_options(retriever, model=model)
    settings = settings_from(
        config, search=how | {"embedder": embedder, "dimensions": dimensions, "index": index_kind},
        model=opt.model_options(None, base_url, endpoint_url, region, aws_profile, concurrency, max_usd),
    )  # fmt: skip
    if dry_run:
        return show.index_dry_run(work.index_dry_run(workspace, settings, set_name), as_json)
    show.index(*work.index(workspace, settings, set_name), as_json)
    return 0


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    workspace: opt.Workspace = opt.DEFAULT_WORKSPACE,
    config: opt.Config = None,
    set_name: opt.SetName = "default",
    collection: opt.Collection = None,
    top_k: Annotated[int | None, typer.Option("--top-k", "-k", help="Chunks to show (default 10).")] = None,
    retriever: Annotated[
        str | None,
        typer.Option(
            "--retriever", help="auto, dense, bm25, hybrid, late or sparse; late:MODEL names a model."
        ),
    ] = None,
    reranker: opt.Reranker = None,
    embedder: opt.Embedder = None,
    model: opt.SearchModel = None,
    dimensions: opt.Dimensions = None,
    base_url: opt.BaseUrl = None,
    endpoint_url: opt.EndpointUrl = None,
    region: opt.Region = None,
    aws_profile: opt.AwsProfile = None,
    concurrency: opt.Concurrency = None,
    max_usd: opt.MaxUsd = None,
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Find the chunks that answer a question."""
    set_up_logging(verbose)
    how = opt.search_options(retriever, reranker, model, top_k)
    settings = settings_from(
        config, search=how | {"embedder": embedder, "dimensions": dimensions},
        model=opt.model_options(None, base_url, endpoint_url, region, aws_profile, concurrency, max_usd),
    )  # fmt: skip
    show.hits(*work.search(workspace, settings, set_name, query, collection), as_json)
    return 0


@app.command()
def evaluate(
    sets: Annotated[
        list[str],
        typer.Argument(
            metavar="SET",
            help="A file or folder of chunks, a reference set of the corpus, fixed-size, page, recursive, "
            "or a set of the workspace; label=SET names it.",
        ),
    ],
    corpus: Annotated[str, typer.Option("--corpus", help="A corpus.toml, its folder, or the corpus's name.")],
    workspace: opt.Workspace = opt.DEFAULT_WORKSPACE,
    config: opt.Config = None,
    root: opt.Root = None,
    retriever: Annotated[
        list[str] | None,
        typer.Option(
            "--retriever", help="dense, bm25, hybrid, late or sparse, late:MODEL names a model; may repeat."
        ),
    ] = None,
    reranker: Annotated[
        list[str] | None,
        typer.Option(
            "--reranker",
            help="none (default), cross-encoder, cohere or bedrock; NAME:MODEL names a model; may repeat.",
        ),
    ] = None,
    embedder: opt.Embedder = None,
    model: opt.SearchModel = None,
    dimensions: opt.Dimensions = None,
    base_url: opt.BaseUrl = None,
    endpoint_url: opt.EndpointUrl = None,
    region: opt.Region = None,
    aws_profile: opt.AwsProfile = None,
    concurrency: opt.Concurrency = None,
    max_usd: opt.MaxUsd = None,
    long_texts: Annotated[
        str | None, typer.Option("--long-texts", help="Best of the windows of a long text, or cut it.")
    ] = None,
    page_score: Annotated[
        str | None, typer.Option("--page-score", help="max, mean, sum or module:function.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the results.")] = None,
    export_as: Annotated[
        list[str] | None, typer.Option("--export", help="trec, beir or parquet files too; may repeat.")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Count the searches of rerankers that cost; ask and write nothing."),
    ] = False,
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Judge chunk sets of any tool with a corpus's questions, and say which is better."""
    set_up_logging(verbose)
    settings = settings_from(
        config,
        search={"model": model, "embedder": embedder, "dimensions": dimensions},
        model=opt.model_options(None, base_url, endpoint_url, region, aws_profile, concurrency, max_usd),
        evaluate={"long_texts": long_texts, "page_score": page_score},
    )
    wanted = judging.Wanted(
        tuple(sets),
        corpus,
        root,
        judging.combined(retriever or ["dense"], reranker or ["none"]),
        out,
        tuple(export_as or ()),
    )
    if dry_run:
        return show_judged.dry_run(judging.dry_run(settings, wanted), as_json)
    show_judged.evaluation(judging.evaluate(workspace, settings, wanted), as_json)
    return 0


@app.command()
def bench(
    experiment: Annotated[
        Path,
        typer.Argument(
            metavar="EXPERIMENT", help="An experiment's TOML file; with --verify its results' folder."
        ),
    ],
    workspace: opt.Workspace = opt.DEFAULT_WORKSPACE,
    verify: Annotated[
        bool, typer.Option("--verify", help="Say whether the tables in a folder came from what they name.")
    ] = False,
    svg: Annotated[bool, typer.Option("--svg", help="The report's figures as SVG files too.")] = False,
    model: opt.Model = None,
    base_url: opt.BaseUrl = None,
    endpoint_url: opt.EndpointUrl = None,
    region: opt.Region = None,
    aws_profile: opt.AwsProfile = None,
    concurrency: opt.Concurrency = None,
    max_usd: opt.MaxUsd = None,
    workers: opt.Workers = None,
    dry_run: opt.DryRun = False,
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Compare parsers, chunkers and retrievers over a corpus, as a TOML file says it."""
    from drac.cli import bench as experiments

    set_up_logging(verbose)
    if verify:
        return experiments.check(experiment, workspace, as_json)
    asked = opt.model_options(model, base_url, endpoint_url, region, aws_profile, concurrency, max_usd)
    overrides = {"model": asked, "run": {"workers": workers}}
    if dry_run:
        return experiments.dry_run(experiment, workspace, overrides, as_json)
    return experiments.run(experiment, workspace, overrides, as_json, svg=svg)


@app.command()
def validate(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Files of chunks, or folders of a set with one."),
    ],
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Check files against the specification of chunks.jsonl; every broken line is named."""
    set_up_logging(verbose)
    paths = [path / "chunks.jsonl" if path.is_dir() else path for path in files]
    return show_judged.validation([(path, judging.validate(path)) for path in paths], as_json)


@app.command()
def status(
    workspace: opt.Workspace = opt.DEFAULT_WORKSPACE,
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Documents and pages by state, what failed and why, time a stage, tokens and dollars."""
    set_up_logging(verbose)
    show.status(work.status(workspace), as_json, verbose)
    return 0


@app.command()
def doctor(
    workspace: opt.Workspace = opt.DEFAULT_WORKSPACE,
    config: opt.Config = None,
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Check everything outside that D-RAC needs, each with its remedy."""
    set_up_logging(verbose)
    return show.health(work.health(workspace, settings_from(config)), as_json)


@app.command()
def repair(
    workspace: opt.Workspace = opt.DEFAULT_WORKSPACE,
    as_json: opt.AsJson = False,
    verbose: opt.Verbose = False,
) -> int:
    """Check the stored files and make the catalog anew from them."""
    set_up_logging(verbose)
    show.repair(work.repair(workspace), as_json)
    return 0
