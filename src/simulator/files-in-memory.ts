import type { FilePiece, FileRequest, UploadHeaders } from '#domain/provider-upstream-interface.ts'
import { anthropicError, googleError, openaiError } from './error-bodies-of-vendors.ts'
import { formParts, relatedParts } from './parse-multipart-bodies.ts'
import { isObject } from './read-values-of-any-shape.ts'
import { rejection, type Rejection } from './simulated-rejection.ts'
import { countTokens } from './count-simulated-tokens.ts'

interface KeptFile {
  readonly id: string
  readonly content: Uint8Array
  readonly text: string
  readonly isDownloadable: boolean
}

interface KeptUpload {
  readonly file: GoogleFile
  readonly pieces: Uint8Array[]
  bytes: number
}

interface Size {
  readonly bytes: number
  readonly pieces: number
}

/**
 * Files and uploads of this process only, which are lost when it restarts. When the memory is full, the oldest ones are
 * dropped.
 */
export class KeptFiles {
  readonly #files = new Map<string, KeptFile>()
  readonly #uploads = new Map<string, KeptUpload>()
  /** Oldest first. */
  readonly #sizes = new Map<string, Size>()
  #bytes = 0
  #pieces = 0

  /** False if the file alone is larger than the limit. */
  keep(file: KeptFile): boolean {
    const isKept = this.#count(file.id, { bytes: file.content.length, pieces: 1 })
    if (isKept) this.#files.set(file.id, file)
    return isKept
  }

  find(id: string): KeptFile | null {
    return this.#files.get(id) ?? null
  }

  delete(id: string): boolean {
    const isFound = this.#files.has(id)
    if (isFound) this.#drop(id)
    return isFound
  }

  startUpload(id: string, file: GoogleFile): void {
    this.#count(id, { bytes: 0, pieces: 1 })
    this.#uploads.set(id, { file, pieces: [], bytes: 0 })
  }

  findUpload(id: string): KeptUpload | null {
    return this.#uploads.get(id) ?? null
  }

  /** Drops an upload that becomes larger than the limit, and returns false. */
  addPiece(id: string, upload: KeptUpload, piece: Uint8Array): boolean {
    const bytes = upload.bytes + piece.length
    const isKept = this.#count(id, { bytes, pieces: upload.pieces.push(piece) })
    if (isKept) this.#uploads.set(id, upload)
    upload.bytes = bytes
    return isKept
  }

  finishUpload(id: string, { pieces }: KeptUpload): Buffer {
    this.#drop(id)
    return Buffer.concat(pieces)
  }

  /** Drops the oldest entries if the limits are exceeded. Returns false if the new entry alone is too large. */
  #count(id: string, size: Size): boolean {
    this.#drop(id)
    if (size.bytes > bytesMax || size.pieces > countMax) return false
    this.#sizes.set(id, size)
    this.#bytes += size.bytes
    this.#pieces += size.pieces
    for (const [oldest] of this.#sizes) {
      if (this.#bytes <= bytesMax && this.#pieces <= countMax) break
      this.#drop(oldest)
    }
    return true
  }

  #drop(id: string): void {
    const { bytes, pieces } = this.#sizes.get(id) ?? { bytes: 0, pieces: 0 }
    this.#bytes -= bytes
    this.#pieces -= pieces
    this.#sizes.delete(id)
    this.#files.delete(id)
    this.#uploads.delete(id)
  }

  /**
   * Null if one of the files does not exist. Files without text count as media, whose tokens the code of the wire adds.
   */
  tokensOf(ids: readonly string[]): number | null {
    let tokens = 0
    for (const id of ids) {
      const file = this.find(id)
      if (file === null) return null
      const text = Buffer.from(file.content).toString()
      if (!text.includes('\uFFFD')) tokens += countTokens(text)
    }
    return tokens
  }
}

const bytesMax = 32 * 1024 * 1024
const countMax = 1_000
const tooLarge =
  'In test mode, the simulator stores at most 32 MiB, in up to 1,000 files and pieces of files.'

export function fileIdsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fileIdsIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) => {
    if (typeof member !== 'string') return fileIdsIn(member)
    if (name === 'file_id') return [member]
    const isAddress = name === 'fileUri' || name === 'file_uri'
    return isAddress && member.startsWith(googleFiles) ? [member.slice(googleFiles.length)] : []
  })
}

const googleFiles = 'https://generativelanguage.googleapis.com/v1beta/files/'

/** Google's error does not reveal whether a file exists (docs/reference/wires.md "Errors on the generate wire"). */
export function missingGoogleFile(ids: readonly string[]): Rejection {
  const fault = `You do not have permission to access the File ${ids.join(', ')} or it may not exist.`
  return { ...rejection(fault), status: 403 }
}

export interface FileAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: Uint8Array
  readonly upload?: UploadHeaders
}

interface FileCall {
  readonly vendor: 'openai' | 'anthropic' | 'google'
  readonly body: Uint8Array
  readonly callId: string
  readonly createdSeconds: number
}

export function fileAnswer(call: FileCall, request: FileRequest, files: KeptFiles): FileAnswer {
  if (request.method === 'POST')
    return request.piece === undefined ? uploaded(call, files) : uploadedPiece(call, request.piece, files)
  const { id, method, part } = request
  const found = files.find(id)
  if (found === null && call.vendor === 'google')
    return { ...json(googleError(403, missingGoogleFile([id]))), status: 403 }
  if (found === null) return failed(call, 404, `No such File object: ${id}`)
  if (method === 'DELETE') {
    files.delete(id)
    return json(JSON.stringify(deletedAt[call.vendor](id)))
  }
  if (part === '') return json(found.text)
  return found.isDownloadable
    ? { status: 200, contentType: 'application/octet-stream', body: found.content }
    : failed(call, 400, 'Only files created by tools can be downloaded.')
}

