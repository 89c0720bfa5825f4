/**
 * Runs `tollgate init` in a pseudo-terminal, with users who answer every prompt, make mistakes, or leave in the middle.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startFakeProvider } from '../support/fake-provider.ts'
import { control, startServer, type Answer, type LocalServer } from '../support/start-product.ts'
import { onScreen, type Screen } from '../support/run-in-pseudo-terminal.ts'

let server: LocalServer
let home: string
beforeEach(async () => {
  server = await startServer()
  home = mkdtempSync(join(tmpdir(), 'tollgate-init-'))
})
afterEach(async () => {
  rmSync(home, { recursive: true, force: true })
  await server.close()
})

function init(more: readonly string[] = []): Screen {
  const env = {
    HOME: home,
    TOLLGATE_BASE_URL: server.baseUrl,
    TOLLGATE_TOKEN: server.token,
    XDG_CACHE_HOME: join(tmpdir(), 'tollgate-test-cache'),
  }
  return onScreen(['init', ...more], { columns: 100, env })
}

/** An empty answer accepts the default. */
async function answer(screen: Screen, ...dialogue: readonly (readonly [question: string, answer: string])[]) {
  for (const [question, text] of dialogue) {
    await screen.shows(question)
    screen.type(`${text}\r`)
  }
}

async function read(path: string, mode = 'test'): Promise<Answer['body']> {
  const { body, status, text } = await control(server, 'GET', path, undefined, { 'x-svc-mode': mode })
  expect(status, text).toBe(200)
  return body
}

it('tollgate init guides a user from an empty account to a paid call', async () => {
  const screen = init()
  await answer(
    screen,
    ['Name of the application [My app]', 'Acme Café'],
    ['Provider (simulator, openai', ''],
    ['Model name for end users [acme-cafe/fast]', 'acme/fast'],
    ['Model ID at the provider [sim-1]', ''],
    ['First bundle, a plan for end users [starter]', 'free'],
    ['Your ID for the first end user [ada]', 'grace'],
    ['Credit for the end user [$5]', '$2.50'],
  )
  expect(await screen.ended, screen.lines().join('\n')).toBe(0)
  const text = screen.lines().join('\n')
  expect(text).toMatch(/✓ End user grace with \$2\.50 of credit and a test key\./)
  const { data } = await read('/v1/requests')
  expect(data).toHaveLength(1)
  expect(data[0]).toMatchObject({ status: 'settled', endUserId: 'grace', requestedModel: 'acme/fast' })
  expect(text).toContain(`tollgate requests explain ${data[0].id}`)
  expect(text).toMatch(/^export OPENAI_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/v1$/m)
  expect(text).toMatch(/^export OPENAI_API_KEY=ak_\w+_test_\w+$/m)
  const { steps } = await read('/v1/onboarding')
  expect(steps.map(({ state }: { state: string }) => state)).toEqual(Array(6).fill('done'))
  const { balance } = await read('/v1/end-users/grace')
  expect(BigInt(balance.balanceUnits)).toBe(2_500_000n - BigInt(data[0].chargeMicros))
})

it('tollgate init asks again after an invalid answer, with the reason', async () => {
  // The slug of an archived application cannot be used again.
  expect((await control(server, 'PUT', '/v1/apps/old', { name: 'Old' })).status).toBe(200)
  expect((await control(server, 'DELETE', '/v1/apps/old')).status).toBe(200)
  const screen = init()
  await answer(
    screen,
    ['Name of the application', '???'],
    ['The name must contain a letter from a to z or a digit', 'Old'],
    ['The application old is archived', 'Acme'],
    ['Provider (simulator', 'openay'],
    ['--kind must be one of simulator', ''],
    ['Model name for end users', ''],
    ['Model ID at the provider', ''],
    ['First bundle, a plan for end users', 'Not a slug'],
    ['slug', 'free'],
    ['Your ID for the first end user', ''],
    ['Credit for the end user', '0.25'],
    ["--credit must be dollars in single quotes, like '$0.25'", '$1'],
  )
  expect(await screen.ended, screen.lines().join('\n')).toBe(0)
  const { data } = await read('/v1/apps')
  expect(data.map(({ slug }: { slug: string }) => slug).toSorted()).toEqual(['acme', 'old'])
})

