import { kindFacts, providerKindNames, type ProviderKind as Kind } from '#domain/accounts/provider-kinds.ts'
import { requiredRates as ratesOfKind } from '#domain/prices/price-dimensions-required-by-kind.ts'
import type { Dimension } from '#money/price.ts'
import type { AccountHealth, CatalogProvider, ProviderAccount } from '#sdk/generated/types.ts'
import type { Tone } from '#web/ui/status-notes-and-placeholders.tsx'
import { healthWords } from './health-words.ts'

export function isKind(kind: string): kind is Kind {
  return providerKindNames.some((name) => name === kind)
}

export function fieldsOf(kind: Kind): {
  readonly needsKey: boolean
  readonly takesUrl: boolean
  readonly needsUrl: boolean
} {
  const { place } = kindFacts(kind)
  return {
    needsKey: place === 'vendor' || place === 'own_resource',
    takesUrl: place !== 'built_in',
    needsUrl: place === 'any_server' || place === 'own_resource',
  }
}

export function kindWords(kind: string): string {
  return isKind(kind) ? kindFacts(kind).name : kind
}

/** For text requests to the model. */
export function requiredRates(kind: string, model: string): readonly Dimension[] {
  return isKind(kind) ? ratesOfKind(kind, model) : ['input', 'output']
}

/** Vendors without published prices are not in the catalog. */
export interface Offer {
  readonly id: string
  readonly name: string
  readonly kind: Kind
  /** Null if the kind has its own address or needs none. */
  readonly baseUrl: string | null
  readonly about: string
}

const named = providerKindNames.filter((kind) => kind !== 'openai_compatible' && kind !== 'simulator')

/** Customers run these servers themselves. */
const usualUrls: Readonly<Record<string, string>> = { ollama: 'http://127.0.0.1:11434/v1' }

export function offersOf(catalogue: readonly CatalogProvider[]): readonly Offer[] {
  const listed = catalogue.flatMap(({ baseUrls, id, kind, models, name }): Offer[] =>
    isKind(kind)
      ? [
          {
            id,
            name,
            kind,
            baseUrl: fieldsOf(kind).needsUrl ? (baseUrls[0] ?? null) : null,
            about: `${models} models with a published price`,
          },
        ]
      : [],
  )
  const has = (kind: Kind): boolean => listed.some((offer) => offer.kind === kind)
  const unlisted = named.flatMap((kind): Offer[] =>
    has(kind)
      ? []
      : [
          {
            id: kind,
            name: kindFacts(kind).name,
            kind,
            baseUrl: usualUrls[kind] ?? null,
            about: 'No published prices',
          },
        ],
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
