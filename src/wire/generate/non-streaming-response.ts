import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { thirdsOf, tokensFromThirds } from '#wire/bound/bound-tokens-of-any-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import {
  after,
  endOf,
  inside,
  kindOf,
  kinds,
  member,
  startOf,
  nameAt,
  valueAt,
  valueOf,
} from '#wire/text/json-tape.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { spanOf, textAt } from '#wire/wire-request.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'
import { Grounding } from './uses-of-google-tools.ts'
import { hasCounts, usageFromGenerate } from './usage.ts'

/** The response to a blocked prompt has no candidates (docs/reference/wires.md "Answers on the generate wire"). */
export function readGenerateAnswer(text: ByteText, alias: string): WholeAnswer | null {
  const json = parseJson(text)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const candidates = member(json, 0, 'candidates')
  const hasCandidates = candidates >= 0 && kindOf(json, candidates) === kinds.array
  if (!hasCandidates && member(json, 0, 'promptFeedback') < 0) return null
  const usage = member(json, 0, 'usageMetadata')
  const reported = usage < 0 ? null : valueAt(json, usage)
  const answeredBy = textAt(json, member(json, 0, 'modelVersion'))
  const answers = itemsOf(json, candidates)
  const parts = answers.flatMap((candidate) => partsOf(json, candidate))
  const grounding = new Grounding()
  grounding.add(json, answers, parts)
  const counted = usageFromGenerate(reported)
  const believed = counted && grounding.withSearches(counted, answeredBy)
  const thirds = parts.reduce((sum, part) => sum + thirdsOfPart(json, part), 0)
  return {
    usage: believed,
    hasReportedUsage: hasCounts(reported),
    answeredBy,
    outputTokens:
      believed && believed.lacks !== 'output' && believed.output > 0
        ? believed.output
        : tokensFromThirds(thirds),
    body: splice(text, editsOf(json, alias)),
  }
}

export function editsOf(json: Json, alias: string): readonly Edit[] {
  const model = member(json, 0, 'modelVersion')
  return model < 0 ? [] : [{ ...spanOf(json, model), text: byteTextOf(JSON.stringify(alias)) }]
}

export function partsOf(json: Json, candidate: Node): readonly Node[] {
  return itemsOf(json, member(json, member(json, candidate, 'content'), 'parts'))
}

/** The model did not write signatures and data, so they are not counted. */
export function thirdsOfPart(json: Json, part: Node): number {
  return thirdsOfMembers(json, part, partMarks, (inner) =>
    kindOf(json, inner) === kinds.object
      ? thirdsOfMembers(json, inner, dataNames, (value) => thirdsOfArguments(json, value))
      : thirdsOfArguments(json, inner),
  )
}

/** Members of a part that the model did not write. */
export const partMarks: ReadonlySet<string> = new Set(['thought', 'thoughtSignature'])
const dataNames: ReadonlySet<string> = new Set(['id', 'data', 'mimeType'])

function thirdsOfMembers(
  json: Json,
  object: Node,
  skipped: ReadonlySet<string>,
  thirdsIn: (value: Node) => number,
): number {
  let thirds = 0
  if (kindOf(json, object) !== kinds.object) return thirds
  for (let key = inside(object), end = after(json, object); key < end; key = after(json, valueOf(key)))
    if (!skipped.has(nameAt(json, key))) thirds += thirdsIn(valueOf(key))
  return thirds
}

/** The model wrote all keys, texts and numbers, so all of them count. */
function thirdsOfArguments(json: Json, root: Node): number {
  const kind = kindOf(json, root)
  if (kind === kinds.string) return thirdsOf(json.text, startOf(json, root) + 1, endOf(json, root) - 1)
  if (kind !== kinds.object && kind !== kinds.array) return endOf(json, root) - startOf(json, root)
  let thirds = 0
  for (let entry = inside(root), end = after(json, root); entry < end; entry = after(json, entry))
    thirds += thirdsOfArguments(json, entry)
  return thirds
}
