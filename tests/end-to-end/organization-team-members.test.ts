/**
 * At the end, the test searches for the members' secrets in all stored data (docs/reference/threats.md "Secrets in
 * logs and records").
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import {
  command,
  control,
  run,
  spawnServer,
  verifies,
  type Answer,
  type SpawnedServer,
} from '../support/start-product.ts'
import { startSmtpServer, type SmtpServer } from '../support/start-mail-server.ts'

const canary = (name: string): string => `canary${name}${randomBytes(12).toString('hex')}`
const smtpPassword = canary('Smtp')
const passwords = { first: canary('First'), second: canary('Second'), wrong: canary('Wrong') }
const setupPattern = /http:\/\/localhost:\d+\/setup#([\w-]{43})/

let folder: string
let server: SpawnedServer
let smtp: SmtpServer
const secrets: Record<string, string> = { smtpPassword, ...passwords }
const answers: Answer[] = []

beforeAll(async () => {
  folder = newDataFolder('e2e')
  smtp = await startSmtpServer(smtpPassword)
  const environment = {
    TOLLGATE_LOG_LEVEL: 'debug',
    TOLLGATE_SMTP_URL: smtp.url,
    TOLLGATE_SMTP_FROM: 'Tollgate <tollgate@example.com>',
  }
  server = await spawnServer(folder, { environment })
  secrets['token'] = server.token
})
afterAll(async () => {
  server.child.kill('SIGKILL')
  await smtp.close()
  rmSync(folder, { recursive: true })
})

interface Person {
  readonly cookie: string
  readonly csrfToken: string
}

async function open(method: string, path: string, body?: object, person?: Person): Promise<Answer> {
  const response = await fetch(server.baseUrl + path, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(person && { cookie: person.cookie, 'x-csrf-token': person.csrfToken, origin: server.baseUrl }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer = { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  answers.push(answer)
  return answer
}

function personOf(name: string, answer: Answer): Person {
  expect(answer.status, answer.text).toBe(200)
  const [cookie = ''] = answer.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  secrets[`cookie of ${name}`] = cookie.split('=')[1] ?? ''
  return { cookie, csrfToken: answer.body.csrfToken }
}

describe('the team', () => {
  let owner: Person

  test('the first owner joins through a link that the operator creates after the first link was lost', async () => {
    const listen = { TOLLGATE_LISTEN: `127.0.0.1:${server.port}` }
    const told = await run(command, ['setup-link', '--data', folder], listen)
    expect(told.code, told.stderr).toBe(0)
    expect(new URL(told.stdout.trim()).origin).toBe(`http://localhost:${server.port}`)
    const token = new URL(told.stdout.trim()).hash.slice(1)
    secrets['set-up link'] = token
    const body = { token, name: 'Ada', email: 'ada@example.com', password: passwords.first }
    owner = personOf('ada', await open('POST', '/v1/invitations/accept', body))
    expect((await open('POST', '/v1/invitations/accept', body)).body.error.code).toBe('link_invalid')
    // After an owner has joined, the command creates no further link.
    const again = await run(command, ['setup-link', '--data', folder])
    expect([again.code, again.stdout]).toEqual([2, ''])
    expect(again.stderr).toContain('already has an owner')
  })

  test('threat 107: the mail of an invitation contains a link to the configured address', async () => {
    const invited = await open('PUT', '/v1/team/bob@example.com', { role: 'developer' }, owner)
    expect(invited.status, invited.text).toBe(200)
    expect(invited.body.inviteUrl).toBeNull()
    expect(smtp.mails).toHaveLength(1)
    const [mail] = smtp.mails
    expect(mail).toMatchObject({ from: 'tollgate@example.com', to: 'bob@example.com' })
    expect(mail?.data).toContain('Subject: Invitation to My organization on Tollgate')
    expect(mail?.data).toContain('ada@example.com invites you')
    expect(smtp.logins).toEqual([`mailer ${smtpPassword}`])
    // Quoted-printable mail splits long lines into pieces.
    const text = mail?.data.replaceAll(/=\n/g, '').replaceAll('=3D', '=') ?? ''
    const [link = '', token = ''] = /http:\/\/\S+\/invite#([\w-]{43})/.exec(text) ?? []
    expect(new URL(link).host).toBe(`localhost:${server.port}`)
    secrets['invite link'] = token
    const body = { token, name: 'Bob', password: passwords.second }
    const bob = personOf('bob', await open('POST', '/v1/invitations/accept', body))
    expect((await open('GET', '/v1/whoami', undefined, bob)).body.member.role).toBe('developer')
  })

  test('an invitation that the mail server rejects is reported, and changes nothing', async () => {
    smtp.refuseWith = `554 we do not like ${passwords.wrong}`
    const refused = await open('PUT', '/v1/team/eve@example.com', { role: 'viewer' }, owner)
    expect([refused.status, refused.body.error.code]).toEqual([502, 'mail_failed'])
    expect((await open('GET', '/v1/team', undefined, owner)).text).not.toContain('eve@example.com')
    smtp.refuseWith = null
    expect(server.stderr()).toContain('the mail server did not accept an email')
  })

  test('a repeated invitation sends only one mail', async () => {
    const headers = { 'idempotency-key': 'invite-carol' }
    const invite = () => control(server, 'PUT', '/v1/team/carol@example.com', { role: 'viewer' }, headers)
    const before = smtp.mails.length
    expect((await invite()).status).toBe(200)
    expect((await invite()).body.error.code).toBe('secret_not_kept')
    expect(smtp.mails).toHaveLength(before + 1)
  })

  test('members sign in with passwords, and wrong passwords are rejected', async () => {
    const signIn = (password: string) => open('POST', '/v1/sessions', { email: 'bob@example.com', password })
    expect((await signIn(passwords.wrong)).status).toBe(401)
    const bob = personOf('bob again', await signIn(passwords.second))
    const body = { currentPassword: passwords.wrong, newPassword: passwords.wrong }
    expect((await open('POST', '/v1/sessions/password', body, bob)).body.error.code).toBe('wrong_password')
    const misspelt = { email: 'bob@example.com', pasword: passwords.second }
    expect((await open('POST', '/v1/sessions', misspelt)).status).toBe(400)
    const broken = await fetch(`${server.baseUrl}/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"email":"bob@example.com","password":"${passwords.second}`,
    })
    expect(broken.status).toBe(400)
    expect(await broken.text()).not.toContain(passwords.second)
  })

  test('a member approves the sign-in of a command line', async () => {
    const { deviceCode, userCode } = (await open('POST', '/v1/device-auth', { clientName: 'laptop' })).body
    secrets['device code'] = deviceCode
    secrets['user code'] = userCode
    const waits = await open('POST', '/v1/device-auth/token', { deviceCode })
    expect(waits.body.error.code).toBe('authorization_pending')
    const approved = await open('POST', '/v1/device-auth/approve', { userCode, approve: true }, owner)
    expect(approved.status, approved.text).toBe(200)
    const early = await open('POST', '/v1/device-auth/token', { deviceCode })
    expect(early.body.error.code).toBe('slow_down')
    expect((await open('POST', '/v1/device-auth/token', { deviceCode: `${deviceCode}x` })).status).toBe(400)
  })
})

describe('threat 108: no output contains the secrets of members', () => {
  const shown = new Set(['cookie of ada', 'cookie of bob', 'cookie of bob again'])

  test('no response contains secrets, except the codes for the sign-in of the device', () => {
    const { 'device code': _, 'user code': __, ...others } = secrets
    for (const { text } of answers) expect(hits(text, others), text).toEqual([])
    const refusals = answers.filter(({ status }) => status !== 200)
    expect(refusals.length).toBeGreaterThan(6)
    for (const { text } of refusals) expect(hits(text, secrets), text).toEqual([])
    expect(Object.keys(secrets).filter((name) => shown.has(name))).toHaveLength(3)
  })

  test('the audit log contains no secrets', async () => {
    const { body, text } = await control(server, 'GET', '/v1/audit?limit=200')
    expect(body.data.length).toBeGreaterThan(4)
    expect(hits(text, secrets)).toEqual([])
  })

  test('the log has no secrets, even at its most verbose level', () => {
    for (const line of server.stderr().split('\n')) expect(hits(line, secrets), line).toEqual([])
  })

  test('the files of the store contain no secrets, both while the store is open and after it is closed', async () => {
    expectFilesClean()
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    await verifies(folder)
    expectFilesClean()
  })
})

test('the first start prints the link for the first owner only once', async () => {
  const other = newDataFolder('e2e')
  const first = await spawnServer(other)
  const { setup } = JSON.parse(first.line) as { setup: { setupUrl: string } }
  expect(setup.setupUrl).toMatch(setupPattern)
  expect(new URL(setup.setupUrl).port).toBe(String(first.port))
  first.child.kill('SIGTERM')
  await first.ended
  const second = await spawnServer(other, { token: first.token })
  expect(JSON.parse(second.line).setup).toBeNull()
  second.child.kill('SIGTERM')
  await second.ended
  rmSync(other, { recursive: true })
})

function hits(text: string, words: Readonly<Record<string, string>>): string[] {
  return Object.entries(words)
    .filter(([, word]) =>
      [
        word,
        Buffer.from(word).toString('base64').replaceAll('=', ''),
        Buffer.from(word).toString('hex'),
      ].some((form) => text.includes(form)),
    )
    .map(([name]) => name)
}

function expectFilesClean(): void {
  const files = readdirSync(folder).filter(
    (name) => name !== 'master-key' && statSync(join(folder, name)).isFile(),
  )
  expect(files).toContain('tollgate.db')
  // Latin-1 keeps every byte unchanged.
  const texts = files.map((name) => readFileSync(join(folder, name), 'latin1'))
  for (const text of texts) expect(hits(text, secrets)).toEqual([])
  // Proves that the search works: the email address is stored.
  expect(texts.some((text) => text.includes('bob@example.com'))).toBe(true)
  // Servers inside the test process hash passwords at a low cost, but the real command does not.
  expect(texts.some((text) => text.includes('scrypt$17$8$1$'))).toBe(true)
}
