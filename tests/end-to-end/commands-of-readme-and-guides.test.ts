import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { startFakeProvider, type FakeProvider } from '../support/fake-provider.ts'
import {
  command,
  control,
  eventually,
  run,
  startServer,
  upstreamKey,
  type LocalServer,
} from '../support/start-product.ts'

let folder: string
let provider: FakeProvider
let stop: () => Promise<void>

beforeEach(async () => {
  folder = newDataFolder('e2e')
  provider = await startFakeProvider()
})
afterEach(async () => {
  await stop()
  await provider.close()
  rmSync(folder, { recursive: true })
})

async function started(): Promise<LocalServer> {
  const server = await startServer({ folder })
  stop = () => server.close()
  return server
}

function blocksOf(path: string): string[] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

test('the ten lines of the first-call guide set up an empty server and send a call', async () => {
  const server = await started()
  const [settings = '', lines = ''] = blocksOf('docs/guides/first-call.md')
  const values: Readonly<Record<string, string>> = {
    B: `${server.baseUrl}/v1`,
    TOLLGATE_TOKEN: server.token,
    PROVIDER_URL: provider.baseUrl,
    PROVIDER_KEY: upstreamKey,
    MODEL: 'their-model',
  }
  // The guide instructs its reader to set exactly the variables in `values`.
  expect([...settings.matchAll(/^export (\w+)=/gm)].map(([, name]) => name)).toEqual(Object.keys(values))
  expect(lines.trimEnd().split('\n')).toHaveLength(10)

  const { code, stderr, stdout } = await run('sh', ['-e', '-c', lines], values)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/"object":"chat\.completion".*"model":"acme\/fast"/)
  expect(provider.calls).toHaveLength(1)
  expect(provider.calls[0]?.body?.model).toBe('their-model')
  expect(provider.calls[0]?.headers.authorization).toBe(`Bearer ${upstreamKey}`)
  const requests = await control(server, 'GET', '/v1/requests?endUserId=ada')
  expect(requests.body.data).toMatchObject([{ status: 'settled' }])
})

test('in the shell of the first-call guide, the commands of the routers guide create a router that serves requests', async () => {
  const { first, values } = await firstCall()
  const [lines = ''] = blocksOf('docs/guides/routers.md')
  const { code, stderr, stdout } = await run('sh', ['-e', '-c', `${first}\n${lines}`], values)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/"name":"acme\/best","policy":"priority".*"serving":true/)
  expect(stdout).toMatch(/"model":"acme\/best"/)
  expect(provider.calls).toHaveLength(2)
})

