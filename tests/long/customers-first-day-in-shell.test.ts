/**
 * Runs a customer's first day in a shell: each step starts the command in a separate process. The programs in
 * tests/sdk/installed run the same day with the SDKs, and the programs in tests/clients with generated clients. The
 * last step compares the commands' output with the result of the TypeScript SDK.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Tollgate } from '#sdk/index.ts'
import { command, run, startServer, type LocalServer } from '../support/start-product.ts'

const person = 'user/1 ü'

let server: LocalServer
let home: string
let environment: Record<string, string>
beforeAll(async () => {
  server = await startServer()
  home = mkdtempSync(join(tmpdir(), 'tollgate-scenario-'))
  environment = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    TOLLGATE_BASE_URL: server.baseUrl,
    TOLLGATE_TOKEN: '',
  }
})
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
  await server.close()
})

async function tollgate(...words: string[]): Promise<string> {
  const { code, stderr, stdout } = await run(command, words, environment)
  expect(code, `tollgate ${words.join(' ')}\n${stderr}`).toBe(0)
  return stdout
}

async function told<T>(...words: string[]): Promise<T> {
  return JSON.parse(await tollgate(...words, '--json'))
}

async function refused(...words: string[]): Promise<{ code: number; error: string; stdout: string }> {
  const { code, stderr, stdout } = await run(command, [...words, '--json'], environment)
  return { code, error: JSON.parse(stderr).error.code, stdout }
}

it('an owner signs up, sells a call, reads its cost and opens the portal', async () => {
  const joined = await post('/v1/invitations/accept', {
    token: new URL(server.setupUrl).hash.slice(1),
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    password: 'correct horse battery staple',
  })
  const { csrfToken }: { csrfToken: string } = JSON.parse(await joined.text())
  const [cookie = ''] = joined.headers.getSetCookie().map((text) => text.split(';')[0] ?? '')
  await signIn((userCode) =>
    post(
      '/v1/device-auth/approve',
      { userCode, approve: true },
      { cookie, 'x-csrf-token': csrfToken, origin: server.baseUrl },
    ),
  )
  const who = await told<{ token: { role: string } }>('whoami')
  expect(who.token.role).toBe('admin')

  const app = await told<App>('apps', 'create', 'acme', '--name', 'Acme')
  await tollgate('use', 'acme', '--mode', 'test')
  const account = await told<{ id: string }>('providers', 'connect', 'main', '--kind', 'simulator')
  const price = ['--price.input', '$1', '--price.output', '$4']
  await tollgate('providers', 'price', account.id, '--model', 'sim-large', ...price)
  const source = 'provider=main,model=sim-large'
  const model = await told<{ name: string }>('models', 'add', 'acme/smart', '--sources', source)

  // Two members edit the same bundle, so the second edit conflicts.
  await tollgate('bundles', 'create', 'free', '--display-name', 'Free')
  const etag = /^etag: (.+)$/m.exec(await tollgate('api', 'GET', '/v1/bundles/free', '--include'))?.[1] ?? ''
  await tollgate('bundles', 'allow', 'free', '--models', 'acme/*')
  const stale = ['bundles', 'edit', 'free', '--display-name', 'Gratis', '--if-match', etag]
  expect(await refused(...stale)).toEqual({ code: 6, error: 'precondition_failed', stdout: '' })
  const welcome = ['--slug', 'welcome', '--display-name', 'Welcome', '--unit', 'micros', '--amount', '1000']
  await tollgate('bundles', 'include', 'free', ...welcome)

  await tollgate('users', 'create', person, '--email', 'one@example.com')
  const flags = ['--end-user-id', person, '--no-livemode', '--cap-micros', '$5', '--expires-at', '+1d']
  const minted = await told<{ id: string; key: string; capMicros: string }>('keys', 'mint', ...flags)
  expect(minted.capMicros).toBe('5000000')

  const grant = ['grants', 'issue', '--end-users', person, '--amount-units', '$1', '--reason', 'welcome']
  const issued = await told<{ id: string }>(...grant, '--idempotency-key', 'welcome')
  const again = await told<{ id: string }>(...grant, '--idempotency-key', 'welcome')
  expect(again.id).toBe(issued.id)

  const answer = await fetch(`${app.localGateway ?? app.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${minted.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: model.name, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(answer.status, await answer.text()).toBe(200)
  const requestId = answer.headers.get('x-request-id') ?? ''

  const usage = await told<{ totals: { calls: number; billedMicros: string } }>(
    'usage',
    '--end-user-id',
    person,
  )
  expect(usage.totals.calls).toBe(1)
  const spent = BigInt(usage.totals.billedMicros)
  expect(spent).toBeGreaterThan(0n)
  const margin = await told<Margin>('margin', '--by', 'model', '--from', '-1d')
  expect(margin.data.map(({ requestedModel }) => requestedModel)).toEqual([model.name])
  expect(BigInt(margin.totals.marginMicros)).toBe(
    BigInt(margin.totals.revenueMicros) - BigInt(margin.totals.costMicros),
  )
  const explained = await told<{ id: string }>('requests', 'explain', requestId)
  expect(explained.id).toBe(requestId)
  const ledger = ['users', 'ledger', person, '--source', 'all', '--limit', '1']
  const first = await told<Entries>(...ledger)
  const second = await told<Entries>(...ledger, '--cursor', first.nextCursor ?? '')
  const all = await told<Entries>(...ledger, '--all')
  expect(all.data.length).toBeGreaterThanOrEqual(2)
  expect([...first.data, ...second.data]).toEqual(all.data.slice(0, 2))
  const shown = await told<{ balance: { balanceUnits: string } }>('users', 'show', person)

  const link = await told<{ url: string }>('portal', 'link', '--end-user-id', person)
  const handoff = new URL(link.url).hash.replace('#handoff=', '')
  const redeemed = await told<{ sessionToken: string }>('portal', 'redeem', '--token', handoff)
  environment = { ...environment, TOLLGATE_TOKEN: redeemed.sessionToken }
  const own = await told<{ endUserId: string; livemode: boolean; balance: { balanceMicros: string } }>(
    'portal',
    'account',
  )
  expect([own.endUserId, own.livemode]).toEqual([person, false])
  expect(own.balance.balanceMicros).toBe(shown.balance.balanceUnits)
  expect((await tollgate('portal', 'keys', '--quiet')).trim()).toBe(minted.id)
  environment = { ...environment, TOLLGATE_TOKEN: '' }
  expect(await refused('portal', 'redeem', '--token', handoff)).toMatchObject({ error: 'invalid_handoff' })

  expect(await refused('users', 'show', 'nobody')).toEqual({ code: 3, error: 'not_found', stdout: '' })
  const inUse = await refused('bundles', 'rm', 'free', '--yes')
  expect(inUse).toEqual({ code: 6, error: 'in_use', stdout: '' })

  const sdk = new Tollgate({ baseUrl: server.baseUrl, token: server.token, app: 'acme', mode: 'test' })
  const entries: unknown[] = []
  for await (const entry of sdk.users.ledger({ externalId: person, source: 'all' })) entries.push(entry)
  expect(all.data).toEqual(entries)
  expect(usage).toEqual(await sdk.usage({ endUserId: person }))
  const { totals } = await sdk.margin({ by: 'model' })
  expect(margin.totals).toEqual(totals)
  expect(explained).toEqual(await sdk.requests.explain({ id: requestId }))
  expect(shown).toEqual(await sdk.users.show({ externalId: person }))
})

interface App {
  readonly gateway: string
  readonly localGateway?: string
}

interface Margin {
  readonly data: readonly { readonly requestedModel: string }[]
  readonly totals: Readonly<Record<'marginMicros' | 'costMicros' | 'revenueMicros', string>>
}

interface Entries {
  readonly data: readonly unknown[]
  readonly nextCursor: string | null
}

async function signIn(approve: (userCode: string) => Promise<Response>): Promise<void> {
  const child = spawn(command, ['login'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const ended = once(child, 'close')
  const code = new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (piece) => {
      printed += String(piece)
      const found = /Compare the code on the page with {2}(\S+)/.exec(printed)?.[1]
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => reject(new Error(`it ended without a code: ${printed}`)))
  })
  const approved = await approve(await code)
  expect(approved.status, await approved.text()).toBe(200)
  expect((await ended)[0], printed).toBe(0)
}

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}
