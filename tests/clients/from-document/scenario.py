"""Runs a customer's first day with a client that is generated only from the served document.

This file is a separate program: `python scenario.py <base url> <set-up link>`. `control_plane` on the Python path is
the client that openapi-python-client generates from the document (../long/generated-client-python.test.ts).
"""

import importlib
import inspect
import json
import sys
import urllib.request
from typing import Any

from control_plane import AuthenticatedClient, Client
from control_plane import models as m
from control_plane.types import UNSET

base_url, setup_url = sys.argv[1:]


def answered(client: Client | AuthenticatedClient, operation: str, *path: str, **inputs: Any) -> Any:
    """Returns a response with its status and headers.

    The request names the application and the mode if the operation accepts these parameters.
    """
    tag, _, verb = operation.partition("_")
    name = operation if verb else tag
    module = importlib.import_module(f"control_plane.api.{tag}.{name}")
    takes = inspect.signature(module.sync_detailed).parameters
    if "x_svc_app" in takes:
        inputs.setdefault("x_svc_app", "acme")
    if "x_svc_mode" in takes:
        inputs.setdefault("x_svc_mode", type(takes["x_svc_mode"].default)("test"))
    return module.sync_detailed(*path, client=client, **inputs)


def done(client: Client | AuthenticatedClient, operation: str, *path: str, **inputs: Any) -> Any:
    """Returns the body of a call that must succeed."""
    answer = answered(client, operation, *path, **inputs)
    assert answer.status_code == 200, f"{operation}: {answer.status_code} {answer.content!r}"
    return answer.parsed


# Signs up as the first owner, like a browser, and creates a token for the later steps.
visitor = Client(base_url=base_url)
joined = answered(
    visitor,
    "invitations_accept",
    body=m.InvitationsAcceptBody(
        token=setup_url.split("#")[1],
        email="ada@example.com",
        name="Ada Lovelace",
        password="correct horse battery staple",
    ),
)
assert joined.status_code == 200, joined.content
cookie = joined.headers["set-cookie"].split(";")[0]
owner = Client(
    base_url=base_url,
    headers={"cookie": cookie, "x-csrf-token": joined.parsed.csrf_token, "origin": base_url},
)
assert done(owner, "auth_whoami").member.email == "ada@example.com"
token = done(owner, "tokens_create", body=m.TokensCreateBody(label="scenario")).token

client = AuthenticatedClient(base_url=base_url, token=token)
application = done(client, "apps_create", "acme", body=m.AppsCreateBody(name="Acme"))
account = done(
    client,
    "providers_connect",
    "main",
    body=m.SimulatorAccount.from_dict({"kind": "simulator"}),
)
price = {"model": "sim-large", "price": {"input": "1000000", "output": "4000000"}}
done(client, "providers_price", account.id, body=m.ProvidersPriceBody.from_dict(price))
sources = {"sources": [{"provider": "main", "model": "sim-large"}]}
model = done(client, "models_add", "acme/smart", body=m.ModelsAddBody.from_dict(sources))
assert model.name == "acme/smart"

bundle = done(client, "bundles_create", "free", body=m.BundlesCreateBody(display_name="Free"))
done(client, "bundles_allow", bundle.slug, body=m.BundlesAllowBody(models=["acme/*"]))

person = done(client, "users_create", "user/1", body=m.UsersCreateBody(email="one@example.com"))
minted = done(client, "keys_mint", body=m.KeysMintBody(end_user_id=person.external_id, livemode=False))
done(
    client,
    "grants_issue",
    idempotency_key="welcome",
    body=m.GrantToEndUsers(end_users=[person.external_id], amount_units="1000000", reason="welcome"),
)

gateway = application.gateway if application.local_gateway is UNSET else application.local_gateway
request = urllib.request.Request(
    f"{gateway}/v1/chat/completions",
    data=json.dumps({"model": model.name, "messages": [{"role": "user", "content": "Hello"}]}).encode(),
    headers={"authorization": f"Bearer {minted.key}", "content-type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    assert answer.status == 200
    request_id = answer.headers["x-request-id"]

totals = done(client, "usage", end_user_id=person.external_id).totals
assert totals.calls == 1
spent = int(totals.billed_micros)
assert spent > 0

margin = done(client, "margin", by=m.MarginBy.MODEL)
assert margin.data[0].requested_model == model.name
assert int(margin.totals.billed_micros) == spent
# Granted credit earns the application no money.
assert int(margin.totals.margin_micros) == -int(margin.totals.cost_micros)

assert done(client, "requests_explain", request_id).id == request_id
shown = done(client, "users_show", person.external_id)
assert int(shown.balance.balance_units) == 1_000_000 - spent

kinds: list[str] = []
cursor: Any = UNSET
while cursor is not None:
    page = done(client, "users_ledger", person.external_id, limit=1, cursor=cursor)
    kinds += [str(entry.kind) for entry in page.data]
    cursor = page.next_cursor
assert kinds == ["usage_debit", "grant"], kinds

# Sends the end user to the portal, like a customer's own portal.
link = done(client, "portal_link", body=m.PortalLinkBody(end_user_id=person.external_id))
handoff = link.url.split("#handoff=")[1]
redeemed = done(visitor, "portal_redeem", body=m.PortalRedeemBody(token=handoff))
portal = AuthenticatedClient(base_url=base_url, token=redeemed.session_token)
own = done(portal, "portal_account")
assert (own.end_user_id, own.livemode) == (person.external_id, False)
assert own.balance.balance_micros == shown.balance.balance_units
again = answered(visitor, "portal_redeem", body=m.PortalRedeemBody(token=handoff))
assert again.parsed.error.code == "invalid_handoff"

missing = answered(client, "users_show", "nobody")
assert (missing.status_code, missing.parsed.error.code) == (404, "not_found")
print("done")
