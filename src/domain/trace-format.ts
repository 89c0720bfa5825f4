import { canReportOfNumber, namesOfCanReport, numberOfCanReport } from '#money/can-report-bits.ts'
import type { CanReport } from '#money/hold.ts'

/** A step of a call: its decisions by name, as JSON. */
export type Section = Readonly<Record<string, unknown>>

/** Also has the expensive dimensions that the hold covers. Explain shows their names. */
export type QuoteSection = Section & { readonly canReport?: CanReport }

/**
 * The gateway's notes on a call, for requests.explain. They are not in any other row. Null for a step that was not
 * reached.
 */
export interface Trace {
  readonly auth: Section | null
  readonly policy: (Section & { readonly limits?: readonly Section[] }) | null
  readonly quote: QuoteSection | null
  readonly reserve: (Section & { readonly legs: readonly Section[] }) | null
  readonly route:
    | (Section & { readonly lost?: readonly string[]; readonly targets?: readonly Section[] })
    | null
  readonly attempts: readonly Section[]
  readonly stream: Section | null
  readonly refusal: Section | null
}

/** A value with the same form in the list and in its section. */
interface PlainField {
  readonly section: 'policy' | 'quote' | 'reserve' | 'stream'
  readonly name: string
  readonly of: null
}

/**
 * A value that is shorter in the list. It states how to build the value from the trace, and where to put it when the
 * list is read.
 */
interface PackedField {
  readonly of: (trace: Trace) => unknown
  readonly into: (sections: Sections, value: unknown) => void
}

type Sections = Record<PlainField['section'], Record<string, unknown>> & {
  attempts?: readonly Section[]
  route?: Section
}

/**
 * A trace is written for every settled call, so it is a list of values in this order. An object of named sections would
 * be three times as long. Its bytes in the log of the store cost ten microseconds per call. New fields may only be
 * added at the end.
 */
const fields: readonly (PlainField | PackedField)[] = [
  plain('policy', 'bundle'),
  plain('policy', 'configVersion'),
  plain('quote', 'textTokensMax'),
  {
    of: ({ quote }) => (quote?.['textTokensBy'] === 'tokenizer' ? 1 : 0),
    into: ({ quote }, value) => (quote['textTokensBy'] = value === 1 ? 'tokenizer' : 'bytes'),
  },
  {
    of: ({ quote }) => quote?.canReport && numberOfCanReport(quote.canReport),
    into: ({ quote }, value) => (quote['canReport'] = namesOfCanReport(canReportOfNumber(Number(value)))),
  },
  plain('quote', 'audioTokensMax'),
  plain('quote', 'imageTokensMax'),
  plain('quote', 'inputTokensEstimated'),
  plain('quote', 'outputTokensAsked'),
  plain('quote', 'choices'),
  plain('quote', 'serviceTier'),
  plain('reserve', 'firstWorstMicros'),
  plain('reserve', 'outputTokensPerChoice'),
  plain('reserve', 'isClamped'),
  {
    of: ({ reserve }) => reserve && rowsOfLegs(reserve.legs),
    into: ({ reserve }, value) => {
      const micros = reserve['firstWorstMicros']
      reserve['legs'] = sectionsOf(value ?? [['wallet', 'wallet', 'micros', micros, micros]], legColumns)
    },
  },
  plain('reserve', 'walletPostedMicros'),
  plain('reserve', 'walletHeldMicros'),
  {
    of: ({ attempts }) => rowsOf(attempts, attemptColumns),
    into: (sections, value) => (sections.attempts = sectionsOf(value, attemptColumns)),
  },
  plain('stream', 'end'),
  plain('stream', 'firstByteMs'),
  {
    // The provider's wire and the fields that were not sent. Null if the client's own wire was used and all fields were
    // sent.
    of: ({ route }) => (route?.lost === undefined ? null : [route['upstreamWire'], ...route.lost]),
    into: (sections, value) => {
      const [upstreamWire, ...lost] = listOf(value)
      if (upstreamWire !== undefined) sections.route = { upstreamWire, lost }
    },
  },
  plain('reserve', 'waitedMs'),
  {
    // Null if the response was complete.
    of: ({ stream }) =>
      stream?.['longestGapMs'] === undefined ? null : paceFields.map((name) => stream[name] ?? null),
    into({ stream }, value) {
      for (const [at, name] of paceFields.entries()) if (value !== null) stream[name] = listOf(value)[at]
    },
  },
  plain('stream', 'clientLeftAtMs'),
  {
    of: ({ policy }) => policy?.limits && rowsOf(policy.limits, limitColumns),
    into({ policy }, value) {
      if (value !== null) policy['limits'] = sectionsOf(value, limitColumns)
    },
  },
  {
    // The form before routers existed. Only read for older calls.
    of: () => null,
    into(sections, value) {
      if (value !== null)
        sections.route = { ...sections.route, candidates: sectionsOf(value, candidateColumns) }
    },
  },
  {
    // Null if there was only one target, so that nothing had to be decided.
    of: ({ route }) =>
      route?.targets && [
        route['router'] ?? null,
        route['policy'] ?? null,
        rowsOf(route.targets.map(packedTarget), targetColumns),
      ],
    into(sections, value) {
      if (value === null) return
      const [router, policy, targets] = listOf(value)
      const known = sectionsOf(targets, targetColumns).map(unpackedTarget)
      sections.route = { ...sections.route, router, policy, targets: known }
    },
  },
  {
    // Null if only one target was called. Otherwise all except the last attempt failed.
    of: ({ attempts }) => (attempts.length < 2 ? null : rowsOf(attempts, triedColumns)),
    into(sections, value) {
      const tried = sectionsOf(value, triedColumns)
      if (value !== null)
        sections.attempts = sections.attempts?.map((attempt, at) => ({ ...attempt, ...tried[at] })) ?? tried
    },
  },
  {
    of: ({ stream }) => stream?.['droppedFrames'],
    into({ stream }, value) {
      if (value !== null) stream['droppedFrames'] = value
    },
  },
  {
    // Null if the requested model answered, as far as the provider says.
    of: ({ route }) => route?.['answeredBy'],
    into(sections, answeredBy) {
      if (answeredBy !== null) sections.route = { ...sections.route, answeredBy }
    },
  },
]

