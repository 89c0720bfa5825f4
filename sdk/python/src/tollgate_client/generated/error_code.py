# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from typing import Literal

ErrorCode = Literal[
    # 400: {reason}
    "invalid_request",
    # 400: The request body is not valid JSON: {reason}.
    "invalid_json",
    # 400: The Host header is malformed; send exactly one, as host or host:port.
    "invalid_host",
    # 400: Unknown field {param}; this operation takes {known}.
    "unknown_field",
    # 400: The field {param} cannot be served by this model: {reason}.
    "unsupported_for_route",
    # 400: The field {param} cannot be served here: {reason}; send the whole conversation as messages.
    "thread_unsupported_request",
    # 400: This call is about one application, and {reason}
    "application_required",
    # 400: This application has no default bundle; create one with PUT /v1/bundles/<slug>, or name one
    # of its bundles in the field bundle.
    "bundle_required",
    # 400: The request carries two credentials that differ; send exactly one.
    "conflicting_credentials",
    # 400: Unknown event {event}; the only event is usage.recorded.
    "unknown_event",
    # 400: The pattern {pattern} matches no model of this application; add the model first with PUT
    # /v1/models/<name>.
    "unknown_model_pattern",
    # 400: This link was used or replaced, or has expired; ask for a new invitation (for the first
    # owner: tollgate setup-link makes one).
    "link_invalid",
    # 400: The person has not decided yet; poll again after {retryAfterSeconds} s.
    "authorization_pending",
    # 400: Polled too soon; poll every {retryAfterSeconds} s from now on.
    "slow_down",
    # 400: This device code was used, or has expired, or never was; start again with POST
    # /v1/device-auth.
    "expired_token",
    # 400: The person has refused this sign-in.
    "access_denied",
    # 400: Live keys cannot be minted here; leave livemode out or send false.
    "live_mode_refused",
    # 401: No credential; send Authorization: Bearer <{kind}>.
    "missing_credential",
    # 401: This key is not valid here; check that it was copied whole and belongs to this application.
    "invalid_key",
    # 401: This token is not valid; check that it was copied whole and was not revoked.
    "invalid_token",
    # 401: This token expired at {at}. Create a new token, or sign in again.
    "token_expired",
    # 401: This key was revoked at {at}; ask for a new one.
    "key_revoked",
    # 401: This key expired at {at}; ask for a new one.
    "key_expired",
    # 401: This session has ended; sign in again with POST /v1/sessions.
    "session_ended",
    # 401: The e-mail address or the password is not right; check both, or ask an admin of the team for
    # a new invitation.
    "sign_in_failed",
    # 401: Wrong kind of credential: the control plane takes sk_ tokens, its operations of one person
    # ps_ sessions, and an application’s gateway ak_ keys; this is {here}.
    "wrong_credential_kind",
    # 401: There is no portal session here, or it has ended; come again by a new link.
    "portal_session_required",
    # 401: This handoff is not valid here: it was redeemed, is older than {seconds} s, or is not of
    # this portal; ask for a new link.
    "invalid_handoff",
    # 401: This is a path of the demo tier; name its tenant with the header x-demo-tenant: {tenants}.
    "demo_tenant_required",
    # 401: There is no demo tenant {tenant}; send x-demo-tenant: {tenants}.
    "demo_tenant_unknown",
    # 402: The plan and the balance do not cover the request. The message says what is used up and when
    # it renews.
    "insufficient_credit",
    # 402: A spend limit leaves too little for the request. The message names the limit and when it
    # resets.
    "spend_limit_exceeded",
    # 402: The amount held for the response is used up, and no more credit is available.
    "stream_spend_limit",
    # 402: The ceiling of the run leaves too little for the request.
    "outcome_capped",
    # 429: Requests in progress hold the credit that the request needs. Unused credit is returned as
    # they finish.
    "balance_held",
    # 404: The outcome {outcome} is archived and takes no calls; name another one.
    "outcome_archived",
    # 409: The outcome run {run} has ended; start another run.
    "outcome_finished",
    # 403: The role {role} may not do this; it needs the role {needed} or a higher one.
    "role_required",
    # 403: Metrics are of the whole server, which serves {organizations} organizations, so no token of
    # one of them may read them; the operator lets addresses in with TOLLGATE_METRICS_ADDRESSES.
    "operator_only",
    # 403: This credential may use one application alone, and this operation is one of the whole
    # organization; use a credential without that bound.
    "organization_credential_required",
    # 403: Only a person who has signed in may do this, and no token; sign in with POST /v1/sessions.
    "session_required",
    # 403: The password is right, and signing in also needs a passkey: {step}.
    "passkey_required",
    # 403: The passkey was not accepted: {reason}. Start again.
    "passkey_rejected",
    # 409: A member has at most {max} passkeys; remove one first.
    "too_many_passkeys",
    # 403: The present password is not right; nothing was changed.
    "wrong_password",
    # 403: Nobody of the team has the address that the identity provider vouches for; ask an admin of
    # the team for an invitation.
    "not_on_team",
    # 403: A change made with a cookie must come from a page of this host, with its x-csrf-token:
    # {reason}.
    "cross_site_request",
    # 403: Spending is stopped for this end user; the application can unfreeze them.
    "end_user_frozen",
    # 403: Calls from the address {address} are not allowed here; its application allows addresses with
    # PATCH /v1/gateway.
    "address_not_allowed",
    # 403: This application answers no calls at this time; it answers again from {opensAt} on.
    "outside_hours",
    # 403: Pages of the origin {origin} may not call this application; it allows origins with PATCH
    # /v1/gateway.
    "origin_not_allowed",
    # 403: A daily limit that the operator of this application has set ({limitSource}) leaves no room
    # for this call; it starts anew at {resetsAt}. The operator can raise it with PATCH /v1/limits.
    "organization_limit_reached",
    # 403: The bundle {bundle} does not allow the model {model}.
    "model_not_allowed",
    # 404: There is no model {model} here; GET /v1/models lists the names.
    "model_not_found",
    # 404: This application answers no calls of the wire {wire}; it answers {served}.
    "wire_not_served",
    # 404: The model {model} is disabled.
    "model_disabled",
    # 409: The model {model} has no price yet, so it cannot be called; {reason}.
    "model_unpriced",
    # 503: The model {model} cannot be called in live mode: its only sources are simulators, which
    # answer test calls. Use a test key, or ask the application to add a source at a provider.
    "no_live_source",
    # 409: The model {model} has no target that takes this call: its application sends such calls
    # nowhere.
    "no_target",
    # 503: The model {model} has no target that is free now; repeat after {retryAfterSeconds} s.
    "targets_busy",
    # 404: There is no {resource} {id}.
    "not_found",
    # 404: There is no {method} {path} here; {hint}
    "no_such_path",
    # 421: No application answers at this host; check the address, or the Host header that a proxy
    # sends.
    "unknown_host",
    # 508: This request has come back to the server that sent it; point the provider account or webhook
    # somewhere else.
    "request_loop",
    # 405: {method} is not allowed here; use {allowed}.
    "method_not_allowed",
    # 410: The application {slug} is archived: it answers no calls and takes no changes; its owner can
    # still read its records.
    "application_archived",
    # 409: The {resource} {id} is taken already; choose another name.
    "already_exists",
    # 409: The name {name} is that of a {kind} of this application; choose another name, or remove it
    # first with DELETE {path}/{name}.
    "name_taken",
    # 409: The provider account {label} is of kind {kind}, and the kind of an account cannot be
    # changed. Connect the new account under another label.
    "provider_kind_fixed",
    # 409: {email} is on the team already; change the role with PATCH /v1/team/{email}, or remove the
    # member first.
    "already_member",
    # 409: The address {email} signs in to another organization of this server; use another address.
    "address_in_use",
    # 409: The organization would have no owner left; make another member an owner first.
    "last_owner",
    # 404: This request came with a session and with no token; GET /v1/sessions/current shows the
    # session.
    "no_token_in_use",
    # 409: The set-up is not complete, it lacks {missing}. {next}.
    "onboarding_incomplete",
    # 409: The {resource} {id} is still used by {users}; {remedy|change that first}.
    "in_use",
    # 409: A replay to the emitter {id} is running and has come to {at}; wait for its end, or disable
    # the emitter to end it.
    "replay_running",
    # 409: The demo tier keeps {limit} minted keys for each tenant, and has them; restart the server,
    # or mint keys of an application of your own with a token.
    "demo_keys_exhausted",
    # 409: The payment reference {reference} was already used in this application, for another end user
    # or amount; send the first values to repeat the top-up, or another reference.
    "payment_reference_used",
    # 409: The grant {id} is still being issued: {done} of {endUsers} end users have it. Repeat in a
    # moment.
    "grant_running",
    # 409: The request {id} was charged {charged} micros and {refunded} were refunded, so at most
    # {most} can be refunded.
    "refund_too_large",
    # 409: The balance is {balance} micros and requests in flight hold {held}, so at most {most} micros
    # can be taken now.
    "adjustment_too_large",
    # 409: The invoice {id} was paid at {at}; it can no longer be void.
    "invoice_paid",
    # 409: The invoice {id} is void since {at}; nothing is left to pay.
    "invoice_void",
    # 409: The end user {id} is on no plan in this mode, or their subscription has ended; put them on
    # one with PUT /v1/end-users/{id}/subscription.
    "subscription_ended",
    # 409: The end user {id} holds {count} keys; name one by its id or its prefix.
    "ambiguous_key",
    # 409: A request with this Idempotency-Key is still running; repeat it in a moment.
    "idempotency_running",
    # 422: This Idempotency-Key was used with another request; use a new key.
    "idempotency_mismatch",
    # 409: The first request with this Idempotency-Key made {id} and answered with its secret, which is
    # kept only as a hash; revoke {id} and repeat with a new Idempotency-Key.
    "secret_not_kept",
    # 412: The resource has changed since it was read (If-Match {expected}, now {actual}); read it
    # again.
    "precondition_failed",
    # 413: The request is larger than {limitBytes} bytes.
    "request_too_large",
    # 408: The body of the request comes too slowly; send it again.
    "request_too_slow",
    # 413: The text of the request is larger than {limitBytes} bytes, which is more than any model
    # takes; pictures, sound and documents as base64 are not counted.
    "request_text_too_large",
    # 415: Send Content-Type: {types|application/json}, not compressed.
    "unsupported_media_type",
    # 422: The file cannot be taken: {reason}.
    "invalid_file",
    # 403: This portal session is read-only. Open the portal with write access to make changes.
    "portal_read_only",
    # 403: The application lets nobody mint or revoke its keys in the portal; ask it to do so.
    "portal_keys_refused",
    # 409: There are {count} keys that were minted in the portal and are neither revoked nor expired,
    # which is as many as there may be; revoke one first.
    "too_many_keys",
    # 409: The key {id} cannot be rotated: {reason}; mint a new one.
    "key_ended",
    # 429: Too many requests; repeat after {retryAfterSeconds} s.
    "rate_limited",
    # 429: Calls of this organization are watched by {count} readers of this server, which is as many
    # as there may be; close one, or come back after {retryAfterSeconds} s.
    "too_many_readers",
    # 429: Too many reads of this {owner} are waiting for their turn; repeat after {retryAfterSeconds}
    # s.
    "too_many_reads",
    # 500: Something broke here; nothing was changed. Quote the request id when you report it.
    "internal",
    # 501: This is documented and not built.
    "not_implemented",
    # 404: People do not sign in by an identity provider here: TOLLGATE_OIDC_ISSUER is not set; sign in
    # with a password.
    "no_identity_provider",
    # 502: The identity provider could not sign you in ({reason}); begin again at GET
    # /v1/sessions/oidc, or sign in with a password.
    "identity_provider_failed",
    # 502: The mail server did not take the mail to {email}; nothing was changed. Repeat it later, or
    # have the operator look at TOLLGATE_SMTP_URL.
    "mail_failed",
    # 502: The {provider|model provider} failed: {reason}.
    "upstream_error",
    # 400: The {provider|model provider} refused the request: {reason}.
    "upstream_rejected",
    # 429: The {provider|model provider} is limiting requests; repeat after {retryAfterSeconds} s.
    "upstream_rate_limited",
    # 503: The {provider|model provider} is overloaded; repeat after {retryAfterSeconds} s.
    "upstream_overloaded",
    # 502: The {provider|model provider} refused the credential of this application; its operator must
    # rotate it.
    "upstream_unauthorized",
    # 502: The account of this application at the {provider|model provider} is used up; its operator
    # must add credit or quota there.
    "upstream_unpaid",
    # 504: The {provider|model provider} did not answer in time ({phase}, {timeoutMs} ms).
    "upstream_timeout",
    # 502: The {provider|model provider} cut its answer off.
    "upstream_truncated",
    # 503: The store does not answer; nothing was charged. Repeat in {retryAfterSeconds} s.
    "store_unavailable",
    # 429: The requests of this {owner} that are in progress are as large as they may be together;
    # repeat after {retryAfterSeconds} s.
    "too_many_bodies",
    # 503: This server has no room for the request now; repeat after {retryAfterSeconds} s.
    "overloaded",
    # 501: Of transfer encodings only chunked is understood here, and alone.
    "unsupported_transfer_encoding",
    # 503: This server is stopping; repeat the request.
    "draining",
]
"""Every code that the server of this version answers; a later one may know more."""
