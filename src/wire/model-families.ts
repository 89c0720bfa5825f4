/**
 * What models of the main vendors are known to refuse, by the names that the vendors gave them. Only for
 * conversions, where the client cannot know what the model behind the alias takes: a field that it would be
 * refused for is left out and reported. A name that is not known is taken for a model that takes all.
 */

/** OpenAI models that choose their own sampling, and take no stop sequences (wire.md 1.1, 5.7). */
export function isOpenaiReasoner(model: string): boolean {
  return /^(?:o\d|gpt-[5-9]|codex)/.test(model)
}

/** OpenAI models from before reasoning: they refuse an effort and prompt_cache_breakpoint. */
export function isOpenaiPlain(model: string): boolean {
  return /^(?:gpt-[34]|chatgpt-)/.test(model)
}

/** Claude from Opus 4.7 on refuses temperature, top_p and top_k (wire.md 2.1). */
export function isClaudeWithoutSampling(model: string): boolean {
  return model.startsWith('claude-') && !oldClaude.test(model) && !claude46.test(model)
}

/** Claude that thinks by a budget: signed thinking has to stand before its calls, and none may be forced. */
export function isBudgetClaude(model: string): boolean {
  return oldClaude.test(model)
}

const oldClaude = /^claude-(?:2|3|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8}|-latest)?$)/
const claude46 = /^claude-(?:opus|sonnet|haiku)-4-6(?:-|$)/
