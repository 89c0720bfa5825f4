import type { Usage } from '#money/usage-counts.ts'
import { tokensFromThirds } from '#wire/bound/bound-tokens-of-any-text.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { thirdsOfEveryText, thirdsOfWords } from './count-tokens-by-bytes.ts'

/**
 * Returns the reported output tokens, or a count of every text if no count is reported. Servers that do not count
 * tokens report 0, so a reported 0 is ignored if the answer contains words.
 * @param usage null if no plausible usage was reported
 * @param root the model's output, with little framing
 */
export function outputTokensOf(usage: Usage | null, json: Json, root: Node): number {
  if (usage === null || usage.lacks === 'output') return tokensFromThirds(thirdsOfEveryText(json, root))
  return usage.output > 0 ? usage.output : tokensFromThirds(thirdsOfWords(json, root))
}
