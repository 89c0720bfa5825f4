"""Runs a customer's first day with only the published package.

This file is a separate program: `python customer-first-day.py <base url> <set-up link>`. Pyright and mypy check the
program as strictly as they can. tests/long/python-sdk-package.test.ts also runs this program with the synchronous
client, after removing `async` and `await`.
"""

from __future__ import annotations

import asyncio
import re
import sys
from datetime import datetime, timedelta, timezone

import httpx2
from tollgate_client import (
    ApiError,
    AsyncTollgate,
    AsyncTollgatePortal,
    ConflictError,
    NotFoundError,
    PaymentRequiredError,
    PreconditionError,
    dollars,
    format_micros,
)


async def sign_up(base_url: str, setup_url: str) -> str:
    """Signs up as the first owner, like a browser, and creates a token for the later steps."""
    async with AsyncTollgate(base_url=base_url, token=None) as visitor:
        joined = await visitor.invitations.with_raw_response.accept(
            token=setup_url.partition("#")[2],
            email="ada@example.com",
            name="Ada Lovelace",
            password="correct horse battery staple",
        )
    cookie = joined.headers["set-cookie"].partition(";")[0]
    headers = {"cookie": cookie, "x-csrf-token": joined.parse().csrf_token, "origin": base_url}
    async with AsyncTollgate(base_url=base_url, token=None, headers=headers) as owner:
        me = await owner.auth.whoami()
        assert me.member is not None and me.member.email == "ada@example.com"
        created = await owner.tokens.create(label="scenario")
    return created.token


async def sell(client: AsyncTollgate) -> None:
    """Creates a provider account, a model name, and a bundle that allows the model name."""
    account = await client.providers.connect(label="main", kind="simulator")
    await client.providers.price(
        id=account.id, model="sim-large", price={"input": dollars("1"), "output": 4_000_000}
    )
    model = await client.models.add(name="acme/smart", sources=[{"provider": "main", "model": "sim-large"}])
    assert model.name == "acme/smart"
    # Two members edit one bundle, so the second edit conflicts.
    made = await client.bundles.with_raw_response.create(slug="free", display_name="Free")
    assert made.etag is not None
    await client.bundles.allow(slug=made.parse().slug, models=["acme/*"])
    try:
        await client.bundles.edit(slug="free", display_name="Gratis", options={"if_match": made.etag})
        raise AssertionError("it was not refused")
    except PreconditionError as stale:
        assert stale.code == "precondition_failed"
    await client.bundles.include(
        bundle_slug="free", slug="welcome", display_name="Welcome", unit="micros", amount=1_000
    )


async def call_gateway(client: AsyncTollgate, key: str) -> str:
    """Calls the gateway like an official client, and returns the ID of the request."""
    clients = await client.client_for(key)
    assert clients.anthropic["api_key"] == clients.genai["api_key"] == key
    async with httpx2.AsyncClient() as http:
        answer = await http.post(
            f"{clients.openai['base_url']}/chat/completions",
            headers={"authorization": f"Bearer {clients.openai['api_key']}"},
            json={"model": "acme/smart", "messages": [{"role": "user", "content": "Hello"}]},
        )
    assert answer.status_code == 200, answer.text
    return str(answer.headers["x-request-id"])


