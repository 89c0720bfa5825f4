import { refusalSentence, signedDollars, type MoneyCode } from './sentence-of-money-rejection.ts'

/**
 * Only domain/errors.ts and http/ know HTTP statuses. The message of an error says what failed, why, and what to do
 * next. In a message, `{name}` is replaced by the detail with that name. `{$name}` is replaced by a detail in micros,
 * written in dollars. `{provider}` is replaced by the service that failed behind the gateway.
 */
interface ErrorRow {
  readonly status: number
  readonly message: string
  /**
   * For a rejection for lack of money, builds the message from the details. If set, callers never get `message`, which
   * then appears only in the documentation.
   */
  readonly sentence?: (details: ErrorDetails) => string
  /** The server sets the headers x-should-retry and retry-after according to this field. */
  readonly isRetryable: boolean
}

export const errors = {
  invalid_request: row(400, '{reason}'),
  invalid_json: row(400, 'The request body is not valid JSON: {reason}.'),
  invalid_host: row(400, 'The Host header is malformed. Send exactly one Host header, as host or host:port.'),
  unknown_field: row(400, 'Unknown field {param}. {place|This operation} accepts {known}.'),
  unsupported_for_route: row(400, 'The field {param} is not supported for this request: {reason}.'),
  // The vendor defines this code. After this error, the vendor's tool runners continue without a thread.
  thread_unsupported_request: row(
    400,
    'The field {param} is not supported: {reason}. Send the whole conversation as messages.',
  ),
  application_required: row(400, 'The operation requires an application. {reason}'),
  bundle_required: row(
    400,
    'This application has no default bundle. Create a bundle with PUT /v1/bundles/<slug>, or set the field bundle to a bundle of the application.',
  ),
  conflicting_credentials: row(
    400,
    'The request contains two different credentials. Send exactly one credential.',
  ),
  unknown_event: row(400, 'Unknown event {event}. The only event is usage.recorded.'),
  unknown_model_pattern: row(
    400,
    'The pattern {pattern} matches no model of this application. Add the model first with PUT /v1/models/<name>.',
  ),
  link_invalid: row(
    400,
    'This link has already been used, was replaced by a newer link, or has expired. Ask for a new invitation. If the server has no owner yet, create a new link with tollgate setup-link.',
  ),
  authorization_pending: row(
    400,
    'The sign-in has not been approved or denied yet. Poll again in {retryAfterSeconds} s.',
    true,
  ),
  slow_down: row(
    400,
    'The device polled too early. From now on, wait {retryAfterSeconds} s between polls.',
    true,
  ),
  expired_token: row(
    400,
    'This device code is unknown, expired or already used. Start again with POST /v1/device-auth.',
  ),
  access_denied: row(400, 'The sign-in was denied. To try again, start with POST /v1/device-auth.'),
  live_mode_refused: row(400, 'The demo tier creates no live keys. Omit livemode or set livemode to false.'),

  missing_credential: row(401, 'The request has no credential. Send Authorization: Bearer <{kind}>.'),
  invalid_key: row(
    401,
    'This key is not valid for this application. Check that the key was copied completely and belongs to this application.',
  ),
  invalid_token: row(
    401,
    'This token is not valid. Check that the token was copied completely and is not revoked.',
  ),
  token_expired: row(401, 'This token expired at {at}. Create a new token, or sign in again.'),
  key_revoked: row(401, 'This key was revoked at {at}. Ask for a new key.'),
  key_expired: row(401, 'This key expired at {at}. Ask for a new key.'),
  session_ended: row(401, 'This session has ended. Sign in again with POST /v1/sessions.'),
  sign_in_failed: row(
    401,
    'The email address or the password is incorrect. Check the address and the password, or ask an admin of the team for a new invitation.',
  ),
  wrong_credential_kind: row(
    401,
    'This address does not accept this kind of credential. The control plane accepts sk_ tokens, the operations of /v1/portal accept ps_ sessions, and gateways accept ak_ keys. {here}',
  ),
  portal_session_required: row(
    401,
    'The portal session is missing or has ended. Open the portal with a new link.',
  ),
  invalid_handoff: row(
    401,
    'This portal link is not valid. The link was already used, is older than {seconds} s, or belongs to another portal. Ask for a new link.',
  ),

  demo_tenant_required: row(
    401,
    'Only the demo tier serves this path. Name a demo tenant with the header x-demo-tenant: {tenants}.',
  ),
  demo_tenant_unknown: row(401, 'There is no demo tenant {tenant}. Send x-demo-tenant: {tenants}.'),

  // A retry after a 402 fails until the balance has changed.
  insufficient_credit: moneyRow(
    402,
    'insufficient_credit',
    'The plan and the balance do not cover the request. The message states which credit is used up and when this credit renews.',
  ),
  spend_limit_exceeded: moneyRow(
    402,
    'spend_limit_exceeded',
    'The remaining amount of a spend limit is too low for the request. The message states the limit and when the limit resets.',
  ),
  stream_spend_limit: moneyRow(
    402,
    'stream_spend_limit',
    'The amount held for the response is used up, and no more credit is available.',
  ),
  outcome_capped: moneyRow(
    402,
    'outcome_capped',
    "The remaining amount of the outcome run's ceiling is too low for the request. The message names the run and the amounts.",
  ),
  // When requests in flight finish and release held money, a retry can succeed. Errors about held money therefore never
  // have the status 402.
  balance_held: moneyRow(
    429,
    'balance_held',
    'Requests in progress hold the credit that the request needs. Unused credit is returned when those requests finish.',
    true,
  ),
  outcome_archived: row(
    404,
    'The outcome {outcome} is archived and accepts no requests. Name another outcome.',
  ),
  outcome_finished: row(409, 'The outcome run {run} has ended. Start another run.'),
  role_required: row(
    403,
    'This operation requires the {needed} role or a higher role. The caller has the {role} role.',
  ),
  operator_only: row(
    403,
    'Metrics cover all {organizations} organizations of this server, so the token of one organization cannot read the metrics. With TOLLGATE_METRICS_ADDRESSES, the operator can allow network addresses to read the metrics.',
  ),
  organization_credential_required: row(
    403,
    'This credential is limited to one application, but the operation applies to the whole organization. Use a credential for the whole organization.',
  ),
  session_required: row(
    403,
    'This operation requires a signed-in member and does not accept tokens. Sign in with POST /v1/sessions.',
  ),
  signature_not_supported: row(
    403,
    'The gateway cannot verify AWS signatures, because the gateway stores only hashes of keys. Set the environment variable AWS_BEARER_TOKEN_BEDROCK to your ak_ key.',
  ),
  passkey_required: row(403, 'The password is correct, but signing in also requires a passkey. {step}.'),
  passkey_rejected: row(
    403,
    'The passkey was not accepted: {reason}. Request a new challenge and try again.',
  ),
  too_many_passkeys: row(409, 'A member can have at most {max} passkeys. Remove a passkey first.'),
  wrong_password: row(
    403,
    'The current password is incorrect, so nothing was changed. Enter the current password again.',
  ),
  not_on_team: row(
    403,
    'No member of the team has the email address that the identity provider confirmed. Ask an admin of the team for an invitation.',
  ),
  cross_site_request: row(
    403,
    'A request that uses the session cookie and changes data must come from this host and have the x-csrf-token of the session: {reason}.',
  ),
  end_user_frozen: row(
    403,
    'This end user is frozen and cannot make requests. The application can unfreeze the end user.',
  ),

  // Errors about rules that the application sets for its gateway, or that the organization sets for itself. The status
  // is 403, because such a rule stays in effect for longer than a client waits for a retry.
  address_not_allowed: row(
    403,
    'Requests from the address {address} are not allowed. The application can allow the address with PATCH /v1/gateway.',
  ),
  outside_hours: row(
    403,
    'This application accepts no requests at this time. The application accepts requests again at {opensAt}.',
  ),
  origin_not_allowed: row(
    403,
    'Pages of the origin {origin} cannot call this application. The application can allow the origin with PATCH /v1/gateway.',
  ),
  organization_limit_reached: row(
    403,
    'The rest of a daily limit that the operator set ({limitSource}) is too low for this request. The limit resets at {resetsAt}. The operator of this application can raise the limit with PATCH /v1/limits.',
  ),

  model_not_allowed: row(
    403,
    'The bundle {bundle} does not allow the model {model}. GET /v1/models lists the allowed models.',
  ),
  model_not_found: row(404, 'The model {model} does not exist. GET /v1/models lists the model names.'),
  wire_not_served: row(
    404,
    'This application does not accept the wire format {wire}. The application accepts {served}.',
  ),
  model_disabled: row(
    404,
    'The model {model} is disabled. Use another model. GET /v1/models lists the model names.',
  ),
  model_unpriced: row(
    409,
    'The model {model} has no price, so requests to this model are rejected. {reason}.',
  ),
  no_live_source: row(
    503,
    'The model {model} cannot be used in live mode because all its sources are simulators, which serve only test requests. Use a test key, or ask the application to add a provider as a source.',
  ),
  no_target: row(
    409,
    'The model {model} has no target that accepts this request. Use another model, or ask the application to add a target.',
  ),
  targets_busy: row(
    503,
    'All targets of the model {model} are busy or unavailable. Retry in {retryAfterSeconds} s.',
    true,
  ),
  response_not_found: row(
    404,
    'There is no stored response with this ID. Set store to false in the client, and send the conversation as items of input.',
  ),
  file_not_found: row(404, 'There is no file with this ID. GET /v1/files lists the files that can be used.'),
  batch_not_found: row(
    404,
    'There is no batch with this ID. GET /v1/messages/batches and GET /v1/batches list the batches that can be used.',
  ),
  batch_limit_reached: row(
    429,
    'An end user can have at most {requests} requests in unfinished batches. Wait until a batch ends, or cancel a batch.',
    true,
  ),
  file_limit_reached: row(
    403,
    'An end user can have at most {files} files with {bytes} bytes in total. Delete files with DELETE /v1/files/<id>, then upload again.',
  ),
  conversation_limit_reached: row(
    403,
    'An end user can have at most {conversations} conversations. Delete conversations with DELETE /v1/conversations/<id>, then create the conversation again.',
  ),
  // OpenAI defines this code.
  conversation_locked: row(
    409,
    'Another request is using this conversation. Retry when the other request has ended.',
    true,
  ),
  not_found: row(404, 'There is no {resource} {id}.'),
  no_such_path: row(404, 'This host has no operation {method} {path}. {hint}'),
  unknown_host: row(
    421,
    'No application is served at this host. Check the address, or the Host header that a proxy sends.',
  ),
  request_loop: row(
    508,
    'The server received a request that it sent itself. Point the provider account or webhook to the address of another server.',
  ),
  method_not_allowed: row(405, '{method} is not allowed at this path. Use {allowed}.'),
  // After this status, Codex stops opening WebSockets, and sends its requests over HTTP.
  websocket_not_served: row(
    426,
    'WebSockets are not supported at this path. Send {allowed} requests. Their responses can be streams.',
  ),
  application_archived: row(
    410,
    'The application {slug} is archived and accepts no requests and no changes. The owner of the application can still read the records of the application.',
  ),
  already_exists: row(409, 'The {resource} {id} already exists. Choose another name or ID.'),
  name_taken: row(
    409,
    'The name {name} belongs to a {kind} of this application. Choose another name, or delete the {kind} first with DELETE {path}/{name}.',
  ),
  provider_kind_fixed: row(
    409,
    'The provider account {label} has the kind {kind}, which cannot be changed. Connect the new account under another label.',
  ),
  already_member: row(
    409,
    '{email} is already on the team. Change the role with PATCH /v1/team/{email}, or remove the member first.',
  ),
  address_in_use: row(
    409,
    'The address {email} belongs to a member of another organization of this server. Use another address.',
  ),
  last_owner: row(
    409,
    'The last owner cannot be removed or get another role. Make another member an owner first.',
  ),
  no_token_in_use: row(
    404,
    'This request was sent with a session, not with a token. GET /v1/sessions/current shows the session.',
  ),
  onboarding_incomplete: row(409, 'The setup is not complete. Missing steps: {missing}. {next}.'),
  in_use: row(409, 'The {resource} {id} is still used by {users}. {remedy|Remove these uses first}.'),
  replay_running: row(
    409,
    'A replay to the emitter {id} is running and has reached {at}. Wait until the replay finishes, or disable the emitter to stop the replay.',
    true,
  ),
  demo_keys_exhausted: row(
    409,
    'The demo tier already has {limit} keys for this tenant, which is the maximum. Restart the server, or use a token to create keys in your own application.',
  ),
  payment_reference_used: row(
    409,
    'The payment reference {reference} was already used in this application for another end user or amount. To repeat the earlier top-up, send the end user and the amount of that top-up. For a new top-up, use another reference.',
  ),
  grant_running: row(
    409,
    'The grant {id} is still being issued: {done} of {endUsers} end users have received the grant. Retry in a moment.',
    true,
  ),
  refund_too_large: row(
    409,
    'The request {id} was charged {$charged}, of which {$refunded} has already been refunded. At most {$most} can be refunded now.',
  ),
  balance_too_large: row(
    409,
    'The end user {id} has a balance of {$balance}. At most {$most} can be added, because a balance can be at most {$max}.',
  ),
  adjustment_too_large: row(
    409,
    'The balance is {$balance}, and requests in flight hold {$held}. At most {$most} can be subtracted now.',
  ),
  invoice_paid: row(409, 'The invoice {id} was paid at {at} and can no longer be voided.'),
  invoice_void: row(409, 'The invoice {id} was voided at {at}, so no payment is due.'),
  subscription_ended: row(
    409,
    'The end user {id} has no plan in this mode, or the subscription has ended. Set a plan with PUT /v1/end-users/{id}/subscription.',
  ),
  ambiguous_key: row(409, 'The end user {id} has {count} keys. Select one of the keys by its ID or prefix.'),
  idempotency_running: row(
    409,
    'A request with this Idempotency-Key is still running. Retry in a moment.',
    true,
  ),
  idempotency_mismatch: row(
    422,
    'This Idempotency-Key was used with a different request. Send a new Idempotency-Key.',
  ),
  secret_not_kept: row(
    409,
    'The first request with this Idempotency-Key created {id} and returned its secret, which is stored only as a hash. Revoke {id} and repeat the request with a new Idempotency-Key.',
  ),
  precondition_failed: row(
    412,
    'The resource has changed since it was read: If-Match is {expected}, and the current ETag is {actual}. Read the resource again.',
  ),
  request_too_large: row(
    413,
    'The request is larger than {limitBytes} bytes, which is the maximum. Send a smaller request.',
  ),
  request_too_slow: row(408, 'The body of the request arrived too slowly. Send the request again.', true),
  request_text_too_large: row(
    413,
    'The text of the request is larger than {limitBytes} bytes, which is more than any model accepts. Images, audio and documents in base64 are not counted.',
  ),
  unsupported_media_type: row(415, 'Send an uncompressed body with Content-Type: {types|application/json}.'),
  invalid_file: row(422, 'The file cannot be used: {reason}.'),
  portal_read_only: row(
    403,
    'This portal session is read-only. Open the portal with write access to make changes.',
  ),
  portal_keys_refused: row(
    403,
    'End users of this application cannot create or revoke keys in the portal. Ask the application to create or revoke the key.',
  ),
  too_many_keys: row(
    409,
    'The portal already has {count} active keys, which is the maximum. Revoke a key first.',
  ),
  key_ended: row(409, 'The key {id} cannot be rotated: {reason}. Create a new key.'),

  rate_limited: moneyRow(429, 'rate_limited', 'Too many requests. Retry in {retryAfterSeconds} s.', true),
  too_many_readers: row(
    429,
    'This organization already has {count} open event streams at this server, which is the maximum. Close a stream, or retry in {retryAfterSeconds} s.',
    true,
  ),
  too_many_reads: row(
    429,
    'Too many read requests of this {owner} are queued. Retry in {retryAfterSeconds} s.',
    true,
  ),
  internal: row(
    500,
    'An unexpected error occurred on the server, and nothing was changed. Include the request ID when you report the error.',
  ),
  not_implemented: row(501, 'This operation is documented but not implemented yet.'),
  no_identity_provider: row(
    404,
    'This server has no identity provider, because TOLLGATE_OIDC_ISSUER is not set. Sign in with a password.',
  ),
  identity_provider_failed: row(
    502,
    'The identity provider could not sign you in: {reason}. Start again at GET /v1/sessions/oidc, or sign in with a password.',
  ),
  mail_failed: row(
    502,
    'The mail server did not accept the email to {email}, and nothing was changed. Retry later, or ask the operator to check TOLLGATE_SMTP_URL.',
  ),
  upstream_error: row(502, 'The {provider|model provider} failed: {reason}.', true),
  upstream_rejected: row(400, 'The {provider|model provider} rejected the request: {reason}.'),
  upstream_rate_limited: row(
    429,
    'The {provider|model provider} is limiting requests. Retry in {retryAfterSeconds} s.',
    true,
  ),
  upstream_overloaded: row(
    503,
    'The {provider|model provider} is overloaded. Retry in {retryAfterSeconds} s.',
    true,
  ),
  upstream_unauthorized: row(
    502,
    'The {provider|model provider} rejected the credential of this application. The operator of the application must replace the credential.',
  ),
  upstream_unpaid: row(
    502,
    'The account of this application at the {provider|model provider} has no credit or quota left. The operator of the application must add credit or quota to the account.',
  ),
  upstream_timeout: row(
    504,
    'The {provider|model provider} did not respond in time ({phase}, {timeoutMs} ms).',
    true,
  ),
  upstream_truncated: row(
    502,
    'The {provider|model provider} ended its response before the response was complete.',
    true,
  ),
  store_unavailable: row(
    503,
    'The store is unavailable, and nothing was charged. Retry in {retryAfterSeconds} s.',
    true,
  ),
  too_many_bodies: row(
    429,
    'The requests in progress of this {owner} have reached their maximum total size. Retry in {retryAfterSeconds} s.',
    true,
  ),
  overloaded: row(
    503,
    'This server has no capacity for the request now. Retry in {retryAfterSeconds} s.',
    true,
  ),
  unsupported_transfer_encoding: row(
    501,
    'The transfer encoding of the request is not supported. Send Transfer-Encoding: chunked without another encoding, or Content-Length.',
  ),
  draining: row(503, 'This server is stopping. Send the request again.', true),
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errors
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>

interface FailureOptions {
  readonly param?: string | null
  readonly cause?: unknown
  readonly operatorDetails?: ErrorDetails
  /** The service that failed, if this service is not a model provider. */
  readonly provider?: 'simulator' | null
}

/** An expected failure to return to the caller. The outermost layer converts a failure to a status and a body. */
export class Failure extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails
  /** The invalid field, as the caller wrote it. */
  readonly param: string | null
  /** Details that only the customer sees, through requests.explain: accounts, hosts, and the provider's own code. */
  readonly operatorDetails: ErrorDetails

  constructor(
    code: ErrorCode,
    details: ErrorDetails = {},
    { cause, operatorDetails = {}, param = null, provider = null }: FailureOptions = {},
  ) {
    super(messageOf(code, { param, provider, ...details }), { cause })
    this.code = code
    this.details = details
    this.param = param
    this.operatorDetails = operatorDetails
  }

  get status(): number {
    return errors[this.code].status
  }

  get isRetryable(): boolean {
    return errors[this.code].isRetryable
  }
}

/** If the value in `{name|words}` is missing, the words are used. */
export function messageOf(code: ErrorCode, details: ErrorDetails): string {
  const { message, sentence }: ErrorRow = errors[code]
  if (sentence !== undefined) return sentence(details)
  const names = /\{(\$?)(\w+)(?:\|([\w /]+))?\}/g
  return message.replace(names, (_, dollar: string, name: string, otherwise?: string) => {
    const value = String(details[name] ?? otherwise ?? 'unknown')
    return dollar !== '' && /^-?\d+$/.test(value) ? signedDollars(BigInt(value)) : value
  })
}

function row(status: number, message: string, isRetryable = false): ErrorRow {
  return { status, message, isRetryable }
}

function moneyRow(status: number, code: MoneyCode, message: string, isRetryable = false): ErrorRow {
  return { status, message, sentence: (details) => refusalSentence(code, details), isRetryable }
}
