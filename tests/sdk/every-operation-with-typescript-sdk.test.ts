import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errors } from '#domain/errors.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { ApiError, AuthenticationError, BadRequestError, NotFoundError } from '#sdk/errors.ts'
import type { PageCall } from '#sdk/page.ts'
import { TollgatePortal } from '#sdk/portal.ts'
import type { ClientOptions } from '#sdk/settings.ts'
import type { StreamCall } from '#sdk/stream.ts'
import { Tollgate } from '#sdk/tollgate.ts'
import type { Control } from '../support/control-plane-without-socket.ts'
import {
  canBeRefused,
  openFilled,
  sampleOf,
  type FilledControl,
  type Sample,
} from '../support/valid-request-of-every-operation.ts'
import { callerOf, inputOf, modelOf, models, wrongCallOf } from './requests-for-every-operation.ts'

const classes = { AuthenticationError, BadRequestError, NotFoundError }

describe('every operation', () => {
  let reading: FilledControl
  beforeAll(async () => {
    reading = await openFilled()
    // An export contains only calls that settled more than two minutes ago.
    reading.control.clock.nowMs += 180_000
  })
  afterAll(() => reading.control.close())

  /** The operations that change data share this server. */
  let changing: FilledControl
  beforeAll(async () => {
    changing = await openFilled()
  })
  afterAll(() => changing.control.close())

  const isRemoval = ({ method }: Operation): number => Number(method === 'DELETE')
  for (const operation of operations.toSorted((one, other) => isRemoval(one) - isRemoval(other))) {
    it(`${operation.id} is a method that returns the response to a valid request`, async () => {
      if (operation.method === 'GET') return answersRightly(operation, reading)
      try {
        await answersRightly(operation, changing)
      } catch (error) {
        // An earlier operation may have deleted data that this operation needs, so try a new server.
        if (!(error instanceof ApiError)) throw error
        const own = await openFilled()
        await answersRightly(operation, own)
        await own.control.close()
      }
    })
  }

  for (const operation of operations.filter(canBeRefused)) {
    it(`an invalid request to ${operation.id} throws the class of an error that the operation declares`, async () => {
      const { control, ids } = reading
      const { caller, input, kind } = wrongCallOf(operation, sampleOf(operation, ids), control)
      const thrown = await thrownBy(methodOf(operation, control, caller)(input))
      expect(thrown).toBeInstanceOf(classes[kind])
      if (!(thrown instanceof ApiError)) throw thrown
      expect(Object.keys(errors)).toContain(thrown.code)
      expect(thrown.requestId).toMatch(/^req_/)
    })
  }
})

it('the portal’s client has exactly the end-user operations of the generator’s model', () => {
  const { portal } = new TollgatePortal({ baseUrl: 'http://localhost' })
  const own = [...models.values()].filter(({ isForEndUsers }) => isForEndUsers)
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(portal))
  expect(methods.filter((name) => name !== 'constructor').toSorted()).toEqual(
    own.map(({ verb }) => verb).toSorted(),
  )
})

async function answersRightly(operation: Operation, { control, ids }: FilledControl): Promise<void> {
  const model = modelOf(operation)
  const sample = sampleOf(operation, ids)
  const call = methodOf(operation, control, callerOf(sample, control))(inputOf(operation, sample))
  if (model.answer.kind === 'events' || model.answer.kind === 'lines') {
    return streamsRightly(operation, model.answer.kind, call as unknown as StreamCall<unknown>)
  }
  const { data, requestId, response } = await call.withResponse()
  expect(operation.output.safeParse(data).error).toBeUndefined()
  expect(await response.json()).toEqual(data)
  expect(requestId).toMatch(/^req_/)
  if (model.answer.kind === 'page') await pagesAreTheList(call as AnyPage, operation, control, sample)
}

/** A stream of lines ends. A stream of events continues until the test disconnects. */
async function streamsRightly(
  { streams: [stream] }: Operation,
  kind: 'events' | 'lines',
  call: StreamCall<unknown>,
): Promise<void> {
  const { headers, requestId } = await call.opened()
  expect(headers.get('content-type')).toContain(stream?.mediaType)
  expect(requestId).toMatch(/^req_/)
  if (kind === 'events') return (await call.asResponse()).body?.cancel()
  const rows: unknown[] = []
  for await (const row of call) rows.push(row)
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(stream?.item.safeParse(row).error).toBeUndefined()
}

type AnyCall = Promise<unknown> & {
  withResponse(): Promise<{ data: unknown; requestId: string | null; response: Response }>
}
type AnyPage = AnyCall & PageCall<unknown, { data: unknown[]; nextCursor: string | null }>

function methodOf({ id }: Operation, control: Control, options: ClientOptions): (input: object) => AnyCall {
  const client = new Tollgate({ baseUrl: 'http://control.test', fetch: fetchOf(control), ...options })
  const [noun = '', verb] = id.split('.')
  const holder: object = verb === undefined ? client : Reflect.get(client, noun)
  const method: (input: object) => AnyCall = Reflect.get(holder, verb ?? noun)
  return (input) => method.call(holder, input)
}

/** The error of a stream is thrown when the stream is opened. */
function thrownBy(call: AnyCall | StreamCall<unknown>): Promise<unknown> {
  const answered: Promise<unknown> = 'opened' in call ? call.opened() : call
  return answered.catch((error: unknown) => error)
}

function fetchOf(control: Control): typeof fetch {
  return async (url, init = {}) => {
    const { body, method = 'GET' } = init
    const { pathname, search } = new URL(url instanceof Request ? url.url : url)
    const headers = Object.fromEntries(new Headers(init.headers))
    if (headers['accept'] !== 'application/json') {
      return control.stream(`${pathname}${search}`, { token: null, headers })
    }
    const type = headers['content-type'] ?? ''
    const answer = await control.call(method, `${pathname}${search}`, {
      token: null,
      headers,
      ...(typeof body === 'string' && { body }),
      ...(body instanceof Uint8Array && { file: { type, bytes: body } }),
    })
    return new Response(answer.text, { status: answer.status, headers: answer.headers })
  }
}

/** Reading row by row must return the rows of the list. */
async function pagesAreTheList(
  whole: AnyPage,
  operation: Operation,
  control: Control,
  sample: Sample,
): Promise<void> {
  const one = { ...inputOf(operation, sample), limit: 1 }
  const rows: unknown[] = []
  const paged = methodOf(operation, control, callerOf(sample, control))(one) as AnyPage
  for await (const row of paged) rows.push(row)
  const { data, nextCursor } = await whole
  // A page of the default size may not contain the whole list.
  expect(nextCursor === null ? rows : rows.slice(0, data.length)).toEqual(data)
}
