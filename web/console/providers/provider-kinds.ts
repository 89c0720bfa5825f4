import { familyOfModel } from '#domain/prices/task-from-model-name.ts'
import type { Dimension } from '#money/price.ts'
import type { AccountHealth, CatalogProvider, ProviderAccount } from '#sdk/generated/types.ts'
import { kinds } from '#web/generated/provider-kinds.ts'
import type { Tone } from '#web/ui/status-notes-and-placeholders.tsx'
import { healthWords } from './health-words.ts'

export type Kind = keyof typeof kinds

export function isKind(kind: string): kind is Kind {
  return Object.hasOwn(kinds, kind)
}

export function fieldsOf(kind: Kind): {
  readonly needsKey: boolean
  readonly takesUrl: boolean
  readonly needsUrl: boolean
} {
  const place: string = kinds[kind].place
  return {
    needsKey: place === 'vendor' || place === 'own_resource',
    takesUrl: place !== 'built_in',
    needsUrl: place === 'any_server' || place === 'own_resource',
  }
}

export function kindWords(kind: string): string {
  return isKind(kind) ? kinds[kind].words : kind
}

/** For text requests to the model. */
export function requiredRates(kind: string, model: string): readonly Dimension[] {
  const family = familyOfModel(model)
  if (family === null) return isKind(kind) ? kinds[kind].requiredRates : ['input', 'output']
  if (family.task === 'rerank' && isKind(kind) && kinds[kind].billsSearchUnits) return ['input', 'searchUnit']
  return ['input', ...family.tokens, ...(family.use === null ? [] : [family.use])]
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

// The keys come from the table, so the cast is safe.
const named = (Object.keys(kinds) as Kind[]).filter(
  (kind) => kind !== 'openai_compatible' && kind !== 'simulator',
)

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
            name: kinds[kind].words,
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
