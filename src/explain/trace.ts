/**
 * The trace of a request: the gateway's notes for requests.explain that no other row contains. This file lists the
 * fields of each section once. The types of the writer (`textOfTrace`) and of the reader (`traceOf`) follow from
 * it, and so does the check of stored traces. Amounts are decimal strings of micros, times are milliseconds.
 *
 * The order of the fields in `limit`, `leg`, `target`, `worst`, `measured` and `tried` is their order in stored rows.
 * Append new fields at the end.
 */
import type { ErrorDetails } from '#domain/errors.ts'
import type { CanReport } from '#money/hold.ts'
import {
  amount,
  count,
  flag,
  list,
  optional,
  record,
  text,
  type Field,
  type Stored,
  type Written,
} from './trace-fields.ts'

const texts = list(text)

/** A limit that was checked. */
export const limit = {
  name: text,
  scope: text,
  limitMicros: amount,
  usedMicros: amount,
  heldMicros: amount,
  resetsAtMs: count,
}

/** Part of the first hold that one source backs. */
export const leg = { sourceId: text, kind: text, unit: text, amount, micros: amount }

/** The terms of a worst case (`WorstTerms` of money/cost.ts) and the base rates. */
export const worst = {
  inputPrice: amount,
  outputPrice: amount,
  inputTokensMax: count,
  outputTokensMax: count,
  fixed: amount,
  outputRate: amount,
  multiplier: amount,
}

/** A target that the router could choose. */
export const target = {
  path: texts,
  accountId: text,
  provider: text,
  model: text,
  skip: record({ code: text, reason: text }),
  worst: record(worst),
}

/** The expensive dimensions that the hold covers, stored by name. */
const canReport: Field<string[], CanReport> = (stored) => texts(stored)

/** Possible targets from before routers existed. They are only read. */
const candidate = { provider: text, accountId: text, model: text, skipped: text }
const listed = list(record(candidate))
const candidates: Field<Stored<typeof candidate>[], never> = (stored) => listed(stored)

/** The facts of every attempt. `atMs` counts from the start of the request, the other times from the attempt's. */
export const measured = {
  status: count,
  failure: text,
  durationMs: count,
  atMs: count,
  connectMs: count,
  firstByteMs: count,
}

/** Stored for settled requests only if there were several attempts. */
export const tried = {
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

export const attempt = {
  ...measured,
  ...tried,
  fault: optional(record({ host: text, cause: text, systemCode: text })),
}

export const sections = {
  auth: { keyId: text, endUserId: text, mode: text },
  policy: {
    bundle: text,
    terminationPolicy: text,
    debitBasis: text,
    configVersion: count,
    limits: optional(list(record(limit))),
  },
  quote: {
    quoteId: text,
    textTokensMax: count,
    textTokensBy: text,
    audioTokensMax: count,
    imageTokensMax: count,
    inputTokensEstimated: count,
    outputTokensAsked: count,
    choices: count,
    serviceTier: text,
    canReport: optional(canReport),
  },
  reserve: {
    worstMicros: amount,
    firstWorstMicros: amount,
    worstCredits: amount,
    outputTokensPerChoice: count,
    isClamped: flag,
    waitedMs: count,
    legs: list(record(leg)),
    walletPostedMicros: amount,
    walletHeldMicros: amount,
  },
  route: {
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
  },
  stream: {
    end: text,
    firstByteMs: count,
    firstTokenMs: optional(count),
    lastTokenMs: optional(count),
    longestGapMs: optional(count),
    bytes: optional(count),
    clientLeftAtMs: count,
    droppedFrames: optional(count),
  },
}

type Sections = typeof sections

/** The code of the error and its details, by the names of the error table. */
export type RefusalTrace = ErrorDetails & { readonly code: string | null }

/** A trace as the gateway writes it. A section is null if the request did not reach its step. */
export type Trace = { readonly [Name in keyof Sections]: Written<Sections[Name]> | null } & {
  readonly attempts: readonly Written<typeof attempt>[]
  readonly refusal: RefusalTrace | null
}

export type LimitTrace = Written<typeof limit>
export type WorstTrace = Written<typeof worst>

export type StoredWorst = Stored<typeof worst>
export type StoredLeg = Stored<typeof leg>
export type StoredAttempt = Stored<typeof attempt>

/** A trace as it was stored. */
export type StoredTrace = { readonly [Name in keyof Sections]: Stored<Sections[Name]> | null } & {
  readonly attempts: readonly StoredAttempt[]
  readonly refusal: RefusalTrace | null
}
