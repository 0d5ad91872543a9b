"""Bedrock's Converse: requests checked and replies built against botocore's own service model."""

from __future__ import annotations

import base64
import json
from functools import cache
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

from botocore.loaders import Loader
from botocore.model import OperationModel, ServiceModel, Shape
from botocore.validate import ParamValidator

from tests.servers.wire import Answer, Asked, Image, Reply, WireError

NORMAL = "end_turn"
"""The one stop reason of a complete reply."""


@cache
def service() -> ServiceModel:
    """botocore's description of bedrock-runtime."""
    return ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"), "bedrock-runtime")


@cache
def operation() -> OperationModel:
    """The operation Converse."""
    return service().operation_model("Converse")


@cache
def stop_reasons() -> tuple[str, ...]:
    """Every stop reason that the service model names."""
    return tuple(service().shape_for("StopReason").enum)


def model_of(path: str) -> str | None:
    """The decoded model id of `/model/{modelId}/converse`; None for any other path."""
    if path.startswith("/model/") and path.endswith("/converse"):
        return unquote(path.removeprefix("/model/").removesuffix("/converse"))
    return None


def parse(model: str, body: bytes) -> Asked:
    """Read and check a request; raises WireError (ValidationException)."""
    try:
        given = json.loads(body)
        params = _decode(operation().input_shape, {**given, "modelId": model})
    except (ValueError, TypeError) as error:
        raise WireError("SerializationException", f"the body cannot be read: {error}") from error
    _check(operation().input_shape, params)
    _check_enums(operation().input_shape, params, "input")
    return _asked(model, params)


def _check(shape: Shape, params: dict[str, Any]) -> None:
    report = ParamValidator().validate(params, shape)
    if report.has_errors():
        raise WireError("ValidationException", report.generate_report())


def _decode(shape: Shape, value: Any) -> Any:
    """JSON values to the types that the service model asks for; refuses what it does not know."""
    if getattr(shape, "is_document_type", False) or value is None:
        return value
    if shape.type_name == "structure":
        unknown = set(value) - set(shape.members)
        if unknown:
            raise WireError("ValidationException", f"extraneous keys {sorted(unknown)} are not permitted")
        return {name: _decode(shape.members[name], one) for name, one in value.items()}
    if shape.type_name == "list":
        return [_decode(shape.member, one) for one in value]
    if shape.type_name == "map":
        return {name: _decode(shape.value, one) for name, one in value.items()}
    return base64.b64decode(value, validate=True) if shape.type_name == "blob" else value


def _check_enums(shape: Shape, value: Any, name: str) -> None:
    """botocore leaves enumerations and upper bounds to the service, so they are checked here."""
    if shape.type_name == "structure" and not getattr(shape, "is_document_type", False):
        for key, one in value.items():
            _check_enums(shape.members[key], one, f"{name}.{key}")
    elif shape.type_name == "list":
        for number, one in enumerate(value):
            _check_enums(shape.member, one, f"{name}[{number}]")
    elif shape.type_name == "string" and shape.enum and value not in shape.enum:
        raise WireError("ValidationException", f"{name}: {value!r} is none of {', '.join(shape.enum)}")
    elif shape.type_name in ("float", "integer") and value > shape.metadata.get("max", value):
        raise WireError("ValidationException", f"{name}: {value} is over {shape.metadata['max']}")


def _asked(model: str, params: dict[str, Any]) -> Asked:
    messages = params.get("messages") or []
    if not messages or messages[0]["role"] != "user":
        raise WireError("ValidationException", "A conversation must start with a user message.")
    parts = tuple(_part(block, message["role"]) for message in messages for block in message["content"])
    settings = params.get("inferenceConfig", {})
    system = "\n".join(block["text"] for block in params.get("system", []) if "text" in block)
    return Asked(
        "converse", model, system, parts, settings.get("temperature"), settings.get("maxTokens"),
        _schema(params),
    )  # fmt: skip


def _part(block: dict[str, Any], role: str) -> str | Image:
    if len(block) != 1:
        raise WireError("ValidationException", f"a content block has one member, not {sorted(block)}")
    if "image" in block and role != "user":
        raise WireError("ValidationException", "Images are allowed in user messages only.")
    if "text" in block:
        if not block["text"].strip():
            raise WireError("ValidationException", "The text field in the ContentBlock object is blank.")
        return str(block["text"])
    if "image" in block and "bytes" in block["image"]["source"]:
        return Image(block["image"]["source"]["bytes"], block["image"]["format"])
    raise WireError("ValidationException", f"this model does not support {sorted(block)[0]} blocks")


def _schema(params: dict[str, Any]) -> dict[str, Any] | None:
    structure = params.get("outputConfig", {}).get("textFormat", {}).get("structure", {})
    text = structure.get("jsonSchema", {}).get("schema")
    try:
        return dict(json.loads(text)) if text else None
    except (ValueError, TypeError) as error:
        raise WireError("ValidationException", f"outputConfig: no JSON schema: {error}") from error


def write(answer: Answer, milliseconds: int) -> Reply:
    """A reply, checked against the service model before it is sent."""
    use = {"toolUseId": f"tooluse_{uuid4().hex[:20]}", "name": "answer", "input": {"text": answer.text}}
    content: list[dict[str, Any]] = [{"toolUse": use}] if answer.tool else [{"text": answer.text}]
    body = {
        "output": {"message": {"role": "assistant", "content": content if answer.text else []}},
        "stopReason": answer.stop or NORMAL,
        "usage": {
            "inputTokens": answer.input_tokens,
            "outputTokens": answer.output_tokens,
            "totalTokens": answer.input_tokens + answer.output_tokens,
        },
        "metrics": {"latencyMs": milliseconds},
    }
    report = ParamValidator().validate(body, operation().output_shape)
    assert not report.has_errors(), report.generate_report()
    return Reply(200, json.dumps(body).encode(), {"x-amzn-RequestId": str(uuid4())})


def write_error(error: WireError) -> Reply:
    """An error as the service writes it: the exception's name in a header, the message in the body."""
    headers = {"x-amzn-RequestId": str(uuid4()), "x-amzn-ErrorType": f"{error.code}:http://simulated/"}
    if error.retry_after is not None:
        headers["Retry-After"] = f"{error.retry_after:g}"
    status = _statuses().get(error.code, error.status)
    return Reply(status, json.dumps({"message": error.message}).encode(), headers)


@cache
def _statuses() -> dict[str, int]:
    return {one.name: one.metadata["error"]["httpStatusCode"] for one in operation().error_shapes}
