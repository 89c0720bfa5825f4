import { kindOf, kinds, numberAt, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import { listOf, type JsonValue } from '#wire/text/json-values.ts'
import type { TaskText } from './shared-parsing-of-tasks-without-output.ts'
import { mustBe } from './wire-request.ts'

/** Maximum tokens that a tokenizer may add to a text. */
export const aroundEachText = 8

/**
 * Accepts a text, a list of texts, a list of tokens, or a list of lists of tokens.
 * @returns the number of texts, and the number of tokens if the client sent tokens
 */
export function textsOrTokens(
  json: Json,
  field: string,
  node: Node,
): { readonly texts: number; readonly tokens: number | null } {
  const kind = node < 0 ? kinds.null : kindOf(json, node)
  if (kind === kinds.string) return { texts: 1, tokens: null }
  const items = itemsOf(json, node)
  const [first] = items
  if (first === undefined) return wrong(field)
  const tokensIn = (list: readonly Node[]): number => {
    const isToken = (item: Node): boolean =>
      kindOf(json, item) === kinds.number && Number.isSafeInteger(numberAt(json, item))
    return list.length > 0 && list.every(isToken) ? list.length : wrong(field)
  }
  switch (kindOf(json, first)) {
    case kinds.string:
      if (items.some((item) => kindOf(json, item) !== kinds.string)) wrong(field)
      return { texts: items.length, tokens: null }
    case kinds.number:
      return { texts: 1, tokens: tokensIn(items) }
    case kinds.array: {
      const counts = items.map((item) => tokensIn(itemsOf(json, item)))
      return { texts: items.length, tokens: counts.reduce((sum, count) => sum + count, 0) }
    }
    default:
      return wrong(field)
  }
}

function wrong(field: string): never {
  return mustBe(field, 'a string, a list of strings, a list of tokens, or a list of lists of tokens')
}

/** The field must be accepted by `textsOrTokens`. */
export function textOfTexts(value: JsonValue): TaskText {
  const inputs = typeof value === 'string' ? [value] : listOf(value)
  if (typeof inputs[0] === 'number') return { text: '', moreTokens: inputs.length }
  const texts: string[] = []
  let moreTokens = 0
  for (const one of inputs) {
    if (typeof one === 'string') {
      texts.push(one)
      // Most tokenizers add a token at the end of a text.
      moreTokens++
    } else moreTokens += listOf(one).length
  }
  return { text: texts.join('\n'), moreTokens }
}
