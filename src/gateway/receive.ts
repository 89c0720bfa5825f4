import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { ByteText } from '#wire/byte-text.ts'
import { Failure } from '#domain/errors.ts'
import type { BodyIntake, HeldBody } from './body-intake.ts'

/**
 * The whole body, checked for its size and its encoding as it comes, before anything looks into it.
 * @throws Failure `request_too_large`, `request_too_slow`, `overloaded`, `too_many_bodies`, `invalid_json`
 *   (not UTF-8)
 */
export function receive(
  request: IncomingMessage,
  bodies: BodyIntake,
  held: HeldBody,
  limitBytes: number,
): Promise<ByteText> {
  // It left while its key was looked up: nothing will be emitted any more.
  if (request.destroyed) throw new ClientGone()
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? 0)
    let first: Buffer | null = null
    let body: Gathering | null = null
    let isOver = false
    const fail = (failure: Failure): void => {
      isOver = true
      bodies.unwatch(arriving)
      request.removeAllListeners('data')
      request.resume()
      reject(failure)
    }
    const arriving = bodies.watch(() => fail(new Failure('request_too_slow')))
    request.on('data', (piece: Buffer) => {
      arriving.bytes += piece.length
      try {
        if (arriving.bytes > limitBytes) throw new Failure('request_too_large', { limitBytes })
        held.growTo(arriving.bytes)
        if (body) body.add(piece)
        else if (!first) first = piece
        else {
          body = new Gathering(Math.max(declared, 2 * (first.length + piece.length)))
          body.add(first)
          body.add(piece)
        }
      } catch (cause) {
        if (!(cause instanceof Failure)) throw cause
        fail(cause)
      }
    })
    request.on('end', () => {
      if (isOver) return
      isOver = true
      bodies.unwatch(arriving)
      const text = body ? body.text() : textOfPiece(first)
      if (text === null) reject(notUtf8())
      else resolve(text)
    })
    // 'error' is emitted only to those who listen for it, and 'close' comes either way; instead of the end
    // also to a request that is complete and was not read yet.
    request.on('close', () => {
      if (isOver) return
      isOver = true
      bodies.unwatch(arriving)
      reject(new ClientGone())
    })
  })
}

/** The client left before its request was whole: there is no one to answer and nothing to charge. */
export class ClientGone extends Error {}

function notUtf8(): Failure {
  return new Failure('invalid_json', { reason: 'it is not UTF-8' })
}

function textOfPiece(piece: Buffer | null): ByteText | null {
  if (!piece) return ''
  return isUtf8(piece) ? piece.toString('latin1') : null
}

/** So much is checked at a time. */
const checkBytes = 1024 * 1024

/**
 * A body in many pieces. Each is copied to its place as it comes, so that at the end nothing is left to do for
 * 32 MB at once but to make a string of them; and it is checked as it comes.
 */
class Gathering {
  #bytes: Buffer
  #length = 0
  #checked = 0

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity)
  }

  /** @throws Failure what has come is no UTF-8 */
  add(piece: Buffer): void {
    const length = this.#length + piece.length
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    piece.copy(this.#bytes, this.#length)
    this.#length = length
    if (length - this.#checked >= checkBytes && !this.#check(this.#wholeCharacters())) throw notUtf8()
  }

  /** Null: it is no UTF-8. */
  text(): ByteText | null {
    return this.#check(this.#length) ? this.#bytes.toString('latin1', 0, this.#length) : null
  }

  #check(to: number): boolean {
    const from = this.#checked
    this.#checked = to
    return isUtf8(this.#bytes.subarray(from, to))
  }

  /** Where the last character begins, of which not all may have come. */
  #wholeCharacters(): number {
    let at = this.#length - 1
    while (at > this.#length - 4 && ((this.#bytes[at] ?? 0) & 0xc0) === 0x80) at--
    return at
  }
}
