import { crc32 } from './crc32.ts'

/** A message of `application/vnd.amazon.eventstream` (docs/reference/wires.md "Bedrock"). */
export interface EventMessage {
  readonly headers: ReadonlyMap<string, string>
  readonly payload: Buffer
}

/** The prelude consists of the total length, the length of the headers, and a checksum. */
const preludeBytes = 12
const checksumBytes = 4
/** AWS's limit on the size of a payload with its headers. */
const messageBytesMax = 16 * 1024 * 1024 + 128 * 1024 + preludeBytes + checksumBytes

/**
 * Decodes the messages of an AWS event stream from chunks that may be split anywhere. Verifies both checksums of each
 * message. Rejects a message that is too long as soon as its length arrives.
 */
export class EventStreamDecoder {
  #pieces: Buffer[] = []
  #size = 0
  /** Bytes that must arrive before decoding can continue. */
  #needed = preludeBytes

  get isPartial(): boolean {
    return this.#size > 0
  }

  get bytesHeld(): number {
    return this.#size
  }

  /**
   * @param bytes the next bytes of the stream, which are copied
   * @param take is called for each complete message, including messages before a fault
   * @throws if the bytes are not an event stream
   */
  push(bytes: Uint8Array, take: (message: EventMessage) => void): void {
    this.#pieces.push(Buffer.from(bytes))
    this.#size += bytes.length
    if (this.#size < this.#needed) return
    let rest = Buffer.concat(this.#pieces)
    this.#needed = neededBytes(rest)
    while (rest.length >= this.#needed && rest.length >= preludeBytes) {
      take(messageOf(rest.subarray(0, this.#needed)))
      rest = rest.subarray(this.#needed)
      this.#needed = neededBytes(rest)
    }
    this.#pieces = rest.length === 0 ? [] : [rest]
    this.#size = rest.length
  }
}

/** If the prelude is still incomplete, returns the length of the prelude. */
function neededBytes(bytes: Buffer): number {
  if (bytes.length < preludeBytes) return preludeBytes
  const total = bytes.readUInt32BE(0)
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8))
    throw fault('the checksum of its prelude is wrong')
  if (total > messageBytesMax) throw fault(`a message has more than ${messageBytesMax} bytes`)
  if (bytes.readUInt32BE(4) > total - preludeBytes - checksumBytes)
    throw fault('its lengths contradict each other')
  return total
}

function messageOf(bytes: Buffer): EventMessage {
  const end = bytes.length - checksumBytes
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end))
    throw fault('the checksum of a message is wrong')
  const start = preludeBytes + bytes.readUInt32BE(4)
  return { headers: headersIn(bytes.subarray(preludeBytes, start)), payload: bytes.subarray(start, end) }
}

/** Bytes of a header value, by its type. Undefined for the two types whose values contain their own length. */
const fixedSizes: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16]
const textType = 7

function headersIn(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>()
  let at = 0
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw fault('a header is cut off')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const name = take(take(1).readUInt8()).toString('utf8')
    const type = take(1).readUInt8()
    if (type >= fixedSizes.length) throw fault('a header has an unknown type')
    const value = take(fixedSizes[type] ?? take(2).readUInt16BE())
    if (type === textType) headers.set(name, value.toString('utf8'))
  }
  return headers
}

function fault(reason: string): Error {
  return new Error(`the event stream cannot be read: ${reason}`)
}
