import { expect, test, vi } from 'vitest'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import type { AnswerStream } from '#wire/stream/answer-stream-interface.ts'
import { relayStoredStream } from './relay-stored-stream.ts'

test('if the client disconnected before the stream of a stored response begins, the provider is not called', async () => {
  const send = vi.fn<() => never>()
  const response = {
    destroyed: true,
    writableHighWaterMark: 16_384,
    once: vi.fn<() => void>(),
    off: vi.fn<() => void>(),
    setTimeout: vi.fn<() => void>(),
  }
  const limits = { deadlines: gatewayLimits.deadlines, stallMs: gatewayLimits.stallMs }
  // oxlint-disable typescript/no-unsafe-type-assertion -- a relay reads only these members before it calls a provider
  const arrival = { id: 'call', response, ports: { limits, upstream: { send } } } as unknown as Arrival
  const plan = { account: {}, target: { model: 'gpt-5' } } as unknown as Plan
  const stream = { state: 'open' } as unknown as AnswerStream
  // oxlint-enable typescript/no-unsafe-type-assertion
  const request = { stored: { method: 'GET', id: 'resp_1', part: '' }, query: '' } as const
  expect(await relayStoredStream(arrival, plan, request, stream)).toBe('lost')
  expect(send).not.toHaveBeenCalled()
})
