import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '#operations/index.ts'
import { operationTable } from '#cli/operations/operation-table.ts'
import { secretFields } from '#cli/output/fields-with-one-time-secrets.ts'
import { verifyWebhook } from '#sdk/webhook.ts'
import { commandLine, fetchOf, type CommandLine } from '../support/run-command-line-in-process.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'
import { reserveCall, settleCall } from '../support/valid-request-of-every-operation.ts'

let control: Control
let shell: CommandLine
let status = 204
const received: { readonly url: string; readonly body: string; readonly headers: Headers }[] = []
let onReceived = (): void => {}
let onListening = (): void => {}

beforeAll(async () => {
  control = await openControl({
    poster: { send: async () => ({ kind: 'answered', status, text: '' }), close() {} },
  })
  await ready(control)
  await control.call('POST', '/v1/grants', {
    body: { endUsers: ['user-1'], amountUnits: '1000000', reason: 'welcome' },
  })
  const api = fetchOf(control)
  shell = commandLine({
    env: { TOLLGATE_BASE_URL: 'http://control.test', TOLLGATE_TOKEN: control.token },
    clock: { now: () => control.clock.nowMs },
    fetch: async (address, init = {}) => {
      const url = new URL(address instanceof Request ? address.url : address)
      if (url.host === 'localhost:3000') {
        received.push({
          url: url.href,
          body: typeof init.body === 'string' ? init.body : '',
          headers: new Headers(init.headers),
        })
        const answer = new Response(null, { status })
        onReceived()
        return answer
      }
      if (url.pathname !== '/v1/emitters/listen') return api(address, init)
      const stream = await control.stream(`${url.pathname}${url.search}`, { app: 'acme' })
      onListening()
      // The response body ends when `signal` is aborted, like a body of `fetch`.
      const ends = init.signal ? { signal: init.signal } : {}
      const body = stream.body?.pipeThrough(new TransformStream(), ends) ?? null
      return new Response(body, { headers: stream.headers })
    },
  })
})
afterAll(async () => {
  shell.close()
  await control.close()
})

describe('tollgate emitters trigger', () => {
  it('emitters trigger posts a signed sample to the receiver, and its exit code shows whether the sample was accepted', async () => {
    status = 204
    const ran = await shell.run(['emitters', 'trigger', '--forward-to', '3000/hook', '--json'])
    expect([ran.exitCode, ran.err]).toEqual([0, ''])
    const [post] = received.splice(0)
    expect(post?.url).toBe('http://localhost:3000/hook')
    expect(JSON.parse(ran.out)).toMatchObject({ delivered: true, status: 204, events: 1, reason: null })
    const { body: sample } = await control.call('POST', '/v1/emitters/sample')
    const batch = await verifyWebhook(
      post?.body ?? '',
      post?.headers.get('svc-signature') ?? null,
      sample.signingSecret,
      { now: control.clock.nowMs },
    )
    expect(batch.type).toBe('usage.recorded')

    status = 500
    const failed = await shell.run(['emitters', 'trigger', '--forward-to', 'http://localhost:3000'])
    expect(failed.exitCode).toBe(1)
    expect(failed.out).toMatch(/500 .*1 event .*usgb_\w+ +the receiver returned 500\n$/)
  })

  it('emitters trigger with the ID of an emitter has the same result as emitters test', async () => {
    status = 200
    const url = 'https://hooks.example.com/usage'
    const added = await shell.run(['emitters', 'add', '--kind', 'webhook', '--url', url, '--json'])
    const { id } = JSON.parse(added.out)
    expect((await shell.run(['emitters', 'trigger', id])).exitCode).toBe(0)
    status = 410
    for (const verb of ['trigger', 'test']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const ran = await shell.run(['emitters', verb, id])
      expect([ran.exitCode, ran.out]).toEqual([1, expect.stringMatching(/delivered +no/)])
    }
    const listed = await shell.run(['emitters', 'deliveries', id, '--json'])
    const { data } = JSON.parse(listed.out)
    const shown = await shell.run(['emitters', 'delivery', id, data[0].id, '--json'])
    expect(JSON.parse(shown.out)).toMatchObject({
      status: 410,
      requestBody: expect.stringContaining('events'),
    })
  })

  it.each([
    [['emitters', 'trigger'], 'Set either the ID of an emitter'],
    [['emitters', 'trigger', 'emt_1', '--forward-to', '3000'], 'Set either the ID of an emitter'],
    [['emitters', 'trigger', '--forward-to', 'ftp://x'], '--forward-to must be an http or https address'],
    [['emitters', 'listen'], 'Missing: --forward-to'],
  ])('%s is a usage error', async (words, message) => {
    const ran = await shell.run(words)
    expect([ran.exitCode, ran.err]).toEqual([2, expect.stringContaining(message)])
  })
})

