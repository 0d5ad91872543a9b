"""What boto3 raises on the way to a model, sorted (see model_errors)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore import exceptions as sdk
from botocore.parsers import ResponseParserError

from drac.adapters.model_errors import Complaint, Kind, error_of, kind_of_status, retry_after
from drac.errors import DracError

OPERATIONS = frozenset({"Converse", "InvokeModel", ""})
_AGAIN = "; then run again: what is finished is kept."
REMEDIES: Mapping[Kind, str] = {
    Kind.CREDENTIALS: "Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
    "AWS_PROFILE and run `aws sso login` (`aws login`, `aws configure`)" + _AGAIN,
    Kind.ACCESS: "Request access to the model in the Amazon Bedrock console, allow bedrock:InvokeModel to "
    "your identity, or choose another --model" + _AGAIN,
    Kind.MODEL: "Check --model and AWS_REGION: `aws bedrock list-foundation-models` and `aws bedrock "
    "list-inference-profiles` show what there is; some models answer to a profile only, such as us.<model>.",
    Kind.ADDRESS: "Check AWS_REGION, the endpoint's address, proxy and certificates (AWS_CA_BUNDLE), "
    "AWS_PROFILE and the AWS configuration" + _AGAIN,
    Kind.QUOTA: "Wait until the quota is renewed, or ask AWS for a higher one" + _AGAIN,
}

CODES: Mapping[str, Kind] = {
    "AccessDenied": Kind.ACCESS,
    "Throttling": Kind.THROTTLED,
    "ResourceNotFound": Kind.MODEL,
    "ModelTimeout": Kind.UNSURE,
    "InternalServer": Kind.BUSY,
    "ServiceUnavailable": Kind.BUSY,
    "Validation": Kind.INVALID,
    "ModelNotReady": Kind.BUSY,
    "ModelError": Kind.BUSY,
    "ModelStreamError": Kind.UNSURE,
    "ServiceQuotaExceeded": Kind.THROTTLED,
    "Conflict": Kind.BUSY,
    # errors that every AWS service may send
    "TooManyRequests": Kind.THROTTLED,
    "RequestLimitExceeded": Kind.THROTTLED,
    "LimitExceeded": Kind.THROTTLED,
    "SlowDown": Kind.THROTTLED,
    "InternalFailure": Kind.BUSY,
    "InternalServerError": Kind.BUSY,
    "RequestTimeout": Kind.UNSURE,
    "RequestEntityTooLarge": Kind.TOO_LARGE,
    "PayloadTooLarge": Kind.TOO_LARGE,
    "Serialization": Kind.INVALID,
    "ExpiredToken": Kind.CREDENTIALS,
    "RequestExpired": Kind.CREDENTIALS,
    "RequestTimeTooSkewed": Kind.CREDENTIALS,
    "UnrecognizedClient": Kind.CREDENTIALS,
    "InvalidClientTokenId": Kind.CREDENTIALS,
    "InvalidAccessKeyId": Kind.CREDENTIALS,
    "InvalidSignature": Kind.CREDENTIALS,
    "SignatureDoesNotMatch": Kind.CREDENTIALS,
    "IncompleteSignature": Kind.CREDENTIALS,
    "InvalidToken": Kind.CREDENTIALS,
    "MissingAuthenticationToken": Kind.CREDENTIALS,
    "AuthFailure": Kind.CREDENTIALS,
    "Unauthorized": Kind.CREDENTIALS,
    "NotAuthorized": Kind.ACCESS,
    "Forbidden": Kind.ACCESS,
    "OptInRequired": Kind.ACCESS,
    "SubscriptionRequired": Kind.ACCESS,
    "UnknownOperation": Kind.ADDRESS,
}
"""Error code without `Exception` -> kind; a code that is not here is sorted by its HTTP status."""

CLASSES: tuple[tuple[type[Exception], Kind], ...] = (
    (sdk.ConnectionError, Kind.BUSY),
    (sdk.CapacityNotAvailableError, Kind.BUSY),
    (sdk.ReadTimeoutError, Kind.UNSURE),
    (sdk.ConnectionClosedError, Kind.UNSURE),
    (sdk.ResponseStreamingError, Kind.UNSURE),
    (sdk.IncompleteReadError, Kind.UNSURE),
    (sdk.ChecksumError, Kind.UNSURE),
    (sdk.FlexibleChecksumError, Kind.UNSURE),
    (ResponseParserError, Kind.UNSURE),
    (sdk.ParamValidationError, Kind.REJECTED),
    (sdk.NoCredentialsError, Kind.CREDENTIALS),
    (sdk.PartialCredentialsError, Kind.CREDENTIALS),
    (sdk.CredentialRetrievalError, Kind.CREDENTIALS),
    (sdk.UnknownCredentialError, Kind.CREDENTIALS),
    (sdk.MetadataRetrievalError, Kind.CREDENTIALS),
    (sdk.InvalidIMDSEndpointError, Kind.CREDENTIALS),
    (sdk.InvalidIMDSEndpointModeError, Kind.CREDENTIALS),
    (sdk.InfiniteLoopConfigError, Kind.CREDENTIALS),
    (sdk.RefreshWithMFAUnsupportedError, Kind.CREDENTIALS),
    (sdk.NoAuthTokenError, Kind.CREDENTIALS),
    (sdk.TokenRetrievalError, Kind.CREDENTIALS),
    (sdk.UnknownTokenProviderError, Kind.CREDENTIALS),
    (sdk.SSOError, Kind.CREDENTIALS),
    (getattr(sdk, "LoginError", sdk.SSOError), Kind.CREDENTIALS),  # newer than our oldest botocore
    (sdk.HTTPClientError, Kind.UNSURE),
    (sdk.BotoCoreError, Kind.ADDRESS),
    # the SDK's parser on a body that is no reply
    (Exception, Kind.UNSURE),
)
"""Exception class -> kind, the first that fits; what else botocore raises is a fault of the configuration."""

_UNREACHED = (sdk.EndpointConnectionError, sdk.ProxyConnectionError, sdk.SSLError)


def answered(error: Exception) -> bool:
    """Whether the error is an endpoint's answer."""
    return isinstance(error, sdk.ClientError)


