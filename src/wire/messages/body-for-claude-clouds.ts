import type { ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { keyBefore, member } from '#wire/text/json-tape.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { splice } from '#wire/text/apply-edits.ts'
import { requestLimits } from '#wire/wire-request.ts'

interface Hosting {
  readonly version: string
  /** The client's `anthropic-beta` header, for a cloud that reads the betas from the body. */
  readonly betas: string
  /** Fields that are in the path instead of the body. */
  readonly inPath: readonly string[]
}

/**
 * Returns the body for a cloud that serves Claude, with the version of the API.
 * @param body a valid request, which has at least the field `messages`
 */
export function hostedBody(body: ByteText, { betas, inPath, version }: Hosting): ByteText {
  const json = parseJson(body, requestLimits)
  if ('reason' in json) return body
  const replaced = [...inPath, 'anthropic_version', 'anthropic_beta']
    .map((name) => member(json, 0, name))
    .filter((value) => value >= 0)
    .map(keyBefore)
  const list = betas.split(',').flatMap((beta) => (beta.trim() === '' ? [] : [beta.trim()]))
  const beta = list.length === 0 ? '' : `"anthropic_beta":${JSON.stringify(list)},`
  const start = body.indexOf('{') + 1
  const text = `"anthropic_version":"${version}",${beta}`
  return splice(body, [{ start, end: start, text }, ...removals(json, 0, replaced)])
}
