import { Failure } from '#domain/errors.ts'
import { isAllowed } from '#money/model-name-pattern.ts'
import { dimensionsOn, type Price } from '#money/price.ts'
import type { KeyRecord, ApplicationConfig } from '#domain/application-config.ts'
import type { Means } from '#domain/gateway-directory-interface.ts'
import { boundaryOf } from '#wire/text/form-parts.ts'
import { bodyFormatOf, type Arrival } from '#gateway/call/arrived-request-types.ts'
import { largeBodyBytesMin, type HeldBody } from '#gateway/overload/limit-memory-of-bodies.ts'
import { failureOfRefusal } from '#gateway/call/failure-of-money-rejection.ts'
import { timeOf, type Caller } from '#gateway/call/caller-of-request.ts'
import { authenticateAgain, callerFault } from './authenticate.ts'

/**
 * Decides from the head alone whether to read a body. Checks the content type, the size and the free memory. For a
 * large body, also checks whether the caller can pay its minimum cost. A client that waits for the status `100
 * Continue` receives this status only if all checks pass.
 * @throws Failure
 */
export function admitBody(arrival: Arrival, caller: Caller): HeldBody | Promise<HeldBody> {
  const { ports, response } = arrival
  const { headers } = response.req
  const { 'content-encoding': encoding = 'identity', 'content-type': type } = headers
  const format = bodyFormatOf(arrival.route)
  const isBytesAccepted = format === 'content' || (arrival.route.isBedrock === true && isBytes(type))
  const isAccepted = format === 'form' ? boundaryOf(type ?? '') !== null : isBytesAccepted || isJson(type)
  if (!isAccepted || encoding.toLowerCase() !== 'identity')
    throw new Failure('unsupported_media_type', format === 'form' ? { types: 'multipart/form-data' } : {})
  const { requestBytesMax } = ports.limits
  const declared = Number(headers['content-length'] ?? 0)
  if (declared > requestBytesMax) throw new Failure('request_too_large', { limitBytes: requestBytesMax })
  const isLarge = declared > largeBodyBytesMin || headers['transfer-encoding'] !== undefined
  return isLarge ? admitLarge(arrival, caller, declared) : hold(arrival, caller, declared)
}

async function admitLarge(arrival: Arrival, caller: Caller, declared: number): Promise<HeldBody> {
  const refusal = await refusalOf(arrival, caller)
  if (refusal) throw refusal
  return hold(arrival, caller, declared)
}

function hold(arrival: Arrival, caller: Caller, declared: number): HeldBody {
  const { response } = arrival
  const held = holdMemory(arrival, caller, declared)
  if (response.req.headers.expect !== undefined) response.writeContinue()
  return held
}

export function holdMemory({ ports }: Arrival, { config, key }: Caller, bytes: number): HeldBody {
  const { applicationId, organizationId } = config
  return ports.bodies.hold({ keyId: key.keyId, applicationId, organizationId }, bytes)
}

/**
 * Every text of 64 KiB has at least this many tokens, because the longest token of any tokenizer is 128 spaces. Media
 * have more tokens per byte than text. The number must not be too high, because the check may reject only callers that
 * certainly cannot pay.
 */
const tokensMin = 64n
const unitsPerPrice = 1_000_000n

/**
 * Null if the caller can pay for a large body, or if only the reserve can decide this. The cached key and configuration
 * may be outdated, so both are read from the store before a rejection.
 */
async function refusalOf(arrival: Arrival, cached: Caller): Promise<Failure | null> {
  const { directory, portalUrl } = arrival.ports
  const realMs = arrival.ports.clock.nowMs()
  const seen = await meansOf(arrival, cached, realMs)
  if (seen.canPay && !seen.isFrozen) return null
  const caller = await authenticateAgain(arrival, cached)
  const { config, key } = caller
  const fault = callerFault(key, timeOf(caller, realMs))
  if (fault) return fault
  const isUnchanged = config === cached.config && key.bundleId === cached.key.bundleId
  const { canPay, micros, requested } = isUnchanged ? seen : await meansOf(arrival, caller, realMs)
  if (canPay) return null
  const overdue = await directory.overdueInvoice(key, realMs)
  return failureOfRefusal(
    {
      kind: 'refused',
      code: 'insufficient_credit',
      limitSource: overdue === null ? 'balance' : 'unpaid_invoice',
      limit: micros === null || micros < 0n ? 0n : micros,
      used: null,
      // Do not subtract the holds of other calls, because these calls may end before the reserve.
      held: null,
      requested,
      resetsAtMs: null,
    },
    { config, overdue, portalUrl: portalUrl(config.slug) },
  )
}

async function meansOf(
  { ports: { directory } }: Arrival,
  { config, key }: Caller,
  realMs: number,
): Promise<Pick<Means, 'isFrozen' | 'micros'> & { readonly canPay: boolean; readonly requested: bigint }> {
  const requested = leastMicros(config, key)
  const { hasCredits, isFrozen, micros } = await directory.means(key, realMs)
  const bundle = key.bundleId === null ? undefined : config.bundles.get(key.bundleId)
  const overdraft = bundle?.policy === 'grace' ? bundle.maxOverdraftMicros : 0n
  return {
    isFrozen,
    micros,
    requested,
    canPay: micros === null || hasCredits || micros + overdraft >= requested,
  }
}

const leastOf = new WeakMap<ApplicationConfig, Map<string | null, bigint>>()

/** 0 if one of the model names that the key may call is free of charge. */
function leastMicros(config: ApplicationConfig, { bundleId }: KeyRecord): bigint {
  let known = leastOf.get(config)
  if (!known) leastOf.set(config, (known = new Map()))
  let least = known.get(bundleId)
  if (least === undefined) known.set(bundleId, (least = computeLeast(config, bundleId)))
  return least
}

function computeLeast(config: ApplicationConfig, bundleId: string | null): bigint {
  const bundle = bundleId === null ? undefined : config.bundles.get(bundleId)
  let least: bigint | null = null
  for (const alias of config.aliases.values()) {
    if (!bundle || alias.isDisabled || !isAllowed(alias.name, bundle.allow, bundle.deny)) continue
    const own = bundle.prices.get(alias.name)?.sell ?? null
    for (const price of [own, ...alias.sources.map((source) => source.price)]) {
      const rate = price === null ? null : cheapestInput(price)
      if (rate !== null && (least === null || rate < least)) least = rate
    }
  }
  return ((least ?? 0n) * tokensMin + unitsPerPrice - 1n) / unitsPerPrice
}

const newInput = ['input', ...dimensionsOn('media')] as const

function cheapestInput(price: Price): bigint | null {
  const rates = [price, ...(price.tiers ?? [])].flatMap((at) =>
    newInput.map((dimension) => at[dimension]).filter((rate) => rate !== undefined),
  )
  return rates.length === 0 ? null : rates.reduce((least, rate) => (rate < least ? rate : least))
}

/**
 * If the header states a charset, the charset must be UTF-8. A looser match was the vulnerability CVE-2026-25223 in
 * Fastify.
 */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  if (contentType === 'application/json') return true
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  const isUtf8Named = parameters.every((parameter) => {
    return !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter)
  })
  return type === 'application/json' && isUtf8Named
}

/**
 * Bedrock's clients send this content type at `invoke`. It is safe to accept, because a page of another origin needs a
 * preflight to send it.
 */
function isBytes(type: string | undefined): boolean {
  return type === 'application/octet-stream'
}
