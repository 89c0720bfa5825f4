import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command, run, startServer, type LocalServer } from '../support/start-product.ts'
import { onScreen, type Screen } from '../support/run-in-pseudo-terminal.ts'
import { watchingProxy, type WatchingProxy } from '../support/proxy-that-reports-responses.ts'

let server: LocalServer
let home: string
let env: Record<string, string>
let ada: Record<string, string>

beforeAll(async () => {
  server = await startServer()
  home = mkdtempSync(join(tmpdir(), 'tollgate-terminal-'))
  env = {
    HOME: home,
    TOLLGATE_BASE_URL: server.baseUrl,
    XDG_CACHE_HOME: join(tmpdir(), 'tollgate-test-cache'),
  }
  const token = new URL(server.setupUrl).hash.slice(1)
  const owner = { token, name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
  const joined = await post('/v1/invitations/accept', owner)
  const { csrfToken }: { csrfToken: string } = JSON.parse(await joined.text())
  const [cookie = ''] = joined.headers.getSetCookie().map((text) => text.split(';')[0] ?? '')
  ada = { cookie, 'x-csrf-token': csrfToken, origin: server.baseUrl }
  const set = await tollgate('init', '--yes', '--name', 'Acme')
  assert.equal(set.code, 0, set.stderr)
  for (const name of ['laptop', '鍵 of 東京 office', 'clé café', 'x'.repeat(60)]) {
    const minted = await tollgate(
      'keys',
      'mint',
      '--end-user-id',
      'ada',
      '--name',
      name,
      '--cap-micros',
      '$1.5',
    )
    assert.equal(minted.code, 0, minted.stderr)
  }
})
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
  await server.close()
})

describe('tollgate login', () => {
  /**
   * This server allows polls more often than every five seconds. Each poll waits until the earlier steps of the test
   * are done, as at the real pace of one poll every five seconds. The file device-login-and-logout.test.ts tests the
   * real pace.
   */
  const quick = (
    beforePoll: () => Promise<void>,
    /** In seconds. Defaults to the lifetime that the server sets for a code. */
    expiresIn?: number,
  ): Promise<WatchingProxy> =>
    watchingProxy(
      server.baseUrl,
      (path, text) =>
        path === '/v1/device-auth'
          ? JSON.stringify({
              ...JSON.parse(text),
              interval: 0.1,
              ...(expiresIn !== undefined && { expiresIn }),
            })
          : text,
      async (path) => {
        if (path === '/v1/device-auth/token') await beforePoll()
      },
    )

  it('tollgate login signs in when a member approves the code that the screen shows', async () => {
    const decided = Promise.withResolvers<void>()
    const proxy = await quick(() => decided.promise)
    try {
      const screen = onScreen(['login', '--host', proxy.url], { columns: 80, env })
      await decide(await codeOn(screen), true)
      decided.resolve()
      await screen.shows('Signed in at')
      expect(await screen.ended).toBe(0)
      expect(screen.hasWrapped()).toBe(false)
      expect(screen.lines().join('\n')).not.toMatch(/sk_\w{20}/)
      const who = onScreen(['whoami', '--host', proxy.url], { columns: 80, env })
      expect(await who.ended).toBe(0)
      expect(who.lines().join('\n')).toMatch(/role +admin/)
    } finally {
      await proxy.close()
    }
  })

  it('tollgate login reports that the sign-in was denied', async () => {
    const decided = Promise.withResolvers<void>()
    const proxy = await quick(() => decided.promise)
    try {
      const screen = onScreen(['login', '--profile', 'denied', '--host', proxy.url], { columns: 80, env })
      await decide(await codeOn(screen), false)
      decided.resolve()
      await screen.shows('The sign-in was denied.')
      expect(await screen.ended).toBe(4)
    } finally {
      await proxy.close()
    }
  })

  it('tollgate login reports that the code has expired', async () => {
    const proxy = await quick(async () => {}, 0.05)
    try {
      const screen = onScreen(['login', '--profile', 'late', '--host', proxy.url], { columns: 80, env })
      await codeOn(screen)
      await screen.shows('The code has expired or was already used.')
      expect(await screen.ended).toBe(4)
    } finally {
      await proxy.close()
    }
  })

  it('tollgate login ends with Ctrl-C', async () => {
    const screen = onScreen(['login', '--profile', 'gone'], { columns: 80, env })
    await codeOn(screen)
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
  })
})

