import {
  after,
  endOf,
  inside,
  kindOf,
  kinds,
  nameAt,
  startOf,
  valueOf,
  type Json,
  type Node,
} from '#wire/text/json-tape.ts'

/**
 * Returns why the tokens of content with an unknown type have no limit. Null if the number of bytes limits the tokens,
 * as for an unknown field (docs/reference/tokens.md "Content of unknown types"). The number of bytes limits the tokens
 * of most content, but not of two kinds. Content that the provider fetches or has stored may have any size. An image of
 * 100 bytes may have 1,500 tokens.
 */
export function whyUnbounded(json: Json, content: Node, type: string): string | null {
  const reason = ofMediaKind.test(type)
    ? 'its size in bytes does not limit its tokens'
    : referenceIn(json, content)
  return reason === null ? null : unbounded(type, reason)
}

export function unbounded(type: string, reason: string): string {
  return `content of type ${type.slice(0, 40) || 'unknown'} has no known cost before the request: ${reason}`
}

const ofMediaKind = /image|audio|video|speech/i

/** Returns why the content is not only text: an address, the ID of a stored object, or data. */
function referenceIn(json: Json, content: Node): string | null {
  const kind = kindOf(json, content)
  if (kind !== kinds.object && kind !== kinds.array) return null
  for (let entry = inside(content), end = after(json, content); entry < end;) {
    const value = kind === kinds.object ? valueOf(entry) : entry
    const reason =
      (kind === kinds.object ? reasonOf(json, nameAt(json, entry), value) : null) ?? referenceIn(json, value)
    if (reason !== null) return reason
    entry = after(json, value)
  }
  return null
}

function reasonOf(json: Json, name: string, value: Node): string | null {
  const isText = kindOf(json, value) === kinds.string
  if (ofStored.test(name) && (isText || kindOf(json, value) === kinds.array))
    return `it refers to content that is stored at the provider (${name.slice(0, 40)}). Send the content itself`
  if (!isText) return null
  const head = json.text.slice(
    startOf(json, value) + 1,
    Math.min(startOf(json, value) + 40, endOf(json, value)),
  )
  if (ofMedia.test(name) || isDataUrl.test(head))
    return `the cost of its data (${name.slice(0, 40)}) is not known. Send the data in a part of a known type`
  if (ofAddress.test(name) && isAddress.test(head))
    return `the provider would fetch it (${name.slice(0, 40)}), so its size is not known. Send the content itself`
  return null
}

/**
 * Matches the names of fields with IDs of objects that the provider stores: `file_id`, `fileIds`, `container_id`,
 * `vector_store_ids`. A field with the exact name `id` contains the ID of the content itself.
 */
const ofStored =
  /(?:^|_)(?:file|container|asset|upload|attachment|media|image|video|audio|document|store|thread|conversation|response|prompt|item)_?ids?$/i
const ofMedia = /^(?:media|mime)_?type$/i
const isDataUrl = /^data:/i
const ofAddress = /(?:^|_)(?:url|uri|href|src)s?$|(?:Url|Uri)s?$/
/** JSON may escape the slash of a URL. */
const isAddress = /^[a-z][a-z0-9+.-]{1,15}:(?:\\?\/|[a-z0-9])/i
