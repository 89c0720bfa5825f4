import { Failure } from '#domain/errors.ts'
import type { Upload, UploadedFile } from '#operations/operation.ts'
import { readBytes } from './json-body.ts'

/**
 * The file that a request carries as its body. Its type is what the client says: who takes it checks the
 * bytes.
 * @throws Failure request_too_large, unsupported_media_type
 */
export async function readUploadedFile(request: Request, { bytesMax, types }: Upload): Promise<UploadedFile> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const encoding = request.headers.get('content-encoding')
  const isPlain = encoding === null || encoding.toLowerCase() === 'identity'
  if (!isPlain || !types.includes(type))
    throw new Failure('unsupported_media_type', { types: types.join(', ') })
  return { type, bytes: await readBytes(request, bytesMax) }
}
