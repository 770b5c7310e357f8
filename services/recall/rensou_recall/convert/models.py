"""The embedding models of the deployment as messages."""

from rensou.v1 import admin_service_pb2 as rpc
from rensou_recall.convert.fields import encode_time, require_name
from rensou_recall.pipelines.models import ModelsAnswer
from rensou_recall.types.embedding import Activation, ListedModel, ModelState
from rensou_shared.domain import MAX_FINGERPRINT_BYTES

_STATES = {
    ModelState.BUILDING: rpc.EMBEDDING_MODEL_STATE_BUILDING,
    ModelState.ACTIVE: rpc.EMBEDDING_MODEL_STATE_ACTIVE,
    ModelState.RETIRED: rpc.EMBEDDING_MODEL_STATE_RETIRED,
}

_ROLES = (rpc.EMBEDDING_SERVER_ROLE_MAIN, rpc.EMBEDDING_SERVER_ROLE_NEXT)


def decode_activation(request: rpc.ActivateEmbeddingModelRequest) -> str:
    """The fingerprint of the model that is meant.

    Raises:
        InvalidField, InvalidText, TooLarge: As their names say.
    """
    return require_name("fingerprint", request.fingerprint, MAX_FINGERPRINT_BYTES, required=True)


def encode_models(answer: ModelsAnswer) -> rpc.ListEmbeddingModelsResponse:
    """The models as a message."""
    return rpc.ListEmbeddingModelsResponse(
        models=[_encode_model(listed) for listed in answer.models],
        records=answer.records,
        servers=[
            rpc.EmbeddingServer(role=role, fingerprint=server.fingerprint, reason=server.fault)
            for role, server in zip(_ROLES, answer.servers, strict=False)
        ],
    )


def _encode_model(listed: ListedModel) -> rpc.EmbeddingModel:
    model = listed.model
    return rpc.EmbeddingModel(
        fingerprint=model.fingerprint,
        name=model.name,
        dimensions=model.dimensions,
        window_tokens=model.token_window or 0,
        state=_STATES[listed.state],
        created_time=encode_time(listed.created_at),
        lacking=listed.lacking,
    )


def encode_activation(done: Activation) -> rpc.ActivateEmbeddingModelResponse:
    """What is active now, as a message."""
    return rpc.ActivateEmbeddingModelResponse(
        former_fingerprint=done.former, fingerprint=done.fingerprint, lacking=done.lacking
    )
