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
