import { Failure } from '#domain/errors.ts'
import type { AccountObject } from '#domain/secrets/ids-of-objects-at-accounts.ts'
import type { UploadInPieces, UploadState } from '#domain/secrets/ids-of-files.ts'
import type { FileRequest } from '#domain/provider-upstream-interface.ts'
import {
  outputPurpose,
  type BegunFile,
  type FileLimits,
  type StoredFileRecord,
} from '#domain/accounts/files-stored-at-providers.ts'
import { parseFileUpload, type FileUpload } from '#wire/form/uploaded-file-in-form.ts'
import { boundaryOf } from '#wire/text/form-parts.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import type { FileSize } from '#wire/bound/file-token-size.ts'
import { googleFileSize, unknownFileSize, type GoogleFileSize } from '#wire/bound/google-file-token-size.ts'
import type { Json } from '#wire/text/json-tape.ts'
import { isObject, parseObject, textOrNull, type JsonObject } from '#wire/text/json-values.ts'
import { isFault } from '#wire/wire-request.ts'
import { admitBody, holdMemory } from '#gateway/arrive/admit-body-by-request-head.ts'
import { callerFault } from '#gateway/arrive/authenticate.ts'
import { lastOf } from '#gateway/arrive/parse-body.ts'
import { receive } from '#gateway/arrive/receive-body.ts'
import type { Arrival, FileAction, RoutedFile } from '#gateway/call/arrived-request-types.ts'
import { isCache } from '#gateway/call/use-of-cached-contents.ts'
import { ownerOf, timeOf, type Caller } from '#gateway/call/caller-of-request.ts'
import { failureOfFault } from '#gateway/call/failure-of-request-fault.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { openedFile, targetWithFile, unknownFile, uploadTarget } from '#gateway/call/use-of-stored-files.ts'
import { fileHeaders } from '#gateway/relay/headers-sent-to-provider.ts'
import { createAtProvider } from '#gateway/relay/create-recorded-object-at-provider.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'
import { upstreamError } from '#gateway/relay/failure-with-provider-error.ts'
import type { FreeAnswer } from '#gateway/relay/write-response-to-client.ts'
import { deletedFile, describedFile, fileList } from './openai-and-anthropic-file-responses.ts'
import { describedGoogleFile, googleFileList, isOfContent } from './google-file-responses.ts'
import { batchOutput } from './serve-batches.ts'
import { serveFreeRequest } from './serve-free-request.ts'
import {
  bodyForGoogle,
  continuedUpload,
  fileLimitsOf,
  finishedUpload,
  sendPiece,
  startedUpload,
  startUpload,
} from './resumable-upload-to-google.ts'

/** Requests about files are free. The gateway stores a file's owner and size, but not its content. */
export function serveFiles(arrival: Arrival): Promise<void> {
  const { file } = arrival.route
  if (file === undefined) throw new Error('the route has no file')
  return serveFreeRequest(arrival, (caller) => actions[file.action]({ arrival, caller, file }))
}

interface Asked {
  readonly arrival: Arrival
  readonly caller: Caller
  readonly file: RoutedFile
}

const actions: Readonly<Record<FileAction, (asked: Asked) => Promise<FreeAnswer | null>>> = {
  start: ({ arrival, caller }) => startUpload(arrival, caller),
  upload,
  list,
  show,
  content,
  delete: remove,
}

function answerOf(body: object): FreeAnswer {
  return { body: Buffer.from(JSON.stringify(body)) }
}

/** @throws Failure with the same error for an unknown ID, an ID of another owner and a deleted file */
async function ownFile(asked: Asked): Promise<StoredFileRecord> {
  const { arrival, caller, file } = asked
  openedFile(arrival, caller, file.format, file.id)
  return (await arrival.ports.files.byId(ownerOf(asked.caller), file.id)) ?? unknownFile()
}

async function show(asked: Asked): Promise<FreeAnswer> {
  const { arrival, caller, file } = asked
  const created = codeFileOf(asked)
  if (created !== null) return answerOf(await describedCodeFile(asked, created))
  const own = await ownFile(asked)
  if (file.format !== 'google') return answerOf(describedFile(own))
  const plan = targetWithFile(arrival, caller, openedFile(arrival, caller, file.format, file.id))
  if (plan === null) unknownFile()
  // Google examines a video before requests can use it, so clients poll the file until its state changes.
  const request = { method: 'GET', id: own.providerId, part: '' } as const
  const told = await sendFreeRequest(arrival, plan, { file: request, query: '', headers: [] })
  return answerOf(describedGoogleFile(own, parseObject(textOf(told)) ?? {}))
}

async function list(asked: Asked): Promise<FreeAnswer> {
  const { arrival, file } = asked
  const all = await arrival.ports.files.of(ownerOf(asked.caller), file.format)
  const files = all.filter((one) => !isCache(one))
  const query = new URLSearchParams(arrival.route.query)
  return answerOf(
    file.format === 'google' ? googleFileList(files, query) : fileList(files, file.format, query),
  )
}

