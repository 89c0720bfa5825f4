import { Failure } from '#domain/errors.ts'
import { authenticateAgain } from '#gateway/arrive/authenticate.ts'
import { waitMsOf } from '#gateway/arrive/wait-limit-from-client-timeout.ts'
import type { ParsedCall, ReservedCall } from '#gateway/call/call-state-types.ts'
import { isHeld, type Place } from '#gateway/call/calls-waiting-for-money.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { leastDemand } from './maximum-usage-of-call.ts'
import { decideOnce, type Known } from './check-and-reserve.ts'
import { withoutTools } from '#gateway/call/apply-provider-tool-rules.ts'
import { countsTokens, isTooMuch, type TextCounter, tokenizerBound } from './input-bound-by-tokenizer.ts'

/** After as many changes of the key or the end user, the call is rejected and can be retried. */
const staleTries = 4

/**
 * If only calls in flight make the available amount too small, waits for one of them to end.
 * @throws Failure
 * @throws ClientDisconnected
 */
export async function reserve(call: ParsedCall): Promise<ReservedCall> {
  const { line } = call
  const known = nothingKnown(call)
  const releasesSeen = line.releases
  const behind = line.isEmpty ? null : line.failureBehind(placeOf(call))
  // Call `decideOnce` directly, because `decide` would create two more promises for every call.
  const first = behind ?? (await decideOnce(call, known, false))
  const outcome = behind ?? (isReserved(first) ? first : await decideAgain(call, known, first))
  if (isReserved(outcome)) return outcome
  if (!isHeld(outcome)) throw outcome
  return waitForRoom(call, known, outcome, releasesSeen)
}

/**
 * Never waits, because the other requests of the same batch may hold the money.
 * @throws Failure
 */
export async function reserveNow(call: ParsedCall): Promise<ReservedCall> {
  const outcome = await decide(call, nothingKnown(call))
  if (outcome instanceof Failure) throw outcome
  return outcome
}

function nothingKnown({ request }: ParsedCall): Known {
  return {
    textBound: { tokensMax: request.textTokensMax, by: 'bytes' },
    counted: undefined,
    plan: null,
  }
}

async function decide(call: ParsedCall, known: Known): Promise<ReservedCall | Failure> {
  const first = await decideOnce(call, known, false)
  return isReserved(first) ? first : decideAgain(call, known, first)
}

function isReserved(outcome: ReservedCall | Failure | 'stale'): outcome is ReservedCall {
  return outcome !== 'stale' && !(outcome instanceof Failure)
}

/**
 * Repeats the decision if the configuration, key or end user has changed, or if the balance may cover the tokenizer's
 * count but not one token per byte. If the call is still rejected, makes the last decision without the provider-run
 * tools.
 */
async function decideAgain(
  call: ParsedCall,
  known: Known,
  first: Failure | 'stale',
): Promise<ReservedCall | Failure> {
  let outcome: ReservedCall | Failure | 'stale' = first
  let staleTimes = 0
  while (!isReserved(outcome)) {
    if (outcome === 'stale') {
      // oxlint-disable-next-line no-await-in-loop -- each try depends on the one before
      call.caller = await authenticateAgain(call, call.caller)
      // The plan depends on the configuration and on the bundle of the key's end user.
      known.plan = null
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (call.readAgain !== null) replaceRequest(call, known, await call.readAgain())
      staleTimes++
      if (staleTimes === staleTries) {
        call.ports.log.warn(
          { requestId: call.id, tries: staleTries },
          'request rejected: outdated at every try',
        )
        return new Failure('store_unavailable', { retryAfterSeconds: 1 })
      }
    } else {
      if (!isTooMuch(outcome)) return outcome
      // oxlint-disable-next-line no-await-in-loop -- as above
      const tokensMax = known.textBound.by === 'tokenizer' ? null : await countedBound(call, known, outcome)
      if (tokensMax !== null) known.textBound = { tokensMax, by: 'tokenizer' }
      else if (!dropTools(call, known, outcome)) return outcome
      staleTimes = 0
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    outcome = await decideOnce(call, known, staleTimes > 0)
  }
  return outcome
}

/**
 * Called if the balance does not cover a single use of the provider-run tools. Returns false if the request has no such
 * tools, requires them, or may be admitted when other calls end.
 */
function dropTools(call: ParsedCall, known: Known, refusal: Failure): boolean {
  const request = refusal.code === 'rate_limited' || isHeld(refusal) ? null : withoutTools(call.request)
  if (request === null) return false
  call.readAgain = null
  replaceRequest(call, known, request)
  return true
}

/** A batch runs on one account, so the new request keeps the account of its batch. */
function replaceRequest(call: ParsedCall, known: Known, parsed: WireRequest): void {
  const { batchAccountId } = call.request
  const request = batchAccountId === undefined ? parsed : { ...parsed, batchAccountId }
  Object.assign(call, { request })
  known.textBound = { tokensMax: request.textTokensMax, by: 'bytes' }
  known.counted = undefined
  known.plan = null
}

/** Null if the call would be rejected even with the tokenizer's count, or if the tokenizer is not available. */
function countedBound(
  { caller, ports, request, routed }: ParsedCall,
  known: Known,
  refusal: Failure,
): Promise<number | null> | null {
  if (routed === null) return null
  const { ways } = routed
  const available = availableIn(refusal)
  const isOfTokens = countsTokens(refusal)
  const once: TextCounter = {
    async count(words) {
      if (known.counted === undefined)
        known.counted = await ports.tokens.count(words, caller.config.organizationId)
      return known.counted
    },
  }
  return tokenizerBound(
    request,
    ways.map(({ plan }) => plan),
    once,
    (textTokens) => (isOfTokens ? BigInt(textTokens) : leastDemand(request, ways, textTokens)) <= available,
  )
}

/** The failure always contains this amount if `isTooMuch` returns true. */
function availableIn({ details, operatorDetails }: Failure): bigint {
  const available = details['available'] ?? operatorDetails['available']
  return typeof available === 'string' ? BigInt(available) : 0n
}

/** Repeats the decision each time money may have become available. */
async function waitForRoom(
  call: ParsedCall,
  known: Known,
  held: Failure,
  releasesSeen: number,
): Promise<ReservedCall> {
  const { caller, line, ports, response } = call
  const { clock, limits } = ports
  const tryAgain = async (): Promise<ReservedCall> => {
    const outcome = await decide(call, known)
    if (outcome instanceof Failure) throw outcome
    return outcome
  }
  const waiting = line.wait(placeOf(call), held, tryAgain, {
    withinMs: waitMsOf(response.req.headers, caller.config.gateway?.holdWaitMs ?? limits.heldWaitMs),
    releasesSeen,
    response,
  })
  if (waiting === null) throw held
  const sinceMs = clock.monotonicMs()
  try {
    return await waiting
  } finally {
    call.waitedMs = Math.round(clock.monotonicMs() - sinceMs)
  }
}

function placeOf({ caller: { key }, request: { model, outcome } }: ParsedCall): Place {
  return { key, alias: model, run: outcome && `${outcome.slug}\n${outcome.runId}` }
}
