/**
 * Uploads follow Google's resumable protocol (docs/reference/wires.md "Files"). The first request of an upload
 * describes the file, and its response contains the URL for the content. The gateway stores nothing between the two
 * requests. Instead, the URL contains the encrypted description, which only the same end user can use. The provider
 * gets the description and the content in one request. A file of more than 8 MiB is sent to the provider piece by
 * piece, as it arrives.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FileLimits } from '#domain/accounts/files-stored-at-providers.ts'
import { Failure } from '#domain/errors.ts'
import type { UploadInPieces, UploadState } from '#domain/secrets/ids-of-files.ts'
import {
  isMediaType,
  readUploadStart,
  startBody,
  uploadBody,
  type UploadBody,
} from '#wire/generate/file-upload.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { admitBody } from '#gateway/arrive/admit-body-by-request-head.ts'
import { callerFault } from './arrive/authenticate.ts'
import { receive } from './arrive/receive-body.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import { timeOf, type Caller } from '#gateway/call/caller-of-request.ts'
import { unknownFile, uploadTarget } from '#gateway/call/use-of-stored-files.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { askProvider } from './relay/send-free-request.ts'
import { upstreamError } from '#gateway/relay/failure-with-provider-error.ts'
import { ownOrigin } from './origin-of-gateway-url.ts'
import type { FreeAnswer } from '#gateway/relay/write-response-to-client.ts'

/** @throws Failure */
export async function startUpload(arrival: Arrival, caller: Caller): Promise<FreeAnswer> {
  const { ports, response } = arrival
  const fault = callerFault(caller.key, timeOf(caller, ports.clock.nowMs()))
  if (fault) throw fault
  const { headers } = response.req
  const declared = Number(headers['x-goog-upload-header-content-length'] ?? 0)
  if (declared > fileBytesMax) throw new Failure('request_too_large', { limitBytes: fileBytesMax })
  if (headers['x-goog-upload-protocol'] !== 'resumable')
    throw invalid('x-goog-upload-protocol', 'The header x-goog-upload-protocol must be resumable.')
  const { filename, mediaType } = await description(arrival, caller)
  const type = mediaType ?? headers['x-goog-upload-header-content-type']
  if (typeof type !== 'string' || !isMediaType.test(type))
    throw invalid('file.mimeType', 'The field file.mimeType must be a media type such as application/pdf.')
  const model = headers['x-svc-model']
  const plan = uploadTarget(arrival, caller, 'google', typeof model === 'string' ? model : null)
  const described = { filename, mediaType: type.toLowerCase() }
  const pieces =
    declared > pieceBytes
      ? await startedInPieces(arrival, caller, plan, { ...described, bytes: declared })
      : null
  const state = {
    origin: plan.fileOrigin ?? '',
    ...described,
    startedAtMs: ports.clock.nowMs(),
    ...(pieces !== null && { pieces }),
  }
  const id = ports.fileTags.uploadTagOf(caller.key, state)
  const address = `${ownOrigin(arrival, caller)}/upload/v1beta/files?upload_id=${id}&upload_protocol=resumable`
  return { body: '{}', headers: ['x-goog-upload-url', address, 'x-goog-upload-status', 'active'] }
}

async function description(
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
    if (Buffer.byteLength(JSON.stringify(start.filename)) > filenameBytesMax)
      throw invalid('file.displayName', `The field must have at most ${filenameBytesMax} bytes as JSON.`)
    return start
  } finally {
    held.giveBack()
  }
}

/**
 * If the client does not finish the upload, it expires at the provider.
 * @throws Failure if the file would exceed the caller's storage limits
 */
async function startedInPieces(
  arrival: Arrival,
  { config, key }: Caller,
  plan: Plan,
  {
    bytes,
    filename,
    mediaType,
  }: { readonly bytes: number; readonly filename: string; readonly mediaType: string },
): Promise<UploadInPieces> {
  const { files } = arrival.ports
  const limits = fileLimitsOf(arrival, config)
  if (!(await files.hasRoom({ ...key, organizationId: config.organizationId }, bytes, limits)))
    throw new Failure('file_limit_reached', { files: limits.filesMax, bytes: limits.fileBytesMax })
  const stated = [
    'x-goog-upload-header-content-length',
    String(bytes),
    'x-goog-upload-header-content-type',
    mediaType,
  ]
  const { upload } = await askProvider(arrival, plan, {
    file: { method: 'POST', piece: { uploadId: null, offset: 0, isLast: false } },
    query: '',
    headers: ['x-goog-upload-protocol', 'resumable', 'x-goog-upload-command', 'start', ...stated],
    body: startBody({ filename, mediaType }),
  })
  const id = upload?.id ?? null
  if (id === null) throw upstreamError('its response cannot be read', plan)
  return { id, bytes }
}

