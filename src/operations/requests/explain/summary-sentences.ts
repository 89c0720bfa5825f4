import { messageForTeam } from '#domain/accounts/account-fault-messages.ts'
import { errors, messageOf, type ErrorCode, type ErrorDetails } from '#domain/errors.ts'
import { dollarsText } from '#domain/sentence-of-money-rejection.ts'
import type { RefusalTrace, StoredTrace } from '#explain/sections-of-trace.ts'
import type { LimitSource } from '#money/refusal-types.ts'
import { refundedOf } from '#operations/requests/shared/request-view.ts'
import type { Facts } from './read-stored-facts.ts'

type Reader = 'customer' | 'end_user'

/** The end user's summary omits the actions of the provider and the advice to the customer's team. */
export function summaryOf(facts: Facts, reader: Reader): string {
  return [outcomeOf(facts, reader), ...correctedWords(facts)].join(' ')
}

function outcomeOf({ story: { call, hold, settlement }, trace }: Facts, reader: Reader): string {
  if (settlement)
    return [
      `Charged ${settlement.chargeMicros} of ${settlement.worstMicros} micros held.`,
      ...courseOf(trace, settlement, reader),
    ].join(' ')
  if (hold) return `In flight: ${hold.worstMicros} micros are held.`
  const { code, fix, message } = refusalWords(trace.refusal, call.errorCode, reader)
  const known = message === code ? `The error code is ${code}.` : message
  const why = code === null || known === null ? 'The provider did no work.' : known
  const mend = fix === null || reader === 'end_user' ? '' : ` ${fix}`
  if (call.status === 'refused') return `Rejected before any provider was called. ${why}${mend}`
  if (call.status === 'recovered')
    return 'Nothing was charged. The process ended before the request was sent.'
  const left = leftWords(trace.stream)
  return `Nothing was charged. ${left ?? why + mend}`
}

function correctedWords({ corrections }: Facts): string[] {
  const refunded = refundedOf(corrections)
  const late = corrections.find(({ kind }) => kind === 'late_usage')
  return [
    ...(late === undefined ? [] : [lateWords(late.chargeMicros)]),
    ...(refunded > 0n ? [`${refunded} micros were refunded.`] : []),
  ]
}

function lateWords(micros: bigint): string {
  const known = 'The true usage became known later'
  if (micros === 0n) return `${known}.`
  return micros > 0n
    ? `${known}: ${micros} micros were charged in addition.`
    : `${known}: ${-micros} micros were returned.`
}

function courseOf(
  { attempts, quote, refusal, reserve, stream }: StoredTrace,
  { overHoldMicros, tokenSource }: NonNullable<Facts['story']['settlement']>,
  reader: Reader,
): string[] {
  const sentences: string[] = []
  const waitedMs = reserve?.waitedMs ?? null
  if (waitedMs !== null) sentences.push(`The request waited ${waitedMs} ms for money held by other requests.`)
  if (reserve?.isClamped === true)
    sentences.push(
      `The output was limited to ${reserve.outputTokensPerChoice} tokens by the remaining balance.`,
    )
  const uses = quote?.tools?.uses ?? 0
  if (uses > 0 && reader === 'customer')
    sentences.push(
      `The first hold covered ${uses} of at most ${quote?.tools?.usesMax} uses of tools that the provider runs.`,
    )
  if (attempts && attempts.length > 1 && reader === 'customer') {
    const failed = attempts.slice(0, -1).map(({ failure, status }) => String(status ?? failure))
    sentences.push(`Attempt ${attempts.length} succeeded after ${failed.join(', ')}.`)
  }
  if (stream?.end === 'background') sentences.push('The response was generated in the background.')
  if (stream?.end === 'batch') sentences.push('The request was part of a batch.')
  if (stream?.end === 'canceled') sentences.push('The response was canceled while it was generated.')
  if (stream?.end === 'cut') sentences.push('The stream was cut when the hold was used up.')
  const left = leftWords(stream)
  if (left !== null) sentences.push(left)
  if (stream?.end === 'failed') sentences.push(`The response failed midway (${refusal?.code ?? ''}).`)
  sentences.push(
    tokenSource === 'provider_reported' ? 'The provider counted the usage.' : `The usage is ${tokenSource}.`,
  )
  if (overHoldMicros > 0n && reader === 'customer')
    sentences.push(
      `Usage exceeded the hold by ${overHoldMicros} micros, which are neither charged nor billed.`,
    )
  return sentences
}

