import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import type { ApplicationHost } from '#domain/gateway-directory-interface.ts'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import { ApplicationHosts } from './application-hosts-and-ports.ts'
import { readConfig } from './server-configuration.ts'
import { Listeners, steadyPort } from './listening-ports.ts'
import type { OpenStore } from './open-store.ts'

const slugs = ['a', 'b', 'c', 'd', 'e', 'f']

const applicationsFrom = (first: number): ApplicationHost[] =>
  slugs.map((slug, at) => ({
    applicationId: `app_${slug}`,
    slug,
    gatewayPort: first + 2 * at,
    portalPort: first + 2 * at + 1,
    isArchived: slug === 'f',
  }))

/**
 * Like the real store, rejects a port that another application has.
 * @param fail called before each write
 */
function storeOf(rows: ApplicationHost[], fail: () => void = () => {}) {
  const setPorts = async (id: string, ports: Pick<ApplicationHost, 'gatewayPort' | 'portalPort'>) => {
    fail()
    const others = rows.filter(({ applicationId }) => applicationId !== id)
    const taken = new Set(others.flatMap(({ gatewayPort, portalPort }) => [gatewayPort, portalPort]))
    if (taken.has(ports.gatewayPort) || taken.has(ports.portalPort))
      throw new Error('UNIQUE constraint failed')
    const at = rows.findIndex(({ applicationId }) => applicationId === id)
    const row = rows[at]
    if (row) rows[at] = { ...row, ...ports }
  }
  const store = {
    directory: { applications: async () => [...rows] },
    rows: {
      transaction: (work: (nouns: unknown) => Promise<void>) => work({ applications: { setPorts } }),
    },
  }
  // Code that reads hosts needs only these methods.
  return store as unknown as OpenStore
}

async function hostsOf(
  store: OpenStore,
  port = 0,
  host = '127.0.0.1',
  more: Readonly<Record<string, string>> = {},
) {
  const messages: string[] = []
  const note = (_: object, message: string): void => void messages.push(message)
  const log = { debug: note, info: note, warn: note, error: note }
  const config = readConfig({ TOLLGATE_LISTEN: `${host}:${port}`, ...more }, { data: '/nowhere' })
  const hosts = new ApplicationHosts(config, store, log)
  const listeners = new Listeners(() => createServer())
  await hosts.listen(listeners)
  return { hosts, listeners, messages }
}

async function taking(ports: readonly number[]): Promise<() => Promise<void>> {
  const servers: Server[] = []
  for (const port of ports) {
    const server = createTcpServer().listen(port, '127.0.0.1')
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await once(server, 'listening')
    servers.push(server)
  }
  return async () => {
    for (const server of servers) {
      const closed = once(server, 'close')
      server.close()
      // oxlint-disable-next-line no-await-in-loop -- as above
      await closed
    }
  }
}

const portsIn = (rows: readonly ApplicationHost[]): (number | null)[] =>
  rows.flatMap(({ gatewayPort, portalPort }) => [gatewayPort, portalPort])

test('if another program uses the ports of some applications, only these applications get new ports', async () => {
  const first = await steadyPort('127.0.0.1')
  const rows = applicationsFrom(first)
  const before = [...rows]
  // Other programs use the ports of all applications except one.
  const release = await taking([0, 2, 3, 6, 9, 10].map((at) => first + at))
  const { hosts, listeners } = await hostsOf(storeOf(rows))
  await hosts.read()
  const ports = portsIn(rows)
  expect(new Set(ports).size).toBe(ports.length)
  expect(rows[2]).toEqual(before[2])
  // An archived application only returns an error, and needs no new port.
  expect(rows[5]).toEqual(before[5])
  for (const { gatewayPort, portalPort } of rows.slice(0, 5)) {
    expect(listeners.has(gatewayPort ?? 0)).toBe(true)
    expect(listeners.has(portalPort ?? 0)).toBe(true)
  }
  expect(hosts.applications).toEqual(rows)
  await listeners.close()
  await release()
})

