/**
 * A trace is written for every settled request, so it is stored as a list of values. An object with named sections
 * would be three times as long, and writing it would take ten microseconds per request. Rejected and released requests
 * are rare, so their traces are stored as objects.
 */
import { namesOfCanReport, numberOfCanReport } from '#money/reportable-dimensions-as-number.ts'
import { record } from './trace-field-types.ts'
import { columns, sections, type StoredTrace, type TargetTrace, type Trace } from './sections-of-trace.ts'

export function textOfTrace(trace: Trace, isSettled: boolean): string {
  if (isSettled) return JSON.stringify(trimmed(listOf(trace)))
  const { quote } = trace
  const canReport = quote?.canReport
  return JSON.stringify(
    canReport ? { ...trace, quote: { ...quote, canReport: namesOfCanReport(canReport) } } : trace,
  )
}

/**
 * Omits values that other rows contain. `sectionsOfList` reads the values in this order, so new values may only be
 * added at the end.
 */
function listOf({ policy, quote, reserve, route, stream, attempts: all }: Trace): unknown[] {
  const attempts = all ?? []
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
    // Null if all of the money was held in the wallet.
    reserve?.legs &&
      (reserve.legs.length === 1 && reserve.legs[0]?.kind === 'wallet'
        ? null
        : rowsOf(reserve.legs, columns.leg)),
    reserve?.walletPostedMicros,
    reserve?.walletHeldMicros,
    rowsOf(attempts, columns.measured),
    stream?.end,
    stream?.firstByteMs,
    // Null if the provider uses the client's own wire and received all fields.
    route?.lost && [route.upstreamWire, ...route.lost],
    reserve?.waitedMs,
    // Null if the response was not streamed.
    stream?.longestGapMs === undefined
      ? null
      : [stream.firstTokenMs, stream.lastTokenMs, stream.longestGapMs, stream.bytes],
    stream?.clientLeftAtMs,
    policy?.limits && rowsOf(policy.limits, columns.limit),
    // Traces from before routers existed have route candidates here. They are no longer written, but still read.
    null,
    // Null if there was only one target to choose.
    route?.targets && [route.router, route.policy, route.targets.map(targetRow)],
    attempts.length < 2 ? null : rowsOf(attempts, columns.tried),
    stream?.droppedFrames,
    route?.answeredBy,
    quote?.tools && rowOf(quote.tools, columns.tools),
    quote?.uses,
  ]
}

const read = record(sections)

const unreached = {
  auth: null,
  policy: null,
  quote: null,
  reserve: null,
  route: null,
  stream: null,
  refusal: null,
}

/**
 * A value with an unexpected type is read as null.
 * @param stored the stored text; null for a request in flight; `{}` for a request that died with its process
 */
export function traceOf(stored: string | null): StoredTrace {
  const parsed: unknown = stored === null ? null : JSON.parse(stored)
  return { ...unreached, attempts: [], ...read(Array.isArray(parsed) ? sectionsOfList(parsed) : parsed) }
}

function sectionsOfList(stored: readonly unknown[]): object {
  const values: unknown[] = Array.from({ length: 32 }, (_, at) => stored[at] ?? null)
  const [attempts, end, firstByteMs, conversion, waitedMs, pace, clientLeftAtMs] = values.slice(17)
  const [limits, candidates, routed, several, droppedFrames, answeredBy, tools, uses] = values.slice(24)
  const firstWorstMicros = values[11]
  values[14] ??= [['wallet', 'wallet', 'micros', firstWorstMicros, firstWorstMicros]]
  const [upstreamWire, ...lost] = rowIn(conversion)
  const [router, policy, targets] = rowIn(routed)
  const [firstTokenMs, lastTokenMs, longestGapMs, bytes] = rowIn(pace)
  return {
    policy: [...values.slice(0, 2), limits ?? undefined],
    quote: [...values.slice(2, 11), tools ?? undefined, uses ?? undefined],
    reserve: [...values.slice(11, 17), waitedMs],
    route: {
      ...(conversion !== null && { upstreamWire, lost }),
      ...(candidates !== null && { candidates }),
      ...(routed !== null && { router, policy, targets }),
      ...(answeredBy !== null && { answeredBy }),
    },
    attempts: rowIn(attempts).map((row, at) => [
      ...columns.measured.map((_, column) => rowIn(row)[column]),
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

function targetRow(planned: TargetTrace): unknown[] {
  const { worst: terms } = planned
  return trimmed(
    columns.target.map((name) => (name === 'worst' ? terms && rowOf(terms, columns.worst) : planned[name])),
  )
}

function rowsOf<Section>(all: readonly Section[], names: readonly (keyof Section)[]): unknown[][] {
  return all.map((section) => rowOf(section, names))
}

function rowOf<Section>(section: Section, names: readonly (keyof Section)[]): unknown[] {
  return trimmed(names.map((name) => section[name]))
}

/** The last values are nearly always null. */
function trimmed(values: unknown[]): unknown[] {
  while (values.length > 0 && (values.at(-1) ?? null) === null) values.pop()
  return values
}

function rowIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
