/** Tests the device sign-in (RFC 8628) with a clock that the test controls. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  commandLine,
  fetchOf,
  type CommandLine,
  type Ran,
  type TerminalOptions,
} from '../support/run-command-line-in-process.ts'
import { openControl, type Control, type Session } from '../support/control-plane-without-socket.ts'

const host = 'http://control.test'

let control: Control
let shell: CommandLine
let ada: Session
let started: { deviceCode: string; userCode: string }
let polls: string[]

beforeEach(async () => {
  control = await openControl()
  ada = await control.join('ada@example.com', 'owner')
  polls = []
  shell = commandLine({ fetch: watched(fetchOf(control)), env: { TOLLGATE_BASE_URL: host } })
})
afterEach(async () => {
  shell.close()
  await control.close()
})

describe('tollgate login', () => {
  it('tollgate login prints a code, waits for its approval, and stores the token readable only by its owner', async () => {
    const { waits, ...ran } = await login({ before: { 3: () => decide(true) } })
    expect(ran.exitCode).toBe(0)
    expect(ran.out).toBe('')
    expect(ran.err).toContain(started.userCode)
    expect(ran.err).toContain(`http://localhost:8080/device?code=${started.userCode}`)
    expect(ran.err).toContain('Signed in at http://control.test to First, as admin')
    expect(polls).toEqual(['authorization_pending', 'authorization_pending', 'token'])
    expect(waits).toEqual([5000, 5000, 5000])
    const file = join(shell.home, '.config', 'tollgate', 'credentials.toml')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(shell.home, '.config', 'tollgate')).mode & 0o777).toBe(0o700)
    // Only the file with the token contains the secret.
    const secret = /token = "(sk_\w+)"/.exec(readFileSync(file, 'utf8'))?.[1]
    expect(secret).toBeDefined()
    expect(ran.err).not.toContain(secret)
    const who = await shell.run(['whoami', '--json'])
    expect(JSON.parse(who.out)).toMatchObject({ token: { label: 'tollgate on laptop', role: 'admin' } })
    expect(who.out).not.toContain(secret)
  })

  it('tollgate login requests no higher role than --role', async () => {
    await login({ before: { 1: () => decide(true) } }, ['--role', 'viewer'])
    expect((await shell.run(['whoami'])).out).toMatch(/^role +viewer$/m)
    expect(await shell.run(['tokens', 'create', '--label', 'x'])).toMatchObject({ exitCode: 5, out: '' })
  })

  it('tollgate login reports a denial, and stores nothing', async () => {
    const ran = await login({ before: { 2: () => decide(false) } })
    expect(ran).toMatchObject({ exitCode: 4, out: '' })
    expect(ran.err).toContain('The sign-in was denied.')
    expect(polls).toEqual(['authorization_pending', 'access_denied'])
    expect((await shell.run(['whoami'])).exitCode).toBe(4)
  })

  it('tollgate login ends when the code expires', async () => {
    const ran = await login({ before: {} })
    expect(ran).toMatchObject({ exitCode: 4, out: '' })
    expect(ran.err).toContain('The code has expired')
    expect(new Set(polls.slice(0, -1))).toEqual(new Set(['authorization_pending']))
    expect(polls.length).toBeLessThanOrEqual(120)
  })

  it('after a slow_down response, tollgate login waits five seconds longer before each further poll', async () => {
    // The command's timer fires too early once.
    const { exitCode, waits } = await login({ before: { 5: () => decide(true) }, passes: { 2: 1000 } })
    expect(exitCode).toBe(0)
    expect(polls).toEqual([
      'authorization_pending',
      'slow_down',
      'authorization_pending',
      'authorization_pending',
      'token',
    ])
    expect(waits).toEqual([5000, 5000, 10_000, 10_000, 10_000])
  })

  it('tollgate login waits twice as long after a failed connection', async () => {
    let isDown = true
    const away = (ms: number): void => void (isDown = ms < 2)
    const { exitCode, waits } = await login(
      { before: { 2: () => away(2), 3: () => decide(true) } },
      [],
      (url, init) => {
        if (isDown && addressOf(url).endsWith('/token')) throw new TypeError('fetch failed')
        return watched(fetchOf(control))(url, init)
      },
    )
    expect(exitCode).toBe(0)
    expect(waits).toEqual([5000, 10_000, 10_000])
  })

  it('tollgate login redeems its code once: a second redemption is rejected, and the first token remains valid', async () => {
    await login({ before: { 1: () => decide(true) } })
    control.clock.nowMs += 5000
    const again = await control.call('POST', '/v1/device-auth/token', {
      token: null,
      body: { deviceCode: started.deviceCode },
    })
    expect([again.status, again.body.error.code]).toEqual([400, 'expired_token'])
    expect((await shell.run(['whoami'])).exitCode).toBe(0)
  })

  it('tollgate login fails if another process has redeemed its code', async () => {
    const redeem = async (): Promise<void> => {
      await decide(true)
      const body = { deviceCode: started.deviceCode }
      expect((await control.call('POST', '/v1/device-auth/token', { token: null, body })).status).toBe(200)
    }
    const ran = await login({ before: { 1: redeem } })
    expect(ran).toMatchObject({ exitCode: 4, out: '' })
    expect(ran.err).toContain('The code has expired or was already used.')
    // If two polls arrive at the same time, the second poll is too early.
    expect(polls).toEqual(['slow_down', 'expired_token'])
  })

  it('tollgate login reports that Ctrl-C ended the wait', async () => {
    const leaving = new AbortController()
    const ran = await shell.run(['login'], {
      signal: leaving.signal,
      clock: {
        now: () => control.clock.nowMs,
        sleep: async () => {
          leaving.abort()
          throw new Error('aborted')
        },
      },
    })
    expect(ran).toMatchObject({ exitCode: 130, out: '' })
  })

  it('tollgate login accepts a token from standard input, and rejects an invalid token', async () => {
    const ran = await shell.run(['login', '--with-token'], { input: `${control.token}\n` })
    expect(ran).toMatchObject({ exitCode: 0, out: '' })
    expect((await shell.run(['keys', 'list'])).err).toContain('The organization has no application.')
    const wrong = await shell.run(['login', '--with-token', '--profile', 'other'], {
      input: 'sk_aaaaaa_wrong',
    })
    expect(wrong.exitCode).toBe(4)
  })
})

describe('the token of a sign-in', () => {
  beforeEach(async () => {
    await shell.run(['login', '--with-token'], { input: control.token })
  })

  it('the token of a sign-in is sent to its own host, and to no other host', async () => {
    const ran = await shell.run(['whoami', '--host', 'http://other.test'])
    expect(ran.exitCode).toBe(4)
    expect(ran.err).toContain('is not signed in at http://other.test')
    const sent: string[] = []
    await shell.run(['keys', 'list', '--host', 'http://other.test'], {
      fetch: async (_, init) => {
        sent.push(...Object.values(Object.fromEntries(new Headers(init?.headers))))
        return Response.json(
          { error: { code: 'missing_credential', message: 'No credential.' } },
          { status: 401 },
        )
      },
    })
    expect(sent.join()).not.toContain('sk_')
  })

  it('the token of a sign-in is stored with its profile, and TOLLGATE_TOKEN overrides this token', async () => {
    expect((await shell.run(['whoami', '--profile', 'other'])).exitCode).toBe(4)
    const other = await control.found('Second')
    const ran = await shell.run(['whoami'], { env: { TOLLGATE_TOKEN: other } })
    expect(ran.out).toContain('Second')
    expect(ran.out).toContain('(TOLLGATE_TOKEN)')
  })

  it('logout revokes and deletes the token of a sign-in', async () => {
    const ran = await shell.run(['logout'])
    expect(ran).toMatchObject({ exitCode: 0, out: '' })
    expect((await control.call('GET', '/v1/whoami')).status).toBe(401)
    expect(readFileSync(join(shell.home, '.config', 'tollgate', 'credentials.toml'), 'utf8')).not.toContain(
      'sk_',
    )
    expect((await shell.run(['logout'])).err).toContain('is not signed in')
  })
})

interface Course {
  /** Events that happen before a poll, by the number of the poll. The first poll has the number 1. */
  readonly before: Readonly<Record<number, () => unknown>>
  /** Milliseconds that pass before a poll, by the number of the poll. A missing entry means the requested wait. */
  readonly passes?: Readonly<Record<number, number>>
}

