/**
 * The stored form of a trace. A trace is written for every settled request, so it is a list of values. An object of
 * named sections would be three times as long. Its bytes in the log of the store cost ten microseconds per request.
 * Rejected and released requests are rare and have the object.
 */
import { canReportOfNumber, namesOfCanReport, numberOfCanReport } from '#money/can-report-bits.ts'
import {
  attempt,
  leg,
  limit,
  measured,
  sections,
  target,
  tried,
  worst,
  type RefusalTrace,
  type StoredTrace,
  type Trace,
} from './trace.ts'
import { list, namesOf, record, text, type Written } from './trace-fields.ts'

/** Returns the text of a trace. Only the gateway calls this. */
export function textOfTrace(trace: Trace, isSettled: boolean): string {
  if (isSettled) return JSON.stringify(trimmed(listOf(trace)))
  const { quote } = trace
  const canReport = quote?.canReport
  return JSON.stringify(
    canReport ? { ...trace, quote: { ...quote, canReport: namesOfCanReport(canReport) } } : trace,
  )
}

/**
 * Values that other rows contain are omitted. `sectionsOfList` reads the values in this order. New values may only be
 * added at the end.
 */
function listOf({ attempts, policy, quote, reserve, route, stream }: Trace): unknown[] {
  return [
    policy?.bundle,
    policy?.configVersion,
    quote?.textTokensMax,
    quote?.textTokensBy === 'tokenizer' ? 1 : 0,
    quote?.canReport && numberOfCanReport(quote.canReport),
    quote?.audioTokensMax,
    quote?.imageTokensMax,
    quote?.inputTokensEstimated,
    quote?.outputTokensAsked,
    quote?.choices,
    quote?.serviceTier,
    reserve?.firstWorstMicros,
    reserve?.outputTokensPerChoice,
    reserve?.isClamped,
    // Null if the hold was only on the wallet.
    reserve?.legs &&
      (reserve.legs.length === 1 && reserve.legs[0]?.kind === 'wallet'
        ? null
        : rowsOf(reserve.legs, legNames)),
    reserve?.walletPostedMicros,
    reserve?.walletHeldMicros,
    rowsOf(attempts, measuredNames),
    stream?.end,
    stream?.firstByteMs,
    // Null if the client's own wire was used and all fields were sent.
    route?.lost && [route.upstreamWire, ...route.lost],
    reserve?.waitedMs,
    // Null if the response was non-streaming.
    stream?.longestGapMs === undefined
      ? null
      : [stream.firstTokenMs, stream.lastTokenMs, stream.longestGapMs, stream.bytes],
    stream?.clientLeftAtMs,
    policy?.limits && rowsOf(policy.limits, limitNames),
    // Candidates from before routers existed. They are only read.
    null,
    // Null if there was only one target, so that nothing had to be decided.
    route?.targets && [route.router, route.policy, route.targets.map(targetRow)],
    attempts.length < 2 ? null : rowsOf(attempts, triedNames),
    stream?.droppedFrames,
    route?.answeredBy,
  ]
}

/**
 * Reads a stored trace. A value of an unexpected type is null.
 * @param stored null for a request in flight; `{}` for a request that died with its process
 */
export function traceOf(stored: string | null): StoredTrace {
  const parsed: unknown = stored === null ? {} : JSON.parse(stored)
  const found = Array.isArray(parsed) ? sectionsOfList(parsed) : objectOf(parsed)
  return {
    auth: read.auth(found['auth']),
    policy: read.policy(found['policy']),
    quote: read.quote(found['quote']),
    reserve: read.reserve(found['reserve']),
    route: read.route(found['route']),
    attempts: read.attempts(found['attempts']) ?? [],
    stream: read.stream(found['stream']),
    refusal: found['refusal'] ? refusalOf(objectOf(found['refusal'])) : null,
  }
}

const read = {
  auth: record(sections.auth),
  policy: record(sections.policy),
  quote: record(sections.quote),
  reserve: record(sections.reserve),
  route: record(sections.route),
  stream: record(sections.stream),
  attempts: list(record(attempt)),
}

