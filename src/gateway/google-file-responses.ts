import { createHash } from 'node:crypto'
import { Failure } from '#domain/errors.ts'
import type { StoredFileRecord } from '#domain/accounts/files-stored-at-providers.ts'
import { googleFiles } from '#wire/generate/content-bound.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject } from '#wire/text/json-values.ts'

/**
 * In the format of Google's clients (docs/reference/wires.md "Files").
 * @param told the provider's description; its state changes while Google examines a video
 */
export function describedGoogleFile(file: StoredFileRecord, told: JsonObject = {}): object {
  const { bytes, createdAtMs, expiresAtMs, filename, id, kind } = file
  const { sha256Hash, state = 'ACTIVE', videoMetadata } = told
  const created = new Date(createdAtMs).toISOString()
  return {
    name: `files/${id}`,
    ...(filename !== '' && { displayName: filename }),
    mimeType: kind,
    sizeBytes: String(bytes),
    createTime: created,
    updateTime: created,
    ...(expiresAtMs !== null && { expirationTime: new Date(expiresAtMs).toISOString() }),
    ...(sha256Hash !== undefined && { sha256Hash }),
    uri: googleFiles + id,
    state,
    source: 'UPLOADED',
    ...(videoMetadata !== undefined && { videoMetadata }),
  }
}

/**
 * @param files all files of the owner, newest first
 * @throws Failure invalid_request for an invalid page size, and file_not_found for an unknown page
 */
export function googleFileList(files: readonly StoredFileRecord[], query: URLSearchParams): object {
  const { hasMore, last, page } = pageOf(files, query)
  return {
    ...(page.length > 0 && { files: page.map((file) => describedGoogleFile(file)) }),
    ...(hasMore && { nextPageToken: last?.id }),
  }
}

interface Page {
  readonly page: readonly StoredFileRecord[]
  readonly last: StoredFileRecord | undefined
  readonly hasMore: boolean
}

/**
 * @param files all files or cached contents of the owner, newest first
 * @throws Failure invalid_request for an invalid page size, and file_not_found for an unknown page
 */
export function pageOf(files: readonly StoredFileRecord[], query: URLSearchParams): Page {
  const size = Number(query.get('pageSize') ?? pageSizeUsual)
  if (!Number.isInteger(size) || size < 1 || size > pageSizeMax) {
    const reason = `The query parameter pageSize must be a whole number from 1 to ${pageSizeMax}.`
    throw new Failure('invalid_request', { reason }, { param: 'pageSize' })
  }
  const token = query.get('pageToken') ?? ''
  const before = token === '' ? -1 : files.findIndex(({ id }) => id === token)
  if (token !== '' && before < 0) throw new Failure('file_not_found', {}, { param: 'pageToken' })
  const page = files.slice(before + 1, before + 1 + size)
  const last = page.at(-1)
  return { page, last, hasMore: last !== undefined && last !== files.at(-1) }
}

/** Google's own default and maximum. */
const pageSizeUsual = 10
const pageSizeMax = 100

/**
 * Whether Google's description of a file matches this content. Google may omit the hash, and encodes either its bytes
 * or its hexadecimal digits in base64.
 */
export function isOfContent({ sha256Hash, sizeBytes }: JsonObject, content: ByteText): boolean {
  if (Number(sizeBytes) !== content.length) return false
  if (sha256Hash === undefined) return true
  const digest = createHash('sha256').update(content, 'latin1').digest()
  return [digest, Buffer.from(digest.toString('hex'))].some((one) => one.toString('base64') === sha256Hash)
}
