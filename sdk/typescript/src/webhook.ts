/** Deliveries of usage to an endpoint of yours: whether one was signed with your secret, and what it says. */
import { WebhookError } from './errors.ts'

/** One delivery. */
export interface WebhookBatch {
  /** Id of the batch, `usgb_…`: the same on every attempt to deliver it. */
  id: string
  type: 'usage.recorded' | (string & {})
  events: UsageRecorded[]
}

/** A call that was settled. */
export interface UsageRecorded {
  /** The id of the usage record: a delivery may come twice, an event counts once. */
  idempotencyKey: string
  usageRecordId: string
  organizationId: string
  /** Id of the person, `eu_…`; null: the call had none. */
  endUserId: string | null
  apiKeyId: string | null
  /** Id of the call, `req_…`. */
  requestId: string | null
  /** Who served the call. */
  provider: string
  /** The model that answered, and not the name that was asked for. */
  model: string
  streamed: boolean
  tokens: {
    inputTokens: number
    outputTokens: number
    cachedInputTokens: number
    reasoningTokens: number
    /** Who counted: `provider_reported`, or another. */
    tokenCountSource: string
  }
  /** What the provider account is charged: integer micros as a decimal string. */
  providerCostMicros: string
  /** What the plan sells it for: integer micros as a decimal string. */
  billedAmountMicros: string
}

export interface WebhookOptions {
  /** How old, or how far ahead of this clock, a signature may be, in seconds; 300 when left out. */
  readonly toleranceSeconds?: number
  /** The time of this machine, in milliseconds since 1970; now when left out. */
  readonly now?: number
}

/**
 * Checks the signature of a delivery, in constant time, and reads it.
 * @param rawBody the body as it came: parsing and printing it again changes its bytes
 * @param header `svc-signature`. One of its signatures must be right; there are two while a secret is rotated.
 * @param secret of the emitter, `whsec_…`, shown once when it was added or rotated
 * @throws WebhookError when the delivery must not be trusted, RangeError when the secret or an option is wrong
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  header: string | null | undefined,
  secret: string,
  { toleranceSeconds = 300, now = Date.now() }: WebhookOptions = {},
): Promise<WebhookBatch> {
  assertSecret(secret)
  if (!(Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0)) {
    throw new RangeError(`toleranceSeconds is ${toleranceSeconds}; it must be a number of seconds from 0`)
  }
  if (!Number.isFinite(now)) throw new RangeError(`now is ${now}; it must be milliseconds since 1970`)
  if (!header) throw new WebhookError('missing_signature', 'The request has no header svc-signature.')
  const { signatures, time } = partsOf(header)
  const offSeconds = Math.abs(Math.floor(now / 1000) - Number(time))
  if (offSeconds > toleranceSeconds) {
    throw new WebhookError(
      'signature_expired',
      `The signature is ${offSeconds} s away from this clock, and ${toleranceSeconds} s are allowed.`,
    )
  }
  const utf8 = new TextEncoder()
  const body = typeof rawBody === 'string' ? utf8.encode(rawBody) : new Uint8Array(rawBody)
  const signed = joined(utf8.encode(`${time}.`), body)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8.encode(secret), algorithm, false, ['verify'])
  const checks = await Promise.all(signatures.map((one) => crypto.subtle.verify('HMAC', key, one, signed)))
  if (!checks.includes(true)) {
    throw new WebhookError('wrong_signature', 'The signature was not made of this body with this secret.')
  }
  try {
    const batch: WebhookBatch = JSON.parse(new TextDecoder().decode(body))
    return batch
  } catch (cause) {
    throw new WebhookError('invalid_body', 'The body is signed, and not valid JSON.', { cause })
  }
}

/**
 * With an empty secret anyone can sign, so a setting that is missing must not pass for one. Base64 of at least 16
 * bytes, in either alphabet.
 */
function assertSecret(secret: unknown): void {
  const encoded = typeof secret === 'string' ? /^whsec_([\w+/-]{22,})={0,2}$/.exec(secret)?.[1] : undefined
  if (encoded === undefined || encoded.length % 4 === 1) {
    throw new RangeError('The secret is not the signing secret of an emitter: whsec_ and base64')
  }
}

/** Of `t=<unix seconds>,v1=<hex>`; there may be other parts, and several `v1` while a secret changes. */
function partsOf(header: string): { time: string; signatures: Uint8Array<ArrayBuffer>[] } {
  const parts = header.split(',').map((part) => part.trim().split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  const signatures = parts.flatMap(([name, hex = '']) =>
    name === 'v1' && /^[0-9a-f]{64}$/i.test(hex) ? [bytesOf(hex)] : [],
  )
  if (!/^\d{1,15}$/.test(time) || signatures.length === 0) {
    throw new WebhookError('malformed_signature', 'The header svc-signature is not t=<seconds>,v1=<hex>.')
  }
  return { time, signatures }
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) => parseInt(hex.slice(2 * at, 2 * at + 2), 16))
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(one.length + other.length)
  whole.set(one)
  whole.set(other, one.length)
  return whole
}
