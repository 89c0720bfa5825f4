/** Verifies and parses the deliveries of usage events that your endpoint receives. */
import { WebhookError } from './errors.ts'

/** A delivery of usage events. */
export interface WebhookBatch {
  /** ID of the batch, such as `usgb_…`. All attempts to deliver the batch have the same ID. */
  id: string
  type: 'usage.recorded' | (string & {})
  events: UsageRecorded[]
}

/** The event for a settled request. */
export interface UsageRecorded {
  /** ID of the usage record. A delivery may arrive twice, so count each key once. */
  idempotencyKey: string
  usageRecordId: string
  organizationId: string
  /** ID of the end user, such as `eu_…`. Null if the request had no end user. */
  endUserId: string | null
  apiKeyId: string | null
  /** ID of the request, such as `req_…`. */
  requestId: string | null
  /** The provider that served the request. */
  provider: string
  /** The provider's model that served the request, not the requested model name. */
  model: string
  streamed: boolean
  tokens: {
    inputTokens: number
    outputTokens: number
    cachedInputTokens: number
    reasoningTokens: number
    /** Source of the counts, such as `provider_reported`. */
    tokenCountSource: string
  }
  /** Cost that the provider charges to the account, in integer micros as a decimal string. */
  providerCostMicros: string
  /** Sell price in the plan, in integer micros as a decimal string. */
  billedAmountMicros: string
}

export interface WebhookOptions {
  /**
   * Maximum difference between the time in the signature and the clock of this machine, in seconds. Defaults to 300.
   */
  readonly toleranceSeconds?: number
  /** The current time, in milliseconds since 1970. Defaults to the clock of this machine. */
  readonly now?: number
}

/**
 * Verifies the signature of a delivery in constant time, and parses the delivery.
 * @param rawBody the body as it was received; do not parse and serialize it again, because that changes its bytes
 * @param header the header `svc-signature`. At least one signature in the header must match. While a secret is rotated,
 * the header contains two signatures.
 * @param secret signing secret of the emitter, `whsec_…`, shown once when the secret was created or rotated
 * @throws WebhookError if the delivery must not be trusted, RangeError if the secret or an option is not valid
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  header: string | null | undefined,
  secret: string,
  { toleranceSeconds = 300, now = Date.now() }: WebhookOptions = {},
): Promise<WebhookBatch> {
  assertSecret(secret)
  if (!(Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0)) {
    throw new RangeError(`toleranceSeconds must be a number of seconds from 0, but is ${toleranceSeconds}`)
  }
  if (!Number.isFinite(now)) throw new RangeError(`now must be milliseconds since 1970, but is ${now}`)
  if (!header) throw new WebhookError('missing_signature', 'The header svc-signature is missing.')
  const { signatures, time } = partsOf(header)
  const offSeconds = Math.abs(Math.floor(now / 1000) - Number(time))
  if (offSeconds > toleranceSeconds) {
    throw new WebhookError(
      'signature_expired',
      `The time of the signature differs from this clock by ${offSeconds} s, and at most ${toleranceSeconds} s are allowed.`,
    )
  }
  const utf8 = new TextEncoder()
  const body = typeof rawBody === 'string' ? utf8.encode(rawBody) : new Uint8Array(rawBody)
  const signed = joined(utf8.encode(`${time}.`), body)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', utf8.encode(secret), algorithm, false, ['verify'])
  const checks = await Promise.all(signatures.map((one) => crypto.subtle.verify('HMAC', key, one, signed)))
  if (!checks.includes(true)) {
    throw new WebhookError('wrong_signature', 'The signature does not match this body and this secret.')
  }
  const batch = documentOf(body)
  if (typeof batch !== 'object' || batch === null || Array.isArray(batch)) {
    throw new WebhookError('invalid_body', 'The signature is valid, but the body is not a JSON object.')
  }
  // The cast is safe, because only the server knows the secret, and it signs only batches.
  return batch as WebhookBatch
}

function documentOf(body: Uint8Array): unknown {
  try {
    const document: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return document
  } catch (cause) {
    throw new WebhookError('invalid_body', 'The signature is valid, but the body is not valid JSON.', {
      cause,
    })
  }
}

/**
 * Rejects secrets that are not base64 of at least 16 bytes, with the standard or the URL-safe alphabet. Anyone could
 * sign with an empty secret, so a missing setting must not be accepted.
 */
function assertSecret(secret: unknown): void {
  const encoded = typeof secret === 'string' ? /^whsec_([\w+/-]{22,})={0,2}$/.exec(secret)?.[1] : undefined
  if (encoded === undefined || encoded.length % 4 === 1) {
    throw new RangeError('The secret must be the signing secret of an emitter: whsec_ followed by base64')
  }
}

/**
 * Parses a header of the form `t=<unix seconds>,v1=<hex>`. All other parts of the header are ignored. While a secret is
 * rotated, the header contains several parts `v1`.
 */
function partsOf(header: string): { time: string; signatures: Uint8Array<ArrayBuffer>[] } {
  const parts = header.split(',').map((part) => {
    const [name = '', ...rest] = part.trim().split('=')
    return [name, rest.join('=')] as const
  })
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  const signatures = parts.flatMap(([name, hex]) =>
    name === 'v1' && /^[0-9a-f]{64}$/i.test(hex) ? [bytesOf(hex)] : [],
  )
  if (!/^\d{1,15}$/.test(time) || signatures.length === 0) {
    throw new WebhookError(
      'malformed_signature',
      'The header svc-signature must have the form t=<seconds>,v1=<hex>.',
    )
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
