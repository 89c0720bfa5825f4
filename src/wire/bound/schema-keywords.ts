import type { ByteText } from '#wire/text/byte-text.ts'
import { searchedMax, tokensAtMost } from './letter-pair-bound.ts'

/**
 * Returns the sum of the tokens by which fixed keywords in tools or a schema are overcounted. OpenAI's and Google's
 * models read tools in a shorter form than JSON. In this form, a keyword such as `"additionalProperties":false` is at
 * most one word (docs/reference/tokens.md "Tokens that providers add").
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
 * Values that may contain keywords, escapes that may hide such values, and references, which Google's models expand.
 */
const values = /"(?:default|examples?|const|enum)":\s*(?:\{|\[\s*[[{])|\\u|"\$ref"/
