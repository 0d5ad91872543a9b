"""Reading and planning by a model: adapters, profile, asker, and a look at pages through workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from drac.adapters.pymupdf_images import ImageLimits, PageView, Shape
from drac.config import ModelReadSettings, Prompt, RenderSettings, RunSettings, Settings, load_prompt
from drac.errors import ModelError, UsageError
from drac.pipeline.asking import Asker, Prices
from drac.pipeline.budget import Budget
from drac.pipeline.limiter import Limiter
from drac.pipeline.tasks import ReadPages, ReadTask
from drac.ports import ChatReply, ChatRequest, Executor, ImagePart
from drac.profiles import ModelProfile, find_profile
from drac.records import Page, PageText, Usage
from drac.stages.chunk import ModelPlanner
from drac.stages.convert.ladder import read_batch
from drac.stages.convert.model_reading import Look, ReadingModel, Tile
from drac.store.journal import Journal
from drac.wiring.views import BeforeTask, ViewTask, before_task, view_task

if TYPE_CHECKING:
    from drac.adapters.bedrock import BedrockChat
    from drac.adapters.cohere_rerank import CohereRerank
    from drac.adapters.openai import OpenAiChat

Purpose = Literal["chat", "embed", "rerank"]
"""What a model is asked for: texts, vectors, or scores of texts."""
_AHEAD = 16
"""Batches being prepared or checked beside those in flight, so that no place in flight stays empty; more
would only hold more page images in memory."""


def check_named(engine: str, settings: Settings) -> None:
    """The default model is Bedrock's; another server has its own names."""
    if engine == "openai" and "name" not in settings.model.model_fields_set:
        raise UsageError(
            "the engine `openai` needs the name of a model", remedy="Give --model as the server knows it."
        )


class ModelAccess:
    """One model for a whole run: journal, limiter and profile, and the run's budget."""

    def __init__(
        self, engine: str, settings: Settings, workspace: Path, budget: Budget | None = None,
        purpose: Purpose = "chat",
    ) -> None:  # fmt: skip
        check_named(engine, settings)
        self.engine = engine
        self.settings = settings.model
        self.profile = find_profile(settings.model.name, settings.models)
        self.chat = _chat(engine, settings, purpose)
        cost = self.profile.search_cost if purpose == "rerank" else self.profile.cost
        _check_price(self.profile, cost, settings.model.max_usd)
        self.journal = Journal(workspace, self.chat, "embed" if purpose == "embed" else "")
        self.asker = Asker(
            self.chat,
            self.journal,
            Limiter(
                settings.model.concurrency,
                requests_per_minute=settings.model.requests_per_minute,
                tokens_per_minute=settings.model.tokens_per_minute,
            ),
            budget or Budget(settings.model.max_usd),
            Prices(self._largest_image(settings), cost),
            attempts=settings.model.attempts,
        )
        self.asker.spending.searches = purpose == "rerank"

    def _largest_image(self, settings: Settings) -> int:
        side = min(settings.render.max_side, self.profile.image_side)
        return self.profile.image_tokens(side, side)

    @cached_property
    def server(self) -> Mapping[str, str]:
        """Who answers, for fingerprints."""
        simulated = {"simulated": "true"} if self.chat.simulated else {}
        return {"engine": self.engine, "endpoint": self.chat.endpoint, **simulated}

    @property
    def label(self) -> str:
        """The model's name in reports; says so where the server only plays a model."""
        return f"{self.settings.name} (SIMULATED)" if self.chat.simulated else self.settings.name

    def close(self) -> None:
        """Send nothing more and free the connections."""
        self.asker.stop()
        self.chat.close()

    def sender(self, tries: int = 0) -> Callable[[ChatRequest], ChatReply]:
        """A function that asks, for one batch; a request sent again is another attempt, after `tries`."""
        session = self.asker.session(tries)
        return lambda request: session.ask(self._fitting(request))

    def _fitting(self, request: ChatRequest) -> ChatRequest:
        """The system text goes before the user's where the model takes none."""
        if self.profile.system_prompt or not request.system:
            return request
        return replace(request, system="", parts=(request.system, *request.parts))

    def planner(
        self, settings: Settings, ask: Callable[[ChatRequest], ChatReply] | None = None
    ) -> ModelPlanner:
        """A planner that asks this model, or `ask`; its allowance is held to what the model may write."""
        most = min(settings.plan.max_output_tokens, self.profile.output_tokens)
        plan = settings.plan.model_copy(update={"max_output_tokens": most})
        prompt = load_prompt("plan")
        return ModelPlanner(ask or self.ask, self.settings.name, plan, prompt, self.server)

    def ask(self, request: ChatRequest) -> ChatReply:
        """The reply to this request; the same request again has the same reply, from disk."""
        return self.asker.ask(self._fitting(request))

    def usage(self, outcome: ChatReply | ModelError) -> Usage:
        """What a reply, or a request that failed, cost."""
        if isinstance(outcome, ModelError):
            return Usage(requests=1)
        usd = self.profile.cost(outcome.input_tokens, outcome.output_tokens) or 0.0
        return Usage(outcome.input_tokens, outcome.output_tokens, usd, 1)


