import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { ByteText } from '#wire/byte-text.ts'
import { Failure } from '#domain/errors.ts'

/**
 * The whole body, checked for kind and size before anything looks into it.
 * @throws Failure `unsupported_media_type`, `request_too_large`, `invalid_json` (not UTF-8)
 */
export function receive(request: IncomingMessage, limitBytes: number): Promise<ByteText> {
  const { headers } = request
  if (!isJson(headers['content-type']) || (headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Failure('unsupported_media_type')
  }
  const declared = Number(headers['content-length'] ?? 0)
  if (declared > limitBytes) throw new Failure('request_too_large', { limitBytes })
  // It left while its key was looked up: nothing will be emitted any more.
  if (request.destroyed) throw new ClientGone()
  return new Promise((resolve, reject) => {
    let pieces: Buffer[] | null = null
    let first: Buffer | null = null
    let length = 0
    let isWhole = false
    request.on('data', (piece: Buffer) => {
      length += piece.length
      if (length > limitBytes) {
        request.removeAllListeners('data')
        request.resume()
        reject(new Failure('request_too_large', { limitBytes }))
      } else if (!first) first = piece
      else (pieces ??= [first]).push(piece)
    })
    request.on('end', () => {
      isWhole = true
      const body = pieces ? Buffer.concat(pieces, length) : (first ?? Buffer.alloc(0))
      if (isUtf8(body)) resolve(body.toString('latin1'))
      else reject(new Failure('invalid_json', { reason: 'it is not UTF-8' }))
    })
    // 'error' is emitted only to those who listen for it, and 'close' comes either way; instead of the end
    // also to a request that is complete and was not read yet.
    request.on('close', () => {
      if (!isWhole) reject(new ClientGone())
    })
  })
}

/** The client left before its request was whole: there is no one to answer and nothing to charge. */
export class ClientGone extends Error {}

/** Exactly application/json, in UTF-8 if a charset is named (Fastify's CVE-2026-25223 was a looser match). */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false
  if (contentType === 'application/json') return true
  const [type, ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  const isUtf8Named = parameters.every((parameter) => {
    return !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter)
  })
  return type === 'application/json' && isUtf8Named
}
