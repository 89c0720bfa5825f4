import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commandLine, fetchOf, type CommandLine, type Ran } from '../support/run-command-line-in-process.ts'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'

let shell: CommandLine
let sent: Record<string, string>[]
beforeEach(() => {
  sent = []
  shell = commandLine({
    fetch: async (url, init) => {
      sent.push({
        url: url instanceof Request ? url.url : url.toString(),
        ...Object.fromEntries(new Headers(init?.headers)),
      })
      return Response.json({ data: [], nextCursor: null })
    },
  })
})
afterEach(() => shell.close())

it('a flag overrides the environment, which overrides the project, which overrides the profile', async () => {
  const folder = join(shell.home, '.config', 'tollgate')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'config.toml'),
    '[profiles.default]\nhost = "http://profile.test"\napp = "profile"\nmode = "test"\n',
  )
  const meant = async (argv: readonly string[], env: Record<string, string> = {}): Promise<unknown[]> => {
    expect(await shell.run(['keys', 'list', ...argv], { env })).toMatchObject({ exitCode: 0 })
    const { url = '', ...headers } = sent.at(-1) ?? {}
    return [new URL(url).host, headers['x-svc-app'], headers['x-svc-mode']]
  }
  expect(await meant([])).toEqual(['profile.test', 'profile', 'test'])
  writeFileSync(join(shell.home, '.tollgate.toml'), 'app = "project"\n')
  expect(await meant([])).toEqual(['profile.test', 'project', 'test'])
  const env = { TOLLGATE_APP: 'env', TOLLGATE_BASE_URL: 'http://env.test', TOLLGATE_MODE: 'live' }
  expect(await meant([], env)).toEqual(['env.test', 'env', 'live'])
  expect(await meant(['--app', 'flag', '--mode', 'test'], env)).toEqual(['env.test', 'flag', 'test'])
})

it('white space around environment variables is ignored, such as the line breaks of a file from Windows', async () => {
  const env = {
    TOLLGATE_APP: 'env\r',
    TOLLGATE_BASE_URL: ' http://env.test/\r\n',
    TOLLGATE_MODE: 'test\r',
    TOLLGATE_TOKEN: 'sk_1\r',
  }
  expect(await shell.run(['keys', 'list'], { env })).toMatchObject({
    exitCode: 0,
    err: expect.not.stringContaining('tollgate:'),
  })
  expect(sent.at(-1)).toMatchObject({
    'x-svc-app': 'env',
    'x-svc-mode': 'test',
    authorization: 'Bearer sk_1',
  })
  expect(sent.at(-1)?.['url']).toMatch(/^http:\/\/env\.test\/v1\/keys/)
})

