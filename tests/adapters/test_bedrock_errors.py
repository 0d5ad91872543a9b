"""What boto3 raises, sorted: the service model's list and botocore's own, walked."""

from __future__ import annotations

import inspect
import string
from typing import Any

import botocore.exceptions as sdk
import pytest
from botocore.exceptions import ClientError
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.parsers import ResponseParserError

from drac.adapters.bedrock_errors import CODES, sort_error
from drac.errors import DracError, EngineUnavailable, ModelBusy, RequestRejected

MODEL = ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"), "bedrock-runtime")


def _sorted(code: str, text: str = "", status: int = 400, operation: str = "Converse", **meta: Any) -> Any:
    answer = {
        "Error": {"Code": code, "Message": text},
        "ResponseMetadata": {"HTTPStatusCode": status, **meta},
    }
    return sort_error(ClientError(answer, operation), model="m", endpoint="us-east-1", reached=True)


@pytest.mark.parametrize("shape", MODEL.operation_model("Converse").error_shapes, ids=lambda one: one.name)
def test_every_error_of_converse_is_sorted(shape: Any) -> None:
    assert shape.error_code.removesuffix("Exception") in CODES
    status = shape.metadata["error"]["httpStatusCode"]
    error = _sorted(shape.error_code, "said", status)
    wanted = {
        "AccessDeniedException": (EngineUnavailable,), "ResourceNotFoundException": (EngineUnavailable,),
        "ThrottlingException": (ModelBusy, True, False), "ModelTimeoutException": (ModelBusy, False, True),
        "InternalServerException": (ModelBusy, False, False),
        "ModelErrorException": (ModelBusy, False, False),
        "ServiceUnavailableException": (ModelBusy, False, False), "ValidationException": (RequestRejected,),
        "ModelNotReadyException": (ModelBusy, False, False),
    }[shape.name]  # fmt: skip
    assert type(error) is wanted[0]
    if isinstance(error, ModelBusy):
        assert (error.throttled, error.maybe_billed) == wanted[1:]
    assert "m at us-east-1" in error.message and error.remedy


_NOT_CONVERSE = {
    # S3, paginators, waiters, stubs and the SDK's own models: no Converse call raises them
    "AliasConflictParameterError", "ApiVersionNotFoundError", "AwsChunkedWrapperError", "DataNotFoundError",
    "InvalidDNSNameError", "InvalidEndpointDiscoveryConfigurationError", "InvalidExpressionError",
    "InvalidS3AddressingStyleError", "InvalidS3UsEast1RegionalEndpointConfigError", "MD5UnavailableError",
    "MissingParametersError", "OperationNotPageableError", "PaginationError", "RangeError",
    "StubAssertionError", "StubResponseError", "UnStubbedResponseError", "UnknownClientMethodError",
    "UnknownKeyError", "UnknownParameterError", "UnseekableStreamError", "UnsupportedOutpostResourceError",
    "UnsupportedS3AccesspointConfigurationError", "UnsupportedS3ArnError", "UnsupportedS3ConfigurationError",
    "UnsupportedS3ControlArnError", "UnsupportedS3ControlConfigurationError", "ValidationError",
    "WaiterConfigError", "WaiterError", "MissingServiceIdError", "UndefinedModelAttributeError",
}  # fmt: skip
_CONFIGURATION = {
    # wrong region, endpoint, profile, proxy, or a version of the SDK that does not fit
    "BaseEndpointResolverError", "ConfigNotFound", "ConfigParseError", "EndpointConnectionError",
    "EndpointProviderError", "EndpointResolutionError", "EndpointVariantError", "InvalidChecksumConfigError",
    "InvalidConfigError", "InvalidDefaultsMode", "InvalidEndpointConfigurationError", "InvalidHostLabelError",
    "InvalidMaxRetryAttemptsError", "InvalidProxiesConfigError", "InvalidRegionError",
    "InvalidRetryConfigurationError", "InvalidRetryModeError", "InvalidSTSRegionalEndpointsConfigError",
    "MissingDependencyException", "NoRegionError", "ProfileNotFound", "ProxyConnectionError", "SSLError",
    "ServiceNotInRegionError", "UnknownEndpointError", "UnknownEndpointResolutionBuiltInName",
    "UnknownFIPSEndpointError", "UnknownRegionError", "UnknownServiceError", "UnknownServiceStyle",
    "UnknownSignatureVersionError", "UnsupportedServiceProtocolsError", "UnsupportedSignatureVersionError",
    "BotoCoreError",
}  # fmt: skip
_CREDENTIALS = {
    "CredentialRetrievalError", "InfiniteLoopConfigError", "InvalidIMDSEndpointError",
    "InvalidIMDSEndpointModeError", "LoginAuthorizationCodeError", "LoginError",
    "LoginInsufficientPermissions",
    "LoginRefreshRequired", "LoginTokenLoadError", "MetadataRetrievalError", "NoAuthTokenError",
    "NoCredentialsError", "PartialCredentialsError", "RefreshWithMFAUnsupportedError", "SSOError",
    "SSOTokenLoadError", "TokenRetrievalError", "UnauthorizedSSOTokenError", "UnknownCredentialError",
    "UnknownTokenProviderError",
}  # fmt: skip
_MAYBE_BILLED = {
    "ChecksumError", "ConnectionClosedError", "FlexibleChecksumError", "HTTPClientError",
    "IncompleteReadError",
    "ReadTimeoutError", "ResponseStreamingError",
}  # fmt: skip
_NOT_BILLED = {"CapacityNotAvailableError", "ConnectTimeoutError", "ConnectionError"}
_BY_ANSWER = {"ClientError", "EventStreamError", "ParamValidationError"}


