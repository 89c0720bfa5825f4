import { canReportOfNumber, namesOfCanReport } from '#money/can-report.ts'

/**
 * What the gateway notes of a call beyond what other rows tell, for requests.explain.
 *
 * A settled call's note is written for every call, so it is a list of values in a fixed order: as an
 * object of named sections it was three times as long, and its bytes in the log of the store cost ten
 * microseconds a call. Refused and released calls have no other rows and are rare: theirs is the object.
 */
export interface SettledNote {
  readonly bundle: string
  readonly configVersion: number
  readonly textTokensMax: number
  /** 1: the text was counted by a tokenizer; 0: its bytes are the bound. */
  readonly isTextCounted: 0 | 1
  /** The dear dimensions that it was held for (money/can-report.ts). */
  readonly canReport: number
  readonly audioTokensMax: number
  readonly imageTokensMax: number
  readonly inputTokensEstimated: number
  readonly outputTokensAsked: number | null
  readonly choices: number
  readonly serviceTier: string | null
  /** The hold as it was made, before any extension. */
  readonly firstWorstMicros: string
  readonly outputTokensPerChoice: number
  readonly isClamped: boolean
  /** Null where the wallet alone backed the hold. */
  readonly legs:
    | readonly (readonly [sourceId: string, kind: string, unit: string, amount: string, micros: string])[]
    | null
  readonly walletPostedMicros: string
  readonly walletHeldMicros: string
  readonly attempts: readonly (readonly [status: number | null, failure: string | null, durationMs: number])[]
  readonly end: string
  readonly firstByteMs: number | null
  /** The provider's wire, and what of the request it was not sent; null: the client's own wire, and nothing. */
  readonly conversion: readonly [upstreamWire: string, ...lost: string[]] | null
  /** How long it waited for money that calls in flight held; null: it did not. */
  readonly waitedMs: number | null
}

const names = [
  'bundle',
  'configVersion',
  'textTokensMax',
  'isTextCounted',
  'canReport',
  'audioTokensMax',
  'imageTokensMax',
  'inputTokensEstimated',
  'outputTokensAsked',
  'choices',
  'serviceTier',
  'firstWorstMicros',
  'outputTokensPerChoice',
  'isClamped',
  'legs',
  'walletPostedMicros',
  'walletHeldMicros',
  'attempts',
  'end',
  'firstByteMs',
  'conversion',
  'waitedMs',
] as const satisfies readonly (keyof SettledNote)[]

export function settledNoteText(note: SettledNote): string {
  const values = names.map((name) => note[name])
  // Last and nearly always null: ten bytes less a call.
  while (values.at(-1) === null) values.pop()
  return JSON.stringify(values)
}

/** The sections of a note, whichever way it was written. Empty for a call that died with its process. */
export function sectionsOfTrace(text: string): Readonly<Record<string, unknown>> {
  const parsed: unknown = JSON.parse(text)
  if (!Array.isArray(parsed)) return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {}
  const at = (name: keyof SettledNote): unknown => parsed[names.indexOf(name)]
  const pick = (...picked: (keyof SettledNote)[]) =>
    Object.fromEntries(picked.map((name) => [name, at(name)]))
  const firstWorstMicros = at('firstWorstMicros')
  const legs = at('legs') ?? [['wallet', 'wallet', 'micros', firstWorstMicros, firstWorstMicros]]
  return {
    policy: pick('bundle', 'configVersion'),
    quote: {
      textTokensBy: at('isTextCounted') === 1 ? 'tokenizer' : 'bytes',
      canReport: namesOfCanReport(canReportOfNumber(Number(at('canReport')))),
      ...pick(
        'textTokensMax',
        'audioTokensMax',
        'imageTokensMax',
        'inputTokensEstimated',
        'outputTokensAsked',
        'choices',
        'serviceTier',
      ),
    },
    reserve: {
      ...pick(
        'firstWorstMicros',
        'outputTokensPerChoice',
        'isClamped',
        'walletPostedMicros',
        'walletHeldMicros',
      ),
      waitedMs: at('waitedMs') ?? null,
      legs: rowsOf(legs, ['sourceId', 'kind', 'unit', 'amount', 'micros']),
    },
    ...routeOf(at('conversion')),
    attempts: rowsOf(at('attempts'), ['status', 'failure', 'durationMs']),
    stream: pick('end', 'firstByteMs'),
  }
}

function routeOf(conversion: unknown): { route?: Readonly<Record<string, unknown>> } {
  if (!Array.isArray(conversion)) return {}
  const [upstreamWire, ...lost]: unknown[] = conversion
  return { route: { upstreamWire, lost } }
}

function rowsOf(list: unknown, columns: readonly string[]): Record<string, unknown>[] {
  if (!Array.isArray(list)) return []
  return list.map((row: unknown) =>
    Object.fromEntries(columns.map((column, i) => [column, Array.isArray(row) ? row[i] : null])),
  )
}