type Values = Readonly<Record<string, unknown>>

function sectionsOfList(stored: readonly unknown[]): Values {
  const [
    bundle,
    configVersion,
    textTokensMax,
    isTokenizer,
    canReport,
    audioTokensMax,
    imageTokensMax,
    inputTokensEstimated,
    outputTokensAsked,
    choices,
    serviceTier,
    firstWorstMicros,
    outputTokensPerChoice,
    isClamped,
    legs,
    walletPostedMicros,
    walletHeldMicros,
    attempts,
    end,
    firstByteMs,
    conversion,
    waitedMs,
    pace,
    clientLeftAtMs,
    limits,
    candidates,
    routed,
    several,
    droppedFrames,
    answeredBy,
  ] = Array.from({ length: 30 }, (_, at) => stored[at] ?? null)
  const [upstreamWire, ...lost] = rowIn(conversion)
  const [firstTokenMs, lastTokenMs, longestGapMs, bytes] = rowIn(pace)
  const [router, policy, targets] = rowIn(routed)
  const amount = firstWorstMicros
  return {
    policy: { bundle, configVersion, ...(limits !== null && { limits }) },
    quote: {
      textTokensMax,
      textTokensBy: isTokenizer === 1 ? 'tokenizer' : 'bytes',
      canReport: namesOfCanReport(canReportOfNumber(Number(canReport))),
      audioTokensMax,
      imageTokensMax,
      inputTokensEstimated,
      outputTokensAsked,
      choices,
      serviceTier,
    },
    reserve: {
      firstWorstMicros,
      outputTokensPerChoice,
      isClamped,
      waitedMs,
      legs: legs ?? [{ sourceId: 'wallet', kind: 'wallet', unit: 'micros', amount, micros: amount }],
      walletPostedMicros,
      walletHeldMicros,
    },
    route: {
      ...(conversion !== null && { upstreamWire, lost }),
      ...(candidates !== null && { candidates }),
      ...(routed !== null && { router, policy, targets }),
      ...(answeredBy !== null && { answeredBy }),
    },
    attempts: rowIn(attempts).map((row, at) => [
      ...measuredNames.map((_, column) => rowIn(row)[column]),
      ...rowIn(rowIn(several)[at]),
    ]),
    stream: {
      end,
      firstByteMs,
      ...(pace !== null && { firstTokenMs, lastTokenMs, longestGapMs, bytes }),
      clientLeftAtMs,
      ...(droppedFrames !== null && { droppedFrames }),
    },
  }
}

const legNames = namesOf(leg)
const limitNames = namesOf(limit)
const measuredNames = namesOf(measured)
const targetNames = namesOf(target)
const triedNames = namesOf(tried)
const worstNames = namesOf(worst)

function targetRow(planned: Written<typeof target>): unknown[] {
  const { worst: terms } = planned
  return trimmed(
    targetNames.map((name) => (name === 'worst' ? terms && rowOf(terms, worstNames) : planned[name])),
  )
}

function rowsOf<Section>(all: readonly Section[], names: readonly (keyof Section)[]): unknown[][] {
  return all.map((section) => rowOf(section, names))
}

function rowOf<Section>(section: Section, names: readonly (keyof Section)[]): unknown[] {
  return trimmed(names.map((name) => section[name]))
}

/** Removes values at the end that are null, which the last ones nearly always are. */
function trimmed(values: unknown[]): unknown[] {
  while (values.length > 0 && (values.at(-1) ?? null) === null) values.pop()
  return values
}

function refusalOf(stored: Values): RefusalTrace {
  const details: Record<string, string | number | boolean | null> = {}
  for (const [name, value] of Object.entries(stored))
    if (
      value === null ||
      typeof value === 'string' ||
      typeof value === 'number' ||
      typeof value === 'boolean'
    )
      details[name] = value
  return { ...details, code: text(stored['code']) }
}

function objectOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function rowIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
