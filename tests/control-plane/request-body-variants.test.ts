/**
 * In the tested bodies, the value of one field determines the other fields. The OpenAPI document must accept exactly
 * the combinations of fields that the server accepts.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import openapi from '../../openapi.json' with { type: 'json' }
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'

type Json = Readonly<Record<string, unknown>>

const ajv = new Ajv2020({ strict: false, formats: { date: true, 'date-time': true, email: true } })
ajv.addSchema(JSON.parse(JSON.stringify(openapi)), 'document')

let control: Control
beforeAll(async () => {
  control = await openControl()
  await ready(control)
})
afterAll(() => control.close())

function subsets(fields: Json): Json[] {
  return Object.entries(fields).reduce<Json[]>(
    (all, [name, value]) => [...all, ...all.map((one) => ({ ...one, [name]: value }))],
    [{}],
  )
}

function isDescribed(path: string, method: string, body: Json): boolean {
  const pointer = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema']
    .map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const validate = ajv.getSchema(`document#/${pointer}`)
  if (!validate) throw new Error(`the document has no body of ${method} ${path}`)
  return validate(body) === true
}

async function expectSame(
  bodies: readonly Json[],
  described: readonly [path: string, method: string],
  send: (body: Json) => Promise<{ readonly status: number; readonly text: string }>,
): Promise<void> {
  let accepted = 0
  for (const body of bodies) {
    // oxlint-disable-next-line no-await-in-loop -- one change after the other
    const { status, text } = await send(body)
    if (status === 200) accepted += 1
    expect([JSON.stringify(body), isDescribed(...described, body)], text).toEqual([
      JSON.stringify(body),
      status === 200,
    ])
  }
  expect(accepted).toBeGreaterThan(0)
  expect(accepted).toBeLessThan(bodies.length)
}

it('an emitter has the fields of its kind', async () => {
  const fields = {
    url: 'https://billing.example.com/usage',
    apiToken: 'token-0000001',
    apiKey: 'key-0000000001',
    eventType: 'llm_call',
    eventName: 'llm_call',
  }
  const kinds = ['webhook', 'vendor_a', 'vendor_b', 'stripe', 'openmeter', 'other']
  const bodies = kinds.flatMap((kind) => subsets(fields).map((body) => ({ kind, ...body })))
  await expectSame([...bodies, {}], ['/v1/emitters', 'post'], (body) =>
    control.call('POST', '/v1/emitters', { body }),
  )
})

it('a target of a router is one alias, one router, or one provider with its model', async () => {
  const router = { policy: 'priority', targets: [{ alias: 'acme/smart' }] }
  const made = await control.call('PUT', '/v1/routers/acme/other', { body: router })
  expect(made.status, made.text).toBe(200)
  const targets = subsets({ alias: 'acme/smart', router: 'acme/other', provider: 'main', model: 'gpt-x' })
  await expectSame(
    targets.map((target) => ({ policy: 'priority', targets: [target] })),
    ['/v1/routers/{name}', 'put'],
    (body) => control.call('PUT', '/v1/routers/acme/tried', { body }),
  )
})

it('a grant names its recipients in exactly one of three ways', async () => {
  const recipients = subsets({ endUsers: ['user-1'], bundle: 'free', everyone: true })
  await expectSame(
    recipients.map((who) => ({ ...who, amountUnits: '1', reason: 'welcome' })),
    ['/v1/grants', 'post'],
    (body) => control.call('POST', '/v1/grants', { body }),
  )
})

it('a route is planned for a new request or for a recorded request, not for both', async () => {
  // The test counts 404 as accepted, because only the ID in the body is unknown.
  await expectSame(
    subsets({ request: { messages: [] }, requestId: 'req_1' }),
    ['/v1/routers/{name}/plan', 'post'],
    async (body) => {
      const answer = await control.call('POST', '/v1/routers/acme/smart/plan', { body })
      return { status: answer.status === 404 ? 200 : answer.status, text: answer.text }
    },
  )
})

it('a provider account of any kind may be created or changed, and the simulator has no address and no key', async () => {
  const fields = { baseUrl: 'https://api.example.com/v1', apiKey: 'sk-upstream-0001' }
  for (const [label, kind] of [
    ['main', 'openai_compatible'],
    ['spare', 'simulator'],
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one change after the other
    await expectSame(
      [...subsets({ kind, ...fields }), { kind: 'other' }].filter(
        // Only the stored account shows the kind if the request omits it.
        (body) => label !== 'spare' || 'kind' in body,
      ),
      ['/v1/providers/{id}', 'put'],
      (body) => control.call('PUT', `/v1/providers/${label}`, { body }),
    )
  }
})
