import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '#operations/index.ts'
import { nounOf, staleAfter } from '#operations/kernel/list-of-nouns.ts'
import type { Control } from '../support/control-plane-without-socket.ts'
import {
  openFilled,
  readings,
  reads,
  sampleOf,
  send,
  type Filled,
  type FilledControl,
} from '../support/valid-request-of-every-operation.ts'
import { sampleOfCases } from '../support/reduced-suite.ts'

/** The OpenAPI document shows these requests and responses. The keys are operation IDs. */
const examples: Record<string, { request?: unknown; response: unknown }> = {}

describe('every operation', () => {
  /** No test changes this control plane, so all read operations share it. */
  let untouched: FilledControl
  /** The keys are operation IDs. */
  let untouchedTexts: ReadonlyMap<string, string>
  beforeAll(async () => {
    untouched = await openFilled()
    untouchedTexts = await readings(untouched.control, untouched.ids)
  })
  afterAll(() => untouched.control.close())

  for (const [at, operation] of operations.entries()) {
    describe(`operation ${operation.id}`, () => {
      const isRead = operation.method === 'GET'
      let control: Control
      let ids: Filled
      beforeAll(async () => {
        ;({ control, ids } = isRead ? untouched : await openFilled())
      })
      afterAll(async () => {
        if (!isRead) await control.close()
      })

      it('a valid request returns a response that matches the schema, and a change writes a row to the audit log', async () => {
        const sample = sampleOf(operation, ids)
        const auditRows = async () => (await control.call('GET', '/v1/audit?limit=200')).body.data
        const before = (await auditRows()).length
        const answer = await send(control, operation, sample)
        expect(answer.status, answer.text).toBe(200)
        expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
        if (operation.streams.length > 0) {
          const types = operation.streams.map(({ mediaType }) => mediaType)
          expect(types).toContain(answer.headers.get('content-type')?.split(';')[0])
        } else expect(operation.output.safeParse(answer.body).error).toBeUndefined()
        if (operation.scope !== 'public') {
          const rows = await auditRows()
          const isChange = !isRead && !operation.changesNothing
          expect(rows.length - before).toBe(isChange ? 1 : 0)
          if (isChange) expect([...internalIn(rows[0].before), ...internalIn(rows[0].after)]).toEqual([])
        }
        // A deleted object has no ETag, but an archived application still has an ETag.
        const isThere = operation.method !== 'DELETE' || operation.id === 'apps.rm'
        expect(answer.headers.has('etag')).toBe(operation.hasRevision && isThere)
        examples[operation.id] = {
          ...(operation.input.body !== null &&
            !sample.file && {
              request: JSON.parse(withoutSecretsAndDurations(JSON.stringify(sample.body ?? {}))),
            }),
          response:
            operation.streams.length > 0
              ? withoutSecretsAndDurations(answer.text)
              : JSON.parse(withoutSecretsAndDurations(answer.text)),
        }
      })

      // After the change, this test reads the objects that the operation does not declare as changed. They must be
      // the same as in the unchanged control plane.
      it.skipIf(isRead)('the operation declares every kind of object that its change affects', async () => {
        const declared = [...staleAfter(operation.changes), 'audit']
        const undeclared = sampleOfCases(reads, 3, at).filter((read) => !declared.includes(nounOf(read)))
        const changed = [...(await readings(control, ids, undeclared))].filter(
          ([id, text]) => untouchedTexts.get(id) !== text,
        )
        expect(changed.map(([id]) => nounOf({ id }))).toEqual([])
      })
    })
  }
})

/** The API shows these fields of an audit row under another name or in another form. */
function internalIn(json: unknown, path = ''): string[] {
  if (typeof json !== 'object' || json === null) return []
  return Object.entries(json).flatMap(([name, value]: [string, unknown]) => {
    const at = `${path}/${name}`
    const isInternal =
      /AtMs$|Sealed|^sealed/.test(name) ||
      ['isDisabled', 'isEnabled', 'isFrozen', 'callsMax', 'spendMaxMicros'].includes(name) ||
      (name === 'to' && typeof value === 'object') ||
      (/(?:At|Until|Since)$/.test(name) && typeof value === 'number') ||
      (/(?:Micros|Units)$/.test(name) && typeof value === 'number')
    return [...(isInternal ? [at] : []), ...internalIn(value, at)]
  })
}

/**
 * A long text without a space counts as a secret. The prefix that names the kind of secret is kept. Measured
 * durations are also replaced.
 */
function withoutSecretsAndDurations(json: string): string {
  return (
    json
      // The duration of a delivery is measured, and can be zero on an idle machine.
      .replaceAll(/(?<="reason":null,"latencyMs":)\d+/g, '0')
      .replaceAll(/(whsec_|v1,)[\w+/=-]{36,}/g, '$1EXAMPLE')
      .replaceAll(
        /[A-Za-z0-9_-]{36,}/g,
        (secret) => `${/^[a-z]{2}_(?:[0-9a-z]{6}_)?(?:test_)?/.exec(secret)?.[0] ?? ''}EXAMPLE`,
      )
  )
}

describe('the examples of the document', () => {
  it('the examples of the document are the actual requests and responses', async () => {
    // A run of only some tests does not create all examples.
    if (Object.keys(examples).length < operations.length) return
    await expect(`${JSON.stringify(examples, null, 2)}\n`).toMatchFileSnapshot(
      '../../src/http/openapi/examples.json',
    )
  })
})