it('if Ctrl-C ends tollgate init, the next run continues with the data that was already created', async () => {
  const leave = async (question: string, ...before: [string, string][]): Promise<void> => {
    const screen = init()
    await answer(screen, ...before)
    await screen.shows(question)
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
    // The selection of server, application and mode is saved only after all three are known.
    expect(existsSync(join(home, '.config/tollgate/config.toml'))).toBe(false)
  }
  await leave('Name of the application')
  await leave('Provider (simulator', ['Name of the application', 'Acme'])
  await leave('Model ID at the provider', ['Provider (simulator', ''], ['Model name for end users', ''])
  const upTo = [
    ['Provider (simulator', ''],
    ['Model name for end users', ''],
  ] satisfies [string, string][]
  await leave('First bundle, a plan for end users', ...upTo, ['Model ID at the provider', ''])
  await leave(
    'Credit for the end user',
    ...upTo,
    ['First bundle, a plan for end users', ''],
    ['Your ID for the first end user', ''],
  )
  const last = init()
  await answer(last, ...upTo, ['Your ID for the first end user', ''], ['Credit for the end user', ''])
  expect(await last.ended, last.lines().join('\n')).toBe(0)
  for (const list of ['apps', 'providers', 'models', 'bundles', 'end-users', 'keys', 'grants', 'requests']) {
    expect((await read(`/v1/${list}`)).data, list).toHaveLength(1)
  }
  expect(existsSync(join(home, '.config/tollgate/config.toml'))).toBe(true)
  const again = init(['--yes'])
  expect(await again.ended, again.lines().join('\n')).toBe(0)
  expect((await read('/v1/grants')).data).toHaveLength(1)
})

it('a second tollgate init keeps the bundle of an existing end user', async () => {
  expect(await init(['--yes']).ended).toBe(0)
  // The list of bundles starts with the newest bundle, which is not the default bundle.
  const { status } = await control(server, 'PUT', '/v1/bundles/pro', { displayName: 'Pro' })
  expect(status).toBe(200)
  const again = init(['--yes'])
  expect(await again.ended, again.lines().join('\n')).toBe(0)
  expect(again.lines().join('\n')).toContain('Bundle starter, which allows the model and is the default')
  expect(await read('/v1/end-users/ada')).toMatchObject({ bundle: 'starter' })
  // Only a bundle that the caller names moves the end user.
  const named = init(['--yes', '--bundle', 'pro'])
  expect(await named.ended, named.lines().join('\n')).toBe(0)
  expect(await read('/v1/end-users/ada')).toMatchObject({ bundle: 'pro' })
})

it('Ctrl-D ends tollgate init instead of answering the prompt', async () => {
  const screen = init()
  await screen.shows('Name of the application')
  screen.type('\u0004')
  expect(await screen.ended).toBe(130)
  expect((await read('/v1/apps')).data).toEqual([])
})

it('tollgate init prompts for the application if several exist', async () => {
  for (const slug of ['one', 'two']) {
    expect((await control(server, 'PUT', `/v1/apps/${slug}`, { name: slug })).status).toBe(200)
  }
  const screen = init()
  await answer(screen, ['Application (two, one)', 'three'], ['There is no application three', 'one'])
  expect(await screen.shows('✓ Application')).toContain('one (one)')
  screen.type('\u0003')
  expect(await screen.ended).toBe(130)
})

it('tollgate init reads a provider’s API key without echo, and prompts for its price if no price is published', async () => {
  const provider = await startFakeProvider()
  const secret = 'sk-provider-0123456789'
  try {
    const screen = init(['--name', 'Acme'])
    await answer(
      screen,
      ['Provider (simulator', 'openai_compatible'],
      ['Base URL of the provider, including /v1', 'localhost'],
      ['--base-url must begin with https://', provider.baseUrl],
      ['API key of the provider (hidden)', secret],
      ['Model name for end users', ''],
      ['Model ID at the provider', ''],
      ['--upstream must be the model ID at the provider, but is empty', 'gpt-x'],
      ['Your cost for a million input tokens of gpt-x', 'a lot'],
      ['--input-price must be dollars in single quotes', '$1'],
      ['Your cost for a million output tokens', '$4'],
      ['First bundle, a plan for end users', ''],
      ['Your ID for the first end user', ''],
      ['Credit for the end user', ''],
    )
    expect(await screen.ended, screen.lines().join('\n')).toBe(0)
    expect(screen.lines().join('\n')).not.toContain(secret)
    const [call] = provider.calls
    expect(call?.headers['authorization']).toBe(`Bearer ${secret}`)
    const { data } = await read('/v1/requests', 'live')
    expect(data[0]).toMatchObject({ status: 'settled', requestedModel: 'acme/fast' })
  } finally {
    await provider.close()
  }
})
