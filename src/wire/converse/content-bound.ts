import { tokensOfCitations } from '#wire/bound/citation-tokens.ts'
import { InputBound, type InputTotal } from '#wire/bound/input-bound.ts'
import { bedrockFrames } from '#wire/bound/video-bounds.ts'
import { whyUnbounded } from '#wire/bound/bound-of-unknown-content.ts'
import {
  kindOf,
  kinds,
  member,
  nameAt,
  sourceOf,
  valueOf,
  type Json,
  type Node,
} from '#wire/text/json-tape.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { itemsOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { isGiven, mustBe, refuseForRoute, textAt, turnsAt } from '#wire/wire-request.ts'

/** Nodes of the request's input; -1 for an absent node. */
interface Input {
  readonly messages: Node
  readonly system: Node
  readonly tools: Node
  readonly hasSchema: boolean
}

export function boundConverse(json: Json, { hasSchema, messages, system, tools }: Input): InputTotal {
  const turns = itemsOf(json, turnsAt(json, 'messages', messages, 'message'))
  const bound = new InputBound()
  bound.addSettings(json, 0, settings)
  boundBlocks({ json, bound }, system, 'system')
  for (const [i, message] of turns.entries()) {
    if (kindOf(json, message) !== kinds.object) mustBe(`messages.${i}`, 'an object')
    bound.addTurn(json, message)
    boundBlocks({ json, bound }, member(json, message, 'content'), `messages.${i}.content`)
  }
  return bound.total(json, { messages: turns.length, hasTools: itemsOf(json, tools).length > 0, hasSchema })
}

export const settings = nameSet(`
  svc inferenceConfig serviceTier performanceConfig requestMetadata additionalModelResponseFieldPaths
`)

interface Bounding {
  readonly json: Json
  readonly bound: InputBound
}

function boundBlocks(to: Bounding, content: Node, param: string): void {
  for (const [i, block] of itemsOf(to.json, content).entries()) boundBlock(to, block, `${param}.${i}`)
}

/** A block has one member, whose name is the type of the block. */
function boundBlock(to: Bounding, block: Node, blockParam: string): void {
  const { bound, json } = to
  for (const key of keysOf(json, block)) {
    const name = nameAt(json, key)
    const value = valueOf(key)
    const param = `${blockParam}.${name}`
    if (isText.has(name) || !isGiven(json, value)) continue
    switch (name) {
      case 'toolResult':
        boundBlocks(to, member(json, value, 'content'), `${param}.content`)
        break
      case 'searchResult':
        boundCitations(to, value)
        boundBlocks(to, member(json, value, 'content'), `${param}.content`)
        break
      case 'image':
        bound.addImage(json, bytesAt(to, value, param), false)
        break
      case 'document':
        boundDocument(to, value, param)
        break
      case 'video':
        if (!bound.addVideo(json, bytesAt(to, value, param), `video/${formatAt(json, value)}`, bedrockFrames))
          refuseForRoute(param, unknownVideo)
        break
      case 'guardContent':
        refuseForRoute(param, guarded)
      // oxlint-disable-next-line no-fallthrough -- the function above does not return
      default: {
        const reason = whyUnbounded(json, value, name)
        if (reason !== null) refuseForRoute(param, reason)
      }
    }
  }
}

/** Blocks that count as text, and members that do not change the bound of a block. */
const isText = nameSet('text json toolUse reasoningContent citationsContent cachePoint type')

const unknownVideo =
  'the length of this video cannot be read. Send an MP4, a WebM, or single frames as images'
export const guarded = 'AWS bills guardrails in units that no price covers. Omit the field'
const inBucket =
  'the provider would read the file with the rights of its own account, and the size is not known. Send the bytes of the file'

/** Rejects an object in S3, because Bedrock would read the object with the rights of the operator's account. */
function bytesAt({ json }: Bounding, media: Node, param: string): Node {
  const source = member(json, media, 'source')
  const bytes = source < 0 ? -1 : member(json, source, 'bytes')
  for (const key of keysOf(json, source))
    if (nameAt(json, key) !== 'bytes') refuseForRoute(`${param}.source.${nameAt(json, key)}`, inBucket)
  return bytes >= 0 && kindOf(json, bytes) === kinds.string
    ? bytes
    : mustBe(`${param}.source.bytes`, 'a string in base64')
}

function formatAt(json: Json, media: Node): string {
  return textAt(json, member(json, media, 'format')) ?? ''
}

function boundDocument(to: Bounding, document: Node, param: string): void {
  const { bound, json } = to
  const isCited = boundCitations(to, document)
  const source = member(json, document, 'source')
  if (
    source >= 0 &&
    (isGiven(json, member(json, source, 'text')) || isGiven(json, member(json, source, 'content')))
  ) {
    for (const key of keysOf(json, source))
      if (!textSources.has(nameAt(json, key)))
        refuseForRoute(`${param}.source.${nameAt(json, key)}`, inBucket)
    return boundBlocks(to, member(json, source, 'content'), `${param}.source.content`)
  }
  if (isCited) bound.addCitedDocument()
  const format = formatAt(json, document)
  bound.addDocument(json, bytesAt(to, document, param), documentTypes.get(format) ?? format)
}

const textSources = nameSet('text content')

/** Returns true only for a document with citations whose bytes are sent. */
function boundCitations({ bound, json }: Bounding, block: Node): boolean {
  const citations = member(json, block, 'citations')
  const isEnabled = citations < 0 ? -1 : member(json, citations, 'enabled')
  if (isEnabled < 0 || kindOf(json, isEnabled) === kinds.false) return false
  const source = member(json, block, 'source')
  const bytes = source < 0 ? -1 : member(json, source, 'bytes')
  if (bytes < 0) bound.addHidden(tokensOfCitations(sourceOf(json, block)))
  return bytes >= 0
}

export const documentTypes: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['html', 'text/html'],
  ['csv', 'text/csv'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
])
