import { errors, messageOf, type ErrorCode, type ErrorDetails } from '#domain/errors.ts'
import type { CallStory } from '#domain/records.ts'
import { textOf } from './trace-section.ts'

type Section = Readonly<Record<string, unknown>>

/** The phases that a summary speaks of. */
export interface Told {
  readonly story: CallStory
  readonly reserve: Section | null
  readonly attempts: readonly Section[]
  readonly stream: Section | null
  readonly refusal: Section | null
}

/**
 * What happened to a call, in words. The person who made it is told neither what the provider did nor what the
 * customer's team can do about it.
 */
export function summaryOf(told: Told, view: 'customer' | 'end_user' = 'customer'): string {
  const { call, hold, settlement } = told.story
  if (settlement)
    return `Charged ${settlement.chargeMicros} of ${settlement.worstMicros} micros held${courseOf(told, view)}.`
  if (hold) return `In flight: ${hold.worstMicros} micros are held.`
  const { code, fix, message } = refusalWords(told.refusal, call.errorCode)
  const why = message ?? code ?? 'the provider did no work'
  const mend = fix === null || view === 'end_user' ? '' : ` ${fix}`
  if (call.status === 'refused') return `Refused before any provider was called: ${why}${mend}`
  if (call.status === 'recovered') return 'Nothing was charged: the process ended before the call was sent.'
  const left = leftWords(told.stream)
  return left === null ? `Nothing was charged: ${why}${mend}` : `Nothing was charged: ${left}.`
}

/** The clauses of a call that was charged. */
function courseOf(
  { attempts, refusal, reserve, stream, story: { settlement } }: Told,
  view: 'customer' | 'end_user',
): string {
  const clauses: string[] = []
  const waitedMs = reserve?.['waitedMs']
  if (typeof waitedMs === 'number') clauses.push(`it waited ${waitedMs} ms for money that other calls held`)
  if (reserve?.['isClamped'] === true)
    clauses.push(
      `the answer was limited to ${String(reserve['outputTokensPerChoice'])} tokens by what was left`,
    )
  if (attempts.length > 1) {
    const failed = attempts.slice(0, -1).map(({ failure, status }) => String(status ?? failure))
    clauses.push(`attempt ${attempts.length} served it after ${failed.join(', ')}`)
  }
  if (stream?.['end'] === 'cut') clauses.push('it was cut when the hold was spent')
  const left = leftWords(stream)
  if (left !== null) clauses.push(left)
  if (stream?.['end'] === 'failed') clauses.push(`it failed midway (${textOf(refusal?.['code'])})`)
  if (settlement !== null) {
    const { overHoldMicros, tokenSource } = settlement
    clauses.push(tokenSource === 'provider_reported' ? 'the provider counted' : `the usage is ${tokenSource}`)
    if (overHoldMicros > 0n && view === 'customer')
      clauses.push(
        `${overHoldMicros} micros more were used than was held for, and are neither charged nor billed`,
      )
  }
  return clauses.map((clause) => `; ${clause}`).join('')
}

function leftWords(stream: Section | null): string | null {
  if (stream?.['end'] !== 'left') return null
  const atMs = stream['clientLeftAtMs']
  return typeof atMs === 'number' ? `the client left after ${atMs} ms` : 'the client left'
}

export interface RefusalWords {
  readonly code: string | null
  readonly message: string | null
  readonly fix: string | null
}

/** The sentence of a refusal, and what mends it. */
export function refusalWords(refusal: Section | null, errorCode: string | null): RefusalWords {
  const code = typeof refusal?.['code'] === 'string' ? refusal['code'] : errorCode
  if (code === null || !isErrorCode(code)) return { code, message: code, fix: null }
  const details: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(refusal ?? {}))
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      details[name] = value
  return { code, message: messageOf(code, details), fix: fixOf(code, details) }
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code)
}

const fixes: Readonly<Record<string, string>> = {
  key_cap: 'Raise the cap of the key with POST /v1/keys/{id}/cap',
  bundle_limit: 'Raise the spend limit with PATCH /v1/bundles/{slug}',
  outcome_run: 'Raise the ceiling with PUT /v1/outcomes/{slug}, or start another run',
  on_demand_ceiling: 'Raise the ceiling of on-demand with POST /v1/subscription/on-demand',
  balance: 'Add credit with POST /v1/grants, or turn on on-demand',
  pool: 'Add credit with POST /v1/grants, or let the pool go on with on-demand',
}

/** Null: the sentence of the error says all there is to say. */
function fixOf(code: ErrorCode, { available, limitSource, requested }: ErrorDetails): string | null {
  if (code === 'end_user_frozen') return 'Let them spend again with POST /v1/end-users/{externalId}/unfreeze.'
  if (code === 'balance_held')
    return 'Let fewer calls of this person run at once, or state a smaller max_tokens.'
  const fix = fixes[String(limitSource)]
  if (fix === undefined) return null
  if (typeof requested !== 'string' || typeof available !== 'string') return `${fix}.`
  const missing = BigInt(requested) - BigInt(available)
  return missing > 0n ? `${fix}: ${missing} micros more admit this call with one token of output.` : `${fix}.`
}
