/**
 * Composes the sentence with which a request is rejected for money, in the end user's words and units. The sentence
 * depends only on the error's code and details. The gateway therefore shows the same sentence on every wire (API
 * format), and in the explanation of a stored request. If an earlier version stored the rejection without some details,
 * the sentence omits these details.
 */
import { formatDollars } from '#money/amount.ts'

/** The type `ErrorDetails` of errors.ts, which cannot be imported because errors.ts imports this file. */
type Details = Readonly<Record<string, string | number | boolean | null>>

export type MoneyCode =
  | 'insufficient_credit'
  | 'spend_limit_exceeded'
  | 'stream_spend_limit'
  | 'outcome_capped'
  | 'balance_held'
  | 'rate_limited'

/**
 * The function is pure. @param details the details of the error (gateway/call/failure-of-money-rejection.ts); amounts
 * are decimal strings
 */
export function refusalSentence(code: MoneyCode, details: Details): string {
  const sentences = wordings[code](details)
  return sentences.filter((one) => one !== null).join(' ')
}

type Sentences = readonly (string | null)[]

const wordings: Readonly<Record<MoneyCode, (details: Details) => Sentences>> = {
  insufficient_credit: (details) => [
    sourceCause(details),
    onDemandCause(details),
    need(details),
    remedy(details, 'Add credit, or request fewer tokens.'),
  ],
  spend_limit_exceeded: (details) =>
    details['measure'] === undefined ? spendSentences(details) : rateSentences(details),
  // Include the error code, because some clients show only the message, and users of these clients search for the code.
  stream_spend_limit: (details) => [
    `spend_limit_exceeded: the ${dollarsIn(details, 'limit')} held for this response is used up, and no more credit is available.`,
    remedy(details, 'Add credit, or request fewer tokens.'),
  ],
  outcome_capped: (details) => [
    limitCause(details),
    need(details),
    'Start another run, raise the ceiling, or request fewer tokens.',
  ],
  rate_limited: (details) => rateSentences(details),
  balance_held: (details) => [
    `Requests in progress hold ${dollarsIn(details, 'held')} of ${heldSubject(details)}, which leaves ${dollarsIn(details, 'available')}.`,
    need(details),
    `Unused credit is returned when those requests finish. Retry in ${textIn(details, 'retryAfterSeconds') ?? '1'} s.`,
  ],
}

function spendSentences(details: Details): Sentences {
  return [
    limitCause(details),
    need(details),
    details['limitSource'] === 'on_demand_ceiling' ? remedy(details, null) : null,
  ]
}

/** Names the source that does not have enough money: the plan's pool that renews first, or the balance. */
function sourceCause(details: Details): string {
  const available = amountIn(details, 'available') ?? 0n
  const pool = poolIn(details)
  if (pool === null) {
    return available > 0n ? `Your balance has ${dollarsText(available)} left.` : 'Your balance is used up.'
  }
  const { granted, left, name, currency } = pool
  const date = dateIn(details, 'poolRenewsAt')
  if (currency === null) {
    const rest = left > 0n ? `has ${dollarsText(left)} of ${dollarsText(granted)} left` : 'is used up'
    const amount = left > 0n ? '' : ` (${dollarsText(granted)})`
    const cause = `Your plan's ${name}${amount} ${rest}${date === null ? '' : ` and renews on ${date}`}.`
    return available > left ? `${cause} In total, ${dollarsText(available)} is available.` : cause
  }
  const whole = `${creditsText(granted)} ${currency}`
  if (left > 0n) {
    const more = date === null ? '' : `; more are granted on ${date}`
    return `Your plan has ${creditsText(left)} of its ${whole} left${more}.`
  }
  return `Your plan's ${whole} are used up${date === null ? '' : ` and renew on ${date}`}.`
}

function onDemandCause(details: Details): string | null {
  if (details['limitSource'] === 'unpaid_invoice') {
    const id = textIn(details, 'invoiceId')
    if (id === null) return 'On-demand billing is blocked until your past-due invoice is paid.'
    const due = dateIn(details, 'invoiceDueAt')
    const facts = `${dollarsIn(details, 'invoiceAmountMicros')}${due === null ? '' : `, due ${due}`}`
    return `On-demand billing is blocked until invoice ${id} (${facts}) is paid.`
  }
  return details['onDemand'] === 'off' ? 'On-demand billing is off.' : null
}

function limitCause(details: Details): string {
  const available = amountIn(details, 'available') ?? 0n
  const date = dateIn(details, 'resetsAt')
  const rest = available > 0n ? `has ${dollarsText(available)} left` : 'is reached'
  return `${limitSubject(details)} of ${dollarsIn(details, 'limit')} ${rest}${date === null ? '' : ` and resets on ${date}`}.`
}

const limitSubjects: Readonly<Record<string, string>> = {
  key_cap: "This key's cap",
  portal_total: 'The shared spend limit of keys created in the portal',
  bundle_limit: "Your plan's spend limit",
  end_user_limit: 'Your spend limit',
  on_demand_ceiling: 'Your monthly on-demand limit',
  member_cap: 'Your monthly limit in the team',
}

function limitSubject(details: Details): string {
  const source = textIn(details, 'limitSource') ?? ''
  if (source === 'outcome_run') return `The ceiling of the run ${textIn(details, 'run') ?? ''}`.trimEnd()
  return limitSubjects[source] ?? 'Your spend limit'
}

