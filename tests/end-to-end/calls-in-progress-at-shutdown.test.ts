/** Tests SIGTERM with calls in progress (docs/reference/threats.md "SIGTERM"). */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { costMicros, countedInput, countedInputByBytes, countedOutput } from '../support/expected-costs.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { startFakeProvider, type FakeProvider } from '../support/fake-provider.ts'
import {
  connectAccount,
  eventually,
  framesOf,
  makeApplication,
  settledBalance,
  spawnServer,
  startServer,
  textsOf,
  upstreamKey,
  verifies,
  type Application,
  type SpawnedServer,
} from '../support/start-product.ts'

const credit = 100_000_000n
const pieces = [' one', ' two', ' three', ' four']
const usage = { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 }
const streams = 30
const wholes = 10

let folder: string
let provider: FakeProvider
const spawned: SpawnedServer[] = []
beforeEach(async () => {
  folder = newDataFolder('e2e')
  provider = await startFakeProvider({ chunks: pieces, usage, hang: 'mid' })
})
afterEach(async () => {
  for (const { child } of spawned.splice(0)) child.kill('SIGKILL')
  await provider.close()
  rmSync(folder, { recursive: true })
})

/** The returned function sends the rest of the request. */
async function halfRequest(app: Application, key: string): Promise<() => Promise<string>> {
  const body = app.bodyOf()
  const socket = connect(app.gatewayPort, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:${app.gatewayPort}\r\n`)
  let received = ''
  socket.on('data', (bytes) => (received += String(bytes)))
  return async () => {
    const closed = once(socket, 'close')
    socket.write(
      `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await closed
    return received
  }
}

async function refusesConnections(port: number): Promise<void> {
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1')
    const outcome = await once(socket, 'connect').then(
      () => 'connected',
      (error: NodeJS.ErrnoException) => error.code,
    )
    socket.destroy()
    expect(outcome).toBe('ECONNREFUSED')
  })
}

test('open calls are completed and settled, new calls are rejected, and the exit code is 0', async () => {
  const server = await spawnServer(folder)
  spawned.push(server)
  const app = await makeApplication(server, { provider })
  const user = await app.newUser({ balanceMicros: credit })
  const running = [
    ...Array.from({ length: streams }, () => app.call(user, { stream: true })),
    ...Array.from({ length: wholes }, () => app.call(user)),
  ]
  const finish = await halfRequest(app, user.key)
  await eventually(async () => expect(provider.calls).toHaveLength(streams + wholes))

  server.child.kill('SIGTERM')
  await refusesConnections(app.gatewayPort)
  await refusesConnections(server.port)
  await expect(app.call(user)).rejects.toThrow('fetch failed')
  const late = await finish()
  expect(late).toMatch(/^HTTP\/1.1 503 /)
  expect(late).toContain('"code":"draining"')
  expect(late.toLowerCase()).toContain('connection: close')
  expect(provider.calls, 'and no provider was called for them').toHaveLength(streams + wholes)

  provider.release()
  const answers = await Promise.all(running)
  for (const [i, answer] of answers.entries()) {
    expect(answer.status).toBe(200)
    if (i < streams) {
      expect(textsOf(answer.text)).toEqual(pieces)
      expect(framesOf(answer.text).at(-1)).toBe('[DONE]')
    } else {
      expect(answer.body.choices[0].message.content).toBe(pieces.join(''))
    }
  }
  expect(await server.ended).toBe(0)
  await verifies(folder)

  const again = await spawnServer(folder, { token: server.token })
  spawned.push(again)
  expect(again.stderr()).not.toContain('left open')
  const person = (await app.again(again)).person(user)
  const charge = costMicros(app.rates, { input: 12, output: 34 })
  expect(await settledBalance(person)).toBe(credit - BigInt(streams + wholes) * charge)
})

test('a call that outlasts the drain is cut, and charged by the gateway’s count', async () => {
  const options = {
    folder,
    environment: { TOLLGATE_DRAIN_SECONDS: '1' },
    // Reads after a disconnect end with the drain, not after this time.
    limits: { drainMs: 600_000 },
    settlesCutWithinMs: 60_000,
    mayCutCalls: true,
  }
  const server = await startServer(options)
  const app = await makeApplication(server, { provider })
  const user = await app.newUser({ balanceMicros: credit })
  const body = { stream: true }
  const leaving = new AbortController()
  const calls = [app.call(user, body), app.call(user, body), app.call(user, body, { signal: leaving.signal })]
  const running = calls.map((call) =>
    call.then(
      () => 'ended',
      () => 'cut',
    ),
  )
  await eventually(async () => expect(provider.calls).toHaveLength(3))
  // Half of the text reaches the client during this wait, or before the drain ends.
  await delay(100)
  leaving.abort()
  await server.close()
  expect(await Promise.all(running)).toEqual(['cut', 'cut', 'cut'])
  const warnings = server.log.filter(({ level }) => level === 'warn')
  expect(warnings).toContainEqual({
    level: 'warn',
    message: 'aborting requests that did not finish in time',
    fields: { callsInFlight: 3 },
  })

  const again = await startServer({ ...options, token: server.token })
  expect(again.log.filter(({ message }) => message.includes('left open'))).toEqual([])
  const person = (await app.again(again)).person(user)
  const charge = costMicros(app.rates, {
    input: countedInput(app.bodyOf(body)),
    output: countedOutput(pieces.slice(0, 2)),
  })
  expect(await settledBalance(person)).toBe(credit - 3n * charge)
  await again.close()
})

test('a provider that does not respond to the creation of a conversation does not delay the stop', async () => {
  const options = { environment: { TOLLGATE_DRAIN_SECONDS: '1' }, settlesCutWithinMs: 50, mayCutCalls: true }
  const server = await startServer({ folder, ...options })
  const app = await makeApplication(server, { provider })
  const account = { baseUrl: provider.baseUrl, apiKey: upstreamKey, kind: 'openai', model: 'gpt-5' }
  const price = { input: '1000000', output: '2000000', cacheWrite: '1000000' }
  await connectAccount(app, 'gpt', { ...account, price })
  const user = await app.newUser({ balanceMicros: credit })
  provider.script({ hang: 'headers' })
  const arrived = provider.nextCall()
  const creation = fetch(`${app.gateway}/v1/conversations`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.key}`,
      'content-type': 'application/json',
      'x-svc-model': 'acme/gpt',
    },
    body: '{}',
  })
  const outcome = creation.then(
    () => 'ended',
    () => 'cut',
  )
  await arrived
  // The provider responds only at the end of this test.
  await server.close()
  expect(await outcome).toBe('cut')
})

test('a second SIGTERM ends the process without waiting', async () => {
  const server = await spawnServer(folder)
  spawned.push(server)
  const app = await makeApplication(server, { provider })
  const user = await app.newUser({ balanceMicros: credit })
  const call = app.call(user).catch(() => null)
  await eventually(async () => expect(provider.calls).toHaveLength(1))
  server.child.kill('SIGTERM')
  await refusesConnections(app.gatewayPort)
  server.child.kill('SIGTERM')
  expect(await server.ended).toBe(130)
  await call
  // The next start ends the calls that the killed process had not completed.
  const again = await spawnServer(folder, { token: server.token })
  spawned.push(again)
  await eventually(async () => expect(again.stderr()).toContain('left open'))
  const person = (await app.again(again)).person(user)
  const input = countedInputByBytes(app.bodyOf())
  expect(await settledBalance(person)).toBe(credit - costMicros(app.rates, { input, output: 0 }))
})
