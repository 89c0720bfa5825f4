/** Does not respond to queries of names that were not given. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'

export interface DnsServer {
  /** For `NameResolverOptions.servers`. */
  readonly address: string
  /** Each query has one entry per address family. */
  readonly asked: readonly string[]
  /** Maps a name to its IPv4 address. A null address means that the name does not exist. */
  readonly names: Map<string, string | null>
  /** Answers every open query for an unknown name with "no such name". */
  denySilent(): void
  close(): Promise<void>
}

export async function startDnsServer(names: Readonly<Record<string, string | null>>): Promise<DnsServer> {
  const known = new Map(Object.entries(names))
  const asked: string[] = []
  const silent: (() => void)[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const name = nameIn(query)
    asked.push(name)
    const found = known.get(name)
    if (found === undefined) silent.push(() => answer(socket, query, from, null))
    else answer(socket, query, from, found)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    names: known,
    denySilent() {
      for (const deny of silent.splice(0)) deny()
    },
    async close() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

const typeA = 1

function nameIn(query: Buffer): string {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString('latin1'))
    at += 1 + length
  }
  return labels.join('.').toLowerCase()
}

/** @param found the IPv4 address; null if the name does not exist */
function answer(socket: Socket, query: Buffer, { address, port }: RemoteInfo, found: string | null): void {
  const questionEnd = query.indexOf(0, 12) + 5
  const hasAddress = found !== null && query.readUInt16BE(questionEnd - 4) === typeA
  const head = Buffer.alloc(12)
  head.writeUInt16BE(query.readUInt16BE(0), 0)
  // The response is for a recursive query. The code 3 means that the name does not exist.
  head.writeUInt16BE(0x8180 | (found === null ? 3 : 0), 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(hasAddress ? 1 : 0, 6)
  const record = hasAddress
    ? Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, ...found.split('.').map(Number)])
    : Buffer.alloc(0)
  socket.send(Buffer.concat([head, query.subarray(12, questionEnd), record]), port, address)
}
