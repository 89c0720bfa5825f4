import type { ByteText } from '#wire/text/byte-text.ts'
import { searchedMax, tokensAtMost } from './letter-pair-bound.ts'

/**
 * For each fixed keyword in the tools or the schema of a request, the input bound counts more than the two tokens that
 * the keyword can have. Returns the sum of the excess tokens. OpenAI's and Google's models read tools in a shorter form
 * than JSON. In the shorter form, a keyword such as `"additionalProperties":false` is at most one word
 * (docs/reference/tokens.md "Tokens that providers add").
 *
 * Returns 0 if a schema contains an object as a value, such as a default, because a model may read this object as JSON.
 */
export function tokensOfKeywords(text: ByteText, start: number, end: number): number {
  const json = text.slice(start, Math.min(end, start + searchedMax))
  if (values.test(json)) return 0
  let tokens = 0
  for (const [keyword] of json.matchAll(keywords))
    tokens += Math.max(0, tokensAtMost(keyword, 0, keyword.length) - readTokens)
  return tokens
}

const readTokens = 2

const keywords =
  /"(?:type":"(?:function|object|string|integer|number|boolean|array)"|(?:strict|additionalProperties)":(?:true|false))/gi
/**
 * Matches values that may contain keywords, and escapes that may hide the name of such a value. Also matches
 * references, because Google's models read the referenced content once for each reference.
 */
const values = /"(?:default|examples?|const|enum)":\s*(?:\{|\[\s*[[{])|\\u|"\$ref"/
