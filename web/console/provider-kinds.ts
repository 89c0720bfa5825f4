/** The kinds of account: their labels, the fields to connect one, and the rates that a price needs. */
import type { Dimension } from '#money/price.ts'
import type { AccountHealth, CatalogProvider, ProviderAccount } from '#sdk/generated/types.ts'
import type { Tone } from '#web/ui/state.tsx'
import { healthWords } from './health-words.ts'

export const kinds = {
  openai: { words: 'OpenAI', needsKey: true, takesUrl: true, needsUrl: false },
  anthropic: { words: 'Anthropic', needsKey: true, takesUrl: true, needsUrl: false },
  google: { words: 'Google', needsKey: true, takesUrl: true, needsUrl: false },
  openai_compatible: { words: 'OpenAI-compatible', needsKey: false, takesUrl: true, needsUrl: true },
  simulator: { words: 'Simulator', needsKey: false, takesUrl: false, needsUrl: false },
} as const
export type Kind = keyof typeof kinds

function isKind(kind: string): kind is Kind {
  return kind in kinds
}

export function kindWords(kind: string): string {
  return isKind(kind) ? kinds[kind].words : kind
}

/** The units that an account of the kind is charged for in plain text calls: a price has a rate for each. */
const chargedUnits: Readonly<Record<Kind, readonly Dimension[]>> = {
  openai: ['input', 'cacheWrite', 'output'],
  anthropic: ['input', 'cacheWrite', 'cacheWriteLong', 'output'],
  google: ['input', 'output'],
  openai_compatible: ['input', 'output'],
  simulator: ['input', 'output'],
}

export function requiredRates(kind: string): readonly Dimension[] {
  return isKind(kind) ? chargedUnits[kind] : ['input', 'output']
}

/** A vendor or server that can be connected: those of the catalog, and those without published prices. */
export interface Offer {
  /** Of the choice. */
  readonly id: string
  readonly name: string
  readonly kind: Kind
  /** What is filled in; null: the kind has its own, or needs none. */
  readonly baseUrl: string | null
  readonly about: string
}

export function offersOf(catalogue: readonly CatalogProvider[]): readonly Offer[] {
  const listed = catalogue.flatMap(({ baseUrls, id, kind, models, name }): Offer[] =>
    isKind(kind)
      ? [
          {
            id,
            name,
            kind,
            baseUrl: kinds[kind].needsUrl ? (baseUrls[0] ?? null) : null,
            about: `${models} models with a published price`,
          },
        ]
      : [],
  )
  const has = (kind: Kind): boolean => listed.some((offer) => offer.kind === kind && !kinds[kind].needsUrl)
  const unlisted = (['openai', 'anthropic', 'google'] as const).flatMap((kind): Offer[] =>
    has(kind)
      ? []
      : [{ id: kind, name: kinds[kind].words, kind, baseUrl: null, about: 'No price is published here' }],
  )
  return [
    ...listed,
    ...unlisted,
    {
      id: 'other',
      name: 'Another server that speaks like OpenAI',
      kind: 'openai_compatible',
      baseUrl: null,
      about: 'You set what it charges',
    },
    {
      id: 'simulator',
      name: 'Built-in simulator',
      kind: 'simulator',
      baseUrl: null,
      about: 'Answers in test mode, without a network and without cost',
    },
  ]
}

/** @param health of the account in the application; left out: not known */
export function stateOf(
  { credentialRefused, kind, lastFour }: ProviderAccount,
  health?: AccountHealth,
): {
  readonly tone: Tone
  readonly words: string
  readonly title?: string
} {
  if (credentialRefused !== null) return { tone: 'negative', words: 'Key refused' }
  if (health && health.state !== 'unknown') return healthWords(health)
  if (kind === 'simulator') return { tone: 'test', words: 'Test mode only' }
  return lastFour === null
    ? { tone: 'neutral', words: 'Connected without a key' }
    : { tone: 'positive', words: 'Connected' }
}

/** The names whose sources, or the routers whose targets, lead to the account. */
export function usersOf(
  label: string,
  models: readonly { readonly name: string; readonly sources: readonly { readonly provider: string }[] }[],
  routers: readonly { readonly name: string; readonly targets: readonly { readonly provider?: string }[] }[],
): { readonly models: readonly string[]; readonly routers: readonly string[] } {
  return {
    models: models
      .filter(({ sources }) => sources.some(({ provider }) => provider === label))
      .map(({ name }) => name),
    routers: routers
      .filter(({ targets }) => targets.some(({ provider }) => provider === label))
      .map(({ name }) => name),
  }
}
