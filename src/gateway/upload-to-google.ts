/**
 * Uploads with Google's resumable protocol (docs/reference/wires.md "Files"). The first request describes the file, and
 * its response has the address for the content. The gateway stores nothing between the two requests, because the
 * address contains the encrypted description, which only the same end user can use. The provider gets the description
 * and the content in one request.
 */
import { randomBytes } from 'node:crypto'
import { Failure } from '#domain/errors.ts'
import type { UploadState } from '#domain/secrets/file-ids.ts'
import { isMediaType, readUploadStart, uploadBody, type UploadBody } from '#wire/generate/file-upload.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { admitBody } from './arrive/admit-body.ts'
import { receive } from './arrive/receive-body.ts'
import type { Arrival } from './call/arrival.ts'
import type { Caller } from './call/caller.ts'
import { unknownFile, uploadTarget } from './call/stored-files.ts'
import { ownOrigin } from './own-origin.ts'
import type { FreeAnswer } from './relay/write-response.ts'

/** Starts an upload. @throws Failure */
export async function startUpload(arrival: Arrival, caller: Caller): Promise<FreeAnswer> {
  const { ports, response } = arrival
  const { headers } = response.req
  const { requestBytesMax } = ports.limits
  const declared = Number(headers['x-goog-upload-header-content-length'] ?? 0)
  if (declared > requestBytesMax) throw new Failure('request_too_large', { limitBytes: requestBytesMax })
  if (headers['x-goog-upload-protocol'] !== 'resumable')
    throw invalid('x-goog-upload-protocol', 'The header x-goog-upload-protocol must be resumable.')
  const { filename, mediaType } = await described(arrival, caller)
  const type = mediaType ?? headers['x-goog-upload-header-content-type']
  if (typeof type !== 'string' || !isMediaType.test(type))
    throw invalid('file.mimeType', 'The field file.mimeType must be a media type such as application/pdf.')
  const model = headers['x-svc-model']
  const plan = uploadTarget(arrival, caller, 'google', typeof model === 'string' ? model : null)
  const state = {
    origin: plan.fileOrigin ?? '',
    mediaType: type.toLowerCase(),
    filename,
    startedAtMs: ports.clock.nowMs(),
  }
  const id = ports.fileTags.uploadTagOf(caller.key, state)
  const address = `${ownOrigin(arrival, caller)}/upload/v1beta/files?upload_id=${id}&upload_protocol=resumable`
  return { body: '{}', headers: ['x-goog-upload-url', address, 'x-goog-upload-status', 'active'] }
}

async function described(
  arrival: Arrival,
  caller: Caller,
): Promise<{ readonly filename: string; readonly mediaType: string | null }> {
  const held = await admitBody(arrival, caller)
  try {
    const body = await receive(arrival, held)
    const start = typeof body === 'string' ? readUploadStart(body) : null
    if (start === null) throw invalid('file', 'The body must be a JSON object with the field file.')
    if (start.name !== null)
      throw invalid('file.name', 'The gateway chooses the name of a file. Omit the field file.name.')
    if (start.filename.length > filenameMax)
      throw invalid('file.displayName', `The field must have at most ${filenameMax} characters.`)
    return start
  } finally {
    held.giveBack()
  }
}

/**
 * Returns the upload that a request with content finishes.
 * @throws Failure the same failure for an unknown ID, for an ID of another end user, and for an expired upload
 */
export function startedUpload({ ports, response, route }: Arrival, { key }: Caller): UploadState {
  const state = ports.fileTags.openUpload(key, route.file?.id ?? '')
  if (state === null || ports.clock.nowMs() - state.startedAtMs > uploadMsMax) unknownFile('upload_id')
  const { headers } = response.req
  const commands = String(headers['x-goog-upload-command'] ?? '').split(/, */)
  const isWhole = commands.includes('upload') && commands.includes('finalize')
  if (!isWhole || Number(headers['x-goog-upload-offset'] ?? 0) !== 0)
    throw invalid('x-goog-upload-command', inPieces)
  return state
}

/** Returns the body for the provider. */
export function bodyForGoogle(content: ByteText, state: UploadState): UploadBody {
  return uploadBody(content, state, randomBytes(24).toString('hex'))
}

export const finishedUpload: readonly string[] = ['x-goog-upload-status', 'final']

function invalid(param: string, reason: string): Failure {
  return new Failure('invalid_request', { reason }, { param })
}

const inPieces =
  'A file must be sent in one request with the command "upload, finalize" and the offset 0. Clients of Google send files of more than 8 MiB in pieces, which are not accepted'
/** The upload ID contains the file name, and must be short enough for a URL (domain/secrets/owned-ids.ts). */
const filenameMax = 256
/** Google's own upload addresses are valid for a week. */
const uploadMsMax = 24 * 60 * 60 * 1000
