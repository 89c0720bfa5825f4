import { errors, messageOf, type ErrorCode, type ErrorDetails } from '#domain/errors.ts'
import { dollarsText } from '#domain/refusal-sentence.ts'
import type { CallCorrection, CallStory } from '#domain/records.ts'
import { refundedOf } from './request-view.ts'
import { textOf } from './trace-section.ts'

type Section = Readonly<Record<string, unknown>>

/** The phases that a summary uses. */
export interface Told {
  readonly story: CallStory
  readonly reserve: Section | null
  readonly attempts: readonly Section[]
  readonly stream: Section | null
  readonly refusal: Section | null
}

/**
 * Returns a summary of a request, in words. The end user's view omits the provider's actions and what the customer's
 * team can do.
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

/** Returns sentences on later corrections. Empty if there are none. */
export function correctedWords(corrections: readonly CallCorrection[]): string {
  const refunded = refundedOf(corrections)
  const late = corrections.find(({ kind }) => kind === 'late_usage')
  const sentences = late === undefined ? [] : [lateWords(late.chargeMicros)]
  if (refunded > 0n) sentences.push(`${refunded} micros were refunded.`)
  return sentences.map((sentence) => ` ${sentence}`).join('')
}

function lateWords(micros: bigint): string {
  const known = 'The true usage became known later'
  if (micros === 0n) return `${known}.`
  return micros > 0n
    ? `${known}: ${micros} micros more were charged.`
    : `${known}: ${-micros} micros were given back.`
}

/** Returns the clauses of a charged request. */
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
  /** ID of the operation that fixes the problem. */
  readonly fixOperation: string | null
}

/** Returns the sentence of a rejection and its fix. */
export function refusalWords(refusal: Section | null, errorCode: string | null): RefusalWords {
  const code = typeof refusal?.['code'] === 'string' ? refusal['code'] : errorCode
  if (code === null || !isErrorCode(code)) return { code, message: code, ...noFix }
  const details: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(refusal ?? {}))
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      details[name] = value
  return { code, message: messageOf(code, details), ...fixOf(code, details) }
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code)
}

type Fix = Pick<RefusalWords, 'fix' | 'fixOperation'>

const noFix: Fix = { fix: null, fixOperation: null }

const fixes: Readonly<Record<string, readonly [words: string, operation: string]>> = {
  key_cap: ['Raise the cap of the key', 'keys.cap'],
  portal_total: ['Raise the total of portal keys', 'portal.configure'],
  bundle_limit: ['Raise the spend limit of the bundle', 'bundles.edit'],
  end_user_limit: ['Raise the limit of the end user', 'users.limit'],
  outcome_run: ['Raise the ceiling of the outcome, or start another run', 'outcomes.add'],
  on_demand_ceiling: ['Raise the ceiling of on-demand', 'subscription.onDemand'],
  unpaid_invoice: ['Mark the invoice as paid once it is, or add credit', 'invoices.pay'],
  balance: ['Add credit, or turn on on-demand', 'grants.issue'],
  pool: ['Add credit, or let on-demand billing cover usage past the pool', 'grants.issue'],
}

/** Null if the sentence of the error already says everything. */
function fixOf(code: ErrorCode, { available, limitSource, requested }: ErrorDetails): Fix {
  if (code === 'end_user_frozen') return { fix: 'Let them spend again.', fixOperation: 'users.unfreeze' }
  if (code === 'balance_held') {
    const fix = 'Let fewer calls of this person run at once, or state a smaller max_tokens.'
    return { fix, fixOperation: null }
  }
  const known = fixes[String(limitSource)]
  if (known === undefined) return noFix
  const [words, fixOperation] = known
  if (typeof requested !== 'string' || typeof available !== 'string')
    return { fix: `${words}.`, fixOperation }
  const missing = BigInt(requested) - BigInt(available)
  const fix =
    missing > 0n
      ? `${words}: ${dollarsText(missing)} more admits this request with one token of output.`
      : `${words}.`
  return { fix, fixOperation }
}
