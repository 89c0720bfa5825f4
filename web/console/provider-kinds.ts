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

/** The units that a provider of the kind charges for in text requests. A price needs a rate for each. */
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

/** A vendor or server that can be connected, from the catalog or without published prices. */
export interface Offer {
  /** ID of the option. */
  readonly id: string
  readonly name: string
  readonly kind: Kind
  /** Default base URL. Null if the kind has its own or needs none. */
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
      : [{ id: kind, name: kinds[kind].words, kind, baseUrl: null, about: 'No published prices' }],
  )
  return [
    ...listed,
    ...unlisted,
    {
      id: 'other',
      name: 'Other OpenAI-compatible server',
      kind: 'openai_compatible',
      baseUrl: null,
      about: 'No published prices. You set the prices.',
    },
    {
      id: 'simulator',
      name: 'Built-in simulator',
      kind: 'simulator',
      baseUrl: null,
      about: 'Responds in test mode, without network access and without cost',
    },
  ]
}

/** @param health health of the account in the application; omitted if unknown */
export function stateOf(
  { credentialRefused, kind, lastFour }: ProviderAccount,
  health?: AccountHealth,
): {
  readonly tone: Tone
  readonly words: string
  readonly title?: string
} {
  if (credentialRefused !== null) return { tone: 'negative', words: 'Key rejected' }
  if (health && health.state !== 'unknown') return healthWords(health)
  if (kind === 'simulator') return { tone: 'test', words: 'Test mode only' }
  return lastFour === null
    ? { tone: 'neutral', words: 'Connected without a key' }
    : { tone: 'positive', words: 'Connected' }
}

/** Returns the models with a source, and the routers with a target, that route to the account. */
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
