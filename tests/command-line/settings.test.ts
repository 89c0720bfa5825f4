/** Which server, application and mode is meant, and who may say so. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { commandLine, type CommandLine } from '../support/command-line.ts'

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
