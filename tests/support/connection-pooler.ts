/**
 * A connection pooler for PostgreSQL, like PgBouncer. In transaction mode, a connection to the server belongs to a client
 * only until the end of a transaction. The pooler accepts every client without a password, and supports only what the
 * driver sends.
 */
import { connect, createServer, type Socket } from 'node:net'
import { listenLocally, type LocalPort } from './listen-on-loopback.ts'

interface ServerConnection {
  readonly socket: Socket
  readonly parameters: Buffer
  onMessage: (type: string, message: Buffer) => void
}

const authenticationOk = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
/** A process ID and a secret, which no server process has. */
const backendKey = Buffer.from([0x4b, 0, 0, 0, 12, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 1])

export async function startPooler(databasePort: number, mode: 'session' | 'transaction'): Promise<LocalPort> {
  /** The last one that became free is used first, as by PgBouncer. */
  const free: ServerConnection[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (client) => {
    sockets.add(client)
    client.on('error', () => {})
    client.on('close', () => void own?.then(({ socket }) => socket.destroy()).catch(() => {}))
    let startup: Buffer | null = null
    let own: Promise<ServerConnection> | null = null
    /** Queries and Syncs that the server has not answered with ReadyForQuery. */
    let unanswered = 0
    const take = async (first: Buffer): Promise<ServerConnection> => {
      const found = free.pop() ?? (await open(databasePort, first))
      sockets.add(found.socket)
      found.onMessage = (type, message) => {
        if (type === 'Z') unanswered -= 1
        client.write(message)
        if (mode === 'session' || type !== 'Z' || unanswered > 0 || message.at(-1) !== 0x49) return
        own = null
        free.push(found)
      }
      return found
    }
    const begin = async (message: Buffer): Promise<void> => {
      own = take(message)
      const found = await own
      if (mode === 'transaction') {
        own = null
        free.push(found)
      }
      client.write(Buffer.concat([authenticationOk, found.parameters, backendKey, ready]))
    }
    const onFirst = (message: Buffer): void => {
      startup = message
      begin(message).catch(() => client.destroy())
    }
    readMessages(client, { hasStartup: true }, (type, message) => {
      if (startup === null) return onFirst(message)
      if (type === 'X') return void client.end()
      if (type === 'Q' || type === 'S') unanswered += 1
      own ??= take(startup)
      own.then(
        ({ socket }) => socket.write(message),
        () => client.destroy(),
      )
    })
  })
  const { port, close } = await listenLocally(server)
  return {
    port,
    close() {
      for (const socket of sockets) socket.destroy()
      return close()
    },
  }
}

/** Resolves when the server is ready for the first query. */
function open(port: number, startup: Buffer): Promise<ServerConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const parameters: Buffer[] = []
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    let connection: ServerConnection | null = null
    readMessages(socket, { hasStartup: false }, (type, message) => {
      if (connection !== null) return connection.onMessage(type, message)
      if (type === 'S') parameters.push(message)
      if (type === 'E') reject(new Error(message.toString('utf8')))
      if (type === 'Z') {
        connection = { socket, parameters: Buffer.concat(parameters), onMessage: () => {} }
        resolve(connection)
      }
    })
    socket.write(startup)
  })
}

/** Each message has a type and a length, except the first message of a client, which has only a length. */
function readMessages(
  socket: Socket,
  { hasStartup }: { readonly hasStartup: boolean },
  onMessage: (type: string, message: Buffer) => void,
): void {
  let left: Buffer = Buffer.alloc(0)
  let isFirst = hasStartup
  socket.on('data', (piece: Buffer) => {
    left = Buffer.concat([left, piece])
    for (;;) {
      const from = isFirst ? 0 : 1
      if (left.length < from + 4) return
      const end = from + left.readUInt32BE(from)
      if (left.length < end) return
      const message = left.subarray(0, end)
      left = left.subarray(end)
      const type = isFirst ? '' : String.fromCharCode(message[0] ?? 0)
      isFirst = false
      onMessage(type, message)
    }
  })
}
