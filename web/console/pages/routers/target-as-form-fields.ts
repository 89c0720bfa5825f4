import type { RouterTarget, RouterTargetState } from '#sdk/generated/types.ts'

export const timeoutNames = ['connectMs', 'firstByteMs', 'firstTokenMs', 'idleMs', 'totalMs'] as const
export type Timeouts = NonNullable<RouterTarget['timeouts']>

export const features = ['tools', 'images', 'audio', 'documents', 'json', 'reasoning', 'stream'] as const

export interface TargetDraft {
  /** Only for the form. The server does not receive this ID. */
  readonly id: string
  readonly kind: 'alias' | 'router' | 'account'
  readonly name: string
  readonly provider: string
  readonly model: string
  readonly weight: string
  readonly maxInFlight: string
  readonly bundles: string
  readonly features: readonly string[]
  readonly inputTokensMin: string
  readonly inputTokensMax: string
  readonly mode: string
  readonly timeouts: Readonly<Record<(typeof timeoutNames)[number], string>>
}

export function newTarget(): TargetDraft {
  return {
    id: String(Math.random()),
    kind: 'alias',
    name: '',
    provider: '',
    model: '',
    weight: '',
    maxInFlight: '',
    bundles: '',
    features: [],
    inputTokensMin: '',
    inputTokensMax: '',
    mode: '',
    timeouts: timeoutTexts({}),
  }
}

export function draftOfTarget(target: RouterTargetState): TargetDraft {
  const { alias, maxInFlight, model, provider, router, timeouts, weight, when } = target
  return {
    ...newTarget(),
    kind: alias !== undefined ? 'alias' : router !== undefined ? 'router' : 'account',
    name: alias ?? router ?? '',
    provider: provider ?? '',
    model: model ?? '',
    weight: weight === 1 ? '' : String(weight),
    maxInFlight: maxInFlight === null ? '' : String(maxInFlight),
    bundles: when?.bundles?.join(', ') ?? '',
    features: when?.features ?? [],
    inputTokensMin: textOf(when?.inputTokensMin),
    inputTokensMax: textOf(when?.inputTokensMax),
    mode: when?.mode ?? '',
    timeouts: timeoutTexts(timeouts),
  }
}

export function targetOf(draft: TargetDraft): RouterTarget {
  const bundles = draft.bundles.split(/[\s,]+/).filter((slug) => slug !== '')
  const when = {
    ...(bundles.length > 0 && { bundles }),
    ...(draft.features.length > 0 && { features: [...draft.features] }),
    ...numbers({ inputTokensMin: draft.inputTokensMin, inputTokensMax: draft.inputTokensMax }),
    ...(draft.mode !== '' && { mode: draft.mode }),
  }
  const timeouts = numbers(draft.timeouts)
  const to =
    draft.kind === 'alias'
      ? { alias: draft.name.trim() }
      : draft.kind === 'router'
        ? { router: draft.name.trim() }
        : { provider: draft.provider, model: draft.model.trim() }
  return {
    ...to,
    ...numbers({ weight: draft.weight, maxInFlight: draft.maxInFlight }),
    ...(Object.keys(when).length > 0 && { when }),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
  }
}

export function targetFault(draft: TargetDraft): string | undefined {
  if (draft.kind === 'account' && (draft.provider === '' || draft.model.trim() === ''))
    return 'Choose an account and enter a model.'
  if (draft.kind !== 'account' && draft.name.trim() === '') return 'Enter a model or a router.'
  const { inputTokensMax, inputTokensMin, maxInFlight, timeouts, weight } = draft
  const whole = [inputTokensMin, inputTokensMax, maxInFlight, weight, ...Object.values(timeouts)]
  if (whole.some((text) => text !== '' && !isWhole(text))) return 'Enter whole numbers only.'
  if (inputTokensMin !== '' && inputTokensMax !== '' && Number(inputTokensMin) > Number(inputTokensMax))
    return 'The minimum input must not exceed the maximum input.'
  return undefined
}

export function isWhole(text: string): boolean {
  return /^\d{1,9}$/.test(text)
}

export function numbers<Name extends string>(
  texts: Readonly<Record<Name, string>>,
): Partial<Record<Name, number>> {
  const filled = (Object.entries(texts) as [Name, string][]).filter(([, text]) => text.trim() !== '')
  return Object.fromEntries(filled.map(([name, text]) => [name, Number(text)])) as Partial<
    Record<Name, number>
  >
}

export function timeoutTexts(timeouts: Timeouts): TargetDraft['timeouts'] {
  return {
    connectMs: textOf(timeouts.connectMs),
    firstByteMs: textOf(timeouts.firstByteMs),
    firstTokenMs: textOf(timeouts.firstTokenMs),
    idleMs: textOf(timeouts.idleMs),
    totalMs: textOf(timeouts.totalMs),
  }
}

export function moved<Row>(rows: readonly Row[], from: number, to: number): readonly Row[] {
  const next = [...rows]
  const taken = next.splice(from, 1)
  next.splice(to, 0, ...taken)
  return next
}

function textOf(number: number | undefined): string {
  return number === undefined ? '' : String(number)
}
