import type { Usage } from '#money/usage.ts'
import { tokensFromThirds } from '#wire/bound/token-count.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { thirdsOfEveryText, thirdsOfWords } from './count-unknown-frame.ts'

/**
 * Output tokens of a whole answer: as reported; where nothing is, by every text in it. Servers that count nothing
 * report 0, and their answer is not empty for that: its words alone say whether it is.
 * @param usage null: none was reported that can be believed
 * @param root what the model wrote, and the little framing between
 */
export function outputTokensOf(usage: Usage | null, json: Json, root: Node): number {
  if (usage === null || usage.lacks === 'output') return tokensFromThirds(thirdsOfEveryText(json, root))
  return usage.output > 0 ? usage.output : tokensFromThirds(thirdsOfWords(json, root))
}