describe('a table', () => {
  const shown = async (columns: number, more: Record<string, string> = {}): Promise<Screen> => {
    const own = { ...env, TOLLGATE_TOKEN: server.token, TOLLGATE_MODE: 'test', ...more }
    const screen = onScreen(['keys', 'list'], { columns, env: own })
    expect(await screen.ended).toBe(0)
    return screen
  }

  for (const columns of [80, 200]) {
    it(`a table fits a screen of ${columns} columns, aligned even if names are wide`, async () => {
      const screen = await shown(columns)
      expect(screen.hasWrapped()).toBe(false)
      const rows = screen.lines().filter((line) => / ak_[0-9a-z]{6}_/.test(line))
      expect(rows).toHaveLength(5)
      const [title = ''] = screen.lines()
      expect(title).toMatch(/^NAME +END USER ID/)
      expect(screen.lines().join(' ')).toMatch(/\d+ more columns hidden\. Choose columns with --columns/)
      if (columns === 200) {
        // The table does not shorten IDs, so that users can copy them.
        for (const row of rows) expect(row).toMatch(/ key_[0-9a-z]{26}$/)
        expect(title).toContain('CAP')
        expect(rows.filter((row) => row.includes('$1.50'))).toHaveLength(4)
      }
    })
  }

  it('a table has a bold title and no other formatting, and with NO_COLOR no formatting at all', async () => {
    const coloured = (await shown(200)).styledText()
    expect(coloured).toHaveLength(1)
    expect(coloured[0]).toMatch(/^NAME *END USER ID/)
    expect((await shown(200, { NO_COLOR: '1' })).styledText()).toEqual([])
    expect((await shown(200, { TERM: 'dumb' })).styledText()).toEqual([])
  })

  it('a table is complete and plain if the output is piped', async () => {
    const { stdout } = await tollgate('keys', 'list')
    expect(stdout).not.toContain('\u001b')
    expect(stdout).not.toContain('…')
    expect(stdout).toContain('x'.repeat(60))
    expect(stdout.split('\n')[0]).toMatch(/REPLACED BY$/)
  })
})