def _chat(engine: str, settings: Settings, purpose: Purpose) -> BedrockChat | OpenAiChat | CohereRerank:
    """The adapter; the other one's SDK, which takes a second to load, stays out."""
    profiles = partial(find_profile, user=settings.models)
    model = settings.model
    if engine == "cohere":
        from drac.adapters.cohere_rerank import CohereRerank

        return CohereRerank(model.base_url)
    if engine == "bedrock":
        from drac.adapters.bedrock import BedrockChat
        from drac.adapters.bedrock_embeddings import BedrockEmbeddings
        from drac.adapters.bedrock_rerank import BedrockRerank

        kinds = {"chat": BedrockChat, "embed": BedrockEmbeddings, "rerank": BedrockRerank}
        return kinds[purpose](
            model.region,
            model.aws_profile,
            model.endpoint_url,
            model.read_timeout,
            connections=model.concurrency,
            profiles=profiles,
        )
    from drac.adapters.openai import OpenAiChat
    from drac.adapters.openai_embeddings import OpenAiEmbeddings

    kind = OpenAiEmbeddings if purpose == "embed" else OpenAiChat
    return kind(model.base_url, None, model.read_timeout, profiles=profiles)


def _check_price(
    profile: ModelProfile, cost: Callable[[int, int], float | None], max_usd: float | None
) -> None:
    if max_usd is not None and cost(1, 1) is None:
        figures = "price_search" if cost == profile.search_cost else "price_input and price_output"
        raise UsageError(
            f"--max-usd cannot be kept: no price is known for {profile.id}",
            remedy=f'Give {figures} under [models."{profile.id}"] in --config.',
        )


class ModelReading:
    """Implements pipeline.tasks.Reading: batches of pages on threads, looks at pages in workers."""

    def __init__(
        self,
        executor: Executor,
        access: ModelAccess,
        settings: Settings,
        read_local: Callable[[ReadTask], ReadPages],
        local_fingerprint: Mapping[str, str],
    ) -> None:
        self._executor, self._access, self._settings = executor, access, settings
        self._read_local = read_local
        self._prompt = load_prompt("convert")
        limits = settings.model_read
        self._read = limits.model_copy(
            update={"max_output_tokens": min(limits.max_output_tokens, access.profile.output_tokens)}
        )
        self.batch_pages = min(limits.batch_pages, access.profile.images_per_request)
        self.most_in_flight = settings.model.concurrency + min(settings.model.concurrency, _AHEAD)
        self.fingerprint = _fingerprint(access, self._prompt, local_fingerprint)
        self._threads = ThreadPoolExecutor(self.most_in_flight, thread_name_prefix="model")

    def submit(self, task: ReadTask) -> Future[ReadPages]:
        """See pipeline.tasks.Reading."""
        return self._threads.submit(self._batch, task, self._look, self._read)

    def reread(self, task: ReadTask, hint: str) -> Future[ReadPages]:
        """See pipeline.audit_tasks.Reasking."""
        with_hint = self._read.model_copy(update={"text_hint": "on", "batch_pages": 1})
        return self._threads.submit(
            self._batch, task, lambda one: HintedLook(self._look(one), hint), with_hint
        )

    def _batch(
        self, task: ReadTask, look: Callable[[ReadTask], Look], settings: ModelReadSettings
    ) -> ReadPages:
        began = time.perf_counter()
        access = self._access
        model = ReadingModel(
            engine=access.engine,
            model=access.settings.name,
            prompt=self._prompt.text,
            ask=access.sender(task.tries),
            cost=access.usage,
            images_per_request=access.profile.images_per_request,
        )
        texts = read_batch(task.pages, model, look(task), settings)
        return ReadPages(tuple(texts), time.perf_counter() - began)

    def _look(self, task: ReadTask) -> WorkerLook:
        limits = image_limits(self._access.profile, self._settings.render)
        return WorkerLook(self._executor, task, limits, self._settings.run, self._read_local)

    def close(self) -> None:
        """Wait for the replies in flight, which are paid for."""
        self._threads.shutdown(wait=True, cancel_futures=True)


