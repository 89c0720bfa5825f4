import { crc32 } from 'node:zlib'

export function eventMessage(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const parts = Object.entries(headers).flatMap(([name, value]) => {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(Buffer.byteLength(value))
    return [
      Buffer.from([Buffer.byteLength(name)]),
      Buffer.from(name),
      Buffer.from([7]),
      length,
      Buffer.from(value),
    ]
  })
  const head = Buffer.concat(parts)
  const body = Buffer.from(payload)
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(8 + 4 + head.length + body.length + 4, 0)
  prelude.writeUInt32BE(head.length, 4)
  const start = Buffer.concat([prelude, checksum(prelude), head, body])
  return Buffer.concat([start, checksum(start)])
}

export function chunkMessage(event: object): Buffer {
  return eventMessage(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abc' }),
  )
}

function checksum(bytes: Buffer): Buffer {
  const out = Buffer.alloc(4)
  out.writeUInt32BE(crc32(bytes))
  return out
}
