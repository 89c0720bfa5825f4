import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '#operations/index.ts'
import { openControl, type Control } from '../support/control.ts'
import { filled, sampleOf, send } from '../support/samples.ts'

describe('every operation', () => {
  for (const operation of operations) {
    describe(`operation ${operation.id}`, () => {
      let control: Control
      beforeAll(async () => {
        control = await openControl()
      })
      afterAll(() => control.close())

      it('answers a right request with what its schema says, and a request id', async () => {
        const sample = sampleOf(operation, await filled(control))
        const answer = await send(control, operation, sample)
        expect(answer.status, answer.text).toBe(200)
        expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
        expect(operation.output.safeParse(answer.body).error).toBeUndefined()
        // What is removed has no state any more; an application that is archived still has.
        const isThere = operation.method !== 'DELETE' || operation.id === 'apps.rm'
        expect(answer.headers.has('etag')).toBe(operation.hasRevision && isThere)
      })
    })
  }
})
