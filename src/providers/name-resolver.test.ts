import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LookupAddress } from 'node:dns'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startDnsServer, type DnsServer } from '#tests/support/start-dns-server.ts'
import { lookUpsMax, NameResolver, type NameResolverOptions, waitingMax } from './name-resolver.ts'

let server: DnsServer
let folder: string
let nowMs = 0
beforeEach(async () => {
  server = await startDnsServer({
    'good.test': '203.0.113.7',
    'other.test': '203.0.113.8',
    'none.test': null,
  })
  folder = mkdtempSync(join(tmpdir(), 'names-'))
  nowMs = 0
})
afterEach(async () => {
  rmSync(folder, { recursive: true })
  await server.close()
})

function resolverWith(options: NameResolverOptions = {}): NameResolver {
  return new NameResolver({
    servers: [server.address],
    hostsFile: join(folder, 'hosts'),
    resolverFile: join(folder, 'resolv.conf'),
    monotonicMs: () => nowMs,
    ...options,
  })
}

function lookUp(names: NameResolver, name: string, organization = 'org_a'): Promise<LookupAddress[] | Error> {
  return new Promise((resolve) => {
    names.of(organization)(name, (error, addresses) => resolve(error ?? addresses))
  })
}

const good = [{ address: '203.0.113.7', family: 4 }]

test('a name in upper case is looked up at the DNS server', async () => {
  expect(await lookUp(resolverWith(), 'GOOD.test')).toEqual(good)
})

test('concurrent callers for the same name share one look-up', async () => {
  const names = resolverWith()
  const all = await Promise.all(Array.from({ length: 20 }, () => lookUp(names, 'good.test')))
  expect(all).toEqual(Array.from({ length: 20 }, () => good))
  expect(server.asked).toEqual(['good.test', 'good.test'])
  expect(names.active).toBe(0)
})

test('zones that do not respond delay only look-ups of the organization that uses these zones', async () => {
  const names = resolverWith({ timeoutMs: 60_000 })
  for (let zone = 0; zone < 16; zone++) void lookUp(names, `api.silent-${zone}.test`, 'org_b')
  expect(await lookUp(names, 'good.test', 'org_a')).toEqual(good)
  expect(names.active).toBe(16)
  expect(new Set(server.asked.filter((name) => name.includes('silent'))).size).toBe(lookUpsMax)
})

test('if an organization has too many look-ups in flight, further look-ups wait in order', async () => {
  const names = resolverWith({ timeoutMs: 50 })
  const silent = Array.from({ length: lookUpsMax }, (_, zone) => lookUp(names, `silent-${zone}.test`))
  const ended: string[] = []
  const note = (name: string) => lookUp(names, name).then(() => ended.push(name))
  const waiting = [note('good.test'), note('other.test')]
  await Promise.all([...silent, ...waiting])
  expect(ended).toEqual(['good.test', 'other.test'])
  expect(names.active).toBe(0)
})

test('the number of waiting look-ups of an organization is limited', async () => {
  const names = resolverWith({ timeoutMs: 60_000 })
  for (let zone = 0; zone < lookUpsMax + waitingMax; zone++) void lookUp(names, `silent-${zone}.test`)
  expect(await lookUp(names, 'one-more.test')).toMatchObject({
    message: expect.stringContaining('are waiting'),
  })
})

test('a failed look-up is cached for a short time, and a successful look-up is not cached', async () => {
  const names = resolverWith()
  expect(await lookUp(names, 'none.test')).toBeInstanceOf(Error)
  const queries = server.asked.length
  expect(await lookUp(names, 'none.test', 'org_b')).toBeInstanceOf(Error)
  expect(server.asked.length).toBe(queries)
  server.names.set('none.test', '203.0.113.9')
  nowMs = 5_001
  expect(await lookUp(names, 'none.test')).toEqual([{ address: '203.0.113.9', family: 4 }])
  server.names.set('none.test', '203.0.113.10')
  expect(await lookUp(names, 'none.test')).toEqual([{ address: '203.0.113.10', family: 4 }])
})

test('a look-up in a zone that does not respond fails after two attempts', async () => {
  expect(await lookUp(resolverWith({ timeoutMs: 50 }), 'silent.test')).toMatchObject({ code: 'ETIMEOUT' })
})

test('the hosts file and localhost need no DNS query, and a changed hosts file is read again', async () => {
  const names = resolverWith()
  writeFileSync(
    join(folder, 'hosts'),
    '# local\n127.0.0.1 models.lan MODELS\n::1 models.lan # both\nbroken line\n',
  )
  expect(await lookUp(names, 'models.lan')).toEqual([
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ])
  expect(await lookUp(names, 'models')).toEqual([{ address: '127.0.0.1', family: 4 }])
  expect(await lookUp(names, 'a.localhost')).toMatchObject([{ address: '127.0.0.1' }, { address: '::1' }])
  expect(server.asked).toEqual([])
  writeFileSync(join(folder, 'hosts'), '127.0.0.22 models.lan\n')
  nowMs = 5_001
  expect(await lookUp(names, 'models.lan')).toEqual([{ address: '127.0.0.22', family: 4 }])
})

test('a name without a dot is first completed with the search domains, and a name with a dot is looked up unchanged', async () => {
  writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\nsearch svc.test test.\n')
  const names = resolverWith()
  server.names.set('good.svc.test', null)
  expect(await lookUp(names, 'good')).toEqual(good)
  expect([...new Set(server.asked)]).toEqual(['good.svc.test', 'good.test'])
  expect(await lookUp(names, 'other.test')).toEqual([{ address: '203.0.113.8', family: 4 }])
  expect(server.asked.at(-1)).toBe('other.test')
})

test('an IP address needs no look-up', async () => {
  expect(await lookUp(resolverWith(), '203.0.113.1')).toEqual([{ address: '203.0.113.1', family: 4 }])
  expect(server.asked).toEqual([])
})
