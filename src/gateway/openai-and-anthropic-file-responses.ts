import { Failure } from '#domain/errors.ts'
import type { FileFormat } from '#domain/accounts/provider-kinds.ts'
import type { StoredFileRecord } from '#domain/accounts/files-stored-at-providers.ts'

/** In the format of the client (docs/reference/wires.md "Files"). */
export function describedFile(file: StoredFileRecord): object {
  const { bytes, createdAtMs, expiresAtMs, filename, format, id, kind } = file
  if (format === 'anthropic') {
    const created_at = new Date(createdAtMs).toISOString()
    return { id, type: 'file', filename, mime_type: kind, size_bytes: bytes, created_at, downloadable: false }
  }
  return {
    id,
    object: 'file',
    bytes,
    created_at: Math.floor(createdAtMs / 1000),
    ...(expiresAtMs !== null && { expires_at: Math.floor(expiresAtMs / 1000) }),
    filename,
    purpose: kind,
    status: 'processed',
  }
}

export function deletedFile({ format, id }: StoredFileRecord): object {
  if (format === 'google') return {}
  return format === 'anthropic' ? { id, type: 'file_deleted' } : { id, object: 'file', deleted: true }
}

const lists = {
  openai: { parameters: ['after', 'limit', 'order', 'purpose'], limit: 10_000, limitMax: 10_000 },
  anthropic: { parameters: ['after_id', 'before_id', 'limit'], limit: 20, limitMax: 1_000 },
} as const

/**
 * @param files all files of the owner, newest first
 * @throws Failure invalid_request for an unknown or invalid parameter
 */
export function fileList(
  files: readonly StoredFileRecord[],
  format: Exclude<FileFormat, 'google'>,
  query: URLSearchParams,
): object {
  const { limit: usual, limitMax, parameters } = lists[format]
  for (const name of query.keys())
    // Some clients send their key as `key` (key-in-request-headers.ts), and Anthropic's clients send `beta=true`.
    if (!parameters.some((known) => known === name) && name !== 'key' && name !== 'beta')
      throw invalid(name, `Unknown query parameter ${name.slice(0, 200)}.`)
  const limit = Number(query.get('limit') ?? usual)
  if (!Number.isInteger(limit) || limit < 1 || limit > limitMax)
    throw invalid('limit', `The query parameter limit must be a whole number from 1 to ${limitMax}.`)
  const order = query.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc')
    throw invalid('order', 'The query parameter order must be asc or desc.')
  const purpose = query.get('purpose')
  const matching = files.filter(({ kind }) => purpose === null || kind === purpose)
  const all = order === 'desc' ? matching : matching.toReversed()
  const before = query.get('before_id')
  const from = positionOf(all, query.get('after') ?? query.get('after_id')) + 1
  const to = before === null ? from + limit : positionOf(all, before)
  const first = before === null ? from : Math.max(from, to - limit)
  const page = all.slice(first, to)
  const hasMore = before === null ? to < all.length : first > from
  return {
    ...(format === 'openai' && { object: 'list' }),
    data: page.map(describedFile),
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
    has_more: hasMore,
  }
}

/**
 * Returns -1 if `id` is null.
 * @throws Failure if the file is not in the list
 */
function positionOf(files: readonly StoredFileRecord[], id: string | null): number {
  if (id === null) return -1
  const position = files.findIndex((file) => file.id === id)
  if (position < 0) throw new Failure('file_not_found')
  return position
}

function invalid(param: string, reason: string): Failure {
  return new Failure('invalid_request', { reason }, { param: param.slice(0, 200) })
}
