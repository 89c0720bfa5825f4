import { canReportOfNumber, namesOfCanReport, numberOfCanReport } from '#money/can-report.ts'
import type { CanReport } from '#money/hold.ts'

/** A step of a call by the names of what was decided in it, as JSON. */
export type Section = Readonly<Record<string, unknown>>

/** With the dear dimensions that a call was held for, once it was; explain shows their names. */
export type QuoteSection = Section & { readonly canReport?: CanReport }

/** What the gateway notes of a call beyond what other rows tell, for requests.explain; null: a step not reached. */
export interface Trace {
  readonly auth: Section | null
  readonly policy: Section | null
  readonly quote: QuoteSection | null
  readonly reserve: Section | null
  readonly route: Section | null
  readonly attempts: readonly Section[]
  readonly stream: Section | null
  readonly refusal: Section | null
}

/** A value of the list: where it comes from, and where it goes to when the list is read. */
interface Field {
  readonly of: (trace: Trace) => unknown
  readonly into: (sections: Sections, value: unknown) => void
}

type Sections = Record<'policy' | 'quote' | 'reserve' | 'stream', Record<string, unknown>> & {
  attempts?: readonly Section[]
  route?: Section
}

/**
 * A settled call's trace is written for every call, so it is a list of values in this order: as an object of
 * named sections it was three times as long, and its bytes in the log of the store cost ten microseconds a
 * call. Fields are only ever added, at the end.
 */
const fields: readonly Field[] = [
  field('policy', 'bundle'),
  field('policy', 'configVersion'),
  field('quote', 'textTokensMax'),
  {
    of: ({ quote }) => (quote?.['textTokensBy'] === 'tokenizer' ? 1 : 0),
    into: ({ quote }, value) => (quote['textTokensBy'] = value === 1 ? 'tokenizer' : 'bytes'),
  },
  {
    of: ({ quote }) => quote?.canReport && numberOfCanReport(quote.canReport),
    into: ({ quote }, value) => (quote['canReport'] = namesOfCanReport(canReportOfNumber(Number(value)))),
  },
  field('quote', 'audioTokensMax'),
  field('quote', 'imageTokensMax'),
  field('quote', 'inputTokensEstimated'),
  field('quote', 'outputTokensAsked'),
  field('quote', 'choices'),
  field('quote', 'serviceTier'),
  field('reserve', 'firstWorstMicros'),
  field('reserve', 'outputTokensPerChoice'),
  field('reserve', 'isClamped'),
  {
    of: ({ reserve }) => rowsOfLegs(listOf(reserve?.['legs'])),
    into: ({ reserve }, value) => {
      const micros = reserve['firstWorstMicros']
      reserve['legs'] = sectionsOf(value ?? [['wallet', 'wallet', 'micros', micros, micros]], legColumns)
    },
  },
  field('reserve', 'walletPostedMicros'),
  field('reserve', 'walletHeldMicros'),
  {
    of: ({ attempts }) => rowsOf(attempts, attemptColumns),
    into: (sections, value) => (sections.attempts = sectionsOf(value, attemptColumns)),
  },
  field('stream', 'end'),
  field('stream', 'firstByteMs'),
  {
    // The provider's wire, and what of the request it was not sent; null: the client's own wire, and nothing.
    of: ({ route }) =>
      route?.['upstreamWire'] === undefined ? null : [route['upstreamWire'], ...listOf(route['lost'])],
    into: (sections, value) => {
      const [upstreamWire, ...lost] = listOf(value)
      if (upstreamWire !== undefined) sections.route = { upstreamWire, lost }
    },
  },
  field('reserve', 'waitedMs'),
]

/** The text of a trace: the list for a settled call; refused and released ones are rare, and theirs is the object. */
export function textOfTrace(trace: Trace, isSettled: boolean): string {
  if (!isSettled) {
    const { quote } = trace
    const shown = quote?.canReport && { ...quote, canReport: namesOfCanReport(quote.canReport) }
    return JSON.stringify({ ...trace, quote: shown ?? quote })
  }
  const values = fields.map(({ of }) => of(trace))
  // Last and nearly always null: ten bytes less a call.
  while (values.at(-1) === null) values.pop()
  return JSON.stringify(values)
}

/** The sections of a trace, whichever way it was written. Empty for a call that died with its process. */
export function sectionsOfTrace(text: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(text)
  if (!Array.isArray(parsed)) return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  const sections: Sections = { policy: {}, quote: {}, reserve: {}, stream: {} }
  for (const [at, { into }] of fields.entries()) into(sections, parsed[at] ?? null)
  return sections
}

/** A field that is the same in the list and in its section. */
function field(section: 'policy' | 'quote' | 'reserve' | 'stream', name: string): Field {
  return {
    of: (trace) => trace[section]?.[name],
    into: (sections, value) => (sections[section][name] = value),
  }
}

const legColumns = ['sourceId', 'kind', 'unit', 'amount', 'micros']
const attemptColumns = ['status', 'failure', 'durationMs']

/** Null where the wallet alone backed the hold. */
function rowsOfLegs(legs: readonly Section[]): unknown[][] | null {
  return legs.length === 1 && legs[0]?.['kind'] === 'wallet' ? null : rowsOf(legs, legColumns)
}

function rowsOf(sections: readonly Section[], columns: readonly string[]): unknown[][] {
  return sections.map((section) => columns.map((column) => section[column]))
}

function sectionsOf(rows: unknown, columns: readonly string[]): Section[] {
  return listOf(rows).map((row) => Object.fromEntries(columns.map((column, i) => [column, listOf(row)[i]])))
}

function listOf<Item = unknown>(value: readonly Item[] | unknown): readonly Item[] {
  return Array.isArray(value) ? value : []
}
