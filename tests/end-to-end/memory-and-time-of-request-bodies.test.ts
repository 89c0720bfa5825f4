import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  arrival,
  eventually,
  makeApplication,
  sendRaw,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { largeBodies, pathOfWire } from '../support/largest-request-bodies.ts'

const mib = 1024 * 1024
/** tests/long/bodies-without-money.test.ts sends all large bodies. */
const someLargeBodies = largeBodies.filter((_, at) => at % 5 === 0)

let server: LocalServer
let acme: Application
let paid: User
let unpaid: User

beforeAll(async () => {
  server = await startServer({
    limits: {
      bodyBytesMax: 40 * mib,
      bodyGraceMs: 1_000,
      stallMs: 1_000,
    },
  })
  acme = await makeApplication(server, { outputTokens: 16 })
  paid = await acme.newUser({ balanceMicros: 1_000_000_000n })
  unpaid = await acme.newUser()
})
afterAll(() => server.close())

/** The state of the connection comes from this machine's kernel. */
async function isOpen(client: Socket): Promise<boolean> {
  const hex = (port = 0): string => port.toString(16).toUpperCase().padStart(4, '0')
  const rows = (await readFile('/proc/net/tcp', 'latin1')).split('\n').map((row) => row.trim().split(/\s+/))
  return rows.some(
    ([, local = '', remote = '', state]) =>
      local.endsWith(`:${hex(acme.gatewayPort)}`) &&
      remote.endsWith(`:${hex(client.localPort)}`) &&
      state === '01',
  )
}

function headOf({ key }: User, fields: readonly string[], path = '/v1/chat/completions'): string {
  return [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${acme.gatewayPort}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    ...fields,
    '\r\n',
  ].join('\r\n')
}

/** Media in base64, such as the field `data` of this body, do not count as text. */
const beginning = Buffer.from('{"messages":[{"data":"')
const mibOfData = Buffer.alloc(mib, 'a')

const lengthOf = (bytes: number): string => `content-length: ${bytes}`

function opened(...pieces: (string | Uint8Array)[]): Socket {
  const socket = connect(acme.gatewayPort, '127.0.0.1')
  socket.on('error', () => {})
  for (const piece of pieces) socket.write(piece)
  return socket
}

/** Ends when the connection closes, or when `isEnough` returns true. */
function readUntil(socket: Socket, isEnough: (text: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const end = (): void => {
      socket.destroy()
      resolve(text)
    }
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      if (isEnough(text)) end()
    })
    socket.on('close', end)
  })
}

const hello = (): string => acme.bodyOf({})

describe('a body from a key that cannot pay for it', () => {
  test.each(['chat', 'messages', 'generate', 'responses'] as const)(
    'if a key cannot pay for a body, the request is rejected before any of the body is sent, in the format of %s',
    async (wire) => {
      const head = headOf(unpaid, [lengthOf(31 * mib)], pathOfWire(wire, acme.model))
      const answer = await sendRaw(acme.gatewayPort, head)
      expect(answer.status).toBe(402)
      expect(answer.headers.get('x-should-retry')).toBe('false')
      expect(answer.headers.get('connection')).toBe('close')
      expect(JSON.stringify(answer.body)).toContain('insufficient_credit')
      expect(server.bodyBytesHeld).toBe(0)
    },
  )

  test('if a key cannot pay for a large body, the error contains the same amounts as for a small call', async () => {
    const small = (await acme.call(unpaid)).body.error
    const answer = await sendRaw(acme.gatewayPort, headOf(unpaid, [lengthOf(31 * mib)]))
    const { error } = answer.body
    expect(Object.keys(error)).toEqual(Object.keys(small))
    for (const field of ['type', 'code', 'limitSource', 'limit', 'used', 'available', 'resetsAt'])
      expect(error[field], field).toEqual(small[field])
  })

  test('if a key cannot pay for a body without an announced length, the request is rejected', async () => {
    const head = headOf(unpaid, ['transfer-encoding: chunked'])
    expect((await sendRaw(acme.gatewayPort, head)).status).toBe(402)
  })

  test('if a key cannot pay for a body, the rejection is recorded like any other', async () => {
    await sendRaw(acme.gatewayPort, headOf(unpaid, [lengthOf(31 * mib)]))
    await eventually(async () => {
      const [latest] = await unpaid.requests()
      expect(latest).toMatchObject({ status: 'refused', httpStatus: 402, errorCode: 'insufficient_credit' })
    })
  })

  test('a small body is received even without money, and a large body is received if the end user has money', async () => {
    const ada = await acme.newUser()
    const refused = await acme.call(ada)
    expect(refused.body.error).toMatchObject({ code: 'insufficient_credit' })
    await ada.grant(1_000_000_000n)
    expect((await acme.call(ada, { user: 'a'.repeat(200_000) })).status).toBe(200)
  })

  test('if the key is invalid, a request with a large body returns the error about the key', async () => {
    const gone = await acme.newUser()
    await acme.call(gone)
    await acme.api('DELETE', `/v1/keys/${gone.keyId}`)
    const answer = await sendRaw(acme.gatewayPort, headOf(gone, [lengthOf(31 * mib)]))
    expect(answer.status).toBe(401)
    expect(answer.body.error.code).toBe('key_revoked')
  })

  test('if the end user is frozen, a request with a large body returns the error that spending is stopped', async () => {
    const frozen = await acme.newUser({ balanceMicros: 1_000_000n })
    await acme.api('POST', `/v1/end-users/${frozen.externalId}/freeze`)
    const answer = await sendRaw(acme.gatewayPort, headOf(frozen, [lengthOf(31 * mib)]))
    expect(answer.status).toBe(403)
  })
})

