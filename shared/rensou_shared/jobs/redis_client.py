"""Clients of Redis that speak arq's queue in JSON: its default is pickle, which runs whatever Redis holds."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, cast
from urllib.parse import urlsplit

from arq.connections import ArqRedis
from redis.asyncio import ConnectionPool, Redis

from rensou_shared.errors import ConfigurationError
from rensou_shared.jobs.hints import QUEUE_NAME
from rensou_shared.json_types import is_object

# The library leaves some parameters without a type.
_pool_of = cast("Callable[..., ConnectionPool]", ConnectionPool.from_url)


async def ping(client: Redis) -> None:
    """Returns when Redis answers.

    Raises:
        RedisError, OSError: It does not.
    """
    await cast("Callable[[], Awaitable[object]]", client.ping)()


def encode_job(job: dict[str, Any]) -> bytes:
    """The job as JSON; what JSON cannot say (an exception, as a result) is its type's name."""
    return json.dumps(job, ensure_ascii=False, default=lambda value: type(value).__name__).encode()


def decode_job(payload: bytes) -> dict[str, Any]:
    """The job in a payload.

    Raises:
        ValueError: It is no JSON object in UTF-8.
    """
    job = json.loads(payload)
    if not is_object(job):
        raise ValueError("a job is a JSON object")
    return job


def make_client(redis_url: str, timeout_s: float) -> ArqRedis:
    """A client that connects when it is first used and again after a loss; each exchange ends within `timeout_s`.

    arq's own reader of addresses neither unquotes passwords nor checks the host's name under TLS.

    Raises:
        ConfigurationError: The address is none of Redis.
    """
    scheme = urlsplit(redis_url).scheme
    if scheme not in {"redis", "rediss", "unix"}:
        raise ConfigurationError("RENSOU_REDIS_URL must begin with redis://, rediss:// or unix://")
    options: dict[str, Any] = {"socket_timeout": timeout_s}
    if scheme != "unix":
        options["socket_connect_timeout"] = timeout_s
    if scheme == "rediss":
        options["ssl_check_hostname"] = True
    try:
        pool = _pool_of(redis_url, **options)
    except ValueError as error:
        raise ConfigurationError("RENSOU_REDIS_URL is no address of Redis") from error
    return ArqRedis(pool, job_serializer=encode_job, job_deserializer=decode_job, default_queue_name=QUEUE_NAME)
