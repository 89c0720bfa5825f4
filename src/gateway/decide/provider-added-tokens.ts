import { isClaude, kindFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from '#gateway/call/model-name-targets.ts'
import { framing } from '#wire/bound/framing.ts'

/**
 * Returns the maximum number of tokens that a provider itself adds before a request, beyond the general allowance for
 * the request and each turn. Negative if the provider adds less than the general allowance. Providers add instructions
 * for tools and schemas. A few models have a template with a fixed beginning. At OpenAI, Anthropic, Google, Mistral and
 * DeepSeek, a request with only the text "hello" counts as just 4 to 12 tokens. The numbers are from recorded calls and
 * from docs/reference/tokens.md "Tokens that providers add".
 */
export function providerAddedTokens(
  request: Pick<WireRequest, 'hasTools' | 'hasSchema' | 'turns' | 'keywordTokens' | 'wire'>,
  { account: { kind }, target: { model } }: Plan,
): number {
  const { hasSchema, hasTools, turns, wire } = request
  const family = families.find(({ kinds, models }) => kinds.includes(kind) && models.test(model))
  // The instructions for Claude models are added at every provider.
  const { wrapping } = family ?? kindFacts(isClaude(model) ? 'anthropic' : kind)
  let tokens = beginnings.find(({ models }) => models.test(model))?.tokens ?? 0
  if (hasTools) tokens += (wire === 'chat' ? family?.toolTokensInChat : undefined) ?? wrapping.toolTokens
  if (hasSchema) tokens += wrapping.schemaTokens
  const { framing: own, readsJson = true } = family ?? {}
  if (own !== undefined && turns !== undefined)
    tokens -= framing.request - own.request + (framing.turn - own.turn) * turns
  return readsJson ? tokens : tokens - (request.keywordTokens ?? 0)
}

interface Family {
  /** The kinds of accounts that call the models by their vendors' names. */
  readonly kinds: readonly ProviderKind[]
  readonly models: RegExp
  /** Tokens around a request and around a turn. Absent for the general allowance. */
  readonly framing?: { readonly request: number; readonly turn: number }
  readonly wrapping: { readonly toolTokens: number; readonly schemaTokens: number }
  /** Tokens for tools in chat completions, if they differ from other formats. */
  readonly toolTokensInChat?: number
  /** False if the models read tools and schemas in a shorter form than JSON. */
  readonly readsJson?: false
}

/**
 * Model families whose additions are known from many recorded calls. `docs/reference/tokens.md` lists the most tokens
 * that the recorded calls needed.
 */
const families: readonly Family[] = [
  {
    kinds: ['openai', 'azure_openai', 'openrouter'],
    models: /^(?:openai\/)?(?:gpt-[345]|chatgpt|o[134](?:-|$))/i,
    framing: { request: 12, turn: 6 },
    wrapping: { toolTokens: 224, schemaTokens: 64 },
    toolTokensInChat: 64,
    readsJson: false,
  },
  {
    kinds: ['google', 'vertex', 'openrouter'],
    models: /^(?:google\/)?gemini-/i,
    framing: { request: 8, turn: 4 },
    wrapping: { toolTokens: 64, schemaTokens: 48 },
    readsJson: false,
  },
  {
    kinds: ['xai', 'openai', 'openrouter'],
    models: /^(?:x-ai\/)?grok-/i,
    wrapping: { toolTokens: 256, schemaTokens: 256 },
  },
  { kinds: ['mistral'], models: /./, wrapping: { toolTokens: 64, schemaTokens: 64 } },
]

/**
 * Tokens of fixed template beginnings, rounded up. Grok 4 adds 680 tokens, later Grok models add 190, and the Grok
 * coding model adds 110. Magistral's published default prompt has 123 tokens. DeepSeek V4 adds 80, also on the
 * responses wire. The last two rows of the table are rounded up from 70 and 40 tokens.
 */
const beginnings: readonly { readonly models: RegExp; readonly tokens: number }[] = [
  { models: /grok-(?:[4-9]|build|code)/i, tokens: 768 },
  { models: /magistral/i, tokens: 192 },
  { models: /deepseek-v(?:[4-9]|\d\d)/i, tokens: 96 },
  { models: /gpt-oss|command|hermes|minimax|nemotron|sonar/i, tokens: 96 },
  { models: /llama|qwen/i, tokens: 48 },
]
