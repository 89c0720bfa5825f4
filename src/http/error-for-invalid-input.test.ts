import * as z from 'zod'
import { expect, it } from 'vitest'
import { inputFailure } from './error-for-invalid-input.ts'

const body = z.strictObject({
  window: z.enum(['day', 'week']),
  kind: z.literal('webhook'),
  count: z.int().min(1).max(9),
  name: z.string().max(3),
  tags: z.array(z.string()).min(1),
  models: z.record(z.string(), z.string()),
  isOn: z.boolean(),
})
const operation = { input: { path: z.object({}), query: z.object({}), body } }

function messageFor(fields: object): string {
  const valid = { window: 'day', kind: 'webhook', count: 1, name: 'a', tags: ['a'], models: {}, isOn: true }
  const { error } = body.safeParse({ ...valid, ...fields })
  if (error === undefined) throw new Error('the body is valid')
  return inputFailure(operation, { kind: 'fault', in: 'body', issues: error.issues }).message
}

it.each([
  [{ window: 'fortnight' }, 'window must be one of day, week.'],
  [{ kind: 'mail' }, 'kind must be webhook.'],
  [{ count: 0 }, 'count must be at least 1.'],
  [{ count: 10 }, 'count must be at most 9.'],
  [{ count: 1.5 }, 'count must be an integer.'],
  [{ count: '1' }, 'count must be a number.'],
  [{ name: 'four' }, 'name must have at most 3 characters.'],
  [{ tags: [] }, 'tags must have at least 1 item.'],
  [{ tags: 'a' }, 'tags must be an array.'],
  [{ models: [] }, 'models must be an object.'],
  [{ isOn: 'yes' }, 'isOn must be a boolean.'],
  [{ name: undefined }, 'name is required.'],
])('the error for an invalid field states what the field requires: %j', (fields, message) => {
  expect(messageFor(fields)).toBe(message)
})
