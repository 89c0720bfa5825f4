import { isClaude, kindFacts } from '#domain/accounts/provider-kinds.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from '#gateway/call/model-name-targets.ts'

/**
 * Returns the maximum number of tokens that a provider itself adds before a request, beyond the allowance for each turn
 * (docs/reference/tokens.md "Tokens that providers add" and recorded calls). Providers add instructions for tools and
 * schemas. A few models have a template with a fixed beginning. At OpenAI, Anthropic, Google, Mistral and DeepSeek, a
 * request with only the text "hello" counts as just 4 to 12 tokens.
 */
export function providerAddedTokens(
  { hasTools, hasSchema }: Pick<WireRequest, 'hasTools' | 'hasSchema'>,
  { account: { kind }, target: { model } }: Plan,
): number {
  // The instructions for Claude models are added at every provider.
  const { wrapping } = kindFacts(isClaude(model) ? 'anthropic' : kind)
  let tokens = beginnings.find(({ models }) => models.test(model))?.tokens ?? 0
  if (hasTools) tokens += wrapping.toolTokens
  if (hasSchema) tokens += wrapping.schemaTokens
  return tokens
}

/**
 * Tokens of fixed template beginnings, rounded up. Grok 4 adds 680 tokens, later Grok models add 190, and the Grok
 * coding model adds 110. DeepSeek V4 adds 80, also on the responses wire. The last two rows of the table are
 * rounded up from 70 and 40 tokens.
 */
const beginnings: readonly { readonly models: RegExp; readonly tokens: number }[] = [
  { models: /grok-(?:[4-9]|build|code)/i, tokens: 768 },
  { models: /deepseek-v(?:[4-9]|\d\d)/i, tokens: 96 },
  { models: /gpt-oss|command|hermes|minimax|nemotron|sonar/i, tokens: 96 },
  { models: /llama|qwen/i, tokens: 48 },
]
