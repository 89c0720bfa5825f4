import {
  endOf,
  kindOf,
  kinds,
  member,
  nameAt,
  sourceOf,
  startOf,
  valueOf,
  type Json,
  type Node,
} from '#wire/text/json-tape.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { itemsOf, keyOf, keysOf } from '#wire/text/members-of-tape-nodes.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'
import { isGiven, mustBe, refuse, refuseTwice } from '#wire/wire-request.ts'

/**
 * Rewrites only the parts of Nova's body that differ in Converse (docs/reference/wires.md "Other bodies at invoke"),
 * and keeps all other bytes.
 */
export function converseTextOfNova(json: Json): ByteText {
  for (const name of onlyInConverse)
    if (isGiven(json, member(json, 0, name)))
      refuse(
        'invalid_request',
        name,
        `Bodies of Nova have no ${name}. Send the request to /model/<model>/converse.`,
      )
  const removed = ['schemaVersion', 'reasoningConfig', ...samplingNames].map((name) => keyOf(json, 0, name))
  const added: Added = { inference: [], fields: [] }
  addOthers(json, 0, added)
  return splice(json.text, [
    ...removals(
      json,
      0,
      removed.filter((key) => key >= 0),
    ),
    ...configEdits(json, added),
    ...fieldEdits(json, added),
    ...cachePointEdits(json),
  ])
}

const onlyInConverse = ['additionalModelRequestFields', 'additionalModelResponseFieldPaths']

/** JSON members that move from the body and its `inferenceConfig` to `additionalModelRequestFields`. */
interface Added {
  /** Members of `inferenceConfig` within `additionalModelRequestFields`. */
  readonly inference: ByteText[]
  readonly fields: ByteText[]
}

const samplingNames = ['topK', 'top_k']

/** Settings that Converse has under other names. Nova accepts both spellings. */
const converseNames: ReadonlyMap<string, string> = new Map([
  ['max_new_tokens', 'maxTokens'],
  ['top_p', 'topP'],
  ['stop_sequences', 'stopSequences'],
])

function addOthers(json: Json, object: Node, { fields, inference }: Added): void {
  for (const key of keysOf(json, object)) {
    const name = nameAt(json, key)
    const value = sourceOf(json, valueOf(key))
    if (name === 'reasoningConfig') fields.push(`"reasoningConfig":${value}`)
    else if (samplingNames.includes(name)) inference.push(`"topK":${value}`)
  }
}

function configEdits(json: Json, added: Added): readonly Edit[] {
  const config = member(json, 0, 'inferenceConfig')
  if (!isGiven(json, config)) return []
  if (kindOf(json, config) !== kinds.object) mustBe('inferenceConfig', 'an object')
  addOthers(json, config, added)
  const kept: ByteText[] = []
  const names = new Set<string>()
  for (const key of keysOf(json, config)) {
    const written = nameAt(json, key)
    if (written === 'reasoningConfig' || samplingNames.includes(written)) continue
    const name = converseNames.get(written) ?? written
    if (names.has(name)) refuseTwice(`inferenceConfig.${written}`)
    names.add(name)
    const spelt = name === written ? sourceOf(json, key) : `"${name}"`
    kept.push(`${spelt}:${sourceOf(json, valueOf(key))}`)
  }
  return [{ start: startOf(json, config), end: endOf(json, config), text: `{${kept.join(',')}}` }]
}

function fieldEdits(json: Json, { fields, inference }: Added): readonly Edit[] {
  if (inference.length > 1 || fields.length > 1) refuseTwice('inferenceConfig')
  const all = inference.length > 0 ? [...fields, `"inferenceConfig":{${inference.join(',')}}`] : fields
  if (all.length === 0) return []
  const at = startOf(json, 0) + 1
  return [{ start: at, end: at, text: `"additionalModelRequestFields":{${all.join(',')}},` }]
}

/** Nova has `cachePoint` in the block with the content. Converse has it in a separate block after the content. */
function cachePointEdits(json: Json): readonly Edit[] {
  const lists = itemsOf(json, member(json, 0, 'messages')).map((message) => member(json, message, 'content'))
  return [...lists, member(json, 0, 'system')].flatMap((list) =>
    itemsOf(json, list).flatMap((block) => {
      const key = keyOf(json, block, 'cachePoint')
      if (key < 0 || keysOf(json, block).length === 1) return []
      const end = endOf(json, block)
      const point = `,{"cachePoint":${sourceOf(json, valueOf(key))}}`
      return [...removals(json, block, [key]), { start: end, end, text: point }]
    }),
  )
}
