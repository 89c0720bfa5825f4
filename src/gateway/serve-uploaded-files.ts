import { Failure } from '#domain/errors.ts'
import {
  outputPurpose,
  type FileLimits,
  type FileOwner,
  type StoredFileRecord,
} from '#domain/accounts/stored-files.ts'
import { parseFileUpload, type FileUpload } from '#wire/form/file-upload.ts'
import { boundaryOf } from '#wire/text/form-parts.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseObject } from '#wire/text/json-values.ts'
import { isFault } from '#wire/wire-request.ts'
import { admitBody, holdMemory } from '#gateway/arrive/admit-body.ts'
import { callerFault } from '#gateway/arrive/authenticate.ts'
import { lastOf } from '#gateway/arrive/parse-body.ts'
import { receive } from '#gateway/arrive/receive-body.ts'
import type { Arrival, FileAction, RoutedFile } from '#gateway/call/arrival.ts'
import { timeOf, type Caller } from '#gateway/call/caller.ts'
import { failureOfFault } from '#gateway/call/fault-failure.ts'
import type { Plan } from '#gateway/call/model-name-targets.ts'
import { openedFile, targetWithFile, unknownFile, uploadTarget } from '#gateway/call/stored-files.ts'
import { fileHeaders } from '#gateway/relay/provider-headers.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'
import { upstreamError } from '#gateway/relay/upstream-failure.ts'
import type { FreeAnswer } from '#gateway/relay/write-response.ts'
import { deletedFile, describedFile, fileList } from './file-responses.ts'
import { batchOutput } from './serve-batches.ts'
import { serveFreeRequest } from './serve-free-request.ts'

/**
 * Uploads, lists, describes, returns or deletes files that a provider stores for the caller. These requests are free.
 * The gateway stores who owns a file and how large it is, and never its content.
 */
export function serveFiles(arrival: Arrival): Promise<void> {
  const { file } = arrival.route
  if (file === undefined) throw new Error('the route has no file')
  return serveFreeRequest(arrival, (caller) => actions[file.action]({ arrival, caller, file }))
}

/** A request about files. */
interface Asked {
  readonly arrival: Arrival
  readonly caller: Caller
  readonly file: RoutedFile
}

const actions: Readonly<Record<FileAction, (asked: Asked) => Promise<FreeAnswer | null>>> = {
  upload,
  list,
  show: async (asked) => answerOf(describedFile(await ownFile(asked))),
  content,
  delete: remove,
}

function answerOf(body: object): FreeAnswer {
  return { body: Buffer.from(JSON.stringify(body)) }
}

function ownerOf({ caller: { config, key } }: Asked): FileOwner {
  const { applicationId, endUserId, mode } = key
  return { applicationId, endUserId, mode, organizationId: config.organizationId }
}

/** @throws Failure the same one for an unknown ID, for an ID of another owner, and for a deleted file */
async function ownFile(asked: Asked): Promise<StoredFileRecord> {
  const { arrival, caller, file } = asked
  openedFile(arrival, caller, file.format, file.id)
  return (await arrival.ports.files.byId(ownerOf(asked), file.id)) ?? unknownFile()
}

async function list(asked: Asked): Promise<FreeAnswer> {
  const { arrival, file } = asked
  const files = await arrival.ports.files.of(ownerOf(asked), file.format)
  return answerOf(fileList(files, file.format, new URLSearchParams(arrival.route.query)))
}

async function remove(asked: Asked): Promise<FreeAnswer> {
  const file = await ownFile(asked)
  await asked.arrival.ports.files.remove(ownerOf(asked), file)
  return answerOf(deletedFile(file))
}