async function remove(asked: Asked): Promise<FreeAnswer> {
  const created = codeFileOf(asked)
  if (created !== null) {
    await askAbout(asked, created, { method: 'DELETE', id: created.id, part: '' })
    const plan = targetWithFile(asked.arrival, asked.caller, created)
    if (plan !== null) await asked.arrival.ports.files.forgetCreated(plan.source.account.id, created.id)
    return answerOf({ id: asked.file.id, type: 'file_deleted' })
  }
  const file = await ownFile(asked)
  await asked.arrival.ports.files.remove(ownerOf(asked.caller), file)
  return answerOf(deletedFile(file))
}

async function content(asked: Asked): Promise<FreeAnswer | null> {
  const { arrival, caller, file } = asked
  const created = codeFileOf(asked)
  if (created !== null) return contentOf(asked, created, await bytesOfCodeFile(asked, created))
  const own = await ownFile(asked)
  if (own.kind === outputPurpose) return batchOutput({ arrival, caller }, own)
  const { origin } = openedFile(arrival, caller, file.format, file.id)
  return contentOf(asked, { origin, id: own.providerId }, own.bytes)
}

async function contentOf(asked: Asked, own: AccountObject, bytes: number): Promise<FreeAnswer> {
  const held = holdMemory(asked.arrival, asked.caller, bytes)
  try {
    held.growTo(bytes)
    const body = await askAbout(asked, own, { method: 'GET', id: own.id, part: '/content' })
    // The gateway's host must never serve a client's file as HTML, so the content type is neutral.
    return { body: Buffer.from(body, 'latin1'), contentType: 'application/octet-stream' }
  } finally {
    held.giveBack()
  }
}

function askAbout(
  asked: Asked,
  { origin }: Pick<AccountObject, 'origin'>,
  file: FileRequest,
): Promise<ByteText> {
  const plan = targetWithFile(asked.arrival, asked.caller, { origin })
  if (plan === null) unknownFile()
  return sendFreeRequest(asked.arrival, plan, { file, query: '', headers: headersOf(asked) })
}

/**
 * Returns a file that code in a container of the caller has created. Null for any other ID. The client's ID contains
 * the account and the provider's ID, so the store is not read. The store has a row of kind `created_by_code`, with
 * which the file is deleted together with its end user (docs/decisions/2026-11-29-containers.md).
 */
function codeFileOf({ arrival, caller, file }: Asked): AccountObject | null {
  return file.format === 'anthropic' ? arrival.ports.containerTags.openFile(caller.key, file.id) : null
}

async function describedCodeFile(asked: Asked, created: AccountObject): Promise<JsonObject> {
  const told = await askAbout(asked, created, { method: 'GET', id: created.id, part: '' })
  return { ...parseObject(textOf(told)), id: asked.file.id }
}

async function bytesOfCodeFile(asked: Asked, created: AccountObject): Promise<number> {
  const { size_bytes: bytes } = await describedCodeFile(asked, created)
  const { responseBytesMax } = asked.arrival.ports.limits
  return typeof bytes === 'number' && bytes >= 0 ? Math.min(bytes, responseBytesMax) : responseBytesMax
}

async function upload(asked: Asked): Promise<FreeAnswer> {
  const { arrival, caller } = asked
  const { ports, response } = arrival
  const fault = callerFault(caller.key, timeOf(caller, ports.clock.nowMs()))
  if (fault) throw fault
  const started = asked.file.format === 'google' ? startedUpload(arrival, caller) : null
  const held = await admitBody(arrival, caller)
  try {
    const body = await receive(arrival, held)
    if (started?.pieces !== undefined) return await uploadedPiece(asked, started, started.pieces, body)
    if (started !== null) return await uploadedToGoogle(asked, started, body)
    const boundary = boundaryOf(response.req.headers['content-type'] ?? '')
    if (typeof body !== 'string' || boundary === null) throw new Error('the body of an upload is a form')
    const read = await lastOf(parseFileUpload(body, boundary, asked.file.format === 'openai'))
    if (isFault(read)) throw failureOfFault(read)
    const plan = uploadTarget(arrival, caller, asked.file.format, read.model)
    return answerOf(describedFile((await stored(asked, plan, read)).record))
  } finally {
    held.giveBack()
  }
}

async function uploadedToGoogle(
  asked: Asked,
  state: UploadState,
  body: ByteText | Json,
): Promise<FreeAnswer> {
  const { arrival, caller } = asked
  if (typeof body !== 'string') throw new Error('the content of a file is not parsed')
  const plan = targetWithFile(arrival, caller, state)
  if (plan === null) unknownFile('upload_id')
  const { filename, mediaType } = state
  const size = await lastOf(googleFileSize(body, mediaType))
  const read = {
    filename,
    purpose: mediaType,
    bytes: body.length,
    size,
    ...bodyForGoogle(body, state),
  }
  const { record, said } = await stored(asked, plan, read)
  const file = describedGoogleFile(record, said.description)
  return { ...answerOf({ file }), headers: finishedUpload }
}