/** Names the source whose money is held by calls in flight, as a part of a sentence. */
function heldSubject(details: Details): string {
  const source = textIn(details, 'limitSource')
  if (source === 'balance' || source === null) return 'your balance'
  if (source === 'pool') return "your plan's credit"
  const subject = limitSubject(details)
  return `${subject.charAt(0).toLowerCase()}${subject.slice(1)}`
}

function need(details: Details): string | null {
  const requested = amountIn(details, 'requested')
  if (requested === null) return null
  const credits = amountIn(details, 'poolRequested')
  const currency = poolIn(details)?.currency ?? null
  const inCredits = credits === null || currency === null ? '' : `${creditsText(credits)} ${currency} or `
  return `This request needs up to ${inCredits}${dollarsText(requested)}.`
}

/** If the application has no page where it sells credit, gives general advice. */
function remedy(details: Details, otherwise: string | null): string | null {
  const payUrl = textIn(details, 'payUrl')
  if (payUrl !== null) return `Pay the invoice at ${payUrl}`
  const url = textIn(details, 'topUpUrl')
  return url === null ? otherwise : `Add credit at ${url}`
}

/** If the source is not in this table, a limit of the end user rejected the request. */
const rateSubjects: Readonly<Record<string, string>> = {
  key_limit: "This key's limit",
  bundle_limit: "Your plan's limit",
}

const rateUnits: Readonly<Record<string, string>> = {
  requests: 'requests',
  tokens: 'tokens',
  inputTokens: 'input tokens',
  outputTokens: 'output tokens',
  calls: 'requests in progress',
}

const rateSpans: Readonly<Record<string, string>> = {
  minute: ' per minute',
  '5h': ' within 5 hours',
  hour: ' per hour',
  day: ' per day',
  week: ' per week',
  month: ' per month',
  total: ' in total',
}

/**
 * If the details contain no measure (such as tokens), a limit of this server rejected the request, not a customer's
 * limit.
 */
function rateSentences(details: Details): Sentences {
  const seconds = details['waitSeconds'] ?? details['retryAfterSeconds']
  const retry = seconds === undefined ? null : `Retry in ${String(seconds)} s.`
  if (details['measure'] === undefined) return ['Too many requests.', retry ?? 'Retry later.']
  const models = details['models']
  const scope = models === undefined ? '' : ` for ${String(models)}`
  const span = rateSpans[String(details['window'])] ?? ''
  const available = amountIn(details, 'available') ?? 0n
  const rest = available > 0n ? `has ${rateAmountIn(details, 'available')} left` : 'is reached'
  const tag = textIn(details, 'tag')
  const team = textIn(details, 'team')
  if (tag !== null || team !== null || details['limitSource'] === 'application_limit') {
    const what = rateUnits[String(details['measure'])] ?? 'spend'
    const label = tag === null ? 'this application' : `the tag ${tag}`
    const owner = team === null ? label : `the team ${team}`
    return [`The limit of ${owner} for ${what}${span}${scope} is reached.`, retry]
  }
  const subject = rateSubjects[textIn(details, 'limitSource') ?? ''] ?? 'Your limit'
  return [
    `${subject} of ${rateAmountIn(details, 'limit')}${span}${scope} ${rest}.`,
    `This request needs ${rateAmountIn(details, 'requested')}.`,
    retry,
  ]
}

function rateAmountIn(details: Details, name: string): string {
  const text = String(details[name] ?? '0')
  const measure = String(details['measure'])
  if (measure === 'micros') return dollarsText(BigInt(text))
  return `${text} ${rateUnits[measure] ?? measure}`
}

interface PoolFacts {
  readonly name: string
  /** Name of the credits in which the amounts are given, in millionths. Null means that amounts are in micros. */
  readonly currency: string | null
  readonly granted: bigint
  readonly left: bigint
}

function poolIn(details: Details): PoolFacts | null {
  const granted = amountIn(details, 'poolGranted')
  if (granted === null) return null
  const left = amountIn(details, 'poolLeft') ?? 0n
  const unit = textIn(details, 'poolUnit') ?? 'micros'
  return {
    name: textIn(details, 'poolName') ?? 'credit',
    currency: unit === 'micros' ? null : unit,
    granted,
    left,
  }
}

function textIn(details: Details, name: string): string | null {
  const value = details[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

function amountIn(details: Details, name: string): bigint | null {
  const text = textIn(details, name)
  return text !== null && /^-?\d+$/.test(text) ? BigInt(text) : null
}

function dollarsIn(details: Details, name: string): string {
  return dollarsText(amountIn(details, name) ?? 0n)
}

/** Returns the exact amount, with at least two decimals, such as `$1.50`. Negative amounts are shown as zero. */
export function dollarsText(micros: bigint): string {
  return `$${formatDollars(micros < 0n ? 0n : micros).replace(/0{1,4}$/, '')}`
}

export function signedDollars(micros: bigint): string {
  return micros < 0n ? `-${dollarsText(-micros)}` : dollarsText(micros)
}

/** Writes millionths of a credit as credits: `5`, `0.25`. */
function creditsText(millionths: bigint): string {
  return formatDollars(millionths < 0n ? 0n : millionths).replace(/\.?0+$/, '')
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/** Returns a date such as `December 23`, in UTC. */
function dateIn(details: Details, name: string): string | null {
  const text = textIn(details, name)
  const match = text === null ? null : /^\d{4}-(\d\d)-(\d\d)T/.exec(text)
  const month = months[Number(match?.[1]) - 1]
  return match === null || month === undefined ? null : `${month} ${Number(match[2])}`
}
