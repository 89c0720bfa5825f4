/**
 * Sends bodies of the maximum size, of every kind, to a server in a separate process. These bodies must delay no call
 * of any key. The server's memory is limited, and a rejection may cost little more than reading the body.
 *
 * With BODIES_PROFILE=<folder>, the server writes V8's CPU profile to this folder. With `-t rejected`, only the tests
 * of rejections run, and print the cost of each kind of body.
 */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  connectAccount,
  eventually,
  makeApplication,
  spawnServer,
  upstreamKey,
  type Application,
  type SpawnedServer,
  type User,
} from '../support/start-product.ts'
import { cpuMsOf } from '../support/cpu-time.ts'
import { largeBodies, pathOfWire, type LargeBody } from '../support/largest-request-bodies.ts'

const bytes = 31_000_000
/** Just within the limit for text. */
const textBytes = 8_200_000
const stretchMsMax = 50
/** A body that is slow to read is slow in each attempt, but the delays of a busy machine vary. */
const triesMax = 12
/** The longest wait for a response, on a machine with ten times the usual load. */
const answerMs = 60_000
const endMs = 60_000
const folder = mkdtempSync(join(tmpdir(), 'tollgate-bodies-'))
const stretchFile = join(folder, 'stretch')
const { BODIES_PROFILE: profileFolder } = process.env
const profiling = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]

let server: SpawnedServer
let acme: Application
let paid: User
let unpaid: User
/** An end user whose money covers only the smallest calls. */
let poor: User

/** Each kind of provider has a model name, so that bodies of every wire are forwarded and converted. */
const names = { chat: 'acme/smart', messages: 'acme/claude', generate: 'acme/gemini', responses: 'acme/gpt' }

beforeAll(async () => {
  const hook = fileURLToPath(new URL('../support/longest-work-without-pause.mjs', import.meta.url))
  server = await spawnServer(join(folder, 'data'), {
    environment: {
      NODE_OPTIONS: [`--import=${hook}`, ...profiling].join(' '),
      LOOP_STRETCH: stretchFile,
      TOLLGATE_DRAIN_SECONDS: '15',
    },
  })
  acme = await makeApplication(server, { slug: 'bodies', outputTokens: 16 })
  for (const [label, kind] of [
    ['claude', 'anthropic'],
    ['gemini', 'google'],
    ['gpt', 'openai'],
  ] as const) {
    const rates = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteLong', 'audioInput', 'imageInput']
    const price = Object.fromEntries(
      [...rates, 'reasoning', 'audioOutput', 'imageOutput'].map((rate) => [rate, '1000']),
    )
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await connectAccount(acme, label, {
      kind,
      baseUrl: acme.provider.baseUrl,
      apiKey: upstreamKey,
      model: 'm-1',
      price: { ...price, request: '0', webSearch: '0' },
    })
  }
  paid = await acme.newUser({ balanceMicros: 1_000_000_000_000n })
  unpaid = await acme.newUser()
  poor = await acme.newUser({ balanceMicros: 1_000n })
})

afterAll(async () => {
  await stopped(server.child, 'the server')
  await acme.provider.close()
  rmSync(folder, { recursive: true })
})

async function stopped(child: ChildProcess, what: string): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  const isEnded = await Promise.race([ended.then(() => true), delay(endMs, false, { ref: false })])
  if (isEnded) return
  child.kill('SIGKILL')
  await ended
  throw new Error(`${what} had not ended ${endMs / 1000} s after SIGTERM`)
}

/** @throws Error with `what` if it takes longer than `answerMs` */
async function answered<T>(what: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await ask(AbortSignal.timeout(answerMs))
  } catch (error) {
    throw new Error(`${what}: no answer within ${answerMs / 1000} s, or none at all`, { cause: error })
  }
}

let runs = 0

async function stretchOf(work: () => Promise<unknown>): Promise<number> {
  const run = `run${++runs}`
  const found = (): string[] => readFileSync(`${stretchFile}.found`, 'utf8').split(' ')
  writeFileSync(stretchFile, run)
  await eventually(async () => expect(found()[0], 'the server looks at its stretches').toBe(run))
  await work()
  // The server may be writing the file while the test reads it.
  const ms = await eventually(async () => {
    const [of, text] = found()
    expect(of).toBe(run)
    expect(text).toMatch(/^[\d.]+$/)
    return Number(text)
  })
  rmSync(stretchFile)
  return ms
}

