/** Follows docs/guides/start.md step by step as printed, in an empty home folder with the packed files. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { run } from '../support/start-product.ts'
import { freePort } from '../support/free-port.ts'
import { emptyHome, type Home } from '../support/install-packed-product.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const text = readFileSync(join(root, 'docs/guides/start.md'), 'utf8')
const blocks = [...text.matchAll(/^```(?<kind>sh|js)\n(?<lines>.*?)^```$/gms)].map(({ groups }) => ({
  kind: groups?.['kind'] ?? '',
  lines: groups?.['lines'] ?? '',
}))

let home: Home
let folder: string
let server: ChildProcess | undefined
let environment: Record<string, string>
beforeAll(async () => {
  home = await emptyHome()
  folder = join(home.path, 'try')
  cpSync(dirname(home.packed.tollgate), folder, { recursive: true })
  const port = await freePort()
  environment = {
    ...home.environment,
    TOLLGATE_LISTEN: `127.0.0.1:${port}`,
    TOLLGATE_BASE_URL: `http://localhost:${port}`,
  }
})
afterAll(async () => {
  if (server && server.exitCode === null) {
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    await ended
  }
  home.remove()
})

it('the steps of the start guide go from the archive to an explained call', async () => {
  const [install, serve, login, init, openai, program, call, explain, usage, ...more] = blocks
  expect(more).toEqual([])
  expect((await shell(install?.lines)).trimEnd().split('\n').at(-1)).toMatch(/^\d+\.\d+\.\d+$/)
  expect(readdirSync(join(home.path, '.local/lib/node_modules'))).toEqual(['tollgate'])

  server = spawn('sh', ['-c', `exec ${serve?.lines}`], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed = createInterface(server.stdout ?? process.stdin)
  let token = ''
  for await (const line of printed) {
    token = /^\s+(?<token>sk_\S+)$/.exec(line)?.groups?.['token'] ?? ''
    if (token !== '') break
  }

  expect(login?.lines).toContain('sk_...')
  expect(await shell(login?.lines.replace('sk_...', token))).toContain('owner')
  await shell(init?.lines)
  expect(readFileSync(join(folder, 'client.env'), 'utf8')).toMatch(/OPENAI_BASE_URL=.*\n.*OPENAI_API_KEY=ak_/)

  // Tests do not install packages over the network, so this uses the openai package of the other tests.
  expect(openai?.lines).toBe('npm install openai\n')
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(root, 'node_modules/openai'), join(folder, 'node_modules/openai'))
  expect(program?.lines).toMatch(/^\/\/ call\.mjs\n/)
  writeFileSync(join(folder, 'call.mjs'), program?.lines ?? '')
  expect(await shell(call?.lines)).toMatch(/simulator[^]*\nreq_\w+\n$/)

  expect(await shell(explain?.lines)).toMatch(/req_\w+[^]*\$0\.000/)
  expect(await shell(usage?.lines)).toMatch(/ada[^]*\$/)
})

it('the start guide links only to existing guides', () => {
  for (const [, name = ''] of text.matchAll(/\]\((?<name>[a-z-]+\.md)\)/g)) {
    expect(readFileSync(join(root, 'docs/guides', name), 'utf8')).not.toBe('')
  }
})

/** @returns standard output; fails if a line fails */
async function shell(lines = ''): Promise<string> {
  const ran = await run('sh', ['-e', '-c', `cd ${folder}\n${lines}`], environment)
  expect(ran.code, `${lines}\n${ran.stdout}\n${ran.stderr}`).toBe(0)
  return ran.stdout
}
