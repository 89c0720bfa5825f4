import type { TokenDimension } from '#money/price.ts'
import type { OnClientLeft } from './on-client-left.ts'

/** What a provider can be spoken to in. The same four as the formats of `wire/`, which stands beside this layer. */
export const upstreamWires = ['chat', 'messages', 'generate', 'responses'] as const
export type UpstreamWire = (typeof upstreamWires)[number]

/** The facts about a kind of provider. */
interface KindFacts {
  /** The preferred wire first: a call in another wire is converted to it. */
  readonly wires: readonly [UpstreamWire, ...UpstreamWire[]]
  /**
   * Where its accounts are: at a vendor, with an address and a key; at any server, whose address must be
   * named and whose key is optional; or in this process, with neither.
   */
  readonly place: 'vendor' | 'any_server' | 'built_in'
  /** The base URL of accounts that name none; null for all kinds but vendors. */
  readonly baseUrl: string | null
  /**
   * The dimensions that an account's price must name to serve a model by itself (a missing one is assumed only where
   * a bundle prices the name, money/assumed-rates.ts): those that a provider of the kind reports for plain text, except parts that never cost more than their whole. Cache reads are a part of the
   * input and reasoning is a part of the output everywhere: without a rate of their own they cost what the
   * whole does. Cache writes cost more than the input (1.25 and 2 times at Anthropic, 1.25 times at OpenAI),
   * so a price without them would charge too little.
   *
   * Audio, images and searches are reported only of requests that have them in it. Where a price does not name them
   * they cost the dearest rate of their side (money/cost.ts, docs/guides/prices.md).
   */
  readonly reportedDimensions: readonly TokenDimension[]
  /**
   * The cache writes that it reports: those that the request marks, any, or none. Google bills no writes on
   * its wire; OpenAI writes by itself, and its compatible servers may.
   */
  readonly cacheWrites: 'marked' | 'any' | 'none'
  /** Models whose tokenizer is o200k, which the gateway counts with. */
  readonly countedModels: RegExp | null
  /**
   * How many tokens its other models may make of one token of o200k (docs/reference/tokens.md "Counting
   * exactly").
   */
  readonly tokenFactor: number
  /**
   * The most tokens that it puts before a request on its own: instructions for tools and for a schema
   * (docs/reference/tokens.md "What providers put before a request").
   */
  readonly wrapping: { readonly toolTokens: number; readonly schemaTokens: number }
  /**
   * What a client's leaving does to a stream, unless the account or the bundle says otherwise: `cut` only where the
   * vendor is documented to stop the bill with the connection (docs/decisions/2026-11-23-clients-that-leave.md).
   */
  readonly onClientLeft: OnClientLeft
}

/**
 * `openai` writes its version into the base URL and the others into their paths, as their own clients have
 * it, so that an address copied from a vendor's documentation is right. Paths behind it are the adapters'
 * (providers/provider-dialects.ts).
 */
const providerKinds = {
  openai: {
    // Only responses gives reasoning back, so calls of a third wire go there.
    wires: ['responses', 'chat'],
    place: 'vendor',
    baseUrl: 'https://api.openai.com/v1',
    reportedDimensions: ['input', 'cacheWrite', 'output'],
    cacheWrites: 'any',
    countedModels: /^(?:gpt-4o|gpt-4\.1|gpt-5|o1|o3|o4)(?:-|$)/,
    tokenFactor: 1.5,
    // Its reasoning models were seen to add 190 for small tools.
    wrapping: { toolTokens: 512, schemaTokens: 128 },
    onClientLeft: 'cut',
  },
  anthropic: {
    wires: ['messages'],
    place: 'vendor',
    baseUrl: 'https://api.anthropic.com',
    reportedDimensions: ['input', 'cacheWrite', 'cacheWriteLong', 'output'],
    cacheWrites: 'marked',
    countedModels: null,
    // Claude's newer tokenizers were measured at 1.77.
    tokenFactor: 2,
    // Claude was seen to add 274 for small tools and says 700 for some models.
    wrapping: { toolTokens: 1024, schemaTokens: 512 },
    onClientLeft: 'cut',
  },
  google: {
    wires: ['generate'],
    place: 'vendor',
    baseUrl: 'https://generativelanguage.googleapis.com',
    reportedDimensions: ['input', 'output'],
    cacheWrites: 'none',
    countedModels: null,
    tokenFactor: 1.5,
    wrapping: { toolTokens: 64, schemaTokens: 128 },
    onClientLeft: 'drain',
  },
  openai_compatible: {
    wires: ['chat'],
    place: 'any_server',
    baseUrl: null,
    reportedDimensions: ['input', 'output'],
    cacheWrites: 'any',
    countedModels: null,
    tokenFactor: 1.5,
    wrapping: { toolTokens: 512, schemaTokens: 512 },
    onClientLeft: 'drain',
  },
  simulator: {
    wires: ['chat', 'messages', 'generate', 'responses'],
    place: 'built_in',
    baseUrl: null,
    reportedDimensions: ['input', 'output'],
    cacheWrites: 'any',
    countedModels: null,
    tokenFactor: 1.5,
    wrapping: { toolTokens: 512, schemaTokens: 128 },
    onClientLeft: 'drain',
  },
} as const satisfies Readonly<Record<string, KindFacts>>

export type ProviderKind = keyof typeof providerKinds

/** Kinds whose accounts are across the network. */
export type RemoteKind = Exclude<ProviderKind, 'simulator'>

export function kindFacts(kind: ProviderKind): KindFacts {
  return providerKinds[kind]
}

export function isRemoteKind(kind: string): kind is RemoteKind {
  return Object.hasOwn(providerKinds, kind) && kind !== 'simulator'
}

// The table has at least one key.
export const providerKindNames = Object.keys(providerKinds) as [ProviderKind, ...ProviderKind[]]