async def read_what_it_cost(client: AsyncTollgate, external_id: str, request_id: str) -> None:
    used = await client.usage(end_user_id=external_id)
    assert used.totals.calls == 1
    spent = int(used.totals.billed_micros)
    assert spent > 0
    assert re.fullmatch(r"\$0\.\d{2,6}", format_micros(spent))
    raw = await client.usage.with_raw_response(end_user_id=external_id)
    assert raw.parse() == used and raw.request_id is not None
    margin = await client.margin(by="model", from_=datetime.now(timezone.utc) - timedelta(days=1))
    assert margin.data[0].requested_model == "acme/smart"
    assert await margin.next_page() is None
    # Granted credit earns the application no money.
    assert int(margin.totals.margin_micros) == -int(margin.totals.cost_micros)
    explained = await client.requests.explain(id=request_id)
    assert explained.id == request_id
    assert explained.settle is not None and explained.settle.charge_micros == str(spent)
    kinds = [
        entry.kind async for entry in client.users.ledger(external_id=external_id, source="all", limit=1)
    ]
    page = await client.users.ledger(external_id=external_id, source="all", limit=1)
    second = await page.next_page()
    assert second is not None
    assert [entry.kind for entry in page.data + second.data] == kinds[:2]
    assert len(kinds) >= 2 and "usage_debit" in kinds
    count = 0
    async for one in client.users.ledger(external_id=external_id, source="all", limit=1).pages():
        count += len(one.data)
    assert count == len(kinds)


async def hand_over(client: AsyncTollgate, base_url: str, external_id: str, key_id: str) -> None:
    """Sends the end user to the portal."""
    link = await client.portal.link(end_user_id=external_id)
    handoff = link.url.partition("#handoff=")[2]
    async with AsyncTollgate(base_url=base_url, token=None) as visitor:
        redeemed = await visitor.portal.redeem(token=handoff)
        try:
            await visitor.portal.redeem(token=handoff)
            raise AssertionError("it was not refused")
        except ApiError as used:
            assert used.code == "invalid_handoff"
    async with AsyncTollgatePortal(base_url=base_url, token=redeemed.session_token) as own:
        account = await own.portal.account()
        assert (account.end_user_id, account.livemode) == (external_id, False)
        async for key in own.portal.keys():
            assert key.id == key_id


async def refusals(client: AsyncTollgate) -> None:
    """Checks that rejected requests raise error classes with codes and details."""
    try:
        await client.users.show(external_id="nobody")
        raise AssertionError("it was not refused")
    except PaymentRequiredError:
        raise
    except NotFoundError as missing:
        assert missing.code == "not_found"
        assert missing.request_id is not None and missing.request_id.startswith("req_")
    try:
        await client.bundles.rm(slug="free")
        raise AssertionError("it was not refused")
    except ConflictError as in_use:
        assert in_use.code == "in_use"


async def main(base_url: str, setup_url: str) -> None:
    token = await sign_up(base_url, setup_url)
    async with AsyncTollgate(base_url=base_url, token=token, app="acme", mode="test") as client:
        assert token not in repr(client), "a client shows its token to nobody"
        application = await client.apps.create(slug="acme", name="Acme")
        await sell(client)
        person = await client.users.create(external_id="user/1 ü", email="one@example.com")
        external_id = person.external_id
        minted = await client.keys.mint(
            end_user_id=external_id,
            livemode=False,
            cap_micros=dollars("5"),
            expires_at=datetime.now(timezone.utc) + timedelta(days=1),
        )
        assert minted.cap_micros == "5000000"
        grant = client.grants.with_raw_response.issue
        first = await grant(
            end_users=[external_id],
            amount_units=dollars("1"),
            reason="hi",
            options={"idempotency_key": "welcome"},
        )
        again = await grant(
            end_users=[external_id],
            amount_units=1_000_000,
            reason="hi",
            options={"idempotency_key": "welcome"},
        )
        assert again.parse() == first.parse()
        assert again.headers["idempotent-replayed"] == "true"
        clients = await client.client_for(minted.key)
        assert clients.base_url == (application.local_gateway or application.gateway)
        request_id = await call_gateway(client, minted.key)
        await read_what_it_cost(client, external_id, request_id)
        changed = await client.subscription.on_demand(
            end_user_id=external_id, enabled=True, limit_micros=None
        )
        assert changed.on_demand_enabled is True and changed.on_demand_limit_micros is None
        await hand_over(client, base_url, external_id, minted.id)
        await refusals(client)
    print("done")


asyncio.run(main(*sys.argv[1:]))
