import { kindFacts } from '#domain/provider-kinds.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from './served-name.ts'

/**
 * The most that a provider itself puts before a request, beyond the allowance for each turn
 * (docs/reference/tokens.md "What providers put before a request" and recorded calls): instructions for tools and
 * for a schema, and the fixed beginning of some models' templates. Most have none: a greeting is 4 to 12 tokens to
 * OpenAI, Anthropic, Google, Mistral and DeepSeek.
 */
export function wrappingTokens(
  { hasTools, hasSchema }: Pick<WireRequest, 'hasTools' | 'hasSchema'>,
  { account: { kind }, target: { model } }: Plan,
): number {
  // Claude models add their instructions at every server.
  const { wrapping } = kindFacts(/claude/i.test(model) ? 'anthropic' : kind)
  let tokens = beginnings.find(({ models }) => models.test(model))?.tokens ?? 0
  if (hasTools) tokens += wrapping.toolTokens
  if (hasSchema) tokens += wrapping.schemaTokens
  return tokens
}

/** Fixed beginnings, with room: 680 tokens of Grok 4, 190 of later ones, 110 of its coder, 70, and 40. */
const beginnings: readonly { readonly models: RegExp; readonly tokens: number }[] = [
  { models: /grok-(?:[4-9]|build|code)/i, tokens: 768 },
  { models: /gpt-oss|command|hermes|minimax|nemotron|sonar/i, tokens: 96 },
  { models: /llama|qwen/i, tokens: 48 },
]