/** After the last piece, adds the file to the caller's files. */
async function uploadedPiece(
  asked: Asked,
  state: UploadState,
  pieces: UploadInPieces,
  body: ByteText | Json,
): Promise<FreeAnswer> {
  const { arrival, caller } = asked
  if (typeof body !== 'string') throw new Error('the content of a file is not parsed')
  const plan = targetWithFile(arrival, caller, state)
  if (plan === null) unknownFile('upload_id')
  const sent = await sendPiece(arrival, plan, pieces, body)
  if (sent === null) return { body: '', headers: continuedUpload }
  const { filename, mediaType } = state
  const said = storedAt(sent.text, plan)
  const isWhole = sent.isWhole && isOfContent(said.description, body)
  const size = isWhole ? await lastOf(googleFileSize(body, mediaType)) : unknownFileSize(mediaType)
  const bytes = Number(said.description.sizeBytes ?? pieces.bytes)
  const record = await kept(asked, plan, { filename, purpose: mediaType, bytes, size }, said)
  return { ...answerOf({ file: describedGoogleFile(record, said.description) }), headers: finishedUpload }
}

type Uploaded = Omit<FileUpload, 'model' | 'size'> & { readonly size: FileSize | GoogleFileSize }

async function stored(
  asked: Asked,
  plan: Plan,
  read: Uploaded,
): Promise<{ readonly record: StoredFileRecord; readonly said: Said }> {
  const { arrival, caller } = asked
  const { files } = arrival.ports
  const limits = fileLimitsOf(arrival, caller.config)
  const begunId = await files.begin(begunFile(asked, plan, read), limits)
  if (begunId === null) throw full(limits)
  const { body, contentType } = read
  const request = {
    file: { method: 'POST' },
    query: '',
    headers: headersOf(asked),
    body,
    contentType,
  } as const
  const said = await createAtProvider(files, begunId, async () =>
    storedAt(await sendFreeRequest(arrival, plan, request), plan),
  )
  return { record: await kept(asked, plan, read, said, begunId), said }
}

type Described = Pick<Uploaded, 'bytes' | 'filename' | 'purpose' | 'size'>

function begunFile({ caller, file }: Asked, plan: Plan, { bytes, filename, purpose }: Described): BegunFile {
  const accountId = plan.source.account.id
  return { ...ownerOf(caller), accountId, format: file.format, filename, kind: purpose ?? '', bytes }
}

/**
 * @param begunId ID of the upload in the store; absent for a file that was sent in pieces. Such an upload is not stored
 *   before it ends, because Google deletes the file after two days
 */
async function kept(
  asked: Asked,
  plan: Plan,
  read: Described,
  said: Said,
  begunId?: string,
): Promise<StoredFileRecord> {
  const { arrival, caller, file } = asked
  const { clock, files, fileTags } = arrival.ports
  const begun = begunFile(asked, plan, read)
  const limits = fileLimitsOf(arrival, caller.config)
  const state = { ...read.size, origin: plan.fileOrigin ?? '', id: said.id }
  const record: StoredFileRecord = {
    ...begun,
    id: fileTags.tagOf(begun, file.format, state),
    providerId: said.id,
    kind: read.purpose ?? said.mediaType,
    createdAtMs: clock.nowMs(),
    expiresAtMs: said.expiresAtMs,
    removedAtMs: null,
  }
  if (!(await files.add(record, limits, begunId))) throw full(limits)
  return record
}

function full({ fileBytesMax, filesMax }: FileLimits): Failure {
  return new Failure('file_limit_reached', { files: filesMax, bytes: fileBytesMax })
}

interface Said {
  readonly id: string
  readonly mediaType: string
  readonly expiresAtMs: number | null
  readonly description: JsonObject
}

function storedAt(answer: ByteText, plan: Plan): Said {
  const body = parseObject(textOf(answer)) ?? {}
  // Google wraps the description in an object `file`, and uses `files/<id>` as the name.
  const description = isObject(body.file) ? body.file : body
  const { expirationTime, expires_at: expiresAt, id: given, mime_type: type, name } = description
  const id = given ?? textOrNull(name)?.replace(/^files\//, '')
  if (typeof id !== 'string' || id === '' || id.length > idLengthMax)
    throw upstreamError('its response cannot be read', plan)
  const expiresAtMs =
    typeof expiresAt === 'number' ? expiresAt * 1000 : Date.parse(textOrNull(expirationTime) ?? '')
  return {
    id,
    // `StoredFileRecord.kind` would treat a media type without a slash as a purpose, which a client must not choose.
    mediaType:
      typeof type === 'string' && type.includes('/') ? type.slice(0, 255) : 'application/octet-stream',
    expiresAtMs: Number.isSafeInteger(expiresAtMs) ? expiresAtMs : null,
    description,
  }
}

/** Vendors' own IDs have at most 64 characters. */
const idLengthMax = 512

function headersOf({ arrival, file }: Asked): readonly string[] {
  return fileHeaders(file.format, arrival)
}