test('the commands of the provider and client guides succeed in the shell of the first-call guide', async () => {
  const { first, values } = await firstCall()
  const [account = ''] = blocksOf('docs/guides/providers.md')
  const [, lines = ''] = blocksOf('docs/guides/clients.md')
  const { code, stderr, stdout } = await run('sh', ['-e', '-c', `${first}\n${account}\n${lines}`], values)
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('"baseUrl":"https://api.groq.com/openai/v1"')
  const remaining = /^x-svc-remaining-micros: (?<micros>\d+)\r?$/m.exec(stdout)?.groups?.['micros']
  expect(stdout).toMatch(/^x-svc-charge-micros: \d+\r?$/m)
  expect(stdout).toContain(`"frozen":false,"remainingMicros":"${remaining}"`)
  expect(stdout).toMatch(/"models":\[\{"model":"acme\/fast","calls":2,/)
})

test('the commands of the team guide create an owner, an invitation and a token for a command line', async () => {
  const server = await started()
  const [settings = '', lines = ''] = blocksOf('docs/guides/team.md')
  const values: Readonly<Record<string, string>> = { B: `${server.baseUrl}/v1`, LINK: server.setupUrl }
  expect([...settings.matchAll(/^export (\w+)=/gm)].map(([, name]) => name)).toEqual(Object.keys(values))
  const { code, stderr, stdout } = await run('sh', ['-e', '-c', `cd ${folder}\n${lines}`], values)
  expect([code, stderr]).toEqual([0, ''])
  // curl's cookie jar has kept the cookie of http://127.0.0.1, as browsers do.
  expect(stdout).toContain('"inviteUrl":"http://localhost:')
  expect(stdout).toContain('"decision":"approved"')
  expect(stdout).toMatch(/"token":\{"id":"apk_\w+","label":"laptop"/)
  const team = await control(server, 'GET', '/v1/team')
  expect(team.body.data.map(({ email }: { email: string }) => email)).toEqual([
    'bob@example.com',
    'ada@example.com',
  ])
})

test('the commands of the demo-tier guide succeed without a token', async () => {
  const server = await started()
  const [block = ''] = blocksOf('docs/guides/demo-tier.md')
  expect(block).toContain('http://localhost:8080')
  const { code, stderr, stdout } = await run(
    'sh',
    ['-e', '-c', block.replace('http://localhost:8080', server.baseUrl)],
    {},
  )
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/"slug":"acme".*"externalId":"ada".*"planName":"Pro".*"key":"ak_acme_test_/)
  expect(stdout).toMatch(
    /"endUserId":"mina".*"tier":"demo".*"error":\{"code":"not_implemented","issue":"[^"]+"\}\}$/,
  )
})

test('the curl commands of guides name the application, and succeed on a server with two applications', async () => {
  const { first, values } = await firstCall()
  const server = { baseUrl: values.B.replace(/\/v1$/, ''), token: values.TOLLGATE_TOKEN }
  const { code, stdout } = await run('sh', ['-e', '-c', first], values)
  expect(code, stdout).toBe(0)
  await control(server, 'PUT', '/v1/apps/other', { name: 'Other' })
  const inAcme = { 'x-svc-app': 'acme' }
  const steps = [
    ['PUT', '/v1/end-users/user-42', {}],
    ['PUT', '/v1/bundles/pro', { displayName: 'Pro' }],
    ['PUT', '/v1/models/acme%2Fsmart', { sources: [{ provider: 'main', model: 'their-model' }] }],
    // The example refunds 1,200 micros, so the request must cost more.
    [
      'POST',
      '/v1/providers/main/price',
      { model: 'their-model', price: { input: '1000000000', output: '1000000000' } },
    ],
    ['POST', '/v1/grants', { endUsers: ['user-42', 'ada'], amountUnits: '100000000', reason: 'Hello' }],
  ] as const
  let grantId = ''
  for (const [method, path, body] of steps) {
    // oxlint-disable-next-line no-await-in-loop -- each step needs the step before
    const answer = await control(server, method, path, body, inAcme)
    expect(answer.status, answer.text).toBe(200)
    grantId = answer.body.id
  }
  const key = await control(server, 'POST', '/v1/keys', { endUserId: 'user-42' }, inAcme)
  const app = await control(server, 'GET', '/v1/apps/acme')
  const served = await fetch(`${app.body.localGateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.body.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/smart', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(served.status, await served.text()).toBe(200)
  const env = {
    TOLLGATE_BASE_URL: server.baseUrl,
    TOLLGATE_TOKEN: server.token,
    TOLLGATE_APP: 'acme',
    GRANT_ID: grantId,
    REQUEST_ID: served.headers.get('x-request-id') ?? '',
  }
  let count = 0
  for (const guide of ['corrections', 'margin', 'holds', 'gateway', 'portal', 'refusals']) {
    // A block with … or ... needs a value from the response of another command.
    const blocks = blocksOf(`docs/guides/${guide}.md`).filter(
      (block) => block.startsWith('curl') && !/\.\.\.|[^#].*… ?"\}'|ps_…/.test(block),
    )
    for (const block of blocks) {
      count++
      // oxlint-disable-next-line no-await-in-loop -- the commands change the same application
      const ran = await run('sh', ['-e', '-c', block], env)
      expect([ran.code, ran.stdout], block).toEqual([0, expect.stringMatching(/^\{(?!"error")/)])
    }
  }
  expect(count).toBe(12)
})

test('the commands of the README end with an answer from the new model name', async () => {
  const child = spawn(command, ['start', '--port', '0', '--data', folder], {
    env: { ...process.env, TOLLGATE_ALLOW_PRIVATE_PROVIDERS: 'true' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  let text = ''
  child.stdout.on('data', (piece) => (text += String(piece)))
  await eventually(async () => expect(text).toContain('Stop with'))
  const printed = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? ''
  const block = blocksOf('README.md').find((one) => one.includes('/providers/main')) ?? ''
  const changes: readonly (readonly [string, string])[] = [
    ['sk_...', printed(/token\s+(sk_\S+)/)],
    ['http://localhost:8080', printed(/running at (http\S+)/)],
    ['https://api.example.com/v1', provider.baseUrl],
    ['"apiKey":"..."', `"apiKey":"${upstreamKey}"`],
  ]
  let lines = block
  for (const [placeholder, value] of changes) {
    expect(lines).toContain(placeholder)
    lines = lines.replace(placeholder, value)
  }
  const { code, stdout } = await run('sh', ['-e', '-c', lines])
  expect(code, stdout).toBe(0)
  expect(stdout).toMatch(/"object":"chat\.completion".*"model":"acme\/fast"/)
  expect(stdout).not.toContain('"error"')
  expect(provider.calls).toHaveLength(1)
})

async function firstCall(): Promise<{
  first: string
  values: Readonly<Record<'B' | 'TOLLGATE_TOKEN' | 'PROVIDER_URL' | 'PROVIDER_KEY' | 'MODEL', string>>
}> {
  const server = await started()
  const [, first = ''] = blocksOf('docs/guides/first-call.md')
  const values = {
    B: `${server.baseUrl}/v1`,
    TOLLGATE_TOKEN: server.token,
    PROVIDER_URL: provider.baseUrl,
    PROVIDER_KEY: upstreamKey,
    MODEL: 'their-model',
  }
  return { first, values }
}
