import type { ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { endOf, keyBefore, member, startOf } from '#wire/text/json-tape.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'
import { requestLimits } from '#wire/wire-request.ts'

/**
 * Renames the fields of a chat body for Mistral, which rejects unknown fields with 422 (docs/reference/wires.md
 * "Mistral").
 *
 * - `stream_options` is removed, because Mistral's streams always end with their usage.
 * - `max_completion_tokens` becomes `max_tokens`, unless the body already has `max_tokens`.
 * - `seed` becomes `random_seed`.
 */
export function mistralBody(body: ByteText): ByteText {
  if (!named.test(body)) return body
  const json = parseJson(body, requestLimits)
  if ('reason' in json) return body
  const dropped: number[] = []
  const edits: Edit[] = []
  const rename = (from: string, to: string): void => {
    const value = member(json, 0, from)
    if (value < 0) return
    const key = keyBefore(value)
    if (member(json, 0, to) >= 0) dropped.push(key)
    else edits.push({ start: startOf(json, key), end: endOf(json, key), text: `"${to}"` })
  }
  const options = member(json, 0, 'stream_options')
  if (options >= 0) dropped.push(keyBefore(options))
  rename('max_completion_tokens', 'max_tokens')
  rename('seed', 'random_seed')
  return splice(body, [...edits, ...removals(json, 0, dropped)])
}

const named = /"(?:stream_options|max_completion_tokens|seed)"/
