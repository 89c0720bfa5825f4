"""Calls a gateway with every official client, using only the values that `client_for` returns.

`python official_clients.py <base url> <token> <app> <model> <key> <text>`: the model must answer with the text.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import tollgate_client
from anthropic import Anthropic, AsyncAnthropic
from google import genai
from openai import AsyncOpenAI, OpenAI


def answers(clients: tollgate_client.ClientsFor, model: str, prompt: str) -> dict[str, Any]:
    messages: Any = [{"role": "user", "content": prompt}]
    openai = OpenAI(**clients.openai)
    anthropic = Anthropic(**clients.anthropic)
    google: Any = genai.Client(**clients.genai)  # type: ignore[arg-type]
    block: Any = anthropic.messages.create(model=model, max_tokens=100, messages=messages).content[0]
    return {
        "openai chat": openai.chat.completions.create(model=model, messages=messages)
        .choices[0]
        .message.content,
        "openai responses": openai.responses.create(model=model, input=prompt).output_text,
        "anthropic": block.text,
        "google genai": google.models.generate_content(model=model, contents=prompt).text,
    }


async def async_answers(clients: tollgate_client.ClientsFor, model: str, prompt: str) -> dict[str, Any]:
    messages: Any = [{"role": "user", "content": prompt}]
    openai = AsyncOpenAI(**clients.openai)
    anthropic = AsyncAnthropic(**clients.anthropic)
    google: Any = genai.Client(**clients.genai)  # type: ignore[arg-type]
    chat = await openai.chat.completions.create(model=model, messages=messages)
    block: Any = (await anthropic.messages.create(model=model, max_tokens=100, messages=messages)).content[0]
    return {
        "openai chat": chat.choices[0].message.content,
        "openai responses": (await openai.responses.create(model=model, input=prompt)).output_text,
        "anthropic": block.text,
        "google genai": (await google.aio.models.generate_content(model=model, contents=prompt)).text,
    }


async def asked(base_url: str, token: str, app: str, key: str) -> tollgate_client.ClientsFor:
    async with tollgate_client.AsyncTollgate(base_url=base_url, token=token, app=app) as client:
        return await client.client_for(key)


def main(base_url: str, token: str, app: str, model: str, key: str, text: str) -> None:
    prompt = f"[[text={text}]]"
    with tollgate_client.Tollgate(base_url=base_url, token=token, app=app) as client:
        clients = client.client_for(key)
    assert asyncio.run(asked(base_url, token, app, key)) == clients
    assert key not in repr(clients), "whoever prints it learns no secret"
    for said in (answers(clients, model, prompt), asyncio.run(async_answers(clients, model, prompt))):
        wrong = {name: answer for name, answer in said.items() if answer != text}
        assert not wrong, wrong
    print("done")


main(*sys.argv[1:])
