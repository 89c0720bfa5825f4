import { microsOfText, moneyText, typedDollars } from './money-text.ts'

export type FilterChoice = readonly [value: string, words: string]

interface FilterBase {
  readonly name: string
  readonly label: string
  readonly placeholder?: string
  readonly help?: string
  readonly words?: string
  /** Text that matches, such as `/^key_/`, can only be a value of this filter, so the filter is suggested. */
  readonly looksLike?: RegExp
  readonly takesAny?: boolean
}

export type Filter =
  | (FilterBase & {
      readonly kind: 'text'
      /** The field also accepts any other text. */
      readonly choices?: readonly FilterChoice[]
      /** Must be the same function in every rendering. */
      readonly suggest?: (typed: string, signal: AbortSignal) => Promise<readonly FilterChoice[]>
    })
  | (FilterBase & { readonly kind: 'choice'; readonly choices: readonly FilterChoice[] })
  /** The user types dollars, and the URL contains micros as a decimal string. */
  | (FilterBase & { readonly kind: 'money' })

export type FilterValues = Readonly<Record<string, string | undefined>>

export interface Offer {
  readonly filter: Filter
  /** Null if the filter itself is suggested. */
  readonly value: string | null
  readonly words: string
  readonly about?: string
}

const offersMax = 50

/** @param suggested values of the chosen filter, or of `suggestingFilter` if no filter is chosen */
export function offersOf({
  filters,
  suggested = [],
  taken,
  text,
  values,
}: {
  readonly filters: readonly Filter[]
  readonly values: FilterValues
  readonly taken: Filter | null
  readonly text: string
  readonly suggested?: readonly FilterChoice[]
}): readonly Offer[] {
  const typed = text.trim()
  if (taken) {
    if (taken.kind === 'money') return []
    const known = choicesOf(taken).filter((choice) => isLike(choice, typed))
    const more = suggested.filter(([value]) => known.every(([one]) => one !== value))
    return [...known, ...more].slice(0, offersMax).map(([value, words]) => ({
      filter: taken,
      value,
      words,
      ...(words !== value && taken.kind === 'text' && { about: value }),
    }))
  }
  const byName = filters
    .filter(({ label, name, words = '' }) => has(`${label} ${name} ${words}`, typed))
    .map((filter) => ({
      filter,
      value: null,
      words: filter.label,
      ...(values[filter.name] !== undefined && {
        about: `currently ${wordsOfValue(filter, values[filter.name] ?? '')}`,
      }),
    }))
  if (typed === '') return byName
  const byLook = filters
    .filter(({ looksLike }) => looksLike?.test(typed) === true)
    .map((filter) => ({ filter, value: typed, words: `${filter.label}: ${typed}` }))
  const byValue = filters.flatMap((filter) =>
    choicesOf(filter)
      .filter((choice) => isLike(choice, typed))
      .map(([value, words]) => ({ filter, value, words: `${filter.label}: ${words}` })),
  )
  const asked = suggestingFilter(filters)
  const bySuggestion =
    asked === null
      ? []
      : suggested.map(([value, words]) => ({
          filter: asked,
          value,
          words: `${asked.label}: ${value}`,
          ...(words !== value && { about: words }),
        }))
  const known = [...byLook, ...byValue, ...bySuggestion]
  const byAny = filters
    .filter(
      ({ name, takesAny }) =>
        takesAny === true && known.every((one) => one.filter.name !== name || one.value !== typed),
    )
    .map((filter) => ({ filter, value: typed, words: `${filter.label}: ${typed}` }))
  return [...byLook, ...byName, ...byValue, ...bySuggestion, ...byAny].slice(0, offersMax)
}

/** Whether the value or its words contain the typed text. */
export function isLike([value, words]: FilterChoice, typed: string): boolean {
  return has(`${value} ${words}`, typed)
}

/** The filter whose suggestions are loaded while no filter is chosen. */
export function suggestingFilter(
  filters: readonly Filter[],
): Extract<Filter, { readonly kind: 'text' }> | null {
  for (const filter of filters)
    if (filter.kind === 'text' && filter.suggest !== undefined && filter.takesAny === true) return filter
  return null
}

export function valueOfTyped(filter: Filter, text: string): string | null {
  const typed = text.trim()
  if (typed === '') return null
  switch (filter.kind) {
    case 'text':
      return typed
    case 'money': {
      const micros = microsOfText(typed)
      return micros === null || BigInt(micros) < 0n ? null : micros
    }
    case 'choice': {
      const same = filter.choices.filter(([value, words]) =>
        [value, words].some((one) => one.toLowerCase() === typed.toLowerCase()),
      )
      const like = filter.choices.filter((choice) => isLike(choice, typed))
      return (same[0] ?? (like.length === 1 ? like[0] : undefined))?.[0] ?? null
    }
    default:
      return filter satisfies never
  }
}

export function faultOf(filter: Filter, text: string): string | undefined {
  if (valueOfTyped(filter, text) !== null) return undefined
  return filter.kind === 'money'
    ? 'Enter dollars with up to six decimals, such as 0.01.'
    : `Unknown value. Choose one of: ${choicesOf(filter)
        .map(([, words]) => words)
        .join(', ')}.`
}

/** An unknown value, such as that of an old link, is shown unchanged. */
export function wordsOfValue(filter: Filter, value: string): string {
  if (filter.kind === 'money') return /^\d+$/.test(value) ? `at least ${moneyText(value)}` : value
  return choicesOf(filter).find(([one]) => one === value)?.[1] ?? value
}

export function typedOf(filter: Filter, value: string): string {
  return filter.kind === 'money' && /^\d+$/.test(value) ? typedDollars(value) : value
}

function choicesOf(filter: Filter): readonly FilterChoice[] {
  return filter.kind === 'money' ? [] : (filter.choices ?? [])
}

function has(text: string, typed: string): boolean {
  return text.toLowerCase().includes(typed.toLowerCase())
}