test('on a shared database, a process reports each taken port once, and listens when the port is free again', async () => {
  const first = await steadyPort('127.0.0.1')
  const rows = applicationsFrom(first).slice(0, 2)
  const before = [...rows]
  const release = await taking([first, first + 3])
  const shared = { DATABASE_URL: 'postgres://127.0.0.1/tollgate' }
  const { hosts, listeners, messages } = await hostsOf(storeOf(rows), 0, '127.0.0.1', shared)
  await hosts.read()
  await hosts.read()
  // Other processes may use the ports, so the applications keep them.
  expect(rows).toEqual(before)
  expect(messages).toHaveLength(2)
  expect(messages[0]).toContain('this process does not listen on the port')
  await release()
  await hosts.read()
  expect(portsIn(rows).every((port) => listeners.has(port ?? 0))).toBe(true)
  expect(messages).toHaveLength(2)
  await listeners.close()
})

test('if the stored ports of applications conflict, new ports replace them, and the server starts', async () => {
  const first = await steadyPort('127.0.0.1')
  const rows = applicationsFrom(first)
  const release = await taking([first])
  let conflicts = 0
  const conflicting = await hostsOf(
    storeOf(rows, () => {
      if (conflicts++ === 0) throw new Error('UNIQUE constraint failed: applications.portal_port')
    }),
  )
  await conflicting.hosts.read()
  expect(conflicts).toBe(2)
  expect(rows[0]?.gatewayPort).not.toBe(first)
  expect(conflicting.listeners.has(rows[0]?.gatewayPort ?? 0)).toBe(true)
  await conflicting.listeners.close()

  const stuck = applicationsFrom(first)
  const always = await hostsOf(
    storeOf(stuck, () => {
      throw new Error('UNIQUE constraint failed: applications.portal_port')
    }),
  )
  await always.hosts.read()
  expect(always.hosts.applications).toHaveLength(slugs.length)
  expect(always.messages).toContain('no local ports were assigned to the application; the next start retries')
  expect(always.listeners.has(first + 2)).toBe(true)
  await always.listeners.close()

  const away = await hostsOf(
    storeOf(applicationsFrom(first), () => {
      throw new StoreUnavailable('write rows')
    }),
  )
  await expect(away.hosts.read()).rejects.toThrow(StoreUnavailable)
  await away.listeners.close()
  await release()
})

test('an application gets the next free ports if another process uses or has stored the first ports', async () => {
  const rows: ApplicationHost[] = []
  const { hosts, listeners } = await hostsOf(storeOf(rows), await steadyPort('127.0.0.1'))
  await hosts.read()
  const { gateway: first } = await hosts.allocatePorts()
  assert(first !== null)
  // A process on another machine has stored an application, whose ports are free on this machine.
  const elsewhere = {
    applicationId: 'app_b',
    slug: 'b',
    gatewayPort: first + 5,
    portalPort: null,
    isArchived: false,
  }
  rows.push(elsewhere)
  // Another program on this machine listens on the next port.
  const release = await taking([first + 2]).catch(() => async () => {})
  const others = await Promise.all([hosts.allocatePorts(), hosts.allocatePorts()])
  const ports = others.flatMap(({ gateway, portal }) => [gateway, portal])
  expect(ports).not.toContain(first + 2)
  expect(ports).not.toContain(elsewhere.gatewayPort)
  expect(new Set([first, ...ports]).size).toBe(5)
  for (const port of ports) expect(listeners.has(port ?? 0)).toBe(true)
  assert(others[0])
  await hosts.releasePorts(others[0])
  expect(ports.map((port) => listeners.has(port ?? 0))).toEqual([false, false, true, true])
  expect(await hosts.allocatePorts()).toEqual(others[0])
  await listeners.close()
  await release()
})

test('if the server cannot listen on its address, the error names the address, the reason and the setting', async () => {
  const port = await steadyPort('127.0.0.1')
  const release = await taking([port])
  await expect(hostsOf(storeOf([]), port)).rejects.toThrow(
    `The server cannot listen on 127.0.0.1:${port}, because another program uses this port. Stop that program, or set another port with --port or in TOLLGATE_LISTEN`,
  )
  await release()
  // 192.0.2.1 is an address for documentation (RFC 5737), which no machine has.
  await expect(hostsOf(storeOf([]), port, '192.0.2.1')).rejects.toThrow(
    `The server cannot listen on 192.0.2.1:${port}, because this machine has no such address. Set an address of this machine in TOLLGATE_LISTEN`,
  )
})
