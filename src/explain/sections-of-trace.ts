/**
 * A trace consists of the facts for `requests.explain` that are stored in no other row. The fields below determine the
 * types of the writer (`textOfTrace`) and the reader (`traceOf`), and the check of stored traces. Amounts are decimal
 * strings of micros, and times are in milliseconds.
 *
 * Stored rows contain the fields in the order of `columns`, so append new fields at the end.
 */
import type { ErrorDetails } from '#domain/errors.ts'
import { canReportOfNumber, namesOfCanReport } from '#money/reportable-dimensions-as-number.ts'
import type { CanReport } from '#money/decision-types.ts'
import type { Uses } from '#money/price.ts'
import {
  amount,
  count,
  flag,
  list,
  namesOf,
  optional,
  record,
  text,
  type Field,
  type Stored,
  type Written,
} from './trace-field-types.ts'

const texts = list(text)

const limit = {
  name: text,
  scope: text,
  limitMicros: amount,
  usedMicros: amount,
  heldMicros: amount,
  resetsAtMs: count,
}

/** The part of a call's first hold (before any extension) that one source, such as a pool, pays. */
const leg = { sourceId: text, kind: text, unit: text, amount, micros: amount }

/** The terms of a worst-case cost (`WorstTerms` of money/cost.ts), and the rates of the price for input and output. */
const worst = {
  inputPrice: amount,
  outputPrice: amount,
  inputTokensMax: count,
  outputTokensMax: count,
  fixed: amount,
  outputRate: amount,
  multiplier: amount,
  fees: optional(amount),
}

const target = {
  path: texts,
  accountId: text,
  provider: text,
  model: text,
  skip: record({ code: text, reason: text }),
  worst: record(worst),
}

/** `bytes` or `tokenizer`, or 0 or 1 in a stored list. */
const countedBy: Field<string> = (stored) =>
  typeof stored === 'number' ? (stored === 1 ? 'tokenizer' : 'bytes') : text(stored)

/**
 * The expensive price dimensions that the hold covers. In a list, all names are stored as a single number
 * (money/reportable-dimensions-as-number.ts).
 */
const canReport: Field<string[], CanReport> = (stored) =>
  typeof stored === 'number' ? namesOfCanReport(canReportOfNumber(stored)) : texts(stored)

const tools = { kinds: texts, uses: count, usesMax: count, tokensPerUse: count, searchesPerUse: count }

/** Billed items that are known from the request, such as its images. The hold covers these items. */
const uses: Field<Readonly<Record<string, number>>, Uses> = (stored) => {
  if (typeof stored !== 'object' || stored === null) return null
  const counts = Object.entries<unknown>({ ...stored })
  return Object.fromEntries(
    counts.flatMap(([name, held]) => (typeof held === 'number' ? [[name, held]] : [])),
  )
}

/** Traces from before routers existed contain such targets. They are no longer written, but still read. */
const candidate = { provider: text, accountId: text, model: text, skipped: text }
const listed = list(record(candidate))
const candidates: Field<Stored<typeof candidate>[], never> = (stored) => listed(stored)

/**
 * Stored for each attempt, even if a call had only one. `atMs` counts from the start of the request, and all other
 * times from the start of the attempt.
 */
const measured = {
  status: count,
  failure: text,
  durationMs: count,
  atMs: count,
  connectMs: count,
  firstByteMs: count,
}

/** For a settled request, stored only if the request had several attempts. */
const tried = {
  provider: text,
  account: text,
  model: text,
  code: optional(text),
  costMicros: optional(amount),
  deadlines: optional(
    record({
      connectMs: optional(count),
      firstByteMs: optional(count),
      firstTokenMs: optional(count),
      idleMs: optional(count),
      totalMs: optional(count),
    }),
  ),
  notRepeated: optional(text),
}

const attempt = {
  ...measured,
  ...tried,
  fault: optional(record({ host: text, cause: text, systemCode: text })),
}

export type RefusalTrace = ErrorDetails & { readonly code: string | null }

const refusal: Field<RefusalTrace> = (stored) => {
  if (typeof stored !== 'object' || stored === null) return null
  const known: Record<string, string | number | boolean | null> = {}
  for (const [name, value] of Object.entries<unknown>({ ...stored }))
    if (
      value === null ||
      typeof value === 'string' ||
      typeof value === 'number' ||
      typeof value === 'boolean'
    )
      known[name] = value
  return { ...known, code: text(known['code']) }
}

/** The order of the fields is their order in stored lists. */
export const columns = {
  leg: namesOf(leg),
  limit: namesOf(limit),
  measured: namesOf(measured),
  target: namesOf(target),
  tools: namesOf(tools),
  tried: namesOf(tried),
  worst: namesOf(worst),
}

/**
 * In a trace that was stored as a list, `policy`, `quote` and `reserve` have only the first fields. Do not change the
 * order of these fields.
 */
export const sections = {
  auth: record({ keyId: text, endUserId: text, mode: text }),
  policy: record({
    bundle: text,
    configVersion: count,
    limits: optional(list(record(limit))),
    terminationPolicy: text,
    debitBasis: text,
    outcome: optional(text),
    run: optional(text),
  }),
  quote: record({
    textTokensMax: count,
    textTokensBy: countedBy,
    canReport: optional(canReport),
    audioTokensMax: count,
    imageTokensMax: count,
    inputTokensEstimated: count,
    outputTokensAsked: count,
    choices: count,
    serviceTier: text,
    tools: optional(record(tools)),
    uses: optional(uses),
    quoteId: text,
  }),
  reserve: record({
    firstWorstMicros: amount,
    outputTokensPerChoice: count,
    isClamped: flag,
    legs: list(record(leg)),
    walletPostedMicros: amount,
    walletHeldMicros: amount,
    waitedMs: count,
    worstMicros: amount,
    worstCredits: amount,
  }),
  route: record({
    provider: text,
    accountId: text,
    model: text,
    upstreamWire: optional(text),
    lost: optional(texts),
    answeredBy: optional(text),
    router: optional(text),
    policy: optional(text),
    targets: optional(list(record(target))),
    candidates: optional(candidates),
  }),
  attempts: list(record(attempt)),
  stream: record({
    end: text,
    firstByteMs: count,
    firstTokenMs: optional(count),
    lastTokenMs: optional(count),
    longestGapMs: optional(count),
    bytes: optional(count),
    clientLeftAtMs: count,
    droppedFrames: optional(count),
  }),
  refusal,
}

/** A section is null if the request did not reach its step. */
export type Trace = Written<typeof sections>

export type StoredTrace = Required<Stored<typeof sections>>

export type LimitTrace = Written<typeof limit>
export type WorstTrace = Written<typeof worst>

export type StoredWorst = Stored<typeof worst>
export type TargetTrace = Written<typeof target>
export type StoredLeg = Stored<typeof leg>