def image_limits(profile: ModelProfile, render: RenderSettings) -> ImageLimits:
    """What images of pages may be, by the model and by the settings."""
    return ImageLimits(
        render.dpi,
        min(render.max_side, profile.image_side),
        profile.image_bytes,
        profile.image_formats,
        render.readable_size,
    )


def _fingerprint(access: ModelAccess, prompt: Prompt, local: Mapping[str, str]) -> dict[str, str]:
    profile = access.profile
    return {
        **access.server,
        "model": access.settings.name,
        "prompt": prompt.sha256,
        "images_per_request": str(profile.images_per_request),
        "image": f"{profile.image_side} px, {profile.image_bytes} bytes, {', '.join(profile.image_formats)}",
        **{f"local {name}": value for name, value in local.items()},
    }


class WorkerLook:
    """Implements stages.convert.model_reading.Look for one batch; pages are drawn ahead, in workers."""

    def __init__(
        self,
        executor: Executor,
        task: ReadTask,
        limits: ImageLimits,
        run: RunSettings,
        read_local: Callable[[ReadTask], ReadPages],
    ) -> None:
        self._executor, self._task, self._limits = executor, task, limits
        self._timeout, self._read_local = run.page_timeout, read_local
        self._views = {page.number: self._view(page.number, "whole") for page in task.pages}
        self._headers: dict[int, str] = {}

    def _view(self, number: int, shape: Shape) -> Future[PageView]:
        task = ViewTask(self._task.pdf, number, shape, self._limits)
        return self._executor.submit(view_task, task, timeout=self._timeout)

    def ink(self, page: Page) -> bool:
        """See Look."""
        return self._views[page.number].result().ink

    def image(self, page: Page) -> ImagePart:
        """See Look."""
        return self._views[page.number].result().images[0]

    def smaller(self, page: Page) -> ImagePart:
        """See Look."""
        return self._view(page.number, "smaller").result().images[0]

    def halves(self, page: Page) -> tuple[ImagePart, ImagePart]:
        """See Look."""
        top, bottom = self._view(page.number, "halves").result().images
        return top, bottom

    def tiles(self, page: Page) -> tuple[Tile, ...]:
        """See Look."""
        small = self._views[page.number].result().small_print
        return self._view(page.number, "tiles").result().tiles if small else ()

    def text_layer(self, page: Page) -> str:
        """See Look."""
        return self._views[page.number].result().text_layer

    def local(self, page: Page) -> PageText:
        """See Look."""
        local = self._task.settings.model_copy(update={"engine": "local"})
        task = ReadTask(self._task.pdf, (page,), local)
        return self._executor.submit(self._read_local, task, timeout=self._timeout).result().texts[0]

    def header_before(self, page: Page) -> str:
        """See Look. `local` reads only where a quick look says that a table may run over, and once."""
        if page.number not in self._headers:
            over = page.number > 1 and self._may_run_over(page.number)
            before = replace(page, number=page.number - 1)
            self._headers[page.number] = _last_header(self.local(before)) if over else ""
        return self._headers[page.number]

    def _may_run_over(self, number: int) -> bool:
        task = BeforeTask(self._task.pdf, number)
        return self._executor.submit(before_task, task, timeout=self._timeout).result()


class HintedLook:
    """Implements stages.convert.model_reading.Look: another one, with a text in the place of the layer."""

    def __init__(self, look: Look, hint: str) -> None:
        self._one, self._hint = look, hint
        self.ink, self.image, self.smaller, self.halves = look.ink, look.image, look.smaller, look.halves
        self.tiles, self.local, self.header_before = look.tiles, look.local, look.header_before

    def text_layer(self, page: Page) -> str:
        """See Look."""
        return self._hint or self._one.text_layer(page)


def _last_header(page: PageText) -> str:
    """The last header row of a table that reaches the end of the page, since only such a one can go on."""
    table = page.tables[-1] if page.tables else None
    if table is None or not table.sentences or not table.header_rows:
        return ""
    if page.markdown[table.sentences[-1][2] :].strip():
        return ""
    header = [cell.text for cell in table.cells if cell.row == table.header_rows - 1]
    return "; ".join(text for text in header if text)