it('tollgate emitters listen forwards settled calls, and prints each delivery', async () => {
  status = 204
  received.length = 0
  const ending = new AbortController()
  const twice = new Promise<void>((resolve) => {
    onReceived = () => {
      if (received.length === 1) status = 400
      if (received.length === 2) resolve()
    }
  })
  const listening = new Promise<void>((resolve) => (onListening = resolve))
  const running = shell.run(['emitters', 'listen', '--forward-to', 'http://localhost:3000/hook'], {
    signal: ending.signal,
  })
  const settle = async (): Promise<void> => {
    const key = await control.call('POST', '/v1/keys', { body: { endUserId: 'user-1' } })
    const callId = await reserveCall(control, 'acme', key.body.id, null)
    await settleCall(control, 'acme', callId)
    const application = await control.store.read.applications.bySlug('acme')
    const place = { applicationId: application?.id ?? '', mode: 'live', callId, latencyMs: 0 }
    // The code under test reads only the fields that this record has.
    control.callTail.told({ record: place as never })
  }
  await listening
  await settle()
  while (received.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await settle()
  await twice
  ending.abort()
  const { err, exitCode, out } = await running
  expect(exitCode).toBe(0)
  expect(err).toContain('Forwarding usage events of live mode to http://localhost:3000/hook.')
  const secret = /whsec_[\w+/=-]+/.exec(err)?.[0] ?? ''
  for (const { body, headers } of received) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await verifyWebhook(body, headers.get('svc-signature'), secret, { now: control.clock.nowMs })
  }
  expect(out).toMatch(/204 .*1 event .*usgb_\w+\n/)
})

describe('secrets that are returned once', () => {
  it('-q prints the secret that a response returns only once, and not the ID, which can be listed again', async () => {
    for (const [words, secret] of [
      [['keys', 'mint', '--end-user-id', 'user-1'], /^ak_\w+\n$/],
      [['tokens', 'create', '--label', 'ci'], /^sk_\w+\n$/],
      [['emitters', 'add', '--kind', 'webhook', '--url', 'https://a.example.com/'], /^whsec_[\w+/=-]+\n$/],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const ran = await shell.run([...words, '-q'])
      expect([ran.exitCode, ran.out]).toEqual([0, expect.stringMatching(secret)])
    }
    const vendor = ['emitters', 'add', '--kind', 'vendor_a', '--api-token', 'token-0000001']
    const ran = await shell.run([...vendor, '--event-type', 'llm_call', '-q'])
    expect(ran.out).toMatch(/^emt_\w+\n$/)
  })

  it('without -q, a secret that is returned only once is printed separately after the response, marked as shown once', async () => {
    const ran = await shell.run(['keys', 'mint', '--end-user-id', 'user-1'])
    expect(ran.out).toMatch(/\n\nkey \(shown once\) {2}ak_\w+\n$/)
    expect(ran.out.match(/ak_\w{30,}/g)).toHaveLength(1)
  })

  it('the command line recognizes the secret in the response of every operation that returns a secret', () => {
    // The responses of the listed operations contain secrets, which the command line prints only as part of the
    // response. Browsers receive some of these secrets as cookies. Users open the links and type the codes.
    const others = [
      'deviceAuth.start',
      'invitations.accept',
      'portal.link',
      'sessions.create',
      'sessions.passkey',
      'team.invite',
    ]
    const returning = operations.filter(({ answersSecret }) => answersSecret).map(({ id }) => id)
    expect([...Object.keys(secretFields), ...others].toSorted()).toEqual(returning.toSorted())
    for (const [id, field] of Object.entries(secretFields)) {
      const { fields = [] } = operationTable.operations.find((operation) => operation.id === id) ?? {}
      expect(fields, id).toContain(field)
    }
  })
})
