import { isPlausible, zeroUsage, type Usage } from '#money/usage-counts.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { numberOrNull, parseObject, parseValue, textOrNull, type JsonObject } from '#wire/text/json-values.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'
import { itemCount, topMembers, type TopMember } from '#wire/text/find-top-level-members.ts'
import { providerErrorOf, tellsProvider } from './read-provider-error.ts'
import { costEdits, statedCost } from './provider-stated-cost.ts'

/**
 * Reads a response in OpenAI's format, and writes the alias as its model name.
 * @param lists possible names of the member with the results; each response has one of these members
 * @param usageIn reads the usage from top-level members
 * @param opens first character of the results: `[` for a list, `"` for a text
 * @returns null for any text that is not a response: HTML, an incomplete body, or an error with status 200
 */
export function readTaskAnswer(
  text: ByteText,
  alias: string,
  lists: readonly string[],
  usageIn: UsageReader = usageOfInput,
  opens: '[' | '"' = '[',
): WholeAnswer | null {
  const members = topMembers(text)
  if (members === null) return null
  const named = new Map(members.map((member) => [member.name, member]))
  const results = lists.map((list) => named.get(list)).find((member) => member !== undefined)
  if (results === undefined || text[results.start] !== opens || hasError(text, named.get('error')))
    return null
  const model = named.get('model')
  return {
    ...usageIn(
      (name) => valueIn(text, named.get(name)),
      () => itemCount(text, results),
      (name) => {
        const found = named.get(name)
        return found === undefined ? null : parseOrNull(text.slice(found.start, found.end))
      },
    ),
    answeredBy: model === undefined ? null : textOrNull(parseOrNull(text.slice(model.start, model.end))),
    outputTokens: 0,
    hasNoOutput: true,
    body: splice(text, editsOf(text, members, alias)),
  }
}

export type ReportedUsage = Pick<WholeAnswer, 'usage' | 'hasReportedUsage'>

/**
 * @param member returns a top-level object; null if it is absent
 * @param results returns the number of results
 * @param value returns a top-level value; null if it is absent
 */
type UsageReader = (
  member: (name: string) => JsonObject | null,
  results: () => number,
  value: (name: string) => unknown,
) => ReportedUsage

/** Returns the usage of a response whose model has only input (docs/reference/wires.md "Responses with embeddings"). */
function usageOfInput(member: (name: string) => JsonObject | null): ReportedUsage {
  const reported = member('usage')
  if (reported === null) return { usage: null, hasReportedUsage: false }
  const { input_tokens, prompt_tokens, total_tokens } = reported
  const input = numberOrNull(prompt_tokens ?? input_tokens ?? total_tokens)
  const usage: Usage = { ...zeroUsage, input: input ?? -1, ...statedCost(reported) }
  return { usage: isPlausible(usage) ? usage : null, hasReportedUsage: true }
}

function hasError(text: ByteText, error: TopMember | undefined): boolean {
  if (error === undefined) return false
  return providerErrorOf({ error: parseOrNull(text.slice(error.start, error.end)) }) !== null
}

function valueIn(text: ByteText, member: TopMember | undefined): JsonObject | null {
  return member === undefined ? null : parseObject(textOf(text.slice(member.start, member.end)))
}

function parseOrNull(text: ByteText): unknown {
  try {
    return parseValue(textOf(text))
  } catch {
    return null
  }
}

function editsOf(text: ByteText, members: readonly TopMember[], alias: string): readonly Edit[] {
  const edits: Edit[] = []
  let hasKept = false
  for (const [index, { name, at, start, end }] of members.entries()) {
    if (tellsProvider.has(name)) {
      // Remove a member with the comma before it, or with the comma after it if all earlier members were removed.
      const from = hasKept ? (members[index - 1]?.end ?? at) : at
      edits.push({ start: from, end: hasKept ? end : (members[index + 1]?.at ?? end), text: '' })
      continue
    }
    hasKept = true
    if (name === 'model') edits.push({ start, end, text: byteTextOf(JSON.stringify(alias)) })
    if (name === 'usage') edits.push(...priceEdits(text.slice(start, end), start))
  }
  return edits
}

function priceEdits(usage: ByteText, at: number): readonly Edit[] {
  const json = parseJson(usage)
  if ('reason' in json) return []
  return costEdits(json, 0).map((edit) => ({ ...edit, start: at + edit.start, end: at + edit.end }))
}