function leftWords(stream: StoredTrace['stream']): string | null {
  if (stream?.end !== 'left') return null
  const { clientLeftAtMs = null } = stream
  return clientLeftAtMs === null
    ? 'The client disconnected.'
    : `The client disconnected after ${clientLeftAtMs} ms.`
}

export interface RefusalWords {
  readonly code: string | null
  readonly message: string | null
  readonly fix: string | null
  readonly fixOperation: string | null
}

export function refusalWords(
  refusal: RefusalTrace | null,
  errorCode: string | null,
  reader: Reader,
): RefusalWords {
  const code = refusal?.code ?? errorCode
  if (code === null || !isErrorCode(code)) return { code, message: code, ...noFix }
  const message = (reader === 'customer' ? messageForTeam : messageOf)(code, refusal ?? {})
  return { code, message, ...fixOf(code, refusal ?? {}) }
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code)
}

type Fix = Pick<RefusalWords, 'fix' | 'fixOperation'>

const noFix: Fix = { fix: null, fixOperation: null }

type Advice = readonly [words: string, operation: string]

const fixes: Readonly<Record<Exclude<LimitSource, 'end_user' | 'key'>, Advice>> = {
  key_cap: ['Raise the cap of the key', 'keys.cap'],
  key_limit: ['Raise the limit of the key', 'keys.cap'],
  portal_total: ['Raise the shared spend limit of portal keys', 'portal.configure'],
  bundle_limit: ['Raise the limit of the bundle', 'bundles.edit'],
  end_user_limit: ['Raise the limit of the end user', 'users.limit'],
  application_limit: ['Raise the limit of the application', 'gateway.set'],
  tag_limit: ['Raise the limit of the tag', 'tags.set'],
  team_limit: ['Raise the limit of the team', 'teams.add'],
  member_cap: ['Raise the cap of the team member, or add credit for the member', 'teams.addMember'],
  outcome_run: ['Raise the ceiling of the outcome, or start another run', 'outcomes.add'],
  on_demand_ceiling: ['Raise the on-demand ceiling', 'subscription.onDemand'],
  unpaid_invoice: ['Mark the invoice as paid after it is paid, or add credit', 'invoices.pay'],
  balance: ['Add credit, or turn on on-demand billing', 'grants.issue'],
  pool: ['Add credit, or let on-demand billing cover usage past the pool', 'grants.issue'],
}

const fixOfSource: ReadonlyMap<unknown, Advice> = new Map(Object.entries(fixes))

/** Null if the error's message already states how to fix the problem. */
function fixOf(code: ErrorCode, { available, limitSource, measure, requested }: ErrorDetails): Fix {
  if (code === 'end_user_frozen') return { fix: 'Unfreeze the end user.', fixOperation: 'users.unfreeze' }
  if (code === 'upstream_unauthorized') return { fix: null, fixOperation: 'providers.rotate' }
  if (code === 'balance_held') {
    const fix = 'Run fewer requests of this end user concurrently, or set a smaller max_tokens.'
    return { fix, fixOperation: null }
  }
  const known = fixOfSource.get(limitSource)
  if (known === undefined) return noFix
  const [words, fixOperation] = known
  if (measure !== undefined || typeof requested !== 'string' || typeof available !== 'string')
    return { fix: `${words}.`, fixOperation }
  const missing = BigInt(requested) - BigInt(available)
  const fix =
    missing > 0n
      ? `${words}. With one output token, this request needs ${dollarsText(missing)} more.`
      : `${words}.`
  return { fix, fixOperation }
}