const deletedAt = {
  openai: (id: string): object => ({ id, object: 'file', deleted: true }),
  anthropic: (id: string): object => ({ id, type: 'file_deleted' }),
  google: (): object => ({}),
}

function uploadedToGoogle(call: FileCall, files: KeptFiles): FileAnswer {
  const { body } = call
  const [description, content, ...others] = relatedParts(body) ?? []
  if (description === undefined || content === undefined || others.length > 0)
    return failed(call, 400, 'Invalid multipart request with 0 mime parts.')
  const { file } = JSON.parse(description.value.toString()) as { file: GoogleFile }
  if (file.mimeType !== content.type) return failed(call, 400, 'The media types of the file differ.')
  return storedByGoogle(call, file, content.value, files)
}

interface GoogleFile {
  readonly displayName?: string
  readonly mimeType: string
}

/** Google accepts the pieces of a file only in order. */
function uploadedPiece(
  call: FileCall,
  { isLast, offset, uploadId }: FilePiece,
  files: KeptFiles,
): FileAnswer {
  if (uploadId === null) {
    const { file } = JSON.parse(Buffer.from(call.body).toString()) as { file: GoogleFile }
    files.startUpload(call.callId, file)
    return { ...json('{}'), upload: { id: call.callId, isFinal: false } }
  }
  const upload = files.findUpload(uploadId)
  if (upload === null) return failed(call, 404, 'Requested entity was not found.')
  if (upload.bytes !== offset) return failed(call, 400, 'The offset differs from the received size.')
  if (!files.addPiece(uploadId, upload, call.body)) return failed(call, 400, tooLarge)
  if (!isLast) return { ...json(''), upload: { id: null, isFinal: false } }
  const stored = storedByGoogle(call, upload.file, files.finishUpload(uploadId, upload), files)
  return { ...stored, upload: { id: null, isFinal: true } }
}

/** Google's files expire after two days. */
function storedByGoogle(call: FileCall, file: GoogleFile, content: Buffer, files: KeptFiles): FileAnswer {
  const { callId, createdSeconds } = call
  const id = callId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(-40)
  const at = (seconds: number): string => new Date(seconds * 1000).toISOString()
  const stored = {
    name: `files/${id}`,
    ...file,
    sizeBytes: String(content.length),
    createTime: at(createdSeconds),
    updateTime: at(createdSeconds),
    expirationTime: at(createdSeconds + 172_800),
    uri: googleFiles + id,
    state: 'ACTIVE',
    source: 'UPLOADED',
  }
  const isKept = files.keep({ id, content, text: JSON.stringify(stored), isDownloadable: false })
  return isKept ? json(JSON.stringify({ file: stored })) : failed(call, 400, tooLarge)
}

function uploaded(call: FileCall, files: KeptFiles): FileAnswer {
  if (call.vendor === 'google') return uploadedToGoogle(call, files)
  const { body, callId, createdSeconds: created_at, vendor } = call
  const isAnthropic = vendor === 'anthropic'
  const parts = formParts(body) ?? []
  const file = parts.find(({ filename, name }) => name === 'file' && filename !== null)
  if (file === undefined) return failed(call, 400, "Missing required parameter: 'file'.")
  const filename = file.filename ?? ''
  const fieldOf = (field: string): string | undefined =>
    parts.find(({ name }) => name === field)?.value.toString()
  const unknown = parts.find(({ name }) => !(isAnthropic ? anthropicFields : openaiFields).includes(name))
  if (unknown !== undefined) return failed(call, 400, `Unknown parameter: '${unknown.name}'.`)
  const { length: bytes } = file.value
  const id = `file${isAnthropic ? '_' : '-'}${callId}`
  const seconds = fieldOf('expires_after[seconds]')
  const purpose = fieldOf('purpose')
  if (!isAnthropic && purpose === undefined)
    return failed(call, 400, "Missing required parameter: 'purpose'.")
  const text = JSON.stringify(
    isAnthropic
      ? {
          id,
          type: 'file',
          filename,
          mime_type: file.type,
          size_bytes: bytes,
          created_at: new Date(created_at * 1000).toISOString(),
          downloadable: false,
        }
      : {
          id,
          object: 'file',
          bytes,
          created_at,
          expires_at: seconds === undefined ? null : created_at + Number(seconds),
          filename,
          purpose,
          status: 'processed',
          status_details: null,
        },
  )
  const isKept = files.keep({ id, content: file.value, text, isDownloadable: !isAnthropic })
  return isKept ? json(text) : failed(call, 400, tooLarge)
}

const openaiFields: readonly string[] = ['file', 'purpose', 'expires_after[anchor]', 'expires_after[seconds]']
const anthropicFields: readonly string[] = ['file']

function json(text: string): FileAnswer {
  return { status: 200, contentType: 'application/json', body: Buffer.from(text) }
}

function failed({ callId, vendor }: FileCall, status: number, fault: string): FileAnswer {
  const reason = rejection(fault)
  const text = {
    openai: () => openaiError(status, reason),
    anthropic: () => anthropicError(status, reason, callId),
    google: () => googleError(status, reason),
  }[vendor]()
  return { ...json(text), status }
}
