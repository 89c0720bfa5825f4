/**
 * Lets the store fail at each statement of a request that creates or deletes an object at a provider. The tested
 * objects are files, conversations, and containers in which code runs. After each fault, an object at the provider
 * belongs to its end user, is deleted there, or is reported. No money remains held.
 */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { SqliteError } from '#store/sqlite/classify-sqlite-errors.ts'
import { SqliteReaders } from '#store/sqlite/reader-threads.ts'
import { SqliteWriter } from '#store/sqlite/writing-connection.ts'
import {
  answerOf,
  connectAccount,
  eventually,
  makeApplication,
  settledBalance,
  startServer,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

type Fault = 'io' | 'full' | null

const credit = 1_000_000n
let server: LocalServer
let app: Application
let vendor: Vendor

/** The first statement of a request is step 1. */
let faultAt: (step: number) => Fault = () => null
let step = 0
let faults = 0

function nextFault(): Fault {
  // The gateway does not repeat its own reads and transactions, so the store works again after eight faults.
  const fault = faults < 8 ? faultAt(++step) : null
  if (fault !== null) faults++
  return fault
}

function nextStep(): void {
  const fault = nextFault()
  if (fault !== null) throw new SqliteError(fault, `${fault} at statement ${step}`)
}

function healthy(): void {
  faultAt = () => null
}

beforeAll(async () => {
  // oxlint-disable-next-line typescript/unbound-method -- called with the instance below
  const { commit, query } = SqliteWriter.prototype
  vi.spyOn(SqliteWriter.prototype, 'query').mockImplementation(async function (this: SqliteWriter, ...given) {
    nextStep()
    return query.apply(this, given)
  })
  vi.spyOn(SqliteWriter.prototype, 'commit').mockImplementation(async function (
    this: SqliteWriter,
    ...given
  ) {
    nextStep()
    await commit.apply(this, given)
    // The transaction is committed, but the process does not receive the result.
    nextStep()
  })
  vendor = await startVendor()
  server = await startServer({
    mayLogFaults: true,
    environment: { TOLLGATE_WRITER: 'inline' },
    limits: { filesEveryMs: 20 },
    openReaders: async (data, failed) => {
      const readers = await SqliteReaders.open(data, failed)
      const failing = (of: SqliteReaders['lookUps']): SqliteReaders['lookUps'] => ({
        query: async (sql, parameters) => {
          nextStep()
          return of.query(sql, parameters)
        },
      })
      return {
        lookUps: failing(readers.lookUps),
        reports: failing(readers.reports),
        openSnapshot: () => readers.openSnapshot(),
        close: () => readers.close(),
      }
    },
    faults: nextFault,
    queue: { backoffMs: () => 0 },
  })
  app = await makeApplication(server)
  const price = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000', output: '1000000' }
  const account = { apiKey: vendor.apiKey, price: { ...price, codeSession: '1000' } }
  await connectAccount(app, 'openai', {
    ...account,
    kind: 'openai',
    baseUrl: vendor.baseUrls.openai,
    model: 'gpt-5.4',
  })
  await connectAccount(app, 'claude', {
    ...account,
    kind: 'anthropic',
    baseUrl: vendor.baseUrls.anthropic,
    model: 'claude-sonnet-4-5',
  })
})
afterEach(healthy)
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
  vi.restoreAllMocks()
})

async function send(user: User, method: string, path: string, body?: object | FormData): Promise<Answer> {
  const isForm = body instanceof FormData
  return answerOf(
    await fetch(`${app.gateway}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${user.key}`,
        'x-svc-model': 'acme/openai',
        ...(path.startsWith('/v1/files') && { 'anthropic-version': '2023-06-01' }),
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    }),
  )
}

function fileForm(): FormData {
  const form = new FormData()
  form.set('file', new File(['Hello'], 'a.txt', { type: 'text/plain' }))
  return form
}

/** Returns only objects that the vendor still has. */
function keptSince(from: number): readonly string[] {
  return vendor.calls.slice(from).flatMap((_, at) => {
    const id = `vendor${from + at + 1}`
    const file = `file_${id}`
    const conversation = `conv_${id}`
    return [
      ...(vendor.kept.files.find(file) === null ? [] : [file]),
      ...(vendor.kept.conversations.itemsOf(conversation) === null ? [] : [conversation]),
    ]
  })
}

const objects = [
  { name: 'a file', path: '/v1/files', body: fileForm },
  { name: 'a conversation', path: '/v1/conversations', body: () => ({ metadata: { topic: 'a' } }) },
] as const