describe('the bytes of all bodies', () => {
  test('the bytes of bodies are limited for each key and for all keys together, and smaller calls continue', async () => {
    const bea = await acme.newUser({ balanceMicros: 1_000_000_000n })
    const almostAll = Array.from({ length: 30 }, () => mibOfData)
    const holding = opened(headOf(paid, [lengthOf(31 * mib)]), beginning, ...almostAll)
    await eventually(async () => expect(server.bodyBytesHeld).toBe(30 * mib + beginning.length))

    // The key, its application and its organization may each use 32 MiB in this test, the size of the largest request.
    for (const [user, owner] of [
      [paid, 'key'],
      [bea, 'application'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const refused = await sendRaw(acme.gatewayPort, headOf(user, [lengthOf(3 * mib)]))
      expect(refused.status).toBe(429)
      expect(refused.headers.get('retry-after')).toBe('1')
      expect(refused.body.error.code).toBe('too_many_bodies')
      expect(refused.body.error.message).toContain(`of this ${owner}`)
    }
    expect((await acme.call(paid)).status).toBe(200)
    expect((await acme.call(bea, { user: 'a'.repeat(mib) })).status).toBe(200)

    holding.destroy()
    await eventually(async () => expect(server.bodyBytesHeld).toBe(0))
    expect((await acme.call(paid, { user: 'a'.repeat(3 * mib) })).status).toBe(200)
  })

  test('only received bytes count, so that announcing many large bodies blocks no other client', async () => {
    const bea = await acme.newUser({ balanceMicros: 1_000_000_000n })
    const idle = Array.from({ length: 64 }, () => opened(headOf(paid, [lengthOf(32 * mib)]), beginning))
    await eventually(async () => expect(server.bodyBytesHeld).toBe(64 * beginning.length))
    expect((await acme.call(bea)).status).toBe(200)
    expect((await acme.call(bea, { user: 'a'.repeat(4 * mib) })).status).toBe(200)
    expect((await acme.call(paid, { user: 'a'.repeat(4 * mib) })).status).toBe(200)
    for (const socket of idle) socket.destroy()
    await eventually(async () => expect(server.bodyBytesHeld).toBe(0))
  })

  test('if a body has no announced length, only its received bytes count', async () => {
    const chunkOf = (piece: Uint8Array): Buffer =>
      Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
    const first = chunkOf(beginning)
    const chunk = chunkOf(mibOfData)
    const socket = opened(headOf(paid, ['transfer-encoding: chunked']), first, chunk, chunk)
    await eventually(async () => expect(server.bodyBytesHeld).toBe(2 * mib + beginning.length))
    socket.destroy()
    await eventually(async () => expect(server.bodyBytesHeld).toBe(0))
    const pieces = Array.from({ length: 33 }, () => chunk)
    const tooLarge = await sendRaw(
      acme.gatewayPort,
      headOf(paid, ['transfer-encoding: chunked']),
      first,
      ...pieces,
    )
    expect(tooLarge.status).toBe(413)
    expect(tooLarge.body.error.code).toBe('request_too_large')
  })

  test('the bytes of a body are released after every outcome of the call', async () => {
    const body = acme.bodyOf({ user: 'a'.repeat(100_000) })
    const path = pathOfWire('messages', acme.model)
    const endings: (() => Promise<unknown>)[] = [
      () => acme.call(paid, { user: 'a'.repeat(100_000) }),
      () => acme.call(paid, { user: 'a'.repeat(100_000), stream: true }),
      () => acme.call(unpaid, { user: 'a'.repeat(100_000) }),
      () => acme.call(paid, { model: 'acme/none', user: 'a'.repeat(100_000) }),
      () => acme.call(paid, { messages: 'a'.repeat(100_000) }),
      async () => void opened(headOf(paid, [lengthOf(mib)]), 'x').end(),
      async () => void opened(headOf(paid, [lengthOf(body.length)]), body).end(),
      () => sendRaw(acme.gatewayPort, headOf(paid, [lengthOf(mib)]), Buffer.alloc(mib, 0xff)),
      () => sendRaw(acme.gatewayPort, headOf(paid, [lengthOf(mib)], path), Buffer.alloc(mib, ' ')),
      () => sendRaw(acme.gatewayPort, headOf(paid, [lengthOf(mib), 'content-encoding: gzip']), 'x'),
    ]
    await Promise.all(Array.from({ length: 6 }, () => endings.map((end) => end())).flat())
    acme.provider.enqueue({ status: 500, body: {} }, { isReset: true })
    await Promise.all([
      acme.call(paid, { user: 'a'.repeat(100_000) }),
      acme.call(paid, { user: 'a'.repeat(100_000) }),
    ])
    await eventually(async () => expect(server.bodyBytesHeld).toBe(0))
  })

  test('a body must arrive at a minimum rate, or the request is rejected', async () => {
    const slow = await sendRaw(acme.gatewayPort, headOf(paid, [lengthOf(500)]), '{')
    expect(slow.status).toBe(408)
    expect(slow.headers.get('x-should-retry')).toBe('true')
    expect(slow.body.error.code).toBe('request_too_slow')
  })
})

describe('a body that is rejected while it arrives', () => {
  test.each([
    ['no JSON', 400, 'invalid_json', ['{"model":1 2', 'a'.repeat(mib)]],
    ['no UTF-8', 400, 'invalid_json', ['{"model":"', Buffer.alloc(mib, 0xff)]],
    ['too much text', 413, 'request_text_too_large', ['{"model":"', 'a'.repeat(9 * mib)]],
  ] as const)(
    '%s: a body is rejected before all of it has arrived, and its bytes are released',
    async (_, status, code, sent) => {
      const head = headOf(paid, [lengthOf(31 * mib)])
      const answer = await sendRaw(acme.gatewayPort, head, ...sent)
      expect(answer.status).toBe(status)
      expect(answer.body.error.code).toBe(code)
      expect(answer.headers.get('connection')).toBe('close')
      await eventually(async () => expect(server.bodyBytesHeld).toBe(0))
      expect((await acme.call(paid, { user: 'a'.repeat(2 * mib) })).status).toBe(200)
    },
  )
})

describe('a body of 31 MB', () => {
  test.each(someLargeBodies)(
    '$name: a request with a body of 31 MB gets its response, and leaves no data in memory',
    async (shape) => {
      const body = shape.of(31_000_000, acme.model)
      const response = await fetch(`${acme.gateway}${pathOfWire(shape.wire, acme.model)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${paid.key}`, 'content-type': 'application/json' },
        body,
      })
      const text = await response.text()
      expect([200, 400, 402, 413], text.slice(0, 300)).toContain(response.status)
      await eventually(async () => expect(server.bodyBytesHeld).toBe(0))
    },
  )
})

