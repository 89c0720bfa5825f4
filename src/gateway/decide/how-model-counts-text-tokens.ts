import { isClaude, isEarlyClaude, kindFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { ReadThoughts } from '#wire/bound/text-counted-by-tokenizer.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import {
  beginningOf,
  framingSaved,
  providerAddedTokens,
  unreadSignatures,
  type Added,
  type Framing,
} from './tokens-that-provider-adds.ts'

/**
 * Computes a model's maximum tokens from a count by o200k (docs/reference/tokens.md "Counting the input with a
 * tokenizer").
 */
export interface CountingRule {
  /** Maximum number of the model's tokens per token of o200k, without the extra tokens for `surplus`. */
  readonly factor: number
  /**
   * Text that the model's vocabulary splits into smaller tokens than o200k (extra-tokens-of-smaller-vocabularies.ts).
   * `none` is for models that use o200k. `digits` covers numbers and long runs of one character. `scripts` also covers
   * text that is not ASCII.
   */
  readonly surplus: 'none' | 'digits' | 'scripts'
  /**
   * The part of the body that is counted. `body` is the whole body. `json` omits the settings and the JSON around
   * turns. `types` also shortens tools, tool calls and schemas, for models that read a shorter form than JSON
   * (text-counted-by-tokenizer.ts).
   */
  readonly reads: 'body' | 'json' | 'types'
  readonly thoughts: ReadThoughts
  /**
   * Tokens for each tool after the first, without the tool's own text. Absent if the fixed allowance for tools covers
   * any number of tools.
   */
  readonly tokensPerTool?: number
}

export function countingRuleOf(plan: Plan): CountingRule {
  const { account, target } = plan
  const family = familyOf(plan)
  if (family !== undefined) return { ...family, thoughts: family.thoughts ?? 'all' }
  const { countedModels } = kindFacts(account.kind)
  if (countedModels?.test(target.model) === true)
    return { factor: 1, surplus: 'none', reads: 'body', thoughts: 'all' }
  const { tokenFactor } = kindFacts(isClaude(target.model) ? 'anthropic' : account.kind)
  return { factor: tokenFactor, surplus: 'scripts', reads: 'body', thoughts: 'all' }
}

/**
 * Maximum number of tokens that the provider adds to a request whose text a tokenizer counts. The numbers are smaller
 * than in `providerAddedTokens`, which must also cover the inaccuracy of counting bytes.
 */
export function addedToCounted(request: Added, plan: Plan): number {
  const family = familyOf(plan)
  // The counted text contains no keywords of the format, so subtract nothing for keywords.
  if (family === undefined)
    return providerAddedTokens({ ...request, keywordTokens: 0, signatureTokens: 0 }, plan)
  const { schema, tools, ...framing } = (request.wire === 'chat' ? family.inChat : undefined) ?? family.around
  return (
    beginningOf(plan.target.model) +
    (request.hasTools ? tools : 0) +
    (request.hasSchema ? schema : 0) -
    framingSaved(framing, request.turns)
  )
}

interface Family extends Omit<CountingRule, 'thoughts'> {
  /** If absent, the models read all encrypted thoughts. */
  readonly thoughts?: ReadThoughts
  readonly kinds: readonly ProviderKind[]
  readonly models: Pick<RegExp, 'test'>
  readonly around: Around
  /** Absent if chat completions get the same number of added tokens as other formats. */
  readonly inChat?: Around
}

interface Around extends Framing {
  readonly tools: number
  readonly schema: number
}

function familyOf({ account: { kind }, target: { model } }: Plan): Family | undefined {
  return families.find(({ kinds, models }) => kinds.includes(kind) && models.test(model))
}

const openai = ['openai', 'azure_openai', 'openrouter'] as const
const exact = { factor: 1, surplus: 'none', reads: 'types' } as const
const gemini = {
  factor: 1.25,
  surplus: 'digits',
  reads: 'types',
  around: { request: 8, turn: 4, tools: 128, schema: 48 },
} as const
const gpt5 = { ...exact, kinds: openai, around: { request: 12, turn: 6, tools: 144, schema: 16 } } as const
const claude = {
  // Claude splits rare words that o200k does not split (docs/reference/tokens.md).
  factor: 2.4,
  surplus: 'scripts',
  reads: 'json',
  kinds: ['anthropic', 'bedrock', 'vertex', 'openrouter'],
  around: { request: 32, turn: 8, tools: 640, schema: 128 },
  tokensPerTool: 32,
} as const

/**
 * Families of models whose counts many recorded calls show. `docs/reference/tokens.md` "Counting the input with a
 * tokenizer" lists the largest recorded numbers.
 */
const families: readonly Family[] = [
  {
    ...exact,
    kinds: openai,
    models: /^(?:openai[/.])?(?:gpt-4o|chatgpt-4o)/i,
    around: { request: 32, turn: 6, tools: 224, schema: 16 },
    inChat: { request: 8, turn: 5, tools: 24, schema: 16 },
  },
  {
    ...exact,
    kinds: openai,
    models: /^(?:openai[/.])?gpt-4\.1(?:-|$)/i,
    around: { request: 12, turn: 6, tools: 112, schema: 16 },
    inChat: { request: 8, turn: 5, tools: 24, schema: 16 },
  },
  { ...gpt5, models: /^(?:openai[/.])?gpt-5(?:\.[1-5])?(?:-|$)/i, thoughts: 'current' },
  { ...gpt5, models: /^(?:openai[/.])?gpt-5\.6(?:-|$)/i },
  {
    ...exact,
    kinds: openai,
    models: /^(?:openai[/.])?o[134](?:-|$)/i,
    around: { request: 64, turn: 6, tools: 224, schema: 16 },
    inChat: { request: 16, turn: 4, tools: 112, schema: 16 },
  },
  {
    ...exact,
    kinds: ['groq', 'ollama', 'openrouter', 'bedrock'],
    models: /^(?:openai[/.])?gpt-oss/i,
    around: { request: 8, turn: 8, tools: 64, schema: 64 },
  },
  ...unreadSignatures.map((row) => ({ ...gemini, ...row, thoughts: 'none' as const })),
  {
    ...gemini,
    kinds: ['google', 'vertex'],
    models: /^gemini-(?:2\.5|3(?:\.[0-4])?)-/i,
    thoughts: 'current',
  },
  { ...gemini, kinds: ['google', 'vertex'], models: /^gemini-/i },
  // OpenRouter converts tools before Gemini reads them, so this row has its own tool tokens.
  {
    factor: 1.25,
    surplus: 'digits',
    reads: 'json',
    kinds: ['openrouter'],
    models: /^google\/gemini-/i,
    around: { request: 8, turn: 4, tools: 64, schema: 64 },
  },
  { ...claude, models: /claude-opus-4[-.][56]/i },
  { ...claude, models: { test: isEarlyClaude }, thoughts: 'current' },
  {
    factor: 1.4,
    surplus: 'scripts',
    reads: 'json',
    kinds: ['mistral'],
    models: /./,
    around: { request: 16, turn: 8, tools: 32, schema: 64 },
  },
]
