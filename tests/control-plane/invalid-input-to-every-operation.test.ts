/** The cases come from the table of operations: every field gets every unusual value. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { errors } from '#domain/errors.ts'
import { errorsOf } from '#http/errors-of-operation.ts'
import { operations } from '#operations/index.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { openControl, type Control } from '../support/control-plane-without-socket.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { isLong, sampleOfCases, type TestedEngine } from '../support/reduced-suite.ts'
import type { Answer } from '../support/start-product.ts'
import {
  filled,
  sampleOf,
  send,
  type Filled,
  type Sample,
} from '../support/valid-request-of-every-operation.ts'

/** The long suite also runs on PostgreSQL, but only with texts that PostgreSQL may reject. */
const engines: readonly TestedEngine[] = isLong && hasPostgres ? ['SQLite', 'PostgreSQL'] : ['SQLite']

const deep = (depth: number): unknown => (depth === 0 ? 1 : [deep(depth - 1)])

const odd: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  ' ',
  '-5',
  '+5',
  '05',
  '0x10',
  '1e3',
  '1.0',
  ' 1',
  '1 ',
  '٣',
  '1000000000000001',
  '99999999999999999999999999',
  'x'.repeat(5000),
  '\ud800',
  'a\u0000b',
  'a\nb',
  '../../etc/passwd',
  "' OR 1=1 --",
  '__proto__',
  [],
  {},
  [null],
  { $ne: null },
  deep(40),
]

describe.each(engines)('%s', (engine) => {
  const tried =
    engine === 'SQLite' ? odd : odd.filter((value) => typeof value === 'string' && value.length < 200)
  let control: Control
  let ids: Filled
  beforeAll(async () => {
    control = await openControl({ engine })
    ids = await filled(control)
  })
  afterAll(() => control.close())

  /** The schema of the operation accepts the value, or the request returns one clear error and changes nothing. */
  async function expectClear(
    operation: Operation,
    act: () => Promise<Answer>,
    isTaken: boolean,
  ): Promise<void> {
    const before = await control.dump()
    const answer = await act()
    if (answer.status === 200) {
      expect(isTaken).toBe(true)
      return
    }
    const { code, message, requestId } = answer.body.error
    expect(errorsOf(operation)).toContain(code)
    expect(answer.status).toBe(errors[code as keyof typeof errors].status)
    expect(answer.status).toBeLessThan(500)
    expect(message.length).toBeGreaterThan(10)
    expect(message).not.toMatch(/\n\s+at |node:|undefined|\[object/)
    const sentences = message.replace(/\.$/, '').split('; ')
    expect(sentences).toEqual([...new Set(sentences)])
    expect(requestId).toBe(answer.headers.get('x-request-id'))
    expect(answer.text.length).toBeLessThan(8_000)
    expect(await control.dump()).toBe(before)
  }

  function fieldsOf(schema: z.ZodType | null): string[] {
    return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  }

  describe('an unusual request', () => {
    for (const [operationAt, operation] of operations.entries()) {
      const bodyFields = fieldsOf(operation.input.body)
      const queryFields = fieldsOf(operation.input.query)
      const pathFields = fieldsOf(operation.input.path)

      it(`a request to ${operation.id} with an unknown field returns an error that names the field`, async () => {
        const sample = sampleOf(operation, ids)
        const who = sample.session ? { session: sample.session } : {}
        const before = await control.dump()
        const hasJson = operation.method !== 'GET' && operation.method !== 'DELETE' && !sample.file
        const unknown = hasJson
          ? { ...sample, body: { ...sample.body, orgId: 'x' } }
          : { ...sample, query: { ...sample.query, orgId: 'x' } }
        const answer = await send(control, operation, unknown, {
          ...who,
          ...(hasJson && { body: unknown.body }),
        })
        expect(answer.body.error).toMatchObject({ code: 'unknown_field', param: 'orgId' })
        expect(await control.dump()).toBe(before)
      })

      for (const body of bodyFields.length > 0 ? ['[]', '"x"', '1', 'null', 'true', '[{}]'] : []) {
        it(`a request to ${operation.id} with ${body} instead of an object is rejected`, async () => {
          const sample = sampleOf(operation, ids)
          await expectClear(operation, () => send(control, operation, sample, { body }), false)
        })
      }

      for (const [at, field] of bodyFields.entries()) {
        const values = sampleOfCases(tried, 3, at + operationAt)
        it(`a request to ${operation.id} with unusual values of ${field} is rejected or applied`, async () => {
          for (const value of values) {
            const sample = sampleOf(operation, ids)
            const body = { ...sample.body, [field]: value }
            const isTaken = operation.input.body?.safeParse(body).success === true
            await expectClear(operation, () => send(control, operation, { ...sample, body }), isTaken)
          }
        })

        it(`a request to ${operation.id} without ${field} is rejected unless the field is optional`, async () => {
          const sample = sampleOf(operation, ids)
          const { [field]: _, ...body } = sample.body ?? {}
          const isTaken = operation.input.body?.safeParse(body).success === true
          await expectClear(operation, () => send(control, operation, { ...sample, body }), isTaken)
        })
      }

      for (const [place, fields] of [
        ['query', queryFields],
        ['path', pathFields],
      ] as const) {
        for (const [at, field] of fields.entries()) {
          const values = sampleOfCases(tried, 3, at + operationAt)
          it(`a request to ${operation.id} with unusual values of the ${place} parameter ${field} is rejected or applied`, async () => {
            for (const value of values) {
              if (typeof value !== 'string' || (place === 'path' && value === '') || !value.isWellFormed())
                continue
              const sample: Sample = sampleOf(operation, ids)
              const changed = { ...sample, [place]: { ...sample[place], [field]: value } }
              const isTaken = operation.input[place].safeParse(changed[place]).success
              await expectClear(operation, () => send(control, operation, changed), isTaken)
            }
          })
        }
      }
    }
  })
})
