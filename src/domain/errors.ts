import { refusalSentence, type MoneyCode } from './refusal-sentence.ts'

/**
 * The one table of errors: code, HTTP status, sentence, whether waiting helps. No other file but http/ knows
 * a status. A sentence says what is wrong and what to do; `{name}` is filled from the error's details, and
 * `{provider}` with the part behind the gateway that failed.
 */
interface ErrorRow {
  readonly status: number
  readonly message: string
  /** Of refusals for money, whose words depend on the details; `message` then is what documents say. */
  readonly sentence?: (details: ErrorDetails) => string
  /** True: the same request may succeed later. Decides x-should-retry and retry-after. */
  readonly isRetryable: boolean
}

export const errors = {
  // The request itself.
  invalid_request: row(400, '{reason}'),
  invalid_json: row(400, 'The request body is not valid JSON: {reason}.'),
  invalid_host: row(400, 'The Host header is malformed; send exactly one, as host or host:port.'),
  unknown_field: row(400, 'Unknown field {param}; this operation takes {known}.'),
  unsupported_for_route: row(400, 'The field {param} cannot be served by this model: {reason}.'),
  // The vendor's own code: its tool runners go on without a thread when they read it.
  thread_unsupported_request: row(
    400,
    'The field {param} cannot be served here: {reason}; send the whole conversation as messages.',
  ),
  application_required: row(400, 'This call is about one application, and {reason}'),
  bundle_required: row(
    400,
    'This application has no default bundle; create one with PUT /v1/bundles/<slug>, or name one of its bundles in the field bundle.',
  ),
  conflicting_credentials: row(400, 'The request carries two credentials that differ; send exactly one.'),
  unknown_event: row(400, 'Unknown event {event}; the only event is usage.recorded.'),
  unknown_model_pattern: row(
    400,
    'The pattern {pattern} matches no model of this application; add the model first with PUT /v1/models/<name>.',
  ),
  link_invalid: row(
    400,
    'This link was used or replaced, or has expired; ask for a new invitation (for the first owner: tollgate setup-link makes one).',
  ),
  authorization_pending: row(
    400,
    'The person has not decided yet; poll again after {retryAfterSeconds} s.',
    true,
  ),
  slow_down: row(400, 'Polled too soon; poll every {retryAfterSeconds} s from now on.', true),
  expired_token: row(
    400,
    'This device code was used, or has expired, or never was; start again with POST /v1/device-auth.',
  ),
  access_denied: row(400, 'The person has refused this sign-in.'),
  live_mode_refused: row(400, 'Live keys cannot be minted here; leave livemode out or send false.'),

  // The caller.
  missing_credential: row(401, 'No credential; send Authorization: Bearer <{kind}>.'),
  invalid_key: row(
    401,
    'This key is not valid here; check that it was copied whole and belongs to this application.',
  ),
  invalid_token: row(401, 'This token is not valid; check that it was copied whole and was not revoked.'),
  token_expired: row(401, 'This token expired at {at}. Create a new token, or sign in again.'),
  key_revoked: row(401, 'This key was revoked at {at}; ask for a new one.'),
  key_expired: row(401, 'This key expired at {at}; ask for a new one.'),
  session_ended: row(401, 'This session has ended; sign in again with POST /v1/sessions.'),
  sign_in_failed: row(
    401,
    'The e-mail address or the password is not right; check both, or ask an admin of the team for a new invitation.',
  ),
  wrong_credential_kind: row(
    401,
    'Wrong kind of credential: the control plane takes sk_ tokens, its operations of one person ps_ sessions, and an application’s gateway ak_ keys; this is {here}.',
  ),
  portal_session_required: row(
    401,
    'There is no portal session here, or it has ended; come again by a new link.',
  ),
  invalid_handoff: row(
    401,
    'This handoff is not valid here: it was redeemed, is older than {seconds} s, or is not of this portal; ask for a new link.',
  ),

  demo_tenant_required: row(
    401,
    'This is a path of the demo tier; name its tenant with the header x-demo-tenant: {tenants}.',
  ),
  demo_tenant_unknown: row(401, 'There is no demo tenant {tenant}; send x-demo-tenant: {tenants}.'),

  // Money (402 never clears by waiting for the same balance).
  insufficient_credit: moneyRow(
    402,
    'insufficient_credit',
    'The plan and the balance do not cover the request. The message says what is used up and when it renews.',
  ),
  spend_limit_exceeded: moneyRow(
    402,
    'spend_limit_exceeded',
    'A spend limit leaves too little for the request. The message names the limit and when it resets.',
  ),
  stream_spend_limit: moneyRow(
    402,
    'stream_spend_limit',
    'The amount held for the response is used up, and no more credit is available.',
  ),
  outcome_capped: moneyRow(
    402,
    'outcome_capped',
    'The ceiling of the run leaves too little for the request.',
  ),
  // Held money is not spent: this clears by itself, so it is never a 402.
  balance_held: moneyRow(
    429,
    'balance_held',
    'Requests in progress hold the credit that the request needs. Unused credit is returned as they finish.',
    true,
  ),
  outcome_archived: row(404, 'The outcome {outcome} is archived and takes no calls; name another one.'),
  outcome_finished: row(409, 'The outcome run {run} has ended; start another run.'),
  role_required: row(403, 'The role {role} may not do this; it needs the role {needed} or a higher one.'),
  operator_only: row(
    403,
    'Metrics are of the whole server, which serves {organizations} organizations, so no token of one of them may read them; the operator lets addresses in with TOLLGATE_METRICS_ADDRESSES.',
  ),
  organization_credential_required: row(
    403,
    'This credential may use one application alone, and this operation is one of the whole organization; use a credential without that bound.',
  ),
  session_required: row(
    403,
    'Only a person who has signed in may do this, and no token; sign in with POST /v1/sessions.',
  ),
  passkey_required: row(403, 'The password is right, and signing in also needs a passkey: {step}.'),
  passkey_rejected: row(403, 'The passkey was not accepted: {reason}. Start again.'),
  too_many_passkeys: row(409, 'A member has at most {max} passkeys; remove one first.'),
  wrong_password: row(403, 'The present password is not right; nothing was changed.'),
  not_on_team: row(
    403,
    'Nobody of the team has the address that the identity provider vouches for; ask an admin of the team for an invitation.',
  ),
  cross_site_request: row(
    403,
    'A change made with a cookie must come from a page of this host, with its x-csrf-token: {reason}.',
  ),
  end_user_frozen: row(403, 'Spending is stopped for this end user; the application can unfreeze them.'),

  // What the application has set for its gateway, and its organization for itself. 403, since no repeat helps a client:
  // the day or the hour that ends them is further off than any client waits.
  address_not_allowed: row(
    403,
    'Calls from the address {address} are not allowed here; its application allows addresses with PATCH /v1/gateway.',
  ),
  outside_hours: row(
    403,
    'This application answers no calls at this time; it answers again from {opensAt} on.',
  ),
  origin_not_allowed: row(
    403,
    'Pages of the origin {origin} may not call this application; it allows origins with PATCH /v1/gateway.',
  ),
  organization_limit_reached: row(
    403,
    'A daily limit that the operator of this application has set ({limitSource}) leaves no room for this call; it starts anew at {resetsAt}. The operator can raise it with PATCH /v1/limits.',
  ),

  // The resource.
  model_not_allowed: row(403, 'The bundle {bundle} does not allow the model {model}.'),
  model_not_found: row(404, 'There is no model {model} here; GET /v1/models lists the names.'),
  wire_not_served: row(404, 'This application answers no calls of the wire {wire}; it answers {served}.'),
  model_disabled: row(404, 'The model {model} is disabled.'),
  model_unpriced: row(409, 'The model {model} has no price yet, so it cannot be called; {reason}.'),
  no_live_source: row(
    503,
    'The model {model} cannot be called in live mode: its only sources are simulators, which answer test calls. Use a test key, or ask the application to add a source at a provider.',
  ),
  no_target: row(
    409,
    'The model {model} has no target that takes this call: its application sends such calls nowhere.',
  ),
  targets_busy: row(
    503,
    'The model {model} has no target that is free now; repeat after {retryAfterSeconds} s.',
    true,
  ),
  not_found: row(404, 'There is no {resource} {id}.'),
  no_such_path: row(404, 'There is no {method} {path} here; {hint}'),
  unknown_host: row(
    421,
    'No application answers at this host; check the address, or the Host header that a proxy sends.',
  ),
  request_loop: row(
    508,
    'This request has come back to the server that sent it; point the provider account or webhook somewhere else.',
  ),
  method_not_allowed: row(405, '{method} is not allowed here; use {allowed}.'),
  application_archived: row(
    410,
    'The application {slug} is archived: it answers no calls and takes no changes; its owner can still read its records.',
  ),
  already_exists: row(409, 'The {resource} {id} is taken already; choose another name.'),
  name_taken: row(
    409,
    'The name {name} is that of a {kind} of this application; choose another name, or remove it first with DELETE {path}/{name}.',
  ),
  provider_kind_fixed: row(
    409,
    'The provider account {label} is of kind {kind}, and the kind of an account cannot be changed. Connect the new account under another label.',
  ),
  already_member: row(
    409,
    '{email} is on the team already; change the role with PATCH /v1/team/{email}, or remove the member first.',
  ),
  address_in_use: row(
    409,
    'The address {email} signs in to another organization of this server; use another address.',
  ),
  last_owner: row(409, 'The organization would have no owner left; make another member an owner first.'),
  no_token_in_use: row(
    404,
    'This request came with a session and with no token; GET /v1/sessions/current shows the session.',
  ),
  onboarding_incomplete: row(409, 'The set-up is not complete, it lacks {missing}. {next}.'),
  in_use: row(409, 'The {resource} {id} is still used by {users}; {remedy|change that first}.'),
  replay_running: row(
    409,
    'A replay to the emitter {id} is running and has come to {at}; wait for its end, or disable the emitter to end it.',
    true,
  ),
  demo_keys_exhausted: row(
    409,
    'The demo tier keeps {limit} minted keys for each tenant, and has them; restart the server, or mint keys of an application of your own with a token.',
  ),
  payment_reference_used: row(
    409,
    'The payment reference {reference} was already used in this application, for another end user or amount; send the first values to repeat the top-up, or another reference.',
  ),
  grant_running: row(
    409,
    'The grant {id} is still being issued: {done} of {endUsers} end users have it. Repeat in a moment.',
    true,
  ),
  refund_too_large: row(
    409,
    'The request {id} was charged {charged} micros and {refunded} were refunded, so at most {most} can be refunded.',
  ),
  adjustment_too_large: row(
    409,
    'The balance is {balance} micros and requests in flight hold {held}, so at most {most} micros can be taken now.',
  ),
  invoice_paid: row(409, 'The invoice {id} was paid at {at}; it can no longer be void.'),
  invoice_void: row(409, 'The invoice {id} is void since {at}; nothing is left to pay.'),
  subscription_ended: row(
    409,
    'The end user {id} is on no plan in this mode, or their subscription has ended; put them on one with PUT /v1/end-users/{id}/subscription.',
  ),
  ambiguous_key: row(409, 'The end user {id} holds {count} keys; name one by its id or its prefix.'),
  idempotency_running: row(
    409,
    'A request with this Idempotency-Key is still running; repeat it in a moment.',
    true,
  ),
  idempotency_mismatch: row(422, 'This Idempotency-Key was used with another request; use a new key.'),
  secret_not_kept: row(
    409,
    'The first request with this Idempotency-Key made {id} and answered with its secret, which is kept only as a hash; revoke {id} and repeat with a new Idempotency-Key.',
  ),
  precondition_failed: row(
    412,
    'The resource has changed since it was read (If-Match {expected}, now {actual}); read it again.',
  ),
  request_too_large: row(413, 'The request is larger than {limitBytes} bytes.'),
  request_too_slow: row(408, 'The body of the request comes too slowly; send it again.', true),
  request_text_too_large: row(
    413,
    'The text of the request is larger than {limitBytes} bytes, which is more than any model takes; pictures, sound and documents as base64 are not counted.',
  ),
  unsupported_media_type: row(415, 'Send Content-Type: {types|application/json}, not compressed.'),
  invalid_file: row(422, 'The file cannot be taken: {reason}.'),
  portal_read_only: row(
    403,
    'This portal session is read-only. Open the portal with write access to make changes.',
  ),
  portal_keys_refused: row(
    403,
    'The application lets nobody mint or revoke its keys in the portal; ask it to do so.',
  ),
  too_many_keys: row(
    409,
    'There are {count} keys that were minted in the portal and are neither revoked nor expired, which is as many as there may be; revoke one first.',
  ),
  key_ended: row(409, 'The key {id} cannot be rotated: {reason}; mint a new one.'),

  // Faults here or at the provider.
  rate_limited: row(429, 'Too many requests; repeat after {retryAfterSeconds} s.', true),
  too_many_readers: row(
    429,
    'Calls of this organization are watched by {count} readers of this server, which is as many as there may be; close one, or come back after {retryAfterSeconds} s.',
    true,
  ),
  too_many_reads: row(
    429,
    'Too many reads of this {owner} are waiting for their turn; repeat after {retryAfterSeconds} s.',
    true,
  ),
  internal: row(500, 'Something broke here; nothing was changed. Quote the request id when you report it.'),
  not_implemented: row(501, 'This is documented and not built.'),
  no_identity_provider: row(
    404,
    'People do not sign in by an identity provider here: TOLLGATE_OIDC_ISSUER is not set; sign in with a password.',
  ),
  identity_provider_failed: row(
    502,
    'The identity provider could not sign you in ({reason}); begin again at GET /v1/sessions/oidc, or sign in with a password.',
  ),
  mail_failed: row(
    502,
    'The mail server did not take the mail to {email}; nothing was changed. Repeat it later, or have the operator look at TOLLGATE_SMTP_URL.',
  ),
  upstream_error: row(502, 'The {provider|model provider} failed: {reason}.', true),
  upstream_rejected: row(400, 'The {provider|model provider} refused the request: {reason}.'),
  upstream_rate_limited: row(
    429,
    'The {provider|model provider} is limiting requests; repeat after {retryAfterSeconds} s.',
    true,
  ),
  upstream_overloaded: row(
    503,
    'The {provider|model provider} is overloaded; repeat after {retryAfterSeconds} s.',
    true,
  ),
  upstream_unauthorized: row(
    502,
    'The {provider|model provider} refused the credential of this application; its operator must rotate it.',
  ),
  upstream_unpaid: row(
    502,
    'The account of this application at the {provider|model provider} is used up; its operator must add credit or quota there.',
  ),
  upstream_timeout: row(
    504,
    'The {provider|model provider} did not answer in time ({phase}, {timeoutMs} ms).',
    true,
  ),
  upstream_truncated: row(502, 'The {provider|model provider} cut its answer off.', true),
  store_unavailable: row(
    503,
    'The store does not answer; nothing was charged. Repeat in {retryAfterSeconds} s.',
    true,
  ),
  too_many_bodies: row(
    429,
    'The requests of this {owner} that are in progress are as large as they may be together; repeat after {retryAfterSeconds} s.',
    true,
  ),
  overloaded: row(
    503,
    'This server has no room for the request now; repeat after {retryAfterSeconds} s.',
    true,
  ),
  unsupported_transfer_encoding: row(
    501,
    'Of transfer encodings only chunked is understood here, and alone.',
  ),
  draining: row(503, 'This server is stopping; repeat the request.', true),
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errors
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>

interface FailureOptions {
  readonly param?: string | null
  readonly cause?: unknown
  readonly operatorDetails?: ErrorDetails
  /** What failed, where it is not a model provider. */
  readonly provider?: 'simulator' | null
}

/** An expected failure on its way to the caller; the edge turns it into a status and a body. */
export class Failure extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails
  /** The field at fault, as the caller wrote it. */
  readonly param: string | null
  /** For the customer only, in requests.explain: accounts, hosts, the provider's own code. */
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

/** The table's sentence with its `{names}` filled in; `{name|words}` has the words for a name without a value. */
export function messageOf(code: ErrorCode, details: ErrorDetails): string {
  const { message, sentence }: ErrorRow = errors[code]
  if (sentence !== undefined) return sentence(details)
  return message.replace(/\{(\w+)(?:\|([\w /]+))?\}/g, (_, name: string, otherwise?: string) =>
    String(details[name] ?? otherwise ?? 'unknown'),
  )
}

function row(status: number, message: string, isRetryable = false): ErrorRow {
  return { status, message, isRetryable }
}

function moneyRow(status: number, code: MoneyCode, message: string, isRetryable = false): ErrorRow {
  return { status, message, sentence: (details) => refusalSentence(code, details), isRetryable }
}
