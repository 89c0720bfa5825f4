import { isClaude, kindFacts } from '#domain/accounts/provider-kinds.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from '#gateway/call/served-name.ts'

/**
 * Returns the maximum number of tokens that a provider itself adds before a request, beyond the allowance for each turn
 * (docs/reference/tokens.md "Tokens that providers add" and recorded calls). Providers add instructions for
 * tools and schemas, and some models' templates have a fixed beginning. Most templates have no such beginning. A
 * greeting is 4 to 12 tokens at OpenAI, Anthropic, Google, Mistral and DeepSeek.
 */
export function wrappingTokens(
  { hasTools, hasSchema }: Pick<WireRequest, 'hasTools' | 'hasSchema'>,
  { account: { kind }, target: { model } }: Plan,
): number {
  // Claude models add their instructions on every server.
  const { wrapping } = kindFacts(isClaude(model) ? 'anthropic' : kind)
  let tokens = beginnings.find(({ models }) => models.test(model))?.tokens ?? 0
  if (hasTools) tokens += wrapping.toolTokens
  if (hasSchema) tokens += wrapping.schemaTokens
  return tokens
}

/** Fixed beginnings, rounded up from 680 tokens for Grok 4, 190 for later ones, 110 for its coder, 70, and 40. */
const beginnings: readonly { readonly models: RegExp; readonly tokens: number }[] = [
  { models: /grok-(?:[4-9]|build|code)/i, tokens: 768 },
  { models: /gpt-oss|command|hermes|minimax|nemotron|sonar/i, tokens: 96 },
  { models: /llama|qwen/i, tokens: 48 },
]
