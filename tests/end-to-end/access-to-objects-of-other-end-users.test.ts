/**
 * Tries to use objects of other end users: files, responses, conversations, containers, batches and cached content.
 * Each attempt must get exactly the response to an unknown ID, and send nothing to the provider.
 * `tests/work-counts/same-work-for-foreign-and-unknown-ids.test.ts` compares the work of both cases.
 */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  eventually,
  makeApplication,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { randomFrom, seedOfRun, withSeed, type Random } from '../support/seeded-random.ts'
import { propertyRuns } from '../support/number-of-property-runs.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'
import {
  connectStoringAccounts,
  createObjects,
  objectKinds,
  objectUses,
  type ObjectIds,
  type ObjectKind,
  type ObjectUse,
} from '../support/kinds-of-stored-objects.ts'

const credit = 1_000_000_000n

let server: LocalServer
let vendor: Vendor
let app: Application
/** These objects belong to one end user of this application and one of another application. */
let owned: ObjectIds
let foreign: ObjectIds
/** Neither key owns an object. The live key belongs to another end user of this application. */
let caller: string
let testKey: string

beforeAll(async () => {
  vendor = await startVendor()
  server = await startServer()
  app = await makeApplication(server)
  const other = await makeApplication(server, { provider: app.provider })
  await connectStoringAccounts(app, vendor)
  await connectStoringAccounts(other, vendor)
  const owner = await app.newUser({ balanceMicros: credit })
  const stranger = await other.newUser({ balanceMicros: credit })
  owned = await createObjects(app, owner.key)
  foreign = await createObjects(other, stranger.key)
  // The gateway itself asks the provider about batches and background responses, until these objects have ended.
  for (const one of [owner, stranger])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await eventually(async () => assert.equal((await one.balance()).reservedMicros, 0n))
  caller = (await app.newUser({ balanceMicros: credit })).key
  testKey = await testKeyOf(app)
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

async function responseTo(
  { body, headers, method, path }: ObjectUse,
  id: string,
  key: string,
): Promise<string> {
  const response = await fetch(app.gateway + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const requestId = response.headers.get('x-request-id') ?? ''
  const shown = [id, id.slice(0, 64)].reduce((said, part) => said.replaceAll(part, 'ID'), text)
  return `${response.status} ${shown.replaceAll(requestId, 'REQUEST')}`
}

/** IDs in the provider's own format, which appear in its responses. */
const ofProvider: Readonly<Record<ObjectKind, (n: number) => string>> = {
  file: (n) => `file-vendor${n}`,
  anthropicFile: (n) => `file_vendor${n}`,
  createdFile: () => 'file_created',
  googleFile: (n) => `vendor${n}`,
  upload: (n) => `vendor${n}`,
  cachedContent: (n) => `vendor${n}`,
  response: (n) => `resp_vendor${n}`,
  backgroundResponse: (n) => `resp_vendor${n}`,
  conversation: (n) => `conv_vendor${n}`,
  container: (n) => `container_vendor${n}`,
  openaiContainer: (n) => `cntr_vendor${n}`,
  batch: (n) => `msgbatch_vendor${n}`,
  openaiBatch: (n) => `batch_vendor${n}`,
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'

/** Only letters that can be part of a path follow the ID's prefix. */
function strangeId(random: Random, kind: ObjectKind): string {
  const ids = random.chance(0.5) ? owned : foreign
  const id = ids[kind]
  const from = id.indexOf('_') < 0 ? 0 : id.indexOf('_') + 1
  const at = random.whole(from, id.length - 1)
  const alphabet = kind === 'googleFile' ? '0123456789abcdef' : letters
  const letter = random.pick(alphabet.split('').filter((one) => one !== id[at]))
  switch (random.whole(0, 6)) {
    case 0:
      return id
    case 1:
      return id.slice(0, at) + letter + id.slice(at + 1)
    case 2:
      return id.slice(0, -1)
    case 3:
      return id + letter
    case 4: {
      // An ID of another kind of object, with the prefix of this kind.
      const other = ids[random.pick(objectKinds.filter((one) => one !== kind))]
      return id.slice(0, from) + other.slice(other.indexOf('_') + 1)
    }
    case 5:
      return ofProvider[kind](random.whole(1, vendor.calls.length))
    default:
      return id.slice(0, at) + foreign[kind].slice(at)
  }
}

function unknownId(kind: ObjectKind): string {
  return kind === 'googleFile' ? '0'.repeat(40) : ofProvider[kind](0)
}

describe('objects of other end users', () => {
  test('1,000 attempts with generated IDs get exactly the response to an unknown ID, and reach no provider', async () => {
    const seed = seedOfRun()
    const attempts = propertyRuns(1_000).numRuns ?? 1_000
    const uses = objectKinds.flatMap((kind) =>
      Object.entries(objectUses[kind]).map(([name, use]) => ({ kind, name, use })),
    )
    console.info(
      `access-to-objects-of-other-end-users: SEED=${seed}, ${attempts} attempts, ${uses.length} requests`,
    )
    const unknown = new Map<unknown, string>()
    for (const { kind, name, use } of uses) {
      const id = unknownId(kind)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const response = await responseTo(use(id), id, caller)
      expect(response, `${name} ${kind}`).toMatch(/^404 /)
      unknown.set(use, response)
    }
    const asked = vendor.calls.length
    const random = randomFrom(seed)
    await withSeed(seed, async () => {
      for (let n = 0; n < attempts; n++) {
        const { kind, name, use } = uses[n % uses.length] ?? random.pick(uses)
        const id = strangeId(random, kind)
        const key = random.chance(0.1) ? testKey : caller
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        expect(await responseTo(use(id), id, key), `${name} ${kind} ${id}`).toBe(unknown.get(use))
      }
    })
    expect(vendor.calls).toHaveLength(asked)
  })

  test('after all attempts, each owner still has each object', async () => {
    const owner = await app.newUser({ balanceMicros: credit })
    const ids = await createObjects(app, owner.key)
    for (const kind of objectKinds) {
      const show = objectUses[kind]['show'] ?? objectUses[kind]['continue']
      if (show === undefined) continue
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await responseTo(show(ids[kind]), ids[kind], owner.key), kind).not.toMatch(/^404 .*not_found/)
    }
  })
})
