import { Failure } from '#domain/errors.ts'
import type { Upload, UploadedFile } from '#operations/kernel/declare-operation.ts'
import { type BodyTerms, readBytes } from './read-json-body.ts'

/**
 * The content type that the client states may be wrong. The operation that accepts the file checks its bytes.
 * @throws Failure request_too_large, request_too_slow, overloaded, too_many_bodies, unsupported_media_type
 */
export async function readUploadedFile(
  request: Request,
  { bytesMax, types }: Upload,
  terms: Omit<BodyTerms, 'bytesMax'>,
): Promise<UploadedFile> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const encoding = request.headers.get('content-encoding')
  const isPlain = encoding === null || encoding.toLowerCase() === 'identity'
  if (!isPlain || !types.includes(type))
    throw new Failure('unsupported_media_type', { types: types.join(', ') })
  return { type, bytes: await readBytes(request, { ...terms, bytesMax }) }
}