it('if another server responds or redirects, the error names the address and how to change it', async () => {
  const page = async (): Promise<Response> =>
    new Response('<html>', { headers: { 'content-type': 'text/html' } })
  const moved = async (): Promise<Response> =>
    new Response(null, { status: 301, headers: { location: 'https://tollgate.test/v1/keys' } })
  const env = { TOLLGATE_BASE_URL: 'http://tollgate.test' }
  for (const words of [
    ['keys', 'list'],
    ['keys', 'list', '--json'],
    ['keys', 'show', 'key_1'],
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one command after the other
    const ran = await shell.run(words, { env, fetch: page })
    expect([ran.exitCode, ran.out]).toEqual([8, ''])
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain(
      'The response of http://tollgate.test is text/html and not JSON. Check that this is the address of the control plane, or set another address with --host or TOLLGATE_BASE_URL.',
    )
  }
  const { err } = await shell.run(['keys', 'list'], { env, fetch: moved })
  expect(err.replaceAll(/\s+/g, ' ')).toContain('redirects are not followed. Set the address to which')
  expect(err).not.toContain('baseUrl')
})

it('--dry-run prints the application and the mode that the request would have', async () => {
  const env = { TOLLGATE_APP: 'env', TOLLGATE_MODE: 'live' }
  const words = ['keys', 'mint', '--end-user-id', 'ada', '--dry-run']
  expect((await shell.run(words, { env })).out).toContain('x-svc-app: env\nx-svc-mode: live\n')
  const { out } = await shell.run([...words, '--app', 'flag', '--mode', 'test'], { env })
  expect(out).toContain('x-svc-app: flag\nx-svc-mode: test\n')
  expect(sent).toEqual([])
})

it('the settings of a project cannot select a server or a token', async () => {
  for (const line of ['host = "http://evil.test"', 'token = "sk_x"']) {
    writeFileSync(join(shell.home, '.tollgate.toml'), `${line}\n`)
    const ran = await shell.run(['keys', 'list'])
    expect(ran).toMatchObject({ exitCode: 2, out: '' })
    expect(ran.err).toContain('A project file can set only app, mode and profile.')
  }
  expect(sent).toEqual([])
})

it('--json prints the response byte for byte if the output is piped', async () => {
  const text = '{"data":[],"nextCursor":null,"n":9007199254740993}'
  const fetch = async (): Promise<Response> =>
    new Response(text, { headers: { 'content-type': 'application/json' } })
  expect((await shell.run(['keys', 'list', '--json'], { fetch })).out).toBe(`${text}\n`)
})

describe('a command that needs an application, without a selected application', () => {
  let control: Control
  beforeEach(async () => {
    control = await openControl()
  })
  afterEach(() => control.close())

  const ask = async (...more: string[]): Promise<Ran> =>
    shell.run(['keys', 'list', ...more], {
      fetch: fetchOf(control),
      env: { TOLLGATE_BASE_URL: 'http://control.test', TOLLGATE_TOKEN: control.token },
    })
  const make = async (slug: string): Promise<void> => {
    const made = await control.call('PUT', `/v1/apps/${slug}`, { body: { name: slug } })
    expect(made.status).toBe(200)
  }

  it('a command without a selected application reports that no application exists, and names the command that creates one', async () => {
    const ran = await ask()
    expect(ran).toMatchObject({ exitCode: 1, out: '' })
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain('The organization has no application.')
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain('tollgate init, or tollgate apps create <slug>')
    expect(ran.err).toContain('application_required')
  })

  it('a command without a selected application reports the number of applications, and lists those that are not archived', async () => {
    for (const slug of ['one', 'two', 'three', 'gone']) await make(slug)
    expect((await control.call('DELETE', '/v1/apps/gone')).status).toBe(200)
    const ran = await ask()
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain(
      'The organization has 3 applications: one, two, three. Name an application in the header x-svc-app: <slug> (in a terminal: --app <slug>)',
    )
    expect((await ask('--app', 'two')).exitCode).toBe(0)
  })

  it('with --json, a command without a selected application prints only the error in the API’s JSON format', async () => {
    const ran = await ask('--json')
    expect(JSON.parse(ran.err).error.code).toBe('application_required')
  })
})

it('flags that all commands share may be placed before the command', async () => {
  const last = (): unknown[] => {
    const { url = '', ...headers } = sent.at(-1) ?? {}
    return [new URL(url).host, headers['x-svc-app'], headers['x-svc-mode']]
  }
  const before = ['--app', 'acme', '--mode=test', '--host', 'http://flag.test', '-q']
  expect(await shell.run([...before, 'keys', 'list'])).toMatchObject({ exitCode: 0, out: '' })
  expect(last()).toEqual(['flag.test', 'acme', 'test'])
  expect(await shell.run(['--app', 'acme', 'keys.list', '--json'])).toMatchObject({ exitCode: 0 })
  expect(last()).toEqual(['localhost:8080', 'acme', 'live'])
  expect((await shell.run(['--json', 'keys', 'list'])).out).toBe('{"data":[],"nextCursor":null}\n')
  const unknown = await shell.run(['--no-such', 'keys', 'list'])
  expect(unknown).toMatchObject({ exitCode: 2 })
  expect(unknown.err).toContain("unknown option '--no-such'")
})

it('the error for an invalid host repeats the host as the user entered it', async () => {
  for (const words of [
    ['login', '--host', 'ftp://x'],
    ['keys', 'list', '--host', 'ftp://x'],
  ]) {
    const ran = await shell.run(words)
    expect(ran.exitCode).toBe(2)
    expect(ran.err).toMatch(/The host must be an http or https address, .* but is ftp:\/\/x \(--host\)/)
    expect(ran.err).not.toContain('baseUrl')
  }
  const ran = await shell.run(['keys', 'list'], { env: { TOLLGATE_BASE_URL: 'nowhere' } })
  expect(ran.err).toContain('but is nowhere (TOLLGATE_BASE_URL)')
  expect(sent).toEqual([])
})

it('a variable with an unknown TOLLGATE_ name is reported once, and an empty variable counts as unset', async () => {
  const env = { TOLLGATE_HOST: 'http://other.test', TOLLGATE_MODEE: '', TOLLGATE_LISTEN: '127.0.0.1:1' }
  const ran = await shell.run(['keys', 'list'], { env })
  expect(ran.exitCode).toBe(0)
  expect(ran.err.match(/TOLLGATE_\w+/g)).toEqual(['TOLLGATE_HOST', 'TOLLGATE_BASE_URL'])
  expect(await shell.run(['keys', 'list'], { env: { TOLLGATE_MODE: '' } })).toMatchObject({ exitCode: 0 })
  expect(sent.at(-1)?.['x-svc-mode']).toBe('live')
})

it('a PUT can be limited to objects that do not exist yet', async () => {
  await shell.run(['apps', 'create', 'acme', '--name', 'Acme', '--if-none-match', '*'])
  expect(sent.at(-1)).toMatchObject({ 'if-none-match': '*' })
})

it('an empty ledger suggests --source all, which includes plan credit and on-demand usage', async () => {
  expect((await shell.run(['users', 'ledger', 'ada'])).err).toContain('--source all')
  expect((await shell.run(['users', 'ledger', 'ada', '--source', 'all'])).err).toBe('No rows in live mode.\n')
})

it('an export prints the time up to which it contains usage', async () => {
  const to = '2026-11-20T11:58:00.000Z'
  const fetch = async (): Promise<Response> => new Response('', { headers: { 'x-export-to': to } })
  const ran = await shell.run(['usage', 'export'], { fetch })
  expect(ran).toEqual({
    exitCode: 0,
    out: '',
    err: `The export contains usage settled before ${to}. Later usage is not included yet.\n`,
  })
})

it('a closed standard error does not change the exit code', async () => {
  const program = fileURLToPath(new URL('../../bin/tollgate', import.meta.url))
  const words = ['keys', 'list', '--host', 'http://127.0.0.1:9', '--verbose']
  const child = spawn(program, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: shell.home, TOLLGATE_TOKEN: 'sk_x' },
  })
  child.stderr.destroy()
  const [code, signal] = await once(child, 'exit')
  expect([code, signal]).toEqual([8, null])
})
