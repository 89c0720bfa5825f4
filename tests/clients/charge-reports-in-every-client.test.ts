/** Every official client must ignore the charge report in a response, and the amounts in each report must be exact. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { settledBalance, type User } from '../support/start-product.ts'
import { clientWires, requestOf } from '../support/request-and-reader-of-each-wire.ts'
import { clients } from './list-of-clients.ts'
import { startWorld, upstreams, type World } from './start-application-with-upstreams.ts'

const credit = 1_000_000_000n

let world: World
let user: User
let asking: Asking

beforeAll(async () => {
  world = await startWorld()
  asking = await startAsking(world.app.gateway)
})
afterAll(async () => {
  asking.server.close()
  asking.server.closeAllConnections()
  await world.close()
})
beforeEach(async () => {
  user = await world.app.newUser({ balanceMicros: credit })
  asking.seen.length = 0
})

describe.each(clients)('$name', (client) => {
  test.each(['non-streaming', 'streaming'])(
    'the client reads a %s response that has a charge report',
    async (how) => {
      const upstream = (
        { chat: 'chat', messages: 'messages', generate: 'generate', responses: 'openai' } as const
      )[client.wire]
      const heard = await client.converse(
        { gateway: asking.url, key: user.key, model: `acme/${upstream}`, retriesMax: 0 },
        { turns: ['Hello'], isStream: how === 'streaming', outputTokensMax: 200 },
      )
      expect(heard.texts.join('')).not.toBe('')
      const last = asking.seen.at(-1) ?? assert.fail('the client sent nothing')
      await expectReport(last.charge ?? reportIn(last.text), 1)
    },
  )
})

describe.each(clientWires)('a client of %s', (wire) => {
  test.each(upstreams)('the client gets a charge report with a response of %s', async (upstream) => {
    for (const isStream of [false, true]) {
      const asked = requestOf(wire, { model: `acme/${upstream}`, isStream, outputTokensMax: 200 })
      /* oxlint-disable no-await-in-loop -- one after the other */
      const own = await world.app.newUser({ balanceMicros: credit })
      user = own
      const { body, headers } = await send(asked, { svc: { report: true } })
      expect(body).not.toBe('')
      await expectReport(isStream ? reportIn(body) : reportOf(headers), 1)
      const plain = await send(asked, {})
      expect(plain.body).not.toContain('"svc"')
      expect([...plain.headers.keys()].filter((name) => name.endsWith('-micros'))).toEqual([])
      /* oxlint-enable no-await-in-loop */
    }
  })
})

test('a generate stream in the form of a JSON array has the charge report in its last element', async () => {
  const { body } = await send(
    {
      path: '/v1beta/models/acme%2Fgenerate:streamGenerateContent',
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
    },
    { svc: { report: true } },
  )
  const elements = JSON.parse(body)
  expect(elements.filter((element: object) => 'svc' in element)).toHaveLength(1)
  await expectReport(elements.at(-1).svc, 1)
})

test('the provider does not receive the request for a report', async () => {
  const { calls } = world.vendor
  const before = calls.length
  await send(requestOf('chat', { model: 'acme/chat', isStream: false, outputTokensMax: 20 }), {
    svc: { report: true },
  })
  expect(JSON.stringify(calls.slice(before))).not.toMatch(/svc/)
})

interface Report {
  readonly chargeMicros: string
  readonly remainingMicros: string
}

/** The report must equal the end user's balance immediately after the last byte of the response. */
async function expectReport(report: Report, calls: number): Promise<void> {
  const balance = await settledBalance(user)
  expect(report).toEqual({ chargeMicros: String(credit - balance), remainingMicros: String(balance) })
  expect(BigInt(report.chargeMicros)).toBeGreaterThan(0n)
  expect(await user.requests()).toHaveLength(calls)
}

function reportOf(headers: Headers): Report {
  return {
    chargeMicros: headers.get('x-svc-charge-micros') ?? assert.fail('no charge'),
    remainingMicros: headers.get('x-svc-remaining-micros') ?? assert.fail('no remaining balance'),
  }
}

function reportIn(text: string): Report {
  const frames = text
    .split(/\r?\n\r?\n/)
    .flatMap((frame) => /^data: (?<data>\{.*)$/m.exec(frame)?.groups?.['data'] ?? [])
  const reports = frames.map((frame) => JSON.parse(frame).svc).filter((svc) => svc !== undefined)
  expect(reports).toHaveLength(1)
  return reports[0]
}

async function send(
  { body, path }: { readonly body: string; readonly path: string },
  more: object,
): Promise<{ readonly body: string; readonly headers: Headers }> {
  const response = await fetch(`${world.app.gateway}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${user.key}` },
    body: JSON.stringify({ ...JSON.parse(body), ...more }),
  })
  const text = await response.text()
  expect([response.status, text]).toEqual([200, text])
  return { body: text, headers: response.headers }
}

/** The proxy adds the header that requests a charge report, and records the responses. */
interface Asking {
  readonly server: Server
  readonly url: string
  readonly seen: { readonly text: string; readonly charge: Report | null }[]
}

async function startAsking(gateway: string): Promise<Asking> {
  const seen: Asking['seen'] = []
  const server = createServer((request, response) => {
    void forward()
    async function forward(): Promise<void> {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece)
      const {
        'content-length': _,
        connection: __,
        host: ___,
        'transfer-encoding': ____,
        ...headers
      } = request.headers
      const answer = await fetch(`${gateway}${request.url}`, {
        method: request.method ?? 'POST',
        headers: { ...(headers as Record<string, string>), 'x-svc-report': '1' },
        body: Buffer.concat(pieces),
      })
      const text = await answer.text()
      const charge = answer.headers.has('x-svc-charge-micros') ? reportOf(answer.headers) : null
      seen.push({ text, charge })
      const contentType = answer.headers.get('content-type') ?? ''
      response.writeHead(answer.status, { 'content-type': contentType }).end(text)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, url: `http://127.0.0.1:${port}`, seen }
}
