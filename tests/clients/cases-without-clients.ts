import type { Ability, Client, WireName } from './client-interface.ts'

export type Case =
  | 'text'
  | 'one tool'
  | 'two tools'
  | 'image'
  | 'schema'
  | 'thoughts'
  | 'seals'
  | 'seals on calls'
  | 'cut calls'
  | 'cut thoughts'
  | 'count'

const needs: Readonly<Record<Case, readonly Ability[]>> = {
  text: [],
  'one tool': [],
  'two tools': [],
  image: ['image'],
  schema: [],
  thoughts: ['thoughts'],
  seals: ['seals'],
  'seals on calls': ['call seals'],
  'cut calls': [],
  'cut thoughts': ['thoughts'],
  count: [],
}

/** The cases in which the model calls tools. */
const calls: ReadonlySet<Case> = new Set(['one tool', 'two tools', 'seals on calls', 'cut calls'])

const apart =
  'it answers parallel calls in turns of their own, which Google refuses (langchain-ai/langchainjs#10341)'

/** Capabilities that a client lacks only with one upstream, each with the reason. */
const special: Readonly<
  Record<string, Readonly<Partial<Record<WireName, Readonly<Partial<Record<Case, string>>>>>>>
> = {
  '@ai-sdk/openai-compatible': {
    messages: { 'seals on calls': 'of what stands on calls it gives back what Google writes there' },
  },
  '@langchain/google-genai': { generate: { 'two tools': apart, 'seals on calls': apart } },
}

/** Cases that are impossible for a client's wire and a provider's wire, see docs/reference/conversions.md. */
const pairs: Readonly<Partial<Record<Case, (client: WireName, upstream: WireName) => string | null>>> = {
  thoughts: unasked,
  'cut thoughts': unasked,
  seals: (client, upstream) => {
    if (upstream === 'chat') return 'chat seals no thoughts'
    return client === 'chat' ? 'chat has a place for seals on the calls of tools only' : null
  },
  'cut calls': (_, upstream) =>
    upstream === 'generate' ? 'calls come whole: before one nothing is there to be cut' : null,
  'seals on calls': (_, upstream) => (upstream === 'chat' ? 'chat seals no thoughts' : null),
}

function unasked(client: WireName, upstream: WireName): string | null {
  return client === 'chat' && upstream === 'generate'
    ? 'an effort does not ask to be shown thoughts, and Google shows none unasked'
    : null
}

/** Null if the cell has a test, and otherwise the reason why it has none. */
export function emptyBecause(
  client: Client,
  upstream: WireName,
  asked: Case,
  isStream: boolean,
): string | null {
  const needed = isStream && calls.has(asked) ? [...needs[asked], 'streamed calls' as const] : needs[asked]
  const unable = needed.map((ability) => client.cannot[ability]).find((reason) => reason !== undefined)
  if (unable !== undefined) return unable
  if (asked === 'count' && client.count === null) return 'the client has no call that counts'
  return special[client.name]?.[upstream]?.[asked] ?? pairs[asked]?.(client.wire, upstream) ?? null
}
