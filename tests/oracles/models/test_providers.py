"""Providers with protocols of their own are asked in theirs, and read in theirs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.model_server import ModelServer, shape
from tests.oracles.models.asking import choice, client, request

ANSWERS: dict[str, tuple[str, dict[str, Any]]] = {
    "anthropic/claude-sonnet-4-5": (
        "/v1/messages",
        {
            "id": "1",
            "type": "message",
            "role": "assistant",
            "model": "served",
            "content": [{"type": "text", "text": "paper"}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 11, "output_tokens": 7},
        },
    ),
    "gemini/gemini-2.5-flash": (
        "/models/gemini-2.5-flash:generateContent",
        {
            "candidates": [
                {"content": {"parts": [{"text": "paper"}], "role": "model"}, "finishReason": "STOP"}
            ],
            "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 7},
            "modelVersion": "served",
        },
    ),
    "ollama_chat/llama3": (
        "/api/chat",
        {
            "model": "served",
            "message": {"role": "assistant", "content": "paper"},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 11,
            "eval_count": 7,
        },
    ),
    "ollama/llama3": (
        "/api/generate",
        {
            "model": "served",
            "response": "paper",
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": 11,
            "eval_count": 7,
        },
    ),
}


@pytest.mark.parametrize("model", ANSWERS)
def test_one_request_in_its_protocol_gives_an_answer_with_figures(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("SERVER_KEY", "key-of-the-server")
    path, body = ANSWERS[model]
    asking, _ = client()
    model_server.script(shape(body))
    address = model_server.url.removesuffix("/v1")
    answer = asking.ask(
        request(choice(model_server, model, api_base=address, api_key_env="SERVER_KEY"))
    )
    assert (answer.text, answer.model, answer.finish_reason) == ("paper", "served", "stop")
    assert (answer.prompt_tokens, answer.completion_tokens) == (11, 7)
    assert answer.requests == 1
    assert [received.path.split("?")[0] for received in model_server.requests] == [path]
    assert model_server.others == []