async function content(asked: Asked): Promise<FreeAnswer | null> {
  const { arrival, caller, file } = asked
  const own = await ownFile(asked)
  if (own.kind === outputPurpose) return batchOutput({ arrival, caller }, own)
  const { bytes, providerId: id } = own
  const plan = targetWithFile(arrival, caller, openedFile(arrival, caller, file.format, file.id))
  if (plan === null) unknownFile()
  const held = holdMemory(arrival, caller, bytes)
  try {
    held.growTo(bytes)
    const request = { method: 'GET', id, part: '/content' } as const
    const body = await sendFreeRequest(arrival, plan, { file: request, query: '', headers: headersOf(asked) })
    // The gateway's host never serves a file as a page.
    return { body: Buffer.from(body, 'latin1'), contentType: 'application/octet-stream' }
  } finally {
    held.giveBack()
  }
}

async function upload(asked: Asked): Promise<FreeAnswer> {
  const { arrival, caller } = asked
  const { ports, response } = arrival
  const fault = callerFault(caller.key, timeOf(caller, ports.clock.nowMs()))
  if (fault) throw fault
  const held = await admitBody(arrival, caller)
  try {
    const body = await receive(arrival, held)
    const boundary = boundaryOf(response.req.headers['content-type'] ?? '')
    if (typeof body !== 'string' || boundary === null) throw new Error('the body of an upload is a form')
    const read = await lastOf(parseFileUpload(body, boundary, asked.file.format === 'openai'))
    if (isFault(read)) throw failureOfFault(read)
    return answerOf(describedFile(await stored(asked, read)))
  } finally {
    held.giveBack()
  }
}

/** Sends the file to the provider, and adds it to the caller's files. */
async function stored(asked: Asked, read: FileUpload): Promise<StoredFileRecord> {
  const { arrival, caller, file } = asked
  const { clock, files, fileTags } = arrival.ports
  const owner = ownerOf(asked)
  const plan = uploadTarget(arrival, caller, file.format, read.model)
  const limits = limitsOf(asked)
  if (!(await files.hasRoom(owner, read.bytes, limits))) throw full(limits)
  const { body, contentType } = read
  const request = {
    file: { method: 'POST' },
    query: '',
    headers: headersOf(asked),
    body,
    contentType,
  } as const
  const said = storedAt(await sendFreeRequest(arrival, plan, request), plan)
  const { size } = read
  const id = fileTags.tagOf(owner, file.format, { ...size, origin: plan.fileOrigin ?? '', id: said.id })
  const record: StoredFileRecord = {
    ...owner,
    id,
    accountId: plan.source.account.id,
    format: file.format,
    providerId: said.id,
    filename: read.filename,
    kind: read.purpose ?? said.mediaType,
    bytes: read.bytes,
    createdAtMs: clock.nowMs(),
    expiresAtMs: said.expiresAtMs,
    removedAtMs: null,
  }
  if (!(await files.add(record, limits))) throw full(limits)
  return record
}

function limitsOf({ arrival, caller: { config } }: Asked): FileLimits {
  const { fileBytesMax, filesMax } = arrival.ports.limits.files
  return {
    filesMax: config.gateway?.filesMax ?? filesMax,
    fileBytesMax: config.gateway?.fileBytesMax ?? fileBytesMax,
  }
}

function full({ fileBytesMax, filesMax }: FileLimits): Failure {
  return new Failure('file_limit_reached', { files: filesMax, bytes: fileBytesMax })
}

/** The facts that the provider decides about a file. */
interface Said {
  readonly id: string
  readonly mediaType: string
  readonly expiresAtMs: number | null
}

/** @throws Failure if the response cannot be read */
function storedAt(answer: ByteText, plan: Plan): Said {
  const { id, mime_type: type, expires_at: expiresAt } = parseObject(textOf(answer)) ?? {}
  if (typeof id !== 'string' || id === '' || id.length > idLengthMax)
    throw upstreamError('its response cannot be read', plan)
  return {
    id,
    mediaType: typeof type === 'string' ? type.slice(0, 255) : 'application/octet-stream',
    expiresAtMs: typeof expiresAt === 'number' && Number.isSafeInteger(expiresAt) ? expiresAt * 1000 : null,
  }
}

/** Vendors' IDs have at most 64 characters. */
const idLengthMax = 512

function headersOf({ arrival, file }: Asked): readonly string[] {
  return fileHeaders(file.format, arrival)
}