/**
 * Returns the text of a trace. A settled call has the list. Rejected and released calls are rare and have the object.
 */
export function textOfTrace(trace: Trace, isSettled: boolean): string {
  if (!isSettled) {
    const { quote } = trace
    const shown = quote?.canReport && { ...quote, canReport: namesOfCanReport(quote.canReport) }
    return JSON.stringify({ ...trace, quote: shown ?? quote })
  }
  const values = fields.map((field) =>
    field.of === null ? trace[field.section]?.[field.name] : field.of(trace),
  )
  // The last fields are nearly always null. Removing them saves ten bytes per call.
  while (values.length > 0 && (values.at(-1) ?? null) === null) values.pop()
  return JSON.stringify(values)
}

/** Returns the sections of a trace in either form. Empty for a call that died with its process. */
export function sectionsOfTrace(text: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(text)
  if (!Array.isArray(parsed)) return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  const sections: Sections = { policy: {}, quote: {}, reserve: {}, stream: {} }
  for (const [at, field] of fields.entries()) {
    const value: unknown = parsed[at] ?? null
    if (field.of === null) sections[field.section][field.name] = value
    else field.into(sections, value)
  }
  return sections
}

/** Returns the model that answered, if the provider stated another model than the requested one. Otherwise null. */
export function answeringModel(text: string): string | null {
  const { route } = sectionsOfTrace(text)
  const answeredBy: unknown =
    typeof route === 'object' && route !== null ? Reflect.get(route, 'answeredBy') : null
  return typeof answeredBy === 'string' ? answeredBy : null
}

function plain(section: PlainField['section'], name: string): PlainField {
  return { section, name, of: null }
}

const legColumns = ['sourceId', 'kind', 'unit', 'amount', 'micros']
const attemptColumns = ['status', 'failure', 'durationMs', 'atMs', 'connectMs', 'firstByteMs']
const paceFields = ['firstTokenMs', 'lastTokenMs', 'longestGapMs', 'bytes'] as const
const limitColumns = ['name', 'scope', 'limitMicros', 'usedMicros', 'heldMicros', 'resetsAtMs']
const candidateColumns = ['provider', 'accountId', 'model', 'skipped']
const targetColumns = ['path', 'accountId', 'provider', 'model', 'skip', 'worst']
const worstColumns = [
  'inputPrice',
  'outputPrice',
  'inputTokensMax',
  'outputTokensMax',
  'fixed',
  'outputRate',
  'multiplier',
]
const triedColumns = ['provider', 'account', 'model', 'code', 'costMicros', 'deadlines', 'notRepeated']

/** Returns null if the hold was only on the wallet. */
function rowsOfLegs(legs: readonly Section[]): unknown[][] | null {
  return legs.length === 1 && legs[0]?.['kind'] === 'wallet' ? null : rowsOf(legs, legColumns)
}

function packedTarget(target: Section): Section {
  const { worst } = target
  return isSection(worst) ? { ...target, worst: rowsOf([worst], worstColumns)[0] } : target
}

/** The worst case of a target is absent from older traces. */
function unpackedTarget({ worst, ...target }: Section): Section {
  return Array.isArray(worst) ? { ...target, worst: sectionsOf([worst], worstColumns)[0] } : target
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function rowsOf(sections: readonly Section[], columns: readonly string[]): unknown[][] {
  return sections.map((section) => {
    const row = columns.map((column) => section[column])
    while (row.length > 0 && (row.at(-1) ?? null) === null) row.pop()
    return row
  })
}

function sectionsOf(rows: unknown, columns: readonly string[]): Section[] {
  return listOf(rows).map((row) => Object.fromEntries(columns.map((column, i) => [column, listOf(row)[i]])))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
