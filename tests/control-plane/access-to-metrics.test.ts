/** The metrics describe the whole server instead of one organization. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
beforeAll(async () => {
  control = await openControl()
})
afterAll(() => control.close())

const read = (options: Parameters<Control['call']>[2] = {}): ReturnType<Control['call']> =>
  control.call('GET', '/metrics', options)

test('only tokens and members of the organization may read the server’s metrics', async () => {
  expect((await read()).status).toBe(200)
  const viewer = await control.join('viewer@example.com', 'viewer')
  expect((await read({ session: viewer })).status).toBe(200)
  const nobody = await read({ token: null })
  expect([nobody.status, nobody.body.error.code]).toEqual([401, 'missing_credential'])
  expect(nobody.headers.get('www-authenticate')).toBe('Bearer')
})

test('no token may read the metrics of a server with several organizations, because these metrics are for the operator', async () => {
  const second = await control.found('Second')
  for (const token of [control.token, second]) {
    // oxlint-disable-next-line no-await-in-loop -- two
    const { body, status } = await read({ token })
    expect([status, body.error.code]).toEqual([403, 'operator_only'])
    expect(body.error.message).toContain('2 organizations')
    expect(body.error.message).toContain('TOLLGATE_METRICS_ADDRESSES')
  }
  expect(control.internal).toEqual([])
})
