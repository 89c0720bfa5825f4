import { expect, it } from 'vitest'
import type { Notices } from '#domain/messages-between-processes-interface.ts'
import { EndedCallNotifications } from './notify-processes-of-ended-calls.ts'

const topic = { applicationId: 'app', mode: 'live' } as const

/** @param delivered resolves when the database has taken a notification */
function opened(delivered: Promise<void> = Promise.resolve()) {
  const sent: string[] = []
  const notices: Notices = {
    async send(text) {
      sent.push(text)
      await delivered
    },
    listen() {},
    close: async () => {},
  }
  const link = new EndedCallNotifications(notices, () => 0)
  const callsSent = (): string[] =>
    sent.flatMap((text) => (text.startsWith('calls ') ? text.split(' ').slice(4) : []))
  return { link, callsSent }
}

it('a process that stops sends the calls that ended just before', async () => {
  const { callsSent, link } = opened()
  link.publish(topic, { callId: 'one', endedAtMs: 1 })
  link.publish({ ...topic, mode: 'test' }, { callId: 'two', endedAtMs: 2 })
  await link.close()
  expect(callsSent()).toEqual(['one:1', 'two:2'])
})

it('a process that stops waits for the notifications that are being sent', async () => {
  const { promise: delivered, resolve: deliver } = Promise.withResolvers<void>()
  const { callsSent, link } = opened(delivered)
  // The second notification is sent only after the first has been delivered.
  for (let n = 0; n < 201; n++) link.publish(topic, { callId: `call${n}`, endedAtMs: n })
  await expect.poll(() => callsSent().length).toBe(200)
  const closed = link.close()
  deliver()
  await closed
  expect(callsSent()).toHaveLength(201)
})

it('a process stops even if the database takes no notification', async () => {
  const { callsSent, link } = opened(new Promise(() => {}))
  link.publish(topic, { callId: 'one', endedAtMs: 1 })
  await link.close()
  expect(callsSent()).toEqual(['one:1'])
})