describe('a client that sends Expect: 100-continue', () => {
  const expectation = 'expect: 100-continue'

  test('a client that sends Expect: 100-continue with an invalid key gets no 100', async () => {
    const socket = opened(headOf({ ...paid, key: 'ak_none' }, [lengthOf(10), expectation]))
    const text = await readUntil(socket, (so) => so.includes('}}'))
    expect(text).toMatch(/^HTTP\/1\.1 401 /)
  })

  test('a client that sends Expect: 100-continue gets a 100 after the request is admitted', async () => {
    const body = hello()
    const socket = opened(headOf(paid, [lengthOf(body.length), expectation]))
    const text = await readUntil(socket, (so) => {
      if (so === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(body)
      return so.includes('"usage"')
    })
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  })

  test.each([
    ['with no token', 'sk_none', '401'],
    ['with a token', null, '100'],
  ])('Expect: 100-continue works on the control plane too, %s', async (_, token, status) => {
    const body = '{"name":"Renamed"}'
    const head = [
      `PUT /v1/apps/${acme.slug}x HTTP/1.1`,
      `host: 127.0.0.1:${server.port}`,
      `authorization: Bearer ${token ?? server.token}`,
      'content-type: application/json',
      lengthOf(body.length),
      expectation,
      '\r\n',
    ].join('\r\n')
    const socket = connect(server.port, '127.0.0.1')
    socket.write(head)
    const text = await readUntil(socket, (so) => {
      if (so.startsWith('HTTP/1.1 100')) socket.write(body)
      return so.includes('}')
    })
    expect(text.slice(9, 12)).toBe(status)
    if (status === '100') expect(text).toContain('HTTP/1.1 200 ')
  })
})

describe('the responses', () => {
  test('an unknown transfer encoding returns 501', async () => {
    for (const coding of ['gzip, chunked', 'gzip', 'identity']) {
      const answer = await sendRaw(
        acme.gatewayPort,
        headOf(paid, [`transfer-encoding: ${coding}`]),
        '0\r\n\r\n',
      )
      expect([400, 501], coding).toContain(answer.status)
      if (coding === 'gzip, chunked') expect(answer.status).toBe(501)
    }
  })

  test('responses forbid caching, and forbid browsers to guess another media type', async () => {
    const get = (path: string): Promise<Response> =>
      fetch(`${acme.gateway}${path}`, { headers: { authorization: `Bearer ${paid.key}` } })
    const answers = [
      await acme.call(paid),
      await acme.call(paid, { stream: true }),
      await acme.call(unpaid),
      await acme.call({ key: 'ak_none' }),
      await get('/v1/models'),
      await get('/v1/none'),
    ]
    for (const { headers, status } of answers) {
      expect(headers.get('x-content-type-options'), String(status)).toBe('nosniff')
      expect(headers.get('cache-control'), String(status)).toBe('no-store')
    }
  })

  test('if the client does not read its response, the server closes the connection and discards the rest of the response', async () => {
    acme.provider.enqueue({
      chunks: ['a'.repeat(30 * mib)],
      usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
    })
    const body = hello()
    const arrived = arrival(acme.provider)
    const socket = opened(headOf(paid, [lengthOf(body.length)]), body)
    socket.pause()
    await arrived
    await eventually(async () => expect(await isOpen(socket)).toBe(true))
    // The kernel has accepted the client's bytes. The rest of the response is discarded with the connection.
    await eventually(async () => expect(await isOpen(socket)).toBe(false), 15_000)
    socket.destroy()
  })
})

describe('a duplicate key in an object', () => {
  test.each([
    ['chat', `{"model":"M","messages":[{"role":"user","content":"a","content":"b"}]}`, 'content'],
    [
      'chat',
      `{"model":"M","messages":[{"role":"user","content":[{"type":"text","text":"a","type":"text"}]}]}`,
      'type',
    ],
    [
      'chat',
      `{"model":"M","messages":[{"role":"user","content":"a"}],"stream":true,"stream_options":{"include_usage":false,"include_usage":true}}`,
      'include_usage',
    ],
    [
      'messages',
      `{"model":"M","max_tokens":5,"messages":[{"role":"user","content":"a","\\u0063ontent":"b"}]}`,
      'content',
    ],
    ['responses', `{"model":"M","input":[{"role":"user","content":"a","content":"b"}]}`, 'content'],
    ['generate', `{"contents":[{"role":"user","parts":[{"text":"a"}],"parts":[]}]}`, 'parts'],
  ] as const)(
    'a duplicate key in an object is rejected on %s if the gateway reads the key: %s',
    async (wire, body, name) => {
      const response = await fetch(`${acme.gateway}${pathOfWire(wire, acme.model)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${paid.key}`, 'content-type': 'application/json' },
        body: body.replace('M', acme.model),
      })
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(`${name} is repeated`)
    },
  )

  test('a duplicate key that the gateway does not read is forwarded unchanged', async () => {
    const body = hello().replace('{', '{"metadata":{"a":"1","a":"2"},')
    const answer = await sendRaw(acme.gatewayPort, headOf(paid, [lengthOf(body.length)]), body)
    expect(answer.status).toBe(200)
  })
})
