/** Every operation through the TypeScript SDK: a right request is answered, and one declared error is its class. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errors } from '#domain/errors.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/operation.ts'
import { ApiError, AuthenticationError, BadRequestError, NotFoundError } from '#sdk/errors.ts'
import type { PageCall } from '#sdk/page.ts'
import { TollgatePortal } from '#sdk/portal.ts'
import type { ClientOptions } from '#sdk/settings.ts'
import { Tollgate } from '#sdk/tollgate.ts'
import { apiModel, type OperationModel } from '../../tools/generate/sdk/operation-model.ts'
import { openControl, type Control, type Session } from '../support/control.ts'
import { filled, sampleOf, type Filled, type Sample } from '../support/samples.ts'

const api = apiModel(operations, errors)
const models = new Map(
  [...api.nouns.flatMap((noun) => noun.operations), ...api.verbs].map((model) => [model.id, model]),
)

describe('every operation', () => {
  let reading: World
  beforeAll(async () => {
    reading = await world()
  })
  afterAll(() => reading.control.close())

  for (const operation of operations) {
    const model = modelOf(operation)
    it(`${operation.id} is a method that answers a right request`, async () => {
      const { control, ids } = operation.method === 'GET' ? reading : await world()
      const sample = sampleOf(operation, ids)
      const call = methodOf(operation, control, callerOf(sample, control))(inputOf(model, operation, sample))
      const { data, requestId, response } = await call.withResponse()
      expect(operation.output.safeParse(data).error).toBeUndefined()
      expect(await response.json()).toEqual(data)
      expect(requestId).toMatch(/^req_/)
      if (model.answer.kind === 'page') await pagesAreTheList(call as AnyPage, operation, control, sample)
      if (operation.method !== 'GET') await control.close()
    })
  }

  for (const operation of operations) {
    it(`${operation.id} throws a declared error as its class`, async () => {
      const { control, ids } = reading
      const { caller, input, kind } = wrong(operation, sampleOf(operation, ids), control)
      const before = await control.dump()
      const thrown = await methodOf(operation, control, caller)(input).catch((error: unknown) => error)
      expect(thrown).toBeInstanceOf(kind)
      if (!(thrown instanceof ApiError)) throw thrown
      expect(Object.keys(errors)).toContain(thrown.code)
      expect(thrown.requestId).toMatch(/^req_/)
      expect(await control.dump()).toBe(before)
    })
  }
})

it('an end user’s operations are those of the portal’s client, and no others', () => {
  const { portal } = new TollgatePortal({ baseUrl: 'http://localhost' })
  const own = [...models.values()].filter(({ isForEndUsers }) => isForEndUsers)
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(portal))
  expect(methods.filter((name) => name !== 'constructor').toSorted()).toEqual(
    own.map(({ verb }) => verb).toSorted(),
  )
})

interface World {
  readonly control: Control
  readonly ids: Filled
}

async function world(): Promise<World> {
  const control = await openControl()
  return { control, ids: await filled(control) }
}

function modelOf({ id }: Operation): OperationModel {
  const model = models.get(id)
  if (!model) throw new Error(`no model of ${id}`)
  return model
}

type AnyCall = Promise<unknown> & {
  withResponse(): Promise<{ data: unknown; requestId: string | null; response: Response }>
}
type AnyPage = AnyCall & PageCall<unknown, { data: unknown[]; nextCursor: string | null }>

/** The method that the id names. */
function methodOf({ id }: Operation, control: Control, options: ClientOptions): (input: object) => AnyCall {
  const client = new Tollgate({ baseUrl: 'http://control.test', fetch: fetchOf(control), ...options })
  const [noun = '', verb] = id.split('.')
  const holder: object = verb === undefined ? client : Reflect.get(client, noun)
  const method: (input: object) => AnyCall = Reflect.get(holder, verb ?? noun)
  return (input) => method.call(holder, input)
}

/** The control plane without a socket, as `fetch`. */
function fetchOf(control: Control): typeof fetch {
  return async (url, init = {}) => {
    const { body, method = 'GET' } = init
    const { pathname, search } = new URL(url instanceof Request ? url.url : url)
    const headers = Object.fromEntries(new Headers(init.headers))
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

function callerOf({ session, token }: Sample, control: Control): ClientOptions {
  if (session) return { token: null, headers: sessionHeaders(session) }
  return { token: token ?? control.token }
}

function sessionHeaders({ cookie, csrfToken }: Session): Record<string, string> {
  return { cookie, 'x-csrf-token': csrfToken, 'sec-fetch-site': 'same-origin' }
}

/** One flat object of what a sample has in three places. */
function inputOf({ inPath }: OperationModel, { path }: Operation, sample: Sample): Record<string, unknown> {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ''], at) => [
    inPath[at]?.name ?? '',
    sample.path?.[name],
  ])
  return {
    ...Object.fromEntries(named),
    ...sample.query,
    ...sample.body,
    ...(sample.file && { file: sample.file.bytes, type: sample.file.type }),
  }
}

interface Wrong {
  readonly caller: ClientOptions
  readonly input: Record<string, unknown>
  readonly kind: typeof ApiError
}

/** A request that is refused by an error that the operation declares. */
function wrong(operation: Operation, sample: Sample, control: Control): Wrong {
  const model = modelOf(operation)
  const input = inputOf(model, operation, sample)
  const caller = callerOf(sample, control)
  const [first] = model.inPath
  // A PUT makes what is not there.
  if (first && operation.method !== 'PUT' && operation.errors.some((code) => code === 'not_found')) {
    const nobody = first.name === 'email' ? 'nobody@example.com' : 'nobody'
    return { caller, input: { ...input, [first.name]: nobody }, kind: NotFoundError }
  }
  if (model.body?.kind === 'fields') {
    return { caller, input: { ...input, surprise: true }, kind: BadRequestError }
  }
  return { caller: { token: `sk_aaaaaa_${'x'.repeat(36)}` }, input, kind: AuthenticationError }
}

/** Row by row is the same list as all at once. */
async function pagesAreTheList(
  whole: AnyPage,
  operation: Operation,
  control: Control,
  sample: Sample,
): Promise<void> {
  const one = { ...inputOf(modelOf(operation), operation, sample), limit: 1 }
  const rows: unknown[] = []
  const paged = methodOf(operation, control, callerOf(sample, control))(one) as AnyPage
  for await (const row of paged) rows.push(row)
  const { data, nextCursor } = await whole
  // A page of the default size may not be all of it.
  expect(nextCursor === null ? rows : rows.slice(0, data.length)).toEqual(data)
}
