// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

/** Every code that the server of this version answers; a later one may know more. */
export type ErrorCode =
  /** 400: {reason} */
  | 'invalid_request'
  /** 400: The request body is not valid JSON: {reason}. */
  | 'invalid_json'
  /** 400: The Host header is malformed. Send exactly one, as host or host:port. */
  | 'invalid_host'
  /** 400: Unknown field {param}. This operation accepts {known}. */
  | 'unknown_field'
  /** 400: This model does not support the field {param}: {reason}. */
  | 'unsupported_for_route'
  /** 400: The field {param} is not supported: {reason}. Send the whole conversation as messages. */
  | 'thread_unsupported_request'
  /** 400: The operation requires an application. {reason} */
  | 'application_required'
  /**
   * 400: This application has no default bundle. Create one with PUT /v1/bundles/<slug>, or set the field
   * bundle to one of its bundles.
   */
  | 'bundle_required'
  /** 400: The request contains two different credentials. Send exactly one. */
  | 'conflicting_credentials'
  /** 400: Unknown event {event}. The only event is usage.recorded. */
  | 'unknown_event'
  /**
   * 400: The pattern {pattern} matches no model of this application. Add the model first with PUT
   * /v1/models/<name>.
   */
  | 'unknown_model_pattern'
  /**
   * 400: This link was already used, was replaced, or has expired. Ask for a new invitation. For the first
   * owner, tollgate setup-link creates a new link.
   */
  | 'link_invalid'
  /** 400: The sign-in has not been approved or denied yet. Poll again in {retryAfterSeconds} s. */
  | 'authorization_pending'
  /** 400: The last poll was too early. From now on, wait {retryAfterSeconds} s between polls. */
  | 'slow_down'
  /** 400: This device code is unknown, expired or already used. Start again with POST /v1/device-auth. */
  | 'expired_token'
  /** 400: The sign-in was denied. To try again, start with POST /v1/device-auth. */
  | 'access_denied'
  /** 400: Live keys cannot be created here. Omit livemode or set it to false. */
  | 'live_mode_refused'
  /** 401: The request has no credential. Send Authorization: Bearer <{kind}>. */
  | 'missing_credential'
  /**
   * 401: This key is not valid here. Check that it was copied completely and belongs to this application.
   */
  | 'invalid_key'
  /** 401: This token is not valid. Check that it was copied completely and is not revoked. */
  | 'invalid_token'
  /** 401: This token expired at {at}. Create a new token, or sign in again. */
  | 'token_expired'
  /** 401: This key was revoked at {at}. Ask for a new key. */
  | 'key_revoked'
  /** 401: This key expired at {at}. Ask for a new key. */
  | 'key_expired'
  /** 401: This session has ended. Sign in again with POST /v1/sessions. */
  | 'session_ended'
  /**
   * 401: The email address or the password is incorrect. Check both, or ask an admin of the team for a new
   * invitation.
   */
  | 'sign_in_failed'
  /**
   * 401: This kind of credential is not accepted here. The control plane accepts sk_ tokens, the operations
   * of /v1/portal accept ps_ sessions, and gateways accept ak_ keys. {here}
   */
  | 'wrong_credential_kind'
  /** 401: The portal session is missing or has ended. Open the portal with a new link. */
  | 'portal_session_required'
  /**
   * 401: This handoff is not valid. It was already redeemed, is older than {seconds} s, or belongs to
   * another portal. Ask for a new link.
   */
  | 'invalid_handoff'
  /** 401: This path belongs to the demo tier. Name a tenant with the header x-demo-tenant: {tenants}. */
  | 'demo_tenant_required'
  /** 401: There is no demo tenant {tenant}. Send x-demo-tenant: {tenants}. */
  | 'demo_tenant_unknown'
  /**
   * 402: The plan and the balance do not cover the request. The message says what is used up and when it
   * renews.
   */
  | 'insufficient_credit'
  /**
   * 402: A spend limit leaves too little for the request. The message names the limit and when it resets.
   */
  | 'spend_limit_exceeded'
  /** 402: The amount held for the response is used up, and no more credit is available. */
  | 'stream_spend_limit'
  /**
   * 402: The ceiling of the outcome run leaves too little for the request. The message names the run and
   * the amounts.
   */
  | 'outcome_capped'
  /**
   * 429: Requests in progress hold the credit that the request needs. Unused credit is returned as they
   * finish.
   */
  | 'balance_held'
  /** 404: The outcome {outcome} is archived and accepts no requests. Name another outcome. */
  | 'outcome_archived'
  /** 409: The outcome run {run} has ended. Start another run. */
  | 'outcome_finished'
  /** 403: This operation requires the {needed} role or a higher one. The caller has the {role} role. */
  | 'role_required'
  /**
   * 403: Metrics cover all {organizations} organizations of this server, so the token of one organization
   * cannot read them. The operator can allow addresses with TOLLGATE_METRICS_ADDRESSES.
   */
  | 'operator_only'
  /**
   * 403: This credential is limited to one application, but the operation applies to the whole
   * organization. Use a credential without this limit.
   */
  | 'organization_credential_required'
  /**
   * 403: This operation requires a signed-in member and does not accept tokens. Sign in with POST
   * /v1/sessions.
   */
  | 'session_required'
  /** 403: The password is correct, but signing in also requires a passkey. {step}. */
  | 'passkey_required'
  /** 403: The passkey was not accepted: {reason}. Start again. */
  | 'passkey_rejected'
  /** 409: A member can have at most {max} passkeys. Remove one first. */
  | 'too_many_passkeys'
  /** 403: The current password is incorrect. Nothing was changed. */
  | 'wrong_password'
  /**
   * 403: No member of the team has the email address that the identity provider confirmed. Ask an admin of
   * the team for an invitation.
   */
  | 'not_on_team'
  /**
   * 403: A request that changes data with the session cookie must come from this host and send its
   * x-csrf-token: {reason}.
   */
  | 'cross_site_request'
  /** 403: This end user is frozen and cannot make requests. The application can unfreeze the end user. */
  | 'end_user_frozen'
  /**
   * 403: Requests from the address {address} are not allowed. The application can allow the address with
   * PATCH /v1/gateway.
   */
  | 'address_not_allowed'
  /** 403: This application accepts no requests at this time. It accepts requests again at {opensAt}. */
  | 'outside_hours'
  /**
   * 403: Pages of the origin {origin} cannot call this application. The application can allow the origin
   * with PATCH /v1/gateway.
   */
  | 'origin_not_allowed'
  /**
   * 403: A daily limit that the operator set ({limitSource}) leaves too little for this request and resets
   * at {resetsAt}. The operator of this application can raise it with PATCH /v1/limits.
   */
  | 'organization_limit_reached'
  /** 403: The bundle {bundle} does not allow the model {model}. */
  | 'model_not_allowed'
  /** 404: There is no model {model} here. GET /v1/models lists the model names. */
  | 'model_not_found'
  /** 404: This application does not serve the wire {wire}. It serves {served}. */
  | 'wire_not_served'
  /** 404: The model {model} is disabled. */
  | 'model_disabled'
  /** 409: The model {model} has no price, so requests to it are rejected. {reason}. */
  | 'model_unpriced'
  /**
   * 503: The model {model} cannot be used in live mode because all its sources are simulators, which serve
   * only test requests. Use a test key, or ask the application to add a provider as a source.
   */
  | 'no_live_source'
  /**
   * 409: The model {model} has no target for this request, because its application routes such requests to
   * no target.
   */
  | 'no_target'
  /** 503: All targets of the model {model} are busy or unavailable. Retry in {retryAfterSeconds} s. */
  | 'targets_busy'
  /** 404: There is no {resource} {id}. */
  | 'not_found'
  /** 404: There is no {method} {path} here. {hint} */
  | 'no_such_path'
  /**
   * 421: No application is served at this host. Check the address, or the Host header that a proxy sends.
   */
  | 'unknown_host'
  /**
   * 508: This request returned to the server that sent it. Point the provider account or webhook to another
   * address.
   */
  | 'request_loop'
  /** 405: {method} is not allowed here. Use {allowed}. */
  | 'method_not_allowed'
  /**
   * 410: The application {slug} is archived and accepts no requests and no changes. Its owner can still
   * read its records.
   */
  | 'application_archived'
  /** 409: The {resource} {id} already exists. Choose another one. */
  | 'already_exists'
  /**
   * 409: The name {name} belongs to a {kind} of this application. Choose another name, or delete the {kind}
   * first with DELETE {path}/{name}.
   */
  | 'name_taken'
  /**
   * 409: The provider account {label} has the kind {kind}, which cannot be changed. Connect the new account
   * under another label.
   */
  | 'provider_kind_fixed'
  /**
   * 409: {email} is already on the team. Change the role with PATCH /v1/team/{email}, or remove the member
   * first.
   */
  | 'already_member'
  /**
   * 409: The address {email} belongs to a member of another organization of this server. Use another
   * address.
   */
  | 'address_in_use'
  /** 409: The organization would have no owner. Make another member an owner first. */
  | 'last_owner'
  /**
   * 404: This request was sent with a session, not with a token. GET /v1/sessions/current shows the
   * session.
   */
  | 'no_token_in_use'
  /** 409: The setup is not complete. Missing steps: {missing}. {next}. */
  | 'onboarding_incomplete'
  /** 409: The {resource} {id} is still used by {users}. {remedy|Change that first}. */
  | 'in_use'
  /**
   * 409: A replay to the emitter {id} is running and has reached {at}. Wait until it finishes, or disable
   * the emitter to stop it.
   */
  | 'replay_running'
  /**
   * 409: The demo tier already has {limit} keys for this tenant, which is the maximum. Restart the server,
   * or use a token to create keys in your own application.
   */
  | 'demo_keys_exhausted'
  /**
   * 409: The payment reference {reference} was already used in this application for another end user or
   * amount. Send the original values to repeat that top-up, or use another reference.
   */
  | 'payment_reference_used'
  /**
   * 409: The grant {id} is still being issued: {done} of {endUsers} end users have received it. Retry in a
   * moment.
   */
  | 'grant_running'
  /**
   * 409: The request {id} was charged {charged} micros, and {refunded} micros are already refunded. At most
   * {most} micros can be refunded now.
   */
  | 'refund_too_large'
  /**
   * 409: The balance is {balance} micros, and requests in flight hold {held} micros. At most {most} micros
   * can be taken now.
   */
  | 'adjustment_too_large'
  /** 409: The invoice {id} was paid at {at} and can no longer be voided. */
  | 'invoice_paid'
  /** 409: The invoice {id} was voided at {at}, so no payment is due. */
  | 'invoice_void'
  /**
   * 409: The end user {id} has no plan in this mode, or the subscription has ended. Set a plan with PUT
   * /v1/end-users/{id}/subscription.
   */
  | 'subscription_ended'
  /** 409: The end user {id} has {count} keys. Name one key by its ID or its prefix. */
  | 'ambiguous_key'
  /** 409: A request with this Idempotency-Key is still running. Retry in a moment. */
  | 'idempotency_running'
  /** 422: This Idempotency-Key was used with a different request. Use a new key. */
  | 'idempotency_mismatch'
  /**
   * 409: The first request with this Idempotency-Key created {id} and returned its secret, which is stored
   * only as a hash. Revoke {id} and repeat the request with a new Idempotency-Key.
   */
  | 'secret_not_kept'
  /**
   * 412: The resource has changed since it was read (If-Match {expected}, now {actual}). Read it again.
   */
  | 'precondition_failed'
  /** 413: The request is larger than {limitBytes} bytes. */
  | 'request_too_large'
  /** 408: The body of the request arrived too slowly. Send the request again. */
  | 'request_too_slow'
  /**
   * 413: The text of the request is larger than {limitBytes} bytes, which is more than any model accepts.
   * Images, audio and documents in base64 are not counted.
   */
  | 'request_text_too_large'
  /** 415: Send an uncompressed body with Content-Type: {types|application/json}. */
  | 'unsupported_media_type'
  /** 422: The file cannot be used: {reason}. */
  | 'invalid_file'
  /** 403: This portal session is read-only. Open the portal with write access to make changes. */
  | 'portal_read_only'
  /**
   * 403: End users of this application cannot create or revoke keys in the portal. Ask the application to
   * do so.
   */
  | 'portal_keys_refused'
  /** 409: The portal already has {count} active keys, which is the maximum. Revoke one first. */
  | 'too_many_keys'
  /** 409: The key {id} cannot be rotated: {reason}. Create a new key. */
  | 'key_ended'
  /** 429: Too many requests. Retry in {retryAfterSeconds} s. */
  | 'rate_limited'
  /**
   * 429: This organization already has {count} open event streams at this server, which is the maximum.
   * Close one, or retry in {retryAfterSeconds} s.
   */
  | 'too_many_readers'
  /** 429: Too many reads of this {owner} are queued. Retry in {retryAfterSeconds} s. */
  | 'too_many_reads'
  /**
   * 500: An unexpected error occurred on the server, and nothing was changed. Include the request ID when
   * you report it.
   */
  | 'internal'
  /** 501: This operation is documented but not implemented yet. */
  | 'not_implemented'
  /**
   * 404: This server has no identity provider, because TOLLGATE_OIDC_ISSUER is not set. Sign in with a
   * password.
   */
  | 'no_identity_provider'
  /**
   * 502: The identity provider could not sign you in: {reason}. Start again at GET /v1/sessions/oidc, or
   * sign in with a password.
   */
  | 'identity_provider_failed'
  /**
   * 502: The mail server did not accept the email to {email}, and nothing was changed. Retry later, or ask
   * the operator to check TOLLGATE_SMTP_URL.
   */
  | 'mail_failed'
  /** 502: The {provider|model provider} failed: {reason}. */
  | 'upstream_error'
  /** 400: The {provider|model provider} rejected the request: {reason}. */
  | 'upstream_rejected'
  /** 429: The {provider|model provider} is limiting requests. Retry in {retryAfterSeconds} s. */
  | 'upstream_rate_limited'
  /** 503: The {provider|model provider} is overloaded. Retry in {retryAfterSeconds} s. */
  | 'upstream_overloaded'
  /**
   * 502: The {provider|model provider} rejected the credential of this application. The operator of the
   * application must replace the credential.
   */
  | 'upstream_unauthorized'
  /**
   * 502: The account of this application at the {provider|model provider} has no credit or quota left. The
   * operator of the application must add credit or quota there.
   */
  | 'upstream_unpaid'
  /** 504: The {provider|model provider} did not respond in time ({phase}, {timeoutMs} ms). */
  | 'upstream_timeout'
  /** 502: The {provider|model provider} ended its response before it was complete. */
  | 'upstream_truncated'
  /** 503: The store is unavailable, and nothing was charged. Retry in {retryAfterSeconds} s. */
  | 'store_unavailable'
  /**
   * 429: The requests of this {owner} in progress have reached their maximum total size. Retry in
   * {retryAfterSeconds} s.
   */
  | 'too_many_bodies'
  /** 503: This server has no capacity for the request now. Retry in {retryAfterSeconds} s. */
  | 'overloaded'
  /** 501: The only supported transfer encoding is chunked, without any other encoding. */
  | 'unsupported_transfer_encoding'
  /** 503: This server is stopping. Send the request again. */
  | 'draining'
