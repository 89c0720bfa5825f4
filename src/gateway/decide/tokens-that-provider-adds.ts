import { isClaude, kindFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { templateTokens } from '#wire/bound/template-tokens.ts'

/**
 * Returns the maximum number of tokens that a provider adds to a request, less the general allowance for the request
 * and each turn. Negative if the provider adds less than that allowance.
 *
 * Providers add instructions for tools and schemas, and the templates of a few models begin with a fixed text. At
 * OpenAI, Anthropic, Google, Mistral and DeepSeek, a request with only the text "hello" counts as just 4 to 12 tokens.
 * The numbers are from recorded calls and from docs/reference/tokens.md "Tokens that providers add".
 */
export function providerAddedTokens(request: Added, { account: { kind }, target: { model } }: Plan): number {
  const { hasSchema, hasTools, signatureTokens = 0, turns, wire } = request
  const family = families.find(({ kinds, models }) => kinds.includes(kind) && models.test(model))
  // Claude models get Anthropic's instructions at every provider.
  const { wrapping } = family ?? kindFacts(isClaude(model) ? 'anthropic' : kind)
  let tokens = family?.hasBeginning === false ? 0 : beginningOf(model)
  if (hasTools) tokens += (wire === 'chat' ? family?.toolTokensInChat : undefined) ?? wrapping.toolTokens
  if (hasSchema) tokens += wrapping.schemaTokens
  const { framing: usual, framingInChat = usual, readsJson = true } = family ?? {}
  const own = wire === 'chat' ? framingInChat : usual
  if (own !== undefined) tokens -= framingSaved(own, turns)
  if (signatureTokens > 0 && readsNoSignatures(kind, model)) tokens -= signatureTokens
  return readsJson ? tokens : tokens - (request.keywordTokens ?? 0)
}

export type Added = Pick<
  WireRequest,
  'hasTools' | 'hasSchema' | 'turns' | 'keywordTokens' | 'signatureTokens' | 'wire'
>

/** Tokens of the fixed text with which a model's template begins. 0 for most models. */
export function beginningOf(model: string): number {
  return beginnings.find(({ models }) => models.test(model))?.tokens ?? 0
}

export interface Framing {
  readonly request: number
  readonly turn: number
}

/** The tokens by which a model family stays below the general allowance. */
export function framingSaved({ request, turn }: Framing, turns: number | undefined): number {
  return turns === undefined ? 0 : templateTokens.request - request + (templateTokens.turn - turn) * turns
}

/**
 * The recorded input of these Gemini models did not depend on the size of thought signatures (docs/reference/tokens.md
 * "Counting the input with a tokenizer").
 */
export const unreadSignatures: readonly Pick<Family, 'kinds' | 'models'>[] = [
  { kinds: ['vertex'], models: /^gemini-3-/i },
]

function readsNoSignatures(kind: ProviderKind, model: string): boolean {
  return unreadSignatures.some(({ kinds, models }) => kinds.includes(kind) && models.test(model))
}

interface Family {
  /** At these accounts, models have the vendors' names. */
  readonly kinds: readonly ProviderKind[]
  readonly models: RegExp
  /** Absent if the general allowance applies to the family. */
  readonly framing?: Framing
  /** Absent if `framing` also applies in chat completions. */
  readonly framingInChat?: Framing
  readonly wrapping: { readonly toolTokens: number; readonly schemaTokens: number }
  /** Absent if `wrapping.toolTokens` also applies in chat completions. */
  readonly toolTokensInChat?: number
  /** False if the models read tools and schemas in a shorter form than JSON. */
  readonly readsJson?: false
  /** False if the provider does not bill the fixed beginning of the template. */
  readonly hasBeginning?: false
}

const openai = {
  kinds: ['openai', 'azure_openai', 'openrouter'],
  framing: { request: 12, turn: 6 },
  wrapping: { toolTokens: 64, schemaTokens: 64 },
  readsJson: false,
} as const

/**
 * Families whose added tokens many recorded calls show. `docs/reference/tokens.md` lists the largest recorded numbers.
 */
const families: readonly Family[] = [
  // On the responses wire, the texts "1+1?" and "Hello!" count as 29 and 27 tokens. In early 2025, a small tool counted
  // 149 tokens more than its text.
  {
    ...openai,
    models: /^(?:openai[/.])?(?:gpt-4o(?!-mini)|chatgpt-4o)/i,
    framing: { request: 32, turn: 6 },
    framingInChat: openai.framing,
    wrapping: { toolTokens: 224, schemaTokens: 64 },
    toolTokensInChat: 64,
  },
  {
    ...openai,
    models: /^(?:openai[/.])?gpt-4o-mini/i,
    framing: { request: 32, turn: 6 },
    framingInChat: openai.framing,
  },
  { ...openai, models: /^(?:openai[/.])?(?:gpt-[345]|chatgpt|o[134](?:-|$))/i },
  {
    kinds: ['google', 'vertex', 'openrouter'],
    models: /^(?:google\/)?gemini-/i,
    framing: { request: 8, turn: 4 },
    wrapping: { toolTokens: 16, schemaTokens: 48 },
    readsJson: false,
  },
  // Cohere bills no tokens of its template.
  {
    kinds: ['cohere'],
    models: /./,
    framing: { request: 16, turn: 4 },
    wrapping: { toolTokens: 64, schemaTokens: 64 },
    hasBeginning: false,
  },
  {
    kinds: ['xai', 'openai', 'openrouter'],
    models: /^(?:x-ai\/)?grok-/i,
    wrapping: { toolTokens: 256, schemaTokens: 256 },
  },
  { kinds: ['mistral'], models: /./, wrapping: { toolTokens: 64, schemaTokens: 64 } },
  // Nova 2 adds about 700 tokens for one small tool.
  {
    kinds: ['bedrock'],
    models: /nova-/i,
    framing: { request: 16, turn: 4 },
    wrapping: { toolTokens: 1024, schemaTokens: 128 },
  },
]

/**
 * The fixed text with which a model's template begins, in tokens, rounded up. Grok 4 adds 680 tokens, Grok 4.3 adds
 * 190, and the Grok coding model adds 110. Magistral's published default prompt has 123 tokens. DeepSeek V4 adds 80,
 * also on the responses wire. The last two rows are rounded up from 70 and 40.
 */
const beginnings: readonly { readonly models: RegExp; readonly tokens: number }[] = [
  // OpenRouter's free models, whose servers add up to 570 tokens.
  { models: /:free$/i, tokens: 640 },
  { models: /grok-4\.3/i, tokens: 256 },
  { models: /grok-(?:[4-9]|build|code)/i, tokens: 768 },
  { models: /magistral/i, tokens: 192 },
  { models: /deepseek-v(?:[4-9]|\d\d)/i, tokens: 96 },
  { models: /gpt-oss|command|hermes|minimax|nemotron|sonar/i, tokens: 96 },
  { models: /llama|qwen/i, tokens: 48 },
]
