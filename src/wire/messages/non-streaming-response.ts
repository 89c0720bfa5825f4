import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { after, inside, kindOf, kinds, member, valueAt } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import { spanOf, textAt } from '#wire/wire-request.ts'
import { outputTokensOf } from '#wire/stream/reported-or-counted-output.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'
import { costEdits } from '#wire/provider-stated-cost.ts'
import type { ContainerIds } from '#wire/types-of-replaced-ids.ts'
import { itemsOf } from '#wire/text/members-of-tape-nodes.ts'
import { codeFileEdits } from './files-created-by-code.ts'
import { hasContainer, noRun, withSession, type RunFacts } from './code-execution-facts.ts'
import { usageFromMessages } from './usage.ts'

export function readMessagesResponse(
  text: ByteText,
  alias: string,
  run: RunFacts = noRun,
  containers?: ContainerIds,
): WholeAnswer | null {
  const json = parseJson(text)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const content = member(json, 0, 'content')
  if (content < 0 || kindOf(json, content) !== kinds.array) return null
  const usage = member(json, 0, 'usage')
  const hasReportedUsage = usage >= 0 && kindOf(json, usage) === kinds.object
  const told = hasReportedUsage ? usageFromMessages(valueAt(json, usage)) : null
  const believed = withSession(told, run, hasContainer(json, 0))
  return {
    usage: believed,
    hasReportedUsage,
    answeredBy: textAt(json, member(json, 0, 'model')),
    outputTokens: outputTokensOf(believed, json, content),
    body: splice(text, [
      ...editsOf(json, 0, usage, null, alias, containers),
      ...(containers === undefined
        ? []
        : itemsOf(json, content).flatMap((block) => codeFileEdits(json, block, containers))),
    ]),
  }
}

/**
 * Prepares a message, or the first or last frame of a stream, for the client. Replaces the model name and the container
 * ID, and removes the price.
 * @param answering model name from an earlier frame, used if `message` contains none
 */
export function editsOf(
  json: Json,
  message: Node,
  usage: Node,
  answering: string | null,
  alias: string,
  containers?: ContainerIds,
): readonly Edit[] {
  const text = byteTextOf(JSON.stringify(alias))
  const places = modelPlaces(json, message, usage, answering)
  return [
    ...places.map((place) => ({ ...spanOf(json, place), text })),
    ...(containers === undefined ? [] : containerEdits(json, message, containers)),
    ...costEdits(json, usage),
  ]
}

function containerEdits(json: Json, message: Node, containers: ContainerIds): readonly Edit[] {
  if (!hasContainer(json, message)) return []
  const place = member(json, member(json, message, 'container'), 'id')
  const id = textAt(json, place)
  return id === null
    ? []
    : [{ ...spanOf(json, place), text: byteTextOf(JSON.stringify(containers.idOf(id))) }]
}

function modelPlaces(json: Json, message: Node, usage: Node, answering: string | null): readonly Node[] {
  const places: Node[] = []
  const model = member(json, message, 'model')
  if (model >= 0) places.push(model)
  const name = textAt(json, model) ?? answering
  const details = member(json, message, 'stop_details')
  // A refusal may recommend a model. The alias replaces the name of this model only if the same model has responded.
  const recommended = details < 0 ? -1 : member(json, details, 'recommended_model')
  if (recommended >= 0 && name !== null && textAt(json, recommended) === name) places.push(recommended)
  const iterations = usage < 0 ? -1 : member(json, usage, 'iterations')
  if (iterations >= 0 && kindOf(json, iterations) === kinds.array) {
    for (let one = inside(iterations), end = after(json, iterations); one < end; one = after(json, one)) {
      const ran = member(json, one, 'model')
      if (ran >= 0 && textAt(json, ran) !== null) places.push(ran)
    }
  }
  return places
}
