/**
 * A request with another end user's object ID must do the same work as a request with an unknown ID. The tested objects
 * are those that providers store: files, responses, conversations, containers and batches. The test compares counts
 * instead of times, because counts are the same on every machine.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { eventually, makeApplication, spawnServer, type Application } from '../support/start-product.ts'
import { startVendor } from '../support/simulated-vendor.ts'
import {
  connectStoringAccounts,
  createObjects,
  objectKinds,
  objectUses,
  type ObjectIds,
  type ObjectUse,
} from '../support/kinds-of-stored-objects.ts'
import type { Counts } from './count-work-of-process.ts'

const counted = ['statements', 'rows', 'commits', 'promises', 'timers'] as const
/** A difference of one per request shows with any number of requests. */
const requestsOfWindow = 4
const windowsMax = 30

test(
  'a request with the ID of another owner’s object costs exactly the same work as a request with an unknown ID',
  { timeout: 300_000 },
  async () => {
    const folder = newDataFolder('unknown-ids')
    const socket = join(folder, 'counts.sock')
    const server = await spawnServer(folder, {
      environment: {
        NODE_OPTIONS: `--import ${join(import.meta.dirname, 'count-work-of-process.ts')}`,
        COUNTS_SOCKET: socket,
        COUNTS_OF: 'objects',
      },
    })
    const vendor = await startVendor()
    const own = await makeApplication(server)
    // With the same provider accounts, only the owner of the objects differs.
    const foreign = await makeApplication(server, { provider: own.provider })
    for (const application of [own, foreign])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await connectStoringAccounts(application, vendor)
    const owned = await newIds(own)
    const caller = await own.newUser({ balanceMicros: 1_000_000_000n })
    const ids: Readonly<Record<string, ObjectIds>> = {
      unknown: changed(owned),
      'of another end user': owned,
      'of another application': await newIds(foreign),
    }
    const asked = vendor.calls.length
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })

    const send = async ({ body, headers, method, path }: ObjectUse): Promise<void> => {
      const json = body === undefined ? '' : JSON.stringify(body)
      const sent = request({
        agent,
        host: '127.0.0.1',
        port: own.gatewayPort,
        method,
        path,
        headers: {
          authorization: `Bearer ${caller.key}`,
          ...(body && { 'content-type': 'application/json' }),
          'content-length': Buffer.byteLength(json),
          ...headers,
        },
      })
      sent.end(json)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      await once(response, 'end')
      assert.equal(response.statusCode, 404, path)
    }
    const window = async (use: ObjectUse): Promise<number[]> => {
      const before = await countsAt(socket)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      for (let sent = 0; sent < requestsOfWindow; sent++) await send(use)
      const after = await countsAt(socket)
      return counted.map((name) => Math.round((after[name] - before[name]) / requestsOfWindow))
    }

    const table: string[] = []
    const uses = objectKinds.flatMap((kind) =>
      Object.entries(objectUses[kind]).map(([purpose, use]) => ({ kind, name: `${purpose} ${kind}`, use })),
    )
    for (const { kind, name, use } of uses) {
      const all = Object.entries(ids).map(([whose, id]) => ({
        whose,
        use: use(id[kind]),
        least: [] as number[],
      }))
      for (const one of all) await window(one.use)
      // Other work of the server increases the counts of some windows (groups of requests), so compare the lowest
      // counts.
      for (let i = 0; i < windowsMax && (i < 2 || !isSame(all)); i++)
        for (const one of all) {
          const now = await window(one.use)
          one.least = now.map((count, at) => Math.min(count, one.least[at] ?? Infinity))
        }
      table.push(`${name}: ${counted.map((count, at) => `${count} ${all[0]?.least[at]}`).join(', ')}`)
      const [unknown, ...others] = all
      for (const { least, whose } of others) expect(least, `${name} ${whose}`).toEqual(unknown?.least)
    }
    console.info(table.join('\n'))
    expect(vendor.calls).toHaveLength(asked)
    agent.destroy()
    await Promise.all([own.provider.close(), vendor.close()])
    server.child.kill('SIGTERM')
    await server.ended
  },
)

function isSame(all: readonly { readonly least: readonly number[] }[]): boolean {
  return new Set(all.map(({ least }) => least.join())).size === 1
}

/** The providers have completed all objects. */
async function newIds(application: Application): Promise<ObjectIds> {
  const owner = await application.newUser({ balanceMicros: 1_000_000_000n })
  const ids = await createObjects(application, owner.key)
  await eventually(async () => expect((await owner.balance()).reservedMicros).toBe(0n))
  return ids
}

/** The new IDs have the same length, and no one owns them. */
function changed(ids: ObjectIds): ObjectIds {
  const entries = Object.entries(ids).map(([kind, id]) => [kind, changedId(id)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kinds are the same
  return Object.fromEntries(entries) as ObjectIds
}

/** Some IDs may contain only hexadecimal digits, so the changed character becomes a digit. */
function changedId(id: string): string {
  const at = 16
  return `${id.slice(0, at)}${id[at] === '0' ? '1' : '0'}${id.slice(at + 1)}`
}

async function countsAt(socket: string): Promise<Counts> {
  const connection = connect(socket)
  await once(connection, 'connect')
  return JSON.parse(await text(connection)) as Counts
}
