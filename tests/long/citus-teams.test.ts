/** Tests teams on Citus with two nodes: the members of a team are on the shard of the payer. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Citus, hasCitus, rowsOf, startCitus } from '../support/start-citus-cluster.ts'
import { newDataFolder } from '../support/data-folder.ts'
import {
  type Answer,
  type Application,
  control,
  type LocalServer,
  makeApplication,
  startServer,
  type User,
} from '../support/start-product.ts'

const credit = 1_000_000_000n
const reported = { headers: { 'x-svc-report': '1' } }
const teams = ['one', 'two', 'three', 'four']

describe.skipIf(!hasCitus)('teams on Citus', { timeout: 600_000 }, () => {
  const folder = newDataFolder('citus-teams')
  let citus: Citus
  const servers: LocalServer[] = []
  let apps: Application[]
  const payers = new Map<string, User>()
  const members = new Map<string, User[]>()

  beforeAll(async () => {
    citus = await startCitus()
    const first = await startServer({ folder, databaseUrl: citus.url })
    const second = await startServer({ folder, databaseUrl: citus.url, token: first.token })
    servers.push(second, first)
    const app = await makeApplication(first)
    apps = [app, await app.again(second)]
    for (const slug of teams) {
      const payer = await app.newUser({ balanceMicros: credit })
      await app.api('PUT', `/v1/teams/${slug}`, { displayName: slug, payer: payer.externalId })
      payers.set(slug, payer)
      const joined: User[] = []
      for (let made = 0; made < 4; made++) {
        const member = await app.newUser({ forTeam: slug })
        await app.api('PUT', `/v1/teams/${slug}/members/${member.externalId}`, {})
        joined.push(member)
      }
      members.set(slug, joined)
    }
  }, 600_000)
  afterAll(async () => {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (const server of servers) await server.close()
    await apps[0]?.provider.close()
    await citus.end()
    rmSync(folder, { recursive: true })
  })

  const app = (at = 0): Application => apps[at % apps.length] ?? assert.fail()
  const shardOf = async (id: string): Promise<unknown> => {
    const sql = `SELECT get_shard_id_for_distribution_column('end_users', $1::text) AS shard`
    return (await rowsOf(citus.ownerUrl, sql, [id]))[0]?.shard
  }

  test('the payer pays exactly for requests that members send to two processes', async () => {
    for (const slug of teams) {
      const payer = payers.get(slug) ?? assert.fail()
      const sent = (members.get(slug) ?? []).flatMap((member) =>
        Array.from({ length: 6 }, (_, at) => app(at).call(member, { max_tokens: 5 }, reported)),
      )
      // oxlint-disable-next-line no-await-in-loop -- one team after the other
      const answers: Answer[] = await Promise.all(sent)
      let charged = 0n
      for (const { headers, status, text } of answers) {
        expect(status, text).toBe(200)
        charged += BigInt(headers.get('x-svc-charge-micros') ?? assert.fail())
      }
      expect(charged).toBeGreaterThan(0n)
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await payer.balance()).toEqual({ balanceMicros: credit - charged, reservedMicros: 0n })
      // oxlint-disable-next-line no-await-in-loop -- as above
      const team = await app().api('GET', `/v1/teams/${slug}`)
      expect(team).toMatchObject({ members: 4, spentMicros: String(charged) })
    }
  })

  test('an end user on another shard cannot join a team, and the error states what to do', async () => {
    const payer = payers.get('one') ?? assert.fail()
    const shard = await shardOf(payer.endUserId)
    const others: User[] = []
    while (others.length < 2) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const other = await app().newUser()
      // oxlint-disable-next-line no-await-in-loop -- as above
      if ((await shardOf(other.endUserId)) !== shard) others.push(other)
    }
    for (const { externalId } of others) {
      const path = `/v1/teams/one/members/${externalId}`
      // oxlint-disable-next-line no-await-in-loop -- as above
      const { body, status } = await control(app().server, 'PUT', path, {}, { 'x-svc-app': app().slug })
      expect(status).toBe(400)
      expect(body.error.message).toContain('forTeam=one')
    }
  })

  test('a refund returns to the payer, and a deleted team pays for no request', async () => {
    const [member = assert.fail()] = members.get('two') ?? []
    const payer = payers.get('two') ?? assert.fail()
    const [request] = await member.requests()
    const before = await payer.balance()
    await app().api('POST', `/v1/requests/${request.id}/refund`, { reason: 'test' })
    expect((await payer.balance()).balanceMicros).toBe(before.balanceMicros + BigInt(request.chargeMicros))
    await app().api('DELETE', '/v1/teams/two')
    expect((await app(1).call(member, { max_tokens: 5 })).status).toBe(402)
  })
})