def sort_error(
    error: Exception, *, model: str, endpoint: str, reached: bool, secrets: tuple[str, ...] = ()
) -> DracError:
    """Our error for what a Converse call or the making of a client raised.

    `reached`: whether this endpoint has answered before. Where it never has, a refused connection is a
    wrong address and ends the run; later it is a passing fault.
    """
    if isinstance(error, sdk.ClientError):
        return _from_answer(error, model, endpoint, secrets)
    if isinstance(error, _UNREACHED):
        kind = Kind.GONE if reached else Kind.ADDRESS
    else:
        kind = next(kind for one, kind in CLASSES if isinstance(error, one))
    complaint = Complaint(model, endpoint, type(error).__name__, str(error), secrets=secrets)
    return error_of(kind, complaint, REMEDIES)


def _from_answer(error: sdk.ClientError, model: str, endpoint: str, secrets: tuple[str, ...]) -> DracError:
    response: Mapping[str, Any] = error.response or {}
    facts, meta = response.get("Error") or {}, response.get("ResponseMetadata") or {}
    code, text = str(facts.get("Code", "")), str(facts.get("Message", ""))
    status = int(meta.get("HTTPStatusCode") or 500)
    kind = _kind(code, status, text)
    if error.operation_name not in OPERATIONS and kind not in {Kind.BUSY, Kind.THROTTLED}:
        kind = Kind.CREDENTIALS  # signing in (STS, SSO) failed before the model was asked
    name = code if code and not code.isdigit() else f"HTTP {status}"
    waited = retry_after(meta.get("HTTPHeaders") or {}, text)
    return error_of(kind, Complaint(model, endpoint, name, text, waited, secrets), REMEDIES)


def _kind(code: str, status: int, text: str) -> Kind:
    said = text.lower()
    kind = CODES.get(code.removesuffix("Exception"), kind_of_status(status, text))
    if kind is Kind.THROTTLED and "per day" in said:
        return Kind.QUOTA
    if code.startswith("ServiceUnavailable"):
        return kind_of_status(503, text)
    return kind