def _sdk_errors() -> dict[str, type[Exception]]:
    found = inspect.getmembers(sdk, inspect.isclass)
    return {
        name: one
        for name, one in found
        if issubclass(one, Exception) and not issubclass(one, Warning) and one.__module__ == sdk.__name__
    }


def test_every_error_of_botocore_has_its_place() -> None:
    groups = [_NOT_CONVERSE, _CONFIGURATION, _CREDENTIALS, _MAYBE_BILLED, _NOT_BILLED, _BY_ANSWER]
    assert sum(map(len, groups)) == len(set().union(*groups))
    assert set(_sdk_errors()) <= set().union(*groups)


@pytest.mark.parametrize("name", sorted(_CONFIGURATION | _CREDENTIALS | _MAYBE_BILLED | _NOT_BILLED))
def test_every_client_side_error_is_sorted(name: str) -> None:
    if name not in _sdk_errors():
        pytest.skip("not in this version of botocore")
    error = sort_error(_instance(_sdk_errors()[name]), model="m", endpoint="us-east-1", reached=False)
    if name in _MAYBE_BILLED | _NOT_BILLED:
        assert isinstance(error, ModelBusy)
        assert error.maybe_billed == (name in _MAYBE_BILLED)
        return
    assert isinstance(error, EngineUnavailable)
    assert ("AWS_BEARER_TOKEN_BEDROCK" in error.remedy) == (name in _CREDENTIALS)
    assert name in error.message


def test_a_request_that_botocore_will_not_send_is_rejected() -> None:
    error = _instance(sdk.ParamValidationError)
    assert isinstance(sort_error(error, model="m", endpoint="e", reached=True), RequestRejected)


@pytest.mark.parametrize("error", [ResponseParserError("?"), ValueError("?"), TypeError("?"), KeyError("?")])
def test_what_the_parser_stumbles_over_is_transient(error: Exception) -> None:
    made = sort_error(error, model="m", endpoint="e", reached=True)
    assert isinstance(made, ModelBusy) and made.maybe_billed


def _instance(kind: type[Exception]) -> Exception:
    if not issubclass(kind, sdk.BotoCoreError):
        return kind()
    names = {name for _, name, _, _ in string.Formatter().parse(kind.fmt) if name}
    return kind(**dict.fromkeys(names, "x"))


_CODES = [
    ("UnrecognizedClientException", 403, EngineUnavailable),
    ("ExpiredTokenException", 403, EngineUnavailable),
    ("ExpiredToken", 403, EngineUnavailable),
    ("InvalidSignatureException", 403, EngineUnavailable),
    ("OptInRequired", 403, EngineUnavailable),
    ("UnknownOperationException", 404, EngineUnavailable),
    ("ServiceQuotaExceededException", 400, ModelBusy),
    ("TooManyRequestsException", 429, ModelBusy),
    ("InternalFailure", 500, ModelBusy),
    ("RequestEntityTooLargeException", 413, RequestRejected),
    ("BrandNewException", 400, RequestRejected),
    ("BrandNewException", 401, EngineUnavailable),
    ("BrandNewException", 418, RequestRejected),
    ("BrandNewException", 502, ModelBusy),
    ("301", 301, EngineUnavailable),
    ("413", 413, RequestRejected),
    ("504", 504, ModelBusy),
]


