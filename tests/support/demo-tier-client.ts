/** Calls the demo tier like a new user, and checks the responses against the published schemas. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { CallOptions, Control } from './control-plane-without-socket.ts'
import type { Answer } from './start-product.ts'

export interface Person {
  readonly id: string
  readonly externalId: string
  readonly email: string | null
  readonly wallet: { readonly balanceMicros: string; readonly reservedMicros: string }
  readonly usage: Counts
}
export interface Counts {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly billedMicros: string
}
interface Subscription {
  readonly priceMicros: string
  readonly periodStart: string
  readonly periodEnd: string
  readonly onDemandEnabled: boolean
  readonly onDemandLimitMicros: string | null
  readonly onDemandSpentMicros: string
  readonly pools: readonly {
    readonly slug: string
    readonly unit: 'tokens' | 'micros'
    readonly granted: string
    readonly consumed: string
    readonly spilloverTo: string | null
    readonly aliases: readonly { readonly requestedModel: string; readonly consumed: string }[]
  }[]
  readonly invoices: readonly { readonly issuedAt: string; readonly amountMicros: string }[]
}

export function demoOf(control: () => Control) {
  function anyone(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    return control().call(method, path, { token: null, ...options })
  }

  function as(tenant: string, method: string, path: string, body?: unknown): Promise<Answer> {
    return anyone(method, path, { headers: { 'x-demo-tenant': tenant }, ...(body !== undefined && { body }) })
  }

  async function peopleOf(tenant: string): Promise<readonly Person[]> {
    return (await as(tenant, 'GET', '/v1/end-users')).body.data
  }

  async function subscriptionOf(tenant: string, person: string): Promise<Subscription> {
    return (await as(tenant, 'GET', `/v1/subscription?endUserId=${encodeURIComponent(person)}`)).body
  }

  async function usageOf(
    tenant: string,
    person?: string,
  ): Promise<{ rows: readonly (Counts & { requestedModel: string })[]; totals: Counts }> {
    const query = person === undefined ? '' : `?endUserId=${encodeURIComponent(person)}`
    return (await as(tenant, 'GET', `/v1/usage${query}`)).body
  }

  async function expectPublished(answer: Answer, schema: object, [method, path]: readonly [string, string]) {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
    const fits = ajv.compile(schema)
    expect(fits(answer.body), JSON.stringify([fits.errors, answer.body])).toBe(true)
    const { body: document } = await anyone('GET', '/v1/openapi.json')
    ajv.addSchema(document, 'document')
    const pointer = [path, method.toLowerCase(), 'responses', answer.status, 'content', 'application/json']
    const escaped = pointer.map((part) => String(part).replaceAll('/', '~1')).map(encodeURIComponent)
    const described = ajv.compile({ $ref: `document#/paths/${escaped.join('/')}/schema` })
    expect(described(answer.body), JSON.stringify([described.errors, answer.body])).toBe(true)
  }

  return { anyone, as, expectPublished, peopleOf, subscriptionOf, usageOf }
}
