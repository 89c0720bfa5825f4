import { isUtf8 } from 'node:buffer'
import type { ByteText } from '#wire/text/byte-text.ts'
import { JsonParser } from '#wire/text/json-parser.ts'
import type { Json } from '#wire/text/json-tape.ts'
import { faultOfJson, requestLimits } from '#wire/wire-request.ts'
import { Failure } from '#domain/errors.ts'
import { bodyFormatOf, type Arrival } from '#gateway/call/arrived-request-types.ts'
import type { BodyIntake, HeldBody } from '#gateway/overload/limit-memory-of-bodies.ts'
import { ClientDisconnected } from '#gateway/call/client-disconnected-error.ts'
import { failureOfFault } from '#gateway/call/failure-of-request-fault.ts'
import { wholeBytesMax } from './parse-body.ts'

/**
 * Usually, the body arrived with the head, and the result is not a promise. The size and the encoding are checked as
 * bytes arrive. A large body is also parsed as it arrives, so that invalid JSON or too much text is rejected early.
 * @throws Failure `request_too_large`, `request_too_slow`, `overloaded`, `too_many_bodies`, `invalid_json`,
 *   `request_text_too_large`
 */
export function receive(
  { ports, response, route }: Arrival,
  held: HeldBody,
): ByteText | Json | Promise<ByteText | Json> {
  const { req: request } = response
  const { bodies } = ports
  const limitBytes = ports.limits.requestBytesMax
  // Files can contain any bytes, and forms are parsed later.
  const isBinary = bodyFormatOf(route) !== 'json'
  // The client disconnected during the key look-up, so no event would follow.
  if (request.destroyed) throw new ClientDisconnected()
  const arrived = request.takeBody?.() ?? null
  if (arrived !== null) {
    if (arrived.length > limitBytes) throw new Failure('request_too_large', { limitBytes })
    held.growTo(arrived.length)
    return textOfPiece(arrived, isBinary)
  }
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? 0)
    let first: Buffer | null = null
    let body: Gathering | null = null
    let isOver = false
    const end = (): void => {
      isOver = true
      bodies.unwatch(arriving)
      body?.release()
    }
    const fail = (failure: Failure): void => {
      end()
      request.removeAllListeners('data')
      request.on('data', letGo)
      reject(failure)
    }
    const arriving = bodies.watch(declared, () => fail(new Failure('request_too_slow')))
    request.on('data', (piece: Buffer) => {
      arriving.bytes += piece.length
      try {
        if (arriving.bytes > limitBytes) throw new Failure('request_too_large', { limitBytes })
        held.growTo(arriving.bytes)
        if (body) body.add(piece)
        else if (!first) first = piece
        else {
          body = new Gathering(bodies, first.length + piece.length, declared, isBinary)
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
      let whole: ByteText | Json
      try {
        whole = body ? body.whole() : textOfPiece(first, isBinary)
      } catch (cause) {
        end()
        reject(cause)
        return
      }
      end()
      resolve(whole)
    })
    // Node emits 'error' for a lost connection only if 'error' has a listener. If the client disconnects, Node emits
    // 'close' instead of 'end', even if an unread request has arrived completely.
    request.on('close', () => {
      if (isOver) return
      end()
      reject(new ClientDisconnected())
    })
  })
}

/**
 * Frees the memory of a network buffer, which is outside the JavaScript heap. Freeing a 32 MB body by garbage
 * collection would need a full collection, which takes 45 ms of CPU time.
 */
function letGo({ buffer, length }: Buffer): void {
  // A view of a larger buffer cannot be freed.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0)
}

function notUtf8(): Failure {
  return new Failure('invalid_json', { reason: 'it is not UTF-8' })
}

function textOfPiece(piece: Buffer | null, isBinary: boolean): ByteText {
  if (!piece) return ''
  if (!isBinary && !isUtf8(piece)) throw notUtf8()
  return piece.toString('latin1')
}

/**
 * Number of bytes that are checked together. V8 does not allocate longer strings in the memory for short-lived objects.
 */
const windowBytes = 64 * 1024

/**
 * Checks each piece on arrival and copies it to its place. After the last piece, only the string of up to 32 MB remains
 * to be created. A rejected body is never converted to a string.
 */
class Gathering {
  readonly #bodies: BodyIntake
  readonly #announced: number
  readonly #isBinary: boolean
  #bytes: Buffer
  #length = 0
  #looked = 0
  /** Null unless the body is large. */
  #parser: JsonParser | null = null

  /** @param announced the length of the whole body; 0 if unknown */
  constructor(bodies: BodyIntake, length: number, announced: number, isBinary: boolean) {
    this.#bodies = bodies
    this.#announced = announced
    this.#isBinary = isBinary
    this.#bytes = bodies.room(this.#capacityFor(length))
  }

  /** @throws Failure if the bytes so far are not UTF-8, or cannot be the beginning of a request */
  add(piece: Buffer): void {
    const length = this.#length + piece.length
    if (length > this.#bytes.length) {
      const larger = this.#bodies.room(this.#capacityFor(length))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bodies.giveRoomBack(this.#bytes)
      this.#bytes = larger
    }
    piece.copy(this.#bytes, this.#length)
    this.#length = length
    letGo(piece)
    if (!this.#isBinary && length - this.#looked >= windowBytes) this.#look(this.#wholeCharacters(), false)
  }

  /** @throws Failure for the same reasons as `add` */
  whole(): ByteText | Json {
    if (!this.#isBinary) this.#look(this.#length, true)
    const text = this.#textFrom(0, this.#length)
    const json = this.#parser?.result(text)
    if (json === undefined) return text
    if ('reason' in json) throw failureOfFault(faultOfJson(json))
    return json
  }

  /** Do not use the object after this call. */
  release(): void {
    this.#bodies.giveRoomBack(this.#bytes)
  }

  #look(to: number, isLast: boolean): void {
    if (!isUtf8(this.#bytes.subarray(this.#looked, to))) throw notUtf8()
    this.#looked = to
    if (this.#parser === null) {
      if (to <= wholeBytesMax) return
      this.#parser = new JsonParser(this.#textFrom(0, to), requestLimits, undefined, isLast)
    } else this.#parser.goOn(this.#textFrom(this.#parser.at, to), isLast)
    this.#parser.step(Infinity)
    const { fault } = this.#parser
    if (fault !== null) throw failureOfFault(faultOfJson(fault))
  }

  #textFrom(from: number, to: number): ByteText {
    return this.#bytes.toString('latin1', from, to)
  }

  /**
   * Doubles the size to keep the number of copies low. A client that announces a long body but sends little gets little
   * memory.
   */
  #capacityFor(length: number): number {
    return this.#announced > length ? Math.min(this.#announced, 2 * length) : 2 * length
  }

  /** The last UTF-8 character may be incomplete. */
  #wholeCharacters(): number {
    let at = this.#length - 1
    while (at > this.#length - 4 && ((this.#bytes[at] ?? 0) & 0xc0) === 0x80) at--
    return at
  }
}
