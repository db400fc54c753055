"""Whatever a server sends, it becomes an outcome with words, never another exception."""

from __future__ import annotations

import json

import pytest

from oracles.models import ModelFailed, ModelRefused, OutcomeKind
from oracles.text import is_hidden
from tests.model_server import (
    Behaviour,
    ModelServer,
    answers,
    closes,
    completion,
    redirects,
    sends,
    shape,
    status,
    truncated,
)
from tests.oracles.models.asking import choice, client, request


def with_choices(choices: object) -> Behaviour:
    return shape({**completion("x"), "choices": choices})


BROKEN = {
    "empty body": sends(b""),
    "no content": sends(b"", 204),
    "truncated": truncated(),
    "garbage": sends(b"\xff\xfe\x00garbage"),
    "a page": sends(b"<html><h1>It works!</h1></html>", **{"Content-Type": "text/html"}),
    "a list": shape([1, 2, 3]),
    "a text": shape("rock"),
    "a number": shape(5),
    "null": shape(None),
    "an object": shape({}),
    "nested too deep": sends(b"[" * 200_000),
    "no choices": with_choices([]),
    "choices null": with_choices(None),
    "choices a text": with_choices("rock"),
    "a choice null": with_choices([None]),
    "a choice without message": with_choices([{"index": 0}]),
    "a message that is text": with_choices([{"message": "rock"}]),
    "content null": answers(None),
    "content empty": answers(""),
    "content blank": answers(" \n\t "),
    "content a list": with_choices([{"message": {"content": ["rock"]}}]),
    "content a number": with_choices([{"message": {"content": 7}}]),
    "usage a list": answers("x", usage=[1]),
    "half a header": closes(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "half a body": closes(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"id"'),
    "no HTTP": closes(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
    "compressed": sends(b"\x1f\x8b\x08", **{"Content-Encoding": "gzip"}),
    "endless header": closes(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000),
}


@pytest.mark.parametrize("behaviour", BROKEN.values(), ids=BROKEN)
def test_it_is_a_failure_in_words(model_server: ModelServer, behaviour: Behaviour) -> None:
    asking, ledger = client()
    model_server.script(behaviour, behaviour)
    with pytest.raises(ModelFailed, match="after 2 requests"):
        asking.ask(request(choice(model_server, retries=1)))
    outcome = ledger.entries[0].outcome
    assert outcome is not None
    assert outcome.kind in (OutcomeKind.BAD_ANSWER, OutcomeKind.UNREACHABLE)
    assert outcome.error
    assert len(outcome.error) <= 500
    assert not any(is_hidden(character) for character in outcome.error)


def test_a_redirect_is_not_followed(model_server: ModelServer) -> None:
    asking, _ = client()
    with ModelServer("from elsewhere") as elsewhere:
        for code in (301, 302, 303, 307, 308):
            model_server.script(redirects(f"{elsewhere.url}/chat/completions", code))
            with pytest.raises(ModelRefused, match="redirects are not followed"):
                asking.ask(request(choice(model_server), key=str(code)))
        assert elsewhere.requests == elsewhere.others == []
    assert len(model_server.requests) == 5


@pytest.mark.parametrize(
    "hostile",
    ["\x1b[31mred\x1b[0m", "\u202egnirts", "nul \x00 here", "line\nbreaks\r\n", "x" * 100_000],
)
def test_words_of_a_server_are_one_short_visible_line(
    model_server: ModelServer, hostile: str
) -> None:
    asking, _ = client()
    model_server.script(status(400, hostile))
    with pytest.raises(ModelRefused) as caught:
        asking.ask(request(choice(model_server)))
    words = str(caught.value)
    assert len(words) < 600
    assert not any(is_hidden(character) or character == "\n" for character in words)


def test_an_answer_that_no_database_takes_arrives_as_it_came(model_server: ModelServer) -> None:
    asking, _ = client()
    body = json.dumps(completion("a\x00b\ud800c")).encode()
    model_server.script(sends(body))
    assert asking.ask(request(choice(model_server))).text == "a\x00b\ud800c"