const failures = [
  { failure: 'one failure', plan: (n: number) => (at: number) => (at === n ? 'io' : null) },
  { failure: 'a store that is unavailable', plan: (n: number) => (at: number) => (at >= n ? 'full' : null) },
] as const

/** `work` must call `begin` before the request whose statements fail. Returns the number of steps. */
async function atEachStep(
  plan: (n: number) => (at: number) => Fault,
  work: (begin: () => void) => Promise<void>,
): Promise<number> {
  for (let n = 1; ; n++) {
    // oxlint-disable-next-line no-await-in-loop -- one step after the other
    await work(() => {
      step = 0
      faults = 0
      faultAt = plan(n)
    })
    if (faults === 0) return n - 1
  }
}

const lost = (): number =>
  server.log.filter(({ message }) => message.includes('an object without an owner may remain')).length

test.each(objects.flatMap((object) => failures.map((failure) => ({ ...object, ...failure }))))(
  'after $failure while $name is created, each object at the provider belongs to the end user or is reported in the log',
  async ({ body, path, plan }) => {
    const ends = { created: 0, rejected: 0 }
    const steps = await atEachStep(plan, async (begin) => {
      const user = await app.newUser({ balanceMicros: credit })
      const from = vendor.calls.length
      const reported = lost()
      begin()
      const answer = await send(user, 'POST', path, body())
      healthy()
      expect([200, 503], answer.text).toContain(answer.status)
      if (answer.status === 200) {
        ends.created++
        expect((await send(user, 'GET', `${path}/${answer.body.id}`)).body.id).toBe(answer.body.id)
        expect(keptSince(from)).toHaveLength(1)
        return
      }
      ends.rejected++
      // The gateway may still be deleting objects that it could not store.
      await eventually(async () => expect(keptSince(from).length).toBeLessThanOrEqual(lost() - reported))
    })
    console.info(`${path}: ${steps} steps, ${JSON.stringify(ends)}`)
    expect(ends.rejected).toBeGreaterThan(2)
  },
)

test.each(objects.flatMap((object) => failures.map((failure) => ({ ...object, ...failure }))))(
  '$failure while $name is deleted leaves the object with its end user, or the object is deleted at the provider',
  async ({ body, path, plan }) => {
    const ends = { deleted: 0, rejected: 0 }
    await atEachStep(plan, async (begin) => {
      const user = await app.newUser({ balanceMicros: credit })
      const from = vendor.calls.length
      const created = await send(user, 'POST', path, body())
      const { id } = created.body
      begin()
      const answer = await send(user, 'DELETE', `${path}/${id}`)
      healthy()
      expect([200, 503], answer.text).toContain(answer.status)
      ends[answer.status === 200 ? 'deleted' : 'rejected']++
      const { status } = await send(user, 'GET', `${path}/${id}`)
      if (answer.status === 200) expect(status).toBe(404)
      if (status === 404) await eventually(async () => expect(keptSince(from)).toEqual([]))
      else expect(keptSince(from)).toHaveLength(1)
    })
    console.info(`DELETE ${path}: ${JSON.stringify(ends)}`)
    // On a busy machine, work in the background runs into most of the failures.
    expect(ends.rejected).toBeGreaterThan(0)
  },
)

test.each(failures)(
  'after $failure while code starts a container, the container is charged once or not at all',
  async ({ plan }) => {
    const ends = { served: 0, rejected: 0 }
    await atEachStep(plan, async (begin) => {
      const user = await app.newUser({ balanceMicros: credit })
      const from = vendor.calls.length
      begin()
      const answer = await send(user, 'POST', '/v1/responses', {
        model: 'acme/openai',
        max_output_tokens: 100,
        input: '[[run=1 tokens=9]]',
        tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
      })
      const unsettled = answer.status === 503 && vendor.calls.length > from
      healthy()
      expect([200, 503], answer.text).toContain(answer.status)
      await eventually(async () => expect((await user.balance()).reservedMicros).toBe(0n))
      const records = await user.requests()
      const charged = records.reduce((sum, { chargeMicros }) => sum + BigInt(chargeMicros ?? 0), 0n)
      expect(credit - (await settledBalance(user))).toBe(charged)
      if (answer.status === 200) {
        ends.served++
        const { usage } = answer.body
        expect(charged).toBe(BigInt(usage.input_tokens + usage.output_tokens + 1000))
      } else {
        ends.rejected++
        if (!unsettled) expect(charged).toBe(0n)
      }
    })
    console.info(`container: ${JSON.stringify(ends)}`)
    expect(ends.rejected + ends.served).toBeGreaterThan(10)
  },
)