/** Other work of the machine comes in bursts, so wait before each further attempt. */
async function bestStretchOf(work: () => Promise<unknown>): Promise<number> {
  let bestMs = Infinity
  for (let i = 0; i < triesMax && bestMs >= stretchMsMax; i++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    if (i >= 3) await delay(250 * i)
    // oxlint-disable-next-line no-await-in-loop -- as above
    bestMs = Math.min(bestMs, await stretchOf(work))
  }
  return bestMs
}

function send(user: User, { name, wire }: LargeBody, body: string, model: string): Promise<number> {
  return post(`${name} to ${model}`, `${acme.gateway}${pathOfWire(wire, model)}`, user.key, body)
}

function post(what: string, url: string, key: string, body: string | Buffer<ArrayBuffer>): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return answered(what, async (signal) => {
    const response = await fetch(url, { method: 'POST', headers, body, signal })
    await response.arrayBuffer()
    return response.status
  })
}

function memoryMib(): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

function cpuMs({ pid }: ChildProcess): number {
  assert(pid !== undefined)
  return cpuMsOf(pid)
}

test('the requests of a key that cannot pay return 402, and their bodies delay no other calls', async () => {
  for (const shape of largeBodies) {
    const body = shape.of(bytes, names.chat)
    // oxlint-disable-next-line no-await-in-loop -- one shape after the other
    const ms = await bestStretchOf(async () => expect(await send(unpaid, shape, body, names.chat)).toBe(402))
    expect(ms, shape.name).toBeLessThan(stretchMsMax)
  }
})