async function login(
  { before, passes = {} }: Course,
  more: readonly string[] = [],
  send?: typeof fetch,
): Promise<Ran & { waits: number[] }> {
  const waits: number[] = []
  const clock: TerminalOptions['clock'] = {
    now: () => control.clock.nowMs,
    sleep: async (ms) => {
      waits.push(ms)
      control.clock.nowMs += passes[waits.length] ?? ms
      await before[waits.length]?.()
    },
  }
  const ran = await shell.run(['login', ...more], { clock, ...(send && { fetch: send }) })
  return { ...ran, waits }
}

async function decide(approve: boolean): Promise<void> {
  const body = { userCode: started.userCode, approve }
  const { status, text } = await control.call('POST', '/v1/device-auth/approve', { session: ada, body })
  expect(status, text).toBe(200)
}

function watched(send: typeof fetch): typeof fetch {
  return async (url, init) => {
    const response = await send(url, init)
    const path = new URL(addressOf(url)).pathname
    if (path === '/v1/device-auth') started = JSON.parse(await response.clone().text())
    if (path === '/v1/device-auth/token') {
      const answer: { token?: string; error?: { code: string } } = JSON.parse(await response.clone().text())
      polls.push(answer.error?.code ?? 'token')
    }
    return response
  }
}

function addressOf(url: Parameters<typeof fetch>[0]): string {
  return url instanceof Request ? url.url : url.toString()
}
