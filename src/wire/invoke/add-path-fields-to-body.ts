import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { startOf, type Json } from '#wire/text/json-tape.ts'
import { keyOf } from '#wire/text/members-of-tape-nodes.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { splice } from '#wire/text/apply-edits.ts'
import type { RequestPath } from '#wire/wire-request.ts'

/**
 * Adds the model and the streaming flag of the path to the body, in place of the body's own values.
 * @param removed further fields that the format does not have
 */
export function withPathFields(json: Json, path: RequestPath, removed: readonly string[] = []): ByteText {
  const keys = ['model', 'stream', ...removed].map((name) => keyOf(json, 0, name)).filter((key) => key >= 0)
  const at = startOf(json, 0) + 1
  return splice(json.text, [{ start: at, end: at, text: pathFields(path) }, ...removals(json, 0, keys)])
}

/** Bedrock has the model and the streaming flag in the path. A comma follows each member. */
export function pathFields({ isStream, model }: RequestPath): ByteText {
  return `"model":${byteTextOf(JSON.stringify(model ?? ''))},${isStream ? '"stream":true,' : ''}`
}