test('if a key that cannot pay sends only half of each of 200 bodies, the bodies take no memory, and other calls are served', async () => {
  const before = memoryMib()
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${unpaid.key}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`
  const sockets: Socket[] = []
  const answers: Promise<string>[] = []
  let highest = before
  const half = Buffer.alloc(bytes / 2, ' ')
  const begin = (): void => {
    const socket = connect(acme.gatewayPort, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(head.replace('host: x', `host: 127.0.0.1:${acme.gatewayPort}`))
    socket.write(half)
    sockets.push(socket)
    answers.push(
      answered('the answer to half a body', async (signal) => {
        const [piece] = await once(socket, 'data', { signal })
        return String(piece)
      }),
    )
  }
  const stretchesMs: number[] = []
  while (sockets.length < 200) {
    const ofTwenty = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) begin()
      const health = await answered('/health', (signal) => fetch(`${server.baseUrl}/health`, { signal }))
      expect(health.status).toBe(200)
      const { status } = await answered('a small call beside them', (signal) =>
        acme.call(paid, {}, { signal }),
      )
      expect(status).toBe(200)
    }
    // oxlint-disable-next-line no-await-in-loop -- while they come
    stretchesMs.push(await stretchOf(ofTwenty))
    highest = Math.max(highest, memoryMib())
  }
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 402 /)
  highest = Math.max(highest, memoryMib())
  for (const socket of sockets) socket.destroy()
  // A garbage collection slows only one attempt, but a slow body slows each attempt, so the median counts.
  const stretchMs = stretchesMs.toSorted((one, other) => one - other)[stretchesMs.length >> 1] ?? Infinity
  console.log(
    `half-sent bodies: ${before.toFixed(0)} MiB before, ${highest.toFixed(0)} with 200 of them; a stretch of ${stretchMs.toFixed(1)} ms`,
  )
  expect(stretchMs).toBeLessThan(stretchMsMax)
  expect(highest - before).toBeLessThan(256)
})

test('no body delays other calls, for any content and any provider', async () => {
  const seen: [number, string][] = []
  for (const shape of largeBodies) {
    // The largest body is sent to a provider of its own wire, and the body with the most text to a provider of another
    // wire.
    const other = shape.wire === 'chat' ? 'messages' : 'chat'
    for (const [to, size] of [
      [shape.wire, bytes],
      [shape.wire, textBytes],
      [other, textBytes],
      [other, bytes],
    ] as const) {
      const model = names[to]
      const body = shape.of(size, model)
      let status = 0
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const ms = await bestStretchOf(async () => {
        status = await send(paid, shape, body, model)
      })
      seen.push([ms, `${shape.name}, ${(size / 1e6).toFixed(0)} MB, to ${to}: ${status}`])
    }
  }
  seen.sort(([one], [other]) => other - one)
  console.log(
    seen
      .slice(0, 20)
      .map(([ms, what]) => `${ms.toFixed(1)} ms ${what}`)
      .join('\n'),
  )
  expect(seen.filter(([ms]) => ms >= stretchMsMax)).toEqual([])
})

/** A server that only reads and rejects bodies, to measure the cost of reading. */
const reader = `
  const { createServer } = require('node:http')
  createServer((request, response) => {
    request.on('data', () => {})
    request.on('end', () => response.writeHead(413).end())
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port) })
`

/** The server detects the reason for a rejection while the body arrives, or only after it has read the whole body. */
const refusals: readonly { name: string; of: (bytes: number) => string; whole?: number; by?: () => User }[] =
  [
    { name: 'no money', of: (size) => shapeOf('ASCII', size), by: () => unpaid },
    { name: 'no money, brackets', of: (size) => shapeOf('brackets', size), by: () => unpaid },
    { name: 'no JSON at its start', of: (size) => `{"model" 1 ${'a'.repeat(size)}` },
    { name: 'no JSON at its end', of: (size) => `${shapeOf('one image', size).slice(0, -1)},"x":}` },
    { name: 'too much text', of: (size) => shapeOf('ASCII', size) },
    { name: 'too much text beyond ASCII', of: (size) => shapeOf('letters beyond ASCII', size) },
    { name: 'white space', of: (size) => shapeOf('white space', size) },
    { name: 'brackets', of: (size) => shapeOf('brackets', size) },
    { name: 'an unknown name', of: (size) => shapeOf('one image', size, 'acme/none'), whole: bytes },
    { name: 'too little money', of: (size) => shapeOf('one image', size), whole: bytes, by: () => poor },
    {
      name: 'too little money, text',
      of: (size) => shapeOf('ASCII', size),
      whole: textBytes,
      by: () => poor,
    },
    {
      name: 'too little money, escapes',
      of: (size) => shapeOf('escapes', size),
      whole: textBytes,
      by: () => poor,
    },
  ]

function shapeOf(name: string, size: number, model = names.chat): string {
  const shape = largeBodies.find((each) => each.name === name)
  if (shape === undefined) throw new Error(`there is no ${name}`)
  return shape.of(size, model)
}

test('rejecting a body before it is read costs no more than reading the body', async () => {
  const child = spawn(process.execPath, ['-e', reader], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await answered('the reader', (signal) =>
    once(createInterface(child.stdout), 'line', { signal }),
  )
  const rounds = 5
  for (const { name, of, whole, by } of refusals) {
    const body = Buffer.from(of(whole ?? bytes))
    const { key } = by?.() ?? paid
    let cost = { readMs: 0, refusedMs: Infinity }
    // A body that is expensive to check is expensive in each attempt.
    for (let tries = 0; tries < 6 && isDear(cost); tries++) {
      cost = { readMs: 0, refusedMs: 0 }
      // Measures the two servers alternately. The first attempts at each server are not counted.
      for (let i = 0; i <= rounds; i++) {
        const before = [cpuMs(child), cpuMs(server.child)] as const
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await post(`${name}, to the reader`, `http://127.0.0.1:${String(port)}/`, key, body)
        // oxlint-disable-next-line no-await-in-loop -- as above
        const status = await post(name, `${acme.gateway}${chatPath}`, key, body)
        expect([400, 402, 404, 413], name).toContain(status)
        if (i === 0) continue
        cost.readMs += (cpuMs(child) - before[0]) / rounds
        cost.refusedMs += (cpuMs(server.child) - before[1]) / rounds
      }
      console.log(`${name}: read ${cost.readMs.toFixed(0)} ms of CPU, refused ${cost.refusedMs.toFixed(0)}`)
      // If the server must read the whole body, the body is in one string. The garbage collection of such a string
      // costs extra time, so the costs are not compared.
      if (whole !== undefined) break
    }
    if (whole === undefined) expect(cost, name).not.toSatisfy(isDear)
  }
  await stopped(child, 'the reader')
})

/** The limit is high because a busy machine triples the ratio of both times. */
function isDear({ readMs, refusedMs }: { readonly readMs: number; readonly refusedMs: number }): boolean {
  return refusedMs >= 4 * readMs + 20
}

const chatPath = pathOfWire('chat', names.chat)
