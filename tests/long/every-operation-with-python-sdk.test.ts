/**
 * Calls every operation with the Python SDK, over a socket. A valid request succeeds, and an invalid request raises a
 * declared error.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errors } from '#domain/errors.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import type { Control } from '../support/control-plane-without-socket.ts'
import {
  canBeRefused,
  openFilled,
  sampleOf,
  type FilledControl,
} from '../support/valid-request-of-every-operation.ts'
import { callerOf, inputOf, modelOf, wrongCallOf, type Caller } from '../sdk/requests-for-every-operation.ts'
import { pythonEnvironment, pythonSdk } from '../../tools/python/virtual-environment.ts'

const environment = await pythonEnvironment('python3', ['runtime'])

describe.skipIf(environment === null).each(['sync', 'async'] as const)('every operation, %s', (flavour) => {
  let python: Python
  let reading: Served
  /** The operations that change data share this server. */
  let changing: Served
  beforeAll(async () => {
    python = new Python()
    reading = await served()
    // An export contains only calls that settled more than two minutes ago.
    reading.control.clock.nowMs += 180_000
    changing = await served()
  })
  afterAll(async () => {
    await python.close()
    await reading.close()
    await changing.close()
  })

  const isRemoval = ({ method }: Operation): number => Number(method === 'DELETE')
  for (const operation of operations.toSorted((one, other) => isRemoval(one) - isRemoval(other))) {
    it(`${operation.id} is a method that returns the response to a valid request`, async () => {
      if (operation.method === 'GET') return answersRightly(operation, reading)
      const { error } = await rightCall(operation, changing)
      if (!error) return
      // An earlier operation may have deleted data that this operation needs, so try a new server.
      const own = await served()
      await answersRightly(operation, own)
      await own.close()
    })
  }

  for (const operation of operations.filter(canBeRefused)) {
    it(`${operation.id} raises the class of a declared error`, async () => {
      const { control, ids } = reading
      const { caller, input, kind } = wrongCallOf(operation, sampleOf(operation, ids), control)
      const { error } = await python.call(told(operation, reading, caller, input))
      expect(error?.classes, error?.message).toContain(kind)
      expect(error?.classes).toContain('ApiError')
      expect(Object.keys(errors)).toContain(error?.code)
      expect(error?.requestId).toMatch(/^req_/)
    })
  }

  function told(operation: Operation, { url }: Served, caller: Caller, input: object): object {
    const { answer } = modelOf(operation)
    const plain = Object.entries(input).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ])
    const client = { base_url: url, max_retries: 0, ...caller }
    return { flavour, operation: operation.id, kind: answer.kind, input: Object.fromEntries(plain), client }
  }

  function rightCall(operation: Operation, server: Served): Promise<Answered> {
    const sample = sampleOf(operation, server.ids)
    const caller = callerOf(sample, server.control)
    return python.call(told(operation, server, caller, inputOf(operation, sample)))
  }

  async function answersRightly(operation: Operation, server: Served): Promise<void> {
    const { answer } = modelOf(operation)
    const { data, error, requestId, rows } = await rightCall(operation, server)
    expect(error).toBeUndefined()
    expect(requestId).toMatch(/^req_/)
    if (answer.kind === 'events') return
    if (answer.kind === 'lines') {
      const [stream] = operation.streams
      expect(rows?.length).toBeGreaterThan(0)
      for (const row of rows ?? []) expect(stream?.item.safeParse(row).error).toBeUndefined()
      return
    }
    expect(operation.output.safeParse(data).error).toBeUndefined()
    if (answer.kind !== 'page') return
    // An iteration begins with the rows of the first page, and ends with them if there is no next page.
    const page = data as { data: unknown[]; nextCursor: string | null }
    expect(page.nextCursor === null ? rows : rows?.slice(0, page.data.length)).toEqual(page.data)
  }
})

interface Served extends FilledControl {
  readonly url: string
  close(): Promise<void>
}

async function served(): Promise<Served> {
  const { control, ids } = await openFilled()
  // oxlint-disable-next-line typescript/no-misused-promises -- it never rejects
  const server: Server = createServer(getRequestListener((request) => answerOf(control, request)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    control,
    ids,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await control.close()
    },
  }
}

async function answerOf(control: Control, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const headers = Object.fromEntries(request.headers)
  const path = `${pathname}${search}`
  if (headers['accept'] !== 'application/json') return control.stream(path, { token: null, headers })
  const bytes = new Uint8Array(await request.arrayBuffer())
  const file = { type: headers['content-type'] ?? '', bytes }
  const answer = await control.call(request.method, path, {
    token: null,
    headers,
    ...(bytes.length > 0 && { file }),
  })
  return new Response(answer.text, { status: answer.status, headers: answer.headers })
}

interface Answered {
  readonly data?: unknown
  readonly rows?: readonly unknown[]
  readonly requestId?: string | null
  readonly error?: {
    readonly classes: readonly string[]
    readonly message: string
    readonly code?: string | null
    readonly requestId?: string | null
  }
}

class Python {
  readonly #child: ChildProcess
  readonly #answers: AsyncIterator<string>

  constructor() {
    const caller = join(import.meta.dirname, '../sdk/python/caller.py')
    this.#child = spawn(environment?.python ?? '', [caller], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...environment?.variables, PYTHONPATH: join(pythonSdk, 'src') },
    })
    const { stdout } = this.#child
    if (!stdout) throw new Error('a child with a pipe has its end')
    this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]()
  }

  async call(told: object): Promise<Answered> {
    this.#child.stdin?.write(`${JSON.stringify(told)}\n`)
    const { done, value } = await this.#answers.next()
    if (done) throw new Error('python/caller.py has ended')
    const answered: Answered = JSON.parse(value)
    return answered
  }

  async close(): Promise<void> {
    this.#child.stdin?.end()
    await once(this.#child, 'close')
  }
}