describe('a user at the terminal', () => {
  const asked = (args: readonly string[]): Screen =>
    onScreen(args, { columns: 100, env: { ...env, TOLLGATE_TOKEN: server.token, TOLLGATE_MODE: 'test' } })

  it('a user is prompted before an irreversible change, and the answer "no" cancels it', async () => {
    const screen = asked(['keys', 'revoke', 'key_nobody'])
    await screen.shows('[y/N]')
    screen.type('n\r')
    expect(await screen.ended).toBe(1)
    const yes = asked(['keys', 'revoke', 'key_nobody'])
    await yes.shows('[y/N]')
    yes.type('y\r')
    expect(await yes.ended).toBe(3)
  })

  it('after an interrupted prompt, a user is not prompted again, and nothing is changed', async () => {
    const minted = await tollgate('keys', 'mint', '--end-user-id', 'ada', '--name', 'kept', '--json')
    const { id }: { id: string } = JSON.parse(minted.stdout)
    const screen = asked(['keys', 'revoke', id])
    await screen.shows('[y/N]')
    screen.kill('SIGINT')
    expect(await screen.ended).toBe(130)
    expect(screen.lines().at(-1)).toBe('tollgate: Interrupted.')
    const shown = await tollgate('keys', 'show', id, '--json')
    expect(JSON.parse(shown.stdout)).toMatchObject({ revokedAt: null })
  })

  it('a user sees the cost of a call as a waterfall chart that fits the screen', async () => {
    const { stdout } = await tollgate('requests', 'list', '--quiet')
    const [id = ''] = stdout.split('\n')
    for (const columns of [80, 200]) {
      const screen = onScreen(['requests', 'explain', id], {
        columns,
        env: { ...env, TOLLGATE_TOKEN: server.token, TOLLGATE_MODE: 'test' },
      })
      expect(await screen.ended).toBe(0)
      expect(screen.hasWrapped()).toBe(false)
      const text = screen.lines().join('\n')
      expect(text).toMatch(/^settle +charged +\$0\.\d+$/m)
      expect(text).toMatch(/^decide .*held \$0\.\d+$/m)
    }
  })

  it('a user watches calls as they end, until Ctrl-C', async () => {
    const screen = asked(['requests', 'tail', '--app', 'acme'])
    await screen.shows('Waiting for requests to finish')
    const { data }: { data: { localGateway: string }[] } = JSON.parse(
      (await tollgate('apps', 'list', '--json')).stdout,
    )
    const { key }: { key: string } = JSON.parse(
      (await tollgate('keys', 'mint', '--end-user-id', 'ada', '--json')).stdout,
    )
    const answer = await fetch(`${data[0]?.localGateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/fast', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await answer.text()
    expect(answer.status).toBe(200)
    expect(await screen.shows(answer.headers.get('x-request-id') ?? 'none')).toMatch(/200 +ada +acme\/fast/)
    screen.type('\u0003')
    expect(await screen.ended).toBe(0)
  })
})

describe('tollgate sample', () => {
  it('tollgate sample creates calls that settle only in test mode, and its application can be removed', async () => {
    const made = await tollgate('sample', '--days', '2', '--calls', '6', '--json')
    expect(made.code, made.stderr).toBe(0)
    const told: { app: string; sent: number; settled: number; refused: number } = JSON.parse(made.stdout)
    expect(told.app).toBe('sample-month')
    expect(told.sent).toBeGreaterThan(0)
    expect(told.settled + told.refused).toBe(told.sent)
    const live = await tollgate('usage', '--app', told.app, '--mode', 'live', '--json')
    expect(JSON.parse(live.stdout).totals.calls).toBe(0)
    const listed = await tollgate('requests', 'list', '--app', told.app, '--mode', 'test', '--json')
    const requests: { streamed: boolean; status: string; firstByteMs: number | null }[] = JSON.parse(
      listed.stdout,
    ).data
    const streamed = requests.filter((one) => one.status === 'settled' && one.streamed)
    expect(streamed.length).toBeGreaterThan(0)
    for (const { firstByteMs } of streamed) expect(firstByteMs).toBeGreaterThanOrEqual(20)
    expect(await tollgate('sample')).toMatchObject({ code: 2 })
    expect(await tollgate('sample', '--remove')).toMatchObject({ code: 2 })
    expect(await tollgate('sample', '--remove', '--yes')).toMatchObject({ code: 0 })
    expect((await tollgate('sample', '--remove', '--yes')).stderr).toContain(
      'There is no sample application to remove.',
    )
  })
})

function tollgate(...args: string[]): ReturnType<typeof run> {
  return run(command, args, { ...env, TOLLGATE_TOKEN: server.token, TOLLGATE_MODE: 'test' })
}

async function codeOn(screen: Screen): Promise<string> {
  const line = await screen.shows(/Compare the code on the page with {2}\S+/)
  return /with {2}(\S+)/.exec(line)?.[1] ?? ''
}

async function decide(userCode: string, approve: boolean): Promise<void> {
  const answer = await post('/v1/device-auth/approve', { userCode, approve }, ada)
  expect(answer.status, await answer.text()).toBe(200)
}

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}
