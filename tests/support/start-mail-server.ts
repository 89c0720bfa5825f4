/** Accepts all mail. Implements the part of RFC 5321 that the product's client uses. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

export interface TakenMail {
  readonly from: string
  readonly to: string
  readonly data: string
}

export interface SmtpServer {
  readonly url: string
  readonly mails: readonly TakenMail[]
  readonly logins: readonly string[]
  /** Null accepts the mail. */
  refuseWith: string | null
  close(): Promise<void>
}

export async function startSmtpServer(password: string): Promise<SmtpServer> {
  const mails: TakenMail[] = []
  const logins: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    void talk(socket).catch(() => socket.destroy())
  })
  const talk = async (socket: Socket): Promise<void> => {
    const say = (line: string): void => void socket.write(`${line}\r\n`)
    let from = ''
    let to = ''
    let data: string[] | null = null
    say('220 mail.test ESMTP')
    for await (const line of createInterface(socket)) {
      if (data !== null) {
        if (line !== '.') data.push(line)
        else {
          if (made.refuseWith === null) mails.push({ from, to, data: data.join('\n') })
          say(made.refuseWith ?? '250 taken')
          data = null
        }
        continue
      }
      const [verb = ''] = line.toUpperCase().split(' ')
      if (verb === 'EHLO') {
        say('250-mail.test')
        say('250 AUTH PLAIN')
      } else if (verb === 'AUTH') {
        logins.push(
          Buffer.from(line.split(' ')[2] ?? '', 'base64')
            .toString()
            .replaceAll('\0', ' ')
            .trim(),
        )
        say('235 welcome')
      } else if (verb === 'MAIL') {
        from = /<(.*)>/.exec(line)?.[1] ?? ''
        say('250 ok')
      } else if (verb === 'RCPT') {
        to = /<(.*)>/.exec(line)?.[1] ?? ''
        say('250 ok')
      } else if (verb === 'DATA') {
        data = []
        say('354 go on')
      } else if (verb === 'QUIT') {
        say('221 bye')
        socket.end()
      } else say('250 ok')
    }
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const made: SmtpServer = {
    url: `smtp://mailer:${password}@127.0.0.1:${port}`,
    mails,
    logins,
    refuseWith: null,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return made
}
