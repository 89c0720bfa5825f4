/**
 * Reads containers in which OpenAI runs code (docs/reference/wires.md "Containers"). A request starts a container
 * (`auto`), or continues a container by its ID. The response contains the container ID in its calls of code, and in its
 * citations of files that code created.
 */
import type { Usage } from '#money/usage-counts.ts'
import type { InputBound } from '#wire/bound/input-bound.ts'
import type { ContainerUse } from '#wire/container-use-types.ts'
import type { ObjectIds } from '#wire/types-of-replaced-ids.ts'
import { answerLimits } from '#wire/stream/frame-reader-interface.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, member, type Json, type Node } from '#wire/text/json-tape.ts'
import { itemsOf, typeOf } from '#wire/text/members-of-tape-nodes.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'
import { isGiven, mustBe, spanOf, textAt, type WireRequest } from '#wire/wire-request.ts'

const codeTool = 'code_interpreter'
const codeCall = 'code_interpreter_call'

export interface ToolContainers {
  readonly uses: readonly ContainerUse[]
  /** OpenAI bills one unit for each GB of a new container's memory. */
  readonly sessions: number
}

/**
 * Also adds the files in these containers to the bound.
 * @param tools all tools of the request, from every list of tools
 */
export function containersOfTools(json: Json, tools: readonly Node[], bound: InputBound): ToolContainers {
  const uses: ContainerUse[] = []
  let sessions = 0
  for (const tool of tools) {
    if (typeOf(json, tool, '') !== codeTool) continue
    const container = member(json, tool, 'container')
    const use = containerAt(json, container)
    if (use !== null) uses.push(use)
    else {
      sessions += gigabytesOf(json, container)
      for (const file of itemsOf(json, member(json, container, 'file_ids')))
        bound.addFile(json, file, { isUpload: true })
    }
  }
  return { uses, sessions }
}

/** Returns the container that a call of code in the conversation names. Null if the call names no container. */
export function containerOfCall(json: Json, item: Node): ContainerUse | null {
  const use = containerAt(json, member(json, item, 'container_id'))
  return use && { ...use, isNamed: true }
}

function containerAt(json: Json, node: Node): ContainerUse | null {
  const id = textAt(json, node)
  return id === null ? null : { id, place: spanOf(json, node) }
}

/** OpenAI's price is proportional to the memory of the container. */
function gigabytesOf(json: Json, container: Node): number {
  const limit = member(json, container, 'memory_limit')
  if (!isGiven(json, limit)) return 1
  return (
    gigabytes.get(textAt(json, limit) ?? '') ?? mustBe('tools.container.memory_limit', '1g, 4g, 16g or 64g')
  )
}

const gigabytes: ReadonlyMap<string, number> = new Map([
  ['1g', 1],
  ['4g', 4],
  ['16g', 16],
  ['64g', 64],
])

/** Facts about the containers of a request that are needed to read the response. */
export interface CodeFacts {
  readonly sessions: number
  readonly known: ReadonlySet<string>
}

export const noCode: CodeFacts = { sessions: 0, known: new Set() }

/** Used if the request is not available. The number of billed sessions is then read from the hold of the call. */
export const anyCode: CodeFacts = { sessions: 1, known: new Set() }

export function codeFactsOf({ containers = [], run, uses }: WireRequest): CodeFacts {
  const sessions = run === undefined ? 0 : (uses?.codeSessions ?? 0)
  if (sessions === 0) return noCode
  return { sessions, known: new Set(containers.flatMap(({ stored }) => stored?.id ?? [])) }
}

/** Adds the sessions of containers that the response started. Containers that the request names are already billed. */
export function withSessions(
  usage: Usage | null,
  json: Json,
  response: Node,
  { known, sessions }: CodeFacts,
): Usage | null {
  if (usage === null || sessions === 0) return usage
  const isNew = itemsOf(json, member(json, response, 'output')).some(
    (item) =>
      typeOf(json, item, '') === codeCall &&
      !known.has(textAt(json, member(json, item, 'container_id')) ?? ''),
  )
  return isNew ? { ...usage, codeSessions: sessions } : usage
}

/** @param object a response, a list of its items, or an event of its stream */
export function containerEdits(json: Json, object: Node, containers: ObjectIds): readonly Edit[] {
  const response = member(json, object, 'response')
  const whole = response < 0 ? object : response
  const items = [
    member(json, object, 'item'),
    ...itemsOf(json, member(json, whole, 'output')),
    ...itemsOf(json, member(json, whole, 'data')),
  ]
  const parts = [
    member(json, object, 'part'),
    ...items.flatMap((item) => itemsOf(json, member(json, item, 'content'))),
  ]
  const named = [
    member(json, object, 'annotation'),
    ...items,
    ...parts.flatMap((part) => itemsOf(json, member(json, part, 'annotations'))),
  ]
  const tools = itemsOf(json, member(json, whole, 'tools')).filter(
    (tool) => typeOf(json, tool, '') === codeTool,
  )
  return [
    ...named.map((one) => member(json, one, 'container_id')),
    ...tools.map((tool) => member(json, tool, 'container')),
  ].flatMap((place) => {
    if (place < 0 || kindOf(json, place) !== kinds.string) return []
    return {
      ...spanOf(json, place),
      text: byteTextOf(JSON.stringify(containers.idOf(textAt(json, place) ?? ''))),
    }
  })
}

/**
 * Returns a description of a container or of its files, with the client's container ID. Null if the text describes
 * neither.
 */
export function readContainer(
  text: ByteText,
  { id, shown }: { readonly id: string; readonly shown: string },
): ByteText | null {
  const json = parseJson(text, answerLimits)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const places = [
    member(json, 0, 'id'),
    ...[0, ...itemsOf(json, member(json, 0, 'data'))].map((one) => member(json, one, 'container_id')),
  ].filter((place) => textAt(json, place) === id)
  return splice(
    text,
    places.map((place) => ({ ...spanOf(json, place), text: byteTextOf(JSON.stringify(shown)) })),
  )
}
