import { parseJson } from '#wire/text/json-parser.ts'
import { after, inside, kindOf, kinds, member, nameAt, valueAt, valueOf } from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { tellsProvider } from '#wire/read-provider-error.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { isGiven, isNull, spanOf, textAt } from '#wire/wire-request.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'
import { costEdits } from '#wire/provider-stated-cost.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { outputTokensOf } from '#wire/stream/reported-or-counted-output.ts'
import { executedSearches } from './groq-executed-tools.ts'
import { isRecord, reportedUsage, usageFromChat, withSearches } from './usage.ts'

/** Search the text for this member first: few responses have it, and a search costs less than reading each message. */
export const executedTools = '"executed_tools"'

export function readChatResponse(text: ByteText, alias: string): WholeAnswer | null {
  const json = parseJson(text)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const members = answerMembers(json, false)
  const { choices, error } = members
  if (choices < 0 || kindOf(json, choices) !== kinds.array) return null
  // A response with status 200 may contain an error in addition to a part of an answer.
  const first = inside(choices)
  const firstError = first < after(json, choices) ? member(json, first, 'error') : -1
  if (isGiven(json, error) || isGiven(json, firstError)) return null
  const { usage: reported, hasReportedUsage } = usageIn(json, members)
  const searches = text.includes(executedTools) ? executedSearches(valueAt(json, choices)) : 0
  const usage = withSearches(reported, searches)
  return {
    usage,
    hasReportedUsage,
    answeredBy: textAt(json, members.model),
    outputTokens: outputTokensOf(usage, json, choices),
    body: splice(text, editsOf(json, members, byteTextOf(JSON.stringify(alias)))),
  }
}

/** Positions of members; -1 means absent. If a member is repeated, the last occurrence counts. */
export interface AnswerMembers {
  choices: Node
  usage: Node
  groq: Node
  serviceTier: Node
  model: Node
  error: Node
  object: Node
  obfuscation: Node
  /** Objects that contain a usage: first the top level, then the choices (Moonshot). */
  readonly usages: Node[]
  readonly foreign: Node[]
}

/**
 * Finds the members in one pass, because the function may run for every chunk of a stream.
 * @param cutsNull whether the client must not see `"usage": null`, because only the gateway requested the usage
 */
export function answerMembers(json: Json, cutsNull: boolean): AnswerMembers {
  const members: AnswerMembers = {
    choices: -1,
    usage: -1,
    groq: -1,
    serviceTier: -1,
    model: -1,
    error: -1,
    object: -1,
    obfuscation: -1,
    usages: [],
    foreign: [],
  }
  for (let key = inside(0), end = after(json, 0); key < end; key = after(json, valueOf(key))) {
    const name = nameAt(json, key)
    const value = valueOf(key)
    if (name === 'choices') members.choices = value
    else if (name === 'usage') members.usage = value
    else if (name === 'x_groq') members.groq = value
    else if (name === 'service_tier') members.serviceTier = value
    else if (name === 'model') members.model = value
    else if (name === 'error') members.error = value
    else if (name === 'object') members.object = value
    else if (name === 'obfuscation') members.obfuscation = value
    const isForeign = tellsProvider.has(name) || (cutsNull && name === 'usage' && isNull(json, value))
    if (isForeign) members.foreign.push(key)
  }
  const addUsage = (usage: Node): void => {
    if (usage >= 0 && kindOf(json, usage) === kinds.object) members.usages.push(usage)
  }
  addUsage(members.usage)
  for (const one of itemsOf(json, members.choices)) addUsage(member(json, one, 'usage'))
  return members
}

export function usageIn(
  json: Json,
  { groq, model, usages, serviceTier }: AnswerMembers,
): Pick<WholeAnswer, 'usage' | 'hasReportedUsage'> {
  if (groq < 0 && usages.length === 0) return { usage: null, hasReportedUsage: false }
  const reported = reportedUsage({
    choices: usages.map((usage) => ({ usage: valueAt(json, usage) })),
    model: textAt(json, model),
    x_groq: groq < 0 ? undefined : valueAt(json, groq),
  })
  return {
    usage: usageFromChat(reported, textAt(json, serviceTier)),
    hasReportedUsage: isRecord(reported),
  }
}

/**
 * Writes the alias as the model name, and removes members that name the provider or its price.
 * @param aliasJson the alias as a JSON string, with quotes
 */
export function editsOf(
  json: Json,
  { foreign, model, usages }: AnswerMembers,
  aliasJson: ByteText,
): readonly Edit[] {
  // The edits are in order, because vendors write the model name before the removed members.
  const edits: Edit[] = model < 0 ? [] : [{ ...spanOf(json, model), text: aliasJson }]
  edits.push(...removals(json, 0, foreign))
  for (const usage of usages) edits.push(...costEdits(json, usage))
  return edits
}
