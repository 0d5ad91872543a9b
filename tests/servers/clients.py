"""Real SDK clients for the loopback, with made-up credentials and without retries."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

MODEL = "google.gemma-3-27b-it"


def bedrock(url: str, *, read_timeout: float = 10.0, connections: int = 64) -> Any:
    """A boto3 client of bedrock-runtime."""
    import boto3
    from botocore.config import Config

    config = Config(
        read_timeout=read_timeout, retries={"total_max_attempts": 1}, max_pool_connections=connections
    )
    return boto3.client(
        "bedrock-runtime", region_name="us-east-1", endpoint_url=url, config=config,
        aws_access_key_id="simulated", aws_secret_access_key="simulated",
    )  # fmt: skip


def openai_client(url: str, *, timeout: float = 10.0) -> Any:
    """A client of the openai package."""
    import openai

    return openai.OpenAI(base_url=url, api_key="simulated", max_retries=0, timeout=timeout)


def converse(client: Any, parts: Sequence[str | bytes], *, model: str = MODEL, **more: Any) -> Any:
    """Send texts and PNG or JPEG images by Converse."""
    content = [{"text": one} if isinstance(one, str) else _block(one) for one in parts]
    return client.converse(modelId=model, messages=[{"role": "user", "content": content}], **more)


def _block(image: bytes) -> dict[str, Any]:
    return {"image": {"format": _format(image), "source": {"bytes": image}}}


def complete(client: Any, parts: Sequence[str | bytes], *, model: str = MODEL, **more: Any) -> Any:
    """Send texts and images as a chat completion."""
    content = [{"type": "text", "text": one} if isinstance(one, str) else _url(one) for one in parts]
    return client.chat.completions.create(
        model=model, messages=[{"role": "user", "content": content}], **more
    )


def _url(image: bytes) -> dict[str, Any]:
    data = b64encode(image).decode()
    return {"type": "image_url", "image_url": {"url": f"data:image/{_format(image)};base64,{data}"}}


def _format(image: bytes) -> str:
    return "png" if image.startswith(b"\x89PNG") else "jpeg"


def numbered(images: Sequence[bytes], first: int = 1) -> list[str | bytes]:
    """Parts in which each image has its number before it."""
    parts: list[str | bytes] = ["Transcribe these pages."]
    for number, image in enumerate(images, first):
        parts += [f"Page {number}", image]
    return parts


def text_of(reply: Any) -> str:
    """The text of a reply of either client."""
    if isinstance(reply, dict):
        return "".join(block.get("text", "") for block in reply["output"]["message"]["content"])
    return str(reply.choices[0].message.content)
