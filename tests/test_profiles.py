"""Model profiles: the figures of profiles.toml, how an id finds them, and what a user adds."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from drac.profiles import ImageRule, ModelFacts, built_in_facts, find_profile

DEFAULT = "google.gemma-3-27b-it"
TABLES = tomllib.loads(files("drac").joinpath("profiles.toml").read_text(encoding="utf-8"))
_NO_SOURCE = {"sources", "price_date", "price_source", "verified"}


@pytest.mark.parametrize("model", sorted(built_in_facts()))
def test_every_figure_has_a_source_with_a_date_and_every_price_its_own(model: str) -> None:
    facts = built_in_facts()[model]
    assert facts.model_fields_set - _NO_SOURCE == facts.sources.keys()
    assert all(re.search(r", 20\d\d-\d\d", origin) for origin in facts.sources.values())
    by_token = facts.price_input is not None and facts.price_output is not None
    assert by_token != (facts.price_search is not None)
    assert re.fullmatch(r"20\d\d-\d\d", facts.price_date) and facts.price_source
    origin = facts.sources["price_input" if by_token else "price_search"]
    assert facts.verified != ("unverified" in origin)


def test_no_source_is_left_over() -> None:
    used = {name for one in TABLES["models"].values() for name in one.get("sources", {}).values()}
    assert used == TABLES["sources"].keys()


def test_the_default_models_figures() -> None:
    profile = find_profile(DEFAULT)
    assert (profile.images_per_request, profile.image_bytes, profile.image_side) == (20, 3_750_000, 8000)
    assert (profile.output_tokens, profile.context_tokens) == (8192, 128_000)
    assert (profile.price_input, profile.price_output, profile.verified) == (0.23, 0.38, False)
    assert profile.image_tokens(1108, 1568) == profile.image_tokens(10, 10) == 256
    assert profile.cost(1_000_000, 0) == 0.23 and profile.cost(0, 1_000_000) == 0.38
    assert profile.cost(0, 0) == 0


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        (f"us.{DEFAULT}", DEFAULT),
        (f"us-gov.{DEFAULT}", DEFAULT),
        (f"global.{DEFAULT}:0", DEFAULT),
        (f"{DEFAULT}:0", DEFAULT),
        (f"{DEFAULT}:0:128k", DEFAULT),
        (f"arn:aws:bedrock:us-east-1::foundation-model/{DEFAULT}", DEFAULT),
        (f"arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.{DEFAULT}", DEFAULT),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("gemma-4-31b", "google.gemma-4-31b"),
    ],
)
def test_an_id_finds_what_it_stands_for(model: str, wanted: str) -> None:
    profile = find_profile(model)
    assert profile.known and profile.id == model
    assert profile.price_input == find_profile(wanted).price_input is not None


@pytest.mark.parametrize(
    "model",
    [
        "gemma3:27b", "google/gemma-3-27b-it", "gpt-4.1-mini", "usual.thing", f"x.{DEFAULT}", "",
        "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4",
    ],
)  # fmt: skip
def test_an_unknown_model_gets_careful_figures_and_no_price(model: str) -> None:
    profile = find_profile(model)
    assert not profile.known
    assert profile.cost(1, 1) is None and profile.price_input is None
    assert profile.images_per_request == 1
    assert not (profile.system_prompt or profile.json_schema or profile.tools)
    strictest = min(facts.image_bytes for facts in built_in_facts().values())
    assert profile.image_bytes <= strictest
    page = (1108, 1568)
    assert profile.image_tokens(*page) >= max(
        find_profile(one).image_tokens(*page) for one in built_in_facts()
    )
    # a page, a prompt and a whole reply fit the smallest context taken for granted
    assert profile.image_tokens(*page) + 1500 + profile.output_tokens <= profile.context_tokens


def test_a_user_adds_a_model() -> None:
    own = {"gemma3:27b": ModelFacts(images_per_request=5, price_input=0, price_output=0)}
    profile = find_profile("gemma3:27b", own)
    assert profile.known and profile.images_per_request == 5
    assert profile.cost(10**6, 10**6) == 0
    assert profile.output_tokens == ModelFacts().output_tokens


def test_a_users_figures_win_and_the_others_stay() -> None:
    own = {DEFAULT: ModelFacts(price_input=1.0, price_output=2.0, images_per_request=3)}
    profile = find_profile(f"us.{DEFAULT}", own)
    assert (profile.price_input, profile.price_output, profile.images_per_request) == (1.0, 2.0, 3)
    assert profile.context_tokens == 128_000 and profile.image_tokens(1, 1) == 256
    assert (profile.price_source, profile.price_date, profile.verified) == ("the settings file", "", True)
    assert profile.sources["price_input"] == "the settings file"
    assert "converse" in profile.sources["image_bytes"].lower()


def test_half_a_price_of_the_users_is_not_verified_and_no_other_figure_changes_its_price() -> None:
    half = find_profile(DEFAULT, {DEFAULT: ModelFacts(price_input=1.0)})
    assert (half.price_output, half.verified) == (0.38, False)
    other = find_profile(DEFAULT, {DEFAULT: ModelFacts(output_tokens=1)})
    assert other.price_source == find_profile(DEFAULT).price_source


def test_the_more_exact_name_of_a_user_wins() -> None:
    own = {DEFAULT: ModelFacts(price_input=1), f"eu.{DEFAULT}": ModelFacts(price_input=2)}
    assert find_profile(f"eu.{DEFAULT}", own).price_input == 2
    assert find_profile(f"us.{DEFAULT}", own).price_input == 1


def test_the_settings_file_takes_the_tables() -> None:
    class Settings(BaseModel):
        models: dict[str, ModelFacts] = {}

    text = '[models."my/model:7b"]\nprice_input = 0.5\nimage_rule = { rule = "fixed", tokens = 300 }\n'
    settings = Settings.model_validate(tomllib.loads(text))
    profile = find_profile("my/model:7b", settings.models)
    assert profile.image_tokens(5, 5) == 300 and profile.price_input == 0.5
    assert profile.cost(1, 1) is None  # the price of the output is not known


@pytest.mark.parametrize(
    "entry",
    [
        {"price": 1},
        {"price_input": -1},
        {"images_per_request": 0},
        {"image_formats": ["image/gif"]},
        {"max_tokens_field": "max"},
        {"image_rule": {"rule": "fixed"}},
        {"image_rule": {"rule": "tiles", "tokens": 5}},
        {"image_rule": {"rule": "pixels"}},
    ],
)
def test_a_wrong_entry_is_named(entry: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ModelFacts.model_validate(entry)


@pytest.mark.parametrize(
    ("model", "size", "wanted"),
    [
        # OpenAI's own examples: 1024 x 1024 and 2048 x 4096 at high detail
        ("gpt-4.1", (1024, 1024), 765),
        ("gpt-4.1", (2048, 4096), 1105),
        ("gpt-4.1", (100, 100), 255),
        ("gpt-4.1", (1108, 1568), 1105),
        ("gemini-2.5-pro", (384, 384), 258),
        ("gemini-2.5-pro", (385, 384), 258),
        ("gemini-2.5-pro", (769, 768), 516),
        ("gemini-2.5-pro", (1108, 1568), 1548),
    ],
)
def test_image_tokens_by_tiles(model: str, size: tuple[int, int], wanted: int) -> None:
    assert find_profile(model).image_tokens(*size) == wanted


def test_image_tokens_by_area() -> None:
    assert ImageRule(rule="pixels", pixels_per_token=750).count(1108, 1568) == 2317
    assert ImageRule(rule="pixels", pixels_per_token=750).count(1, 1) == 1


def test_a_profile_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        find_profile(DEFAULT).price_input = 0.0


def test_a_reranker_costs_by_the_search() -> None:
    profile = find_profile("us.cohere.rerank-v3-5:0")
    assert profile.search_cost(5_000, 3) == pytest.approx(0.006)
    assert profile.cost(1, 1) is None
    assert find_profile("bge-reranker").search_cost(0, 1) is None
    own = find_profile("bge-reranker", {"bge-reranker": ModelFacts(price_search=0.5)})
    assert (own.search_cost(0, 2), own.verified) == (0.001, True)