/**
 * Returns the provider's description of the file after the last piece, and null before.
 * @throws Failure
 */
export async function sendPiece(
  arrival: Arrival,
  plan: Plan,
  { bytes, id }: UploadInPieces,
  content: ByteText,
): Promise<{ readonly text: ByteText; readonly isWhole: boolean } | null> {
  const { headers } = arrival.response.req
  const commands = commandsOf(headers)
  const offset = Number(headers['x-goog-upload-offset'] ?? 0)
  const isLast = commands.includes('finalize')
  const isSound = commands.every((command) => command === 'upload' || command === 'finalize')
  if (!isSound || !Number.isSafeInteger(offset) || offset < 0 || offset + content.length > bytes)
    throw invalid('x-goog-upload-offset', wrongPiece)
  const command = isLast ? 'upload, finalize' : 'upload'
  const { text, upload } = await askProvider(arrival, plan, {
    file: { method: 'POST', piece: { uploadId: id, offset, isLast } },
    query: '',
    headers: ['x-goog-upload-command', command, 'x-goog-upload-offset', String(offset)],
    body: content,
    contentType: 'application/octet-stream',
  })
  if (upload?.isFinal !== isLast) throw upstreamError('its response cannot be read', plan)
  return isLast ? { text, isWhole: content.length === bytes } : null
}

const wrongPiece =
  'A piece must have the command upload, or "upload, finalize". All pieces together must not exceed the size that the start of the upload stated'

export function fileLimitsOf({ ports }: Pick<Arrival, 'ports'>, { gateway }: Caller['config']): FileLimits {
  const { fileBytesMax, filesMax } = ports.limits.files
  return { filesMax: gateway?.filesMax ?? filesMax, fileBytesMax: gateway?.fileBytesMax ?? fileBytesMax }
}

/**
 * Returns the state of the upload to which a request with content belongs.
 * @throws Failure the same failure for an unknown ID, for an ID of another end user, and for an expired upload
 */
export function startedUpload({ ports, response, route }: Arrival, { key }: Caller): UploadState {
  const state = ports.fileTags.openUpload(key, route.file?.id ?? '')
  if (state === null || ports.clock.nowMs() - state.startedAtMs > uploadMsMax) unknownFile('upload_id')
  if (state.pieces !== undefined) return state
  const { headers } = response.req
  const commands = commandsOf(headers)
  const isWhole = commands.includes('upload') && commands.includes('finalize')
  if (!isWhole || Number(headers['x-goog-upload-offset'] ?? 0) !== 0)
    throw invalid('x-goog-upload-command', inPieces)
  return state
}

function commandsOf(headers: IncomingHttpHeaders): readonly string[] {
  return String(headers['x-goog-upload-command'] ?? '').split(/, */)
}

export function bodyForGoogle(content: ByteText, state: UploadState): UploadBody {
  return uploadBody(content, state, randomBytes(24).toString('hex'))
}

export const finishedUpload: readonly string[] = ['x-goog-upload-status', 'final']
export const continuedUpload: readonly string[] = ['x-goog-upload-status', 'active']

function invalid(param: string, reason: string): Failure {
  return new Failure('invalid_request', { reason }, { param })
}

const inPieces =
  'A file of up to 8 MiB must be sent in one request with the command "upload, finalize" and the offset 0. For a larger file, state its size in x-goog-upload-header-content-length of the start'
/** Google's clients send larger files in pieces of this size. */
const pieceBytes = 8 * 1024 * 1024
/** Google's maximum. The application's own limit is usually lower. */
const fileBytesMax = 2 * 1024 ** 3
/** The upload ID contains the file name and must fit into a URL (domain/secrets/ids-that-only-owner-can-use.ts). */
const filenameMax = 256
/**
 * Maximum bytes of the file name as JSON, which leaves room for 700 bytes of other fields in the upload ID. A name
 * without escapes has at most 770 bytes.
 */
const filenameBytesMax = 800
/** Google's own upload URLs are valid for a week. */
const uploadMsMax = 24 * 60 * 60 * 1000
