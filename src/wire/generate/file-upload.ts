import type { ByteText } from '#wire/text/byte-text.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { objectOf, parseObject, textOrNull } from '#wire/text/json-values.ts'
import { camelKeys } from './fields-in-either-spelling.ts'

interface UploadStart {
  readonly filename: string
  readonly mediaType: string | null
  readonly name: string | null
}

/** Null if the body is not a JSON object. An empty body has neither a media type nor a name. */
export function readUploadStart(body: ByteText): UploadStart | null {
  const parsed = body.trim() === '' ? {} : parseObject(textOf(body))
  if (parsed === null) return null
  const { displayName, mimeType, name } = camelKeys(objectOf(parsed.file))
  return { filename: textOrNull(displayName) ?? '', mediaType: textOrNull(mimeType), name: textOrNull(name) }
}

/** A media type at the beginning of a part of a body. */
export const isMediaType =
  /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}(?:; ?[a-z-]{1,32}=[\w-]{1,32})?$/i

/** A body that contains the description and the content of a file (docs/reference/wires.md "Files"). */
export interface UploadBody {
  readonly body: ByteText
  readonly contentType: string
}

export function startBody({ filename, mediaType }: Described): ByteText {
  const file = { mimeType: mediaType, ...(filename !== '' && { displayName: filename }) }
  return byteTextOf(JSON.stringify({ file }))
}

interface Described {
  readonly filename: string
  readonly mediaType: string
}

/** @param boundary letters and digits that the author of the content cannot know in advance */
export function uploadBody(
  content: ByteText,
  { filename, mediaType }: Described,
  boundary: string,
): UploadBody {
  const head = `--${boundary}\r\ncontent-type: application/json; charset=utf-8\r\n\r\n`
  const middle = `\r\n--${boundary}\r\ncontent-type: ${mediaType}\r\n\r\n`
  return {
    body: `${head}${startBody({ filename, mediaType })}${middle}${content}\r\n--${boundary}--\r\n`,
    contentType: `multipart/related; boundary=${boundary}`,
  }
}
