import type { ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { keyBefore, member } from '#wire/text/json-tape.ts'
import { removals } from '#wire/text/removals.ts'
import { splice } from '#wire/text/splice.ts'
import { requestLimits } from '#wire/wire-request.ts'

/**
 * Returns a body of messages for a cloud that serves Claude. Its path names the model and the stream, and its body has
 * the version and the betas.
 * @param body a valid request, which has at least `messages`
 * @param betas the client's `anthropic-beta`, separated by commas. Empty if the client sent no betas
 */
export function hostedBody(body: ByteText, version: string, betas: string): ByteText {
  const json = parseJson(body, requestLimits)
  if ('reason' in json) return body
  const replaced = ['model', 'stream', 'anthropic_version', 'anthropic_beta']
    .map((name) => member(json, 0, name))
    .filter((value) => value >= 0)
    .map(keyBefore)
  const list = betas.split(',').flatMap((beta) => (beta.trim() === '' ? [] : [beta.trim()]))
  const beta = list.length === 0 ? '' : `"anthropic_beta":${JSON.stringify(list)},`
  const start = body.indexOf('{') + 1
  const text = `"anthropic_version":"${version}",${beta}`
  return splice(body, [{ start, end: start, text }, ...removals(json, 0, replaced)])
}
