/** Which server, application and mode is meant, and who may say so. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commandLine, fetchOf, type CommandLine, type Ran } from '../support/command-line.ts'
import { openControl, type Control } from '../support/control.ts'

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

it('a flag goes before the environment, that before the project, and that before the profile', async () => {
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

it('a project names no server and no token', async () => {
  for (const line of ['host = "http://evil.test"', 'token = "sk_x"']) {
    writeFileSync(join(shell.home, '.tollgate.toml'), `${line}\n`)
    const ran = await shell.run(['keys', 'list'])
    expect(ran).toMatchObject({ exitCode: 2, out: '' })
    expect(ran.err).toContain('a project names app, mode and profile, and nothing else')
  }
  expect(sent).toEqual([])
})

it('--json is what was answered, byte for byte, where it is piped', async () => {
  const text = '{"data":[],"nextCursor":null,"n":9007199254740993}'
  const fetch = async (): Promise<Response> =>
    new Response(text, { headers: { 'content-type': 'application/json' } })
  expect((await shell.run(['keys', 'list', '--json'], { fetch })).out).toBe(`${text}\n`)
})

describe('a call about one application, when none is named', () => {
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

  it('says that there is none yet, and what makes one', async () => {
    const ran = await ask()
    expect(ran).toMatchObject({ exitCode: 1, out: '' })
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain('the organization has none yet')
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain('tollgate init or tollgate apps create <slug>')
    expect(ran.err).toContain('application_required')
  })

  it('says how many there are, and names them; one that is archived is none', async () => {
    for (const slug of ['one', 'two', 'three', 'gone']) await make(slug)
    expect((await control.call('DELETE', '/v1/apps/gone')).status).toBe(200)
    const ran = await ask()
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain(
      'the organization has 3: one, two, three. Name one with the header x-svc-app: <slug> (in a terminal, --app <slug>)',
    )
    expect((await ask('--app', 'two')).exitCode).toBe(0)
  })

  it('is the document of the API with --json, and nothing else', async () => {
    const ran = await ask('--json')
    expect(JSON.parse(ran.err).error.code).toBe('application_required')
  })
})