@pytest.mark.parametrize(("code", "status", "wanted"), _CODES)
def test_codes_beyond_the_service_model(code: str, status: int, wanted: type[DracError]) -> None:
    error = _sorted(code, status=status)
    assert type(error) is wanted
    if isinstance(error, ModelBusy):
        assert error.throttled == (code in {"ServiceQuotaExceededException", "TooManyRequestsException"})
        assert error.maybe_billed == (status == 504)
    if isinstance(error, RequestRejected):
        assert error.too_large == (status == 413)


_FOR_THE_RUN = [
    ("The provided model identifier is invalid.", "list-foundation-models"),
    ("Invocation of model ID x-v1:0 with on-demand throughput isn\u2019t supported. Retry your request with "
     "the ID or ARN of an inference profile that contains this model.", "list-inference-profiles"),
    ("The provided model doesn't support on-demand throughput.", "list-inference-profiles"),
    ("This action doesn't support the model that you provided. Try again with a supported text or chat "
     "model.", "--model"),
    ("Operation not allowed", "Request access"),
    ("This model doesn't support the image field for user messages. Remove image and try again.",
     "reads images"),
    ("This model doesn't support the image content block that you provided. Update the content block and try "
     "again.", "reads images"),
    ("This model doesn't support system messages. Try again without a system prompt.", "system_prompt"),
    ("The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens "
     "value that is lower than 4096.", "output_tokens"),
    ("This model doesn't support the outputConfig field. Remove it and try again.", "json_schema"),
    ("The model returned the following errors: `temperature` is deprecated for this model.", "temperature"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "remedy"), _FOR_THE_RUN)
def test_validation_that_no_request_would_pass_ends_the_run(text: str, remedy: str) -> None:
    error = _sorted("ValidationException", text)
    assert isinstance(error, EngineUnavailable)
    assert remedy in error.remedy


@pytest.mark.parametrize(
    "text",
    [
        "The model returned the following errors: messages.0.content.1.image.source.base64: image exceeds "
        "5 MB maximum: 5600000 bytes > 5242880 bytes",
        "image exceed max allowed size for many-image requests: 2000 pixels",
        "At least one of the image dimensions exceed max allowed size: 8000 pixels",
        "too many images in the request: 21, at most 20 images are allowed",
        "Input is too long for requested model.",
        "The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum",
        "Request payload size exceeds the limit",
    ],
)
def test_validation_for_size_asks_for_less(text: str) -> None:
    error = _sorted("ValidationException", text)
    assert isinstance(error, RequestRejected) and error.too_large


@pytest.mark.parametrize(
    "text",
    [
        "The model returned the following errors: The provided image does not match the specified image "
        "format.",
        "The text field in the ContentBlock object at messages.0.content.0 is blank.",
        "Malformed input request: #: extraneous key [foo] is not permitted, please reformat your input",
    ],
)
def test_other_validation_is_this_requests_own(text: str) -> None:
    error = _sorted("ValidationException", text)
    assert isinstance(error, RequestRejected) and not error.too_large


def test_a_days_quota_ends_the_run_instead_of_waiting_for_tomorrow() -> None:
    error = _sorted("ThrottlingException", "Too many tokens per day, please wait before trying again.", 429)
    assert isinstance(error, EngineUnavailable) and "quota" in error.remedy


def test_an_overloaded_service_asks_for_fewer_requests() -> None:
    assert _sorted("ServiceUnavailableException", "Too many connections, please wait", 503).throttled


def test_failing_to_sign_in_is_about_credentials() -> None:
    error = _sorted("AccessDenied", "not authorized to perform: sts:AssumeRole", 403, "AssumeRole")
    assert isinstance(error, EngineUnavailable) and "AWS_ACCESS_KEY_ID" in error.remedy
    assert isinstance(_sorted("Throttling", "Rate exceeded", 400, "AssumeRole"), ModelBusy)


def test_messages_are_one_short_line_without_the_signed_request() -> None:
    text = (
        "The request signature does not match.\n\nThe Canonical String was\n'POST\n/model\nx-token:abc'"
        + "x" * 900
    )
    message = _sorted("InvalidSignatureException", text, 403).message
    assert "x-token" not in message and "\n" not in message
    assert len(_sorted("ValidationException", "y" * 5000).message) < 400
