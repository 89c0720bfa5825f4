import { kindOf, kinds, type Json } from '#wire/text/json-tape.ts'
import { isGiven, type Fields } from '#wire/wire-request.ts'

/**
 * Returns the maximum tokens of system prompts that Mistral adds because of fields of the request
 * (docs/reference/tokens.md "Tokens that providers add").
 */
export function tokensOfMistralPrompts(
  json: Json,
  { prompt_mode: promptMode, safe_prompt: safePrompt }: Fields<'prompt_mode' | 'safe_prompt'>,
): number {
  const isSafe = isGiven(json, safePrompt) && kindOf(json, safePrompt) !== kinds.false
  return (isGiven(json, promptMode) ? reasoningPromptTokens : 0) + (isSafe ? safetyPromptTokens : 0)
}

/** Three times the published prompt, because Mistral may use another prompt for each model. */
const reasoningPromptTokens = 384
const safetyPromptTokens = 64
