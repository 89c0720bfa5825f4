import { afterAll, beforeAll, expect, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import {
  assertWallet,
  outputTokensMax,
  rates,
  route,
  send,
  startFaultWorld,
  type FaultWorld,
} from '../support/router-with-faulty-provider.ts'
import { framesOfAnswer, type FramedAnswer } from '../support/provider-with-given-frames.ts'
import { eventually } from '../support/start-product.ts'
import type { Speaker } from '../support/provider-faults.ts'
import { clientWires, readStream, requestOf } from '../support/request-and-reader-of-each-wire.ts'

let world: FaultWorld
beforeAll(async () => {
  world = await startFaultWorld()
})
afterAll(() => world.close())

/** Gemini sends a short answer in a single frame with the text, the finish reason and the counts. */
function inOneFrame(output: number): (speaker: Speaker) => FramedAnswer {
  return ({ model, told }) => ({
    frames: [
      `data: ${JSON.stringify({
        candidates: [
          { content: { parts: [{ text: 'Yes' }], role: 'model' }, index: 0, finishReason: 'STOP' },
        ],
        modelVersion: model,
        responseId: 'r1',
        usageMetadata: {
          promptTokenCount: told.input,
          candidatesTokenCount: output,
          totalTokenCount: told.input + output,
        },
      })}\r\n\r\n`,
    ],
  })
}

/** The wire sends the end of the answer in a separate frame. */
function inFrames({ told, wire }: Speaker): FramedAnswer {
  return { frames: framesOfAnswer(wire, [{ kind: 'text', text: 'Yes' }], { input: told.input, output: 1 }) }
}

const kinds = [
  ['google', inOneFrame(0), 0],
  ['google', inOneFrame(1), 1],
  ['openai_compatible', inFrames, 1],
  ['anthropic', inFrames, 1],
] as const

test.each(kinds)(
  'a streamed answer of one word from %s is delivered and charged once',
  async (kind, answer, output) => {
    const app = await world.newApplication()
    const person = await app.person('basic')
    for (const [at, client] of clientWires.entries()) {
      const name = `acme/short-${at}`
      /* oxlint-disable no-await-in-loop -- one after the other */
      const [first = '', second = ''] = await route(app, name, [
        { side: 'a', kind },
        { side: 'b', kind },
      ])
      world.say(first, answer)
      const told = { input: 41, output }
      // Ten calls are twice the number of failures that open a target's circuit.
      for (let call = 0; call < (at === 0 ? 10 : 1); call++) {
        const asked = requestOf(client, { model: name, isStream: true, outputTokensMax })
        const received = await send(app, person, asked)
        expect([client, received.status, readStream(client, received.text).text]).toEqual([
          client,
          200,
          'Yes',
        ])
        const id = received.headers.get('x-request-id')
        const explained = await eventually(() => app.api('GET', `/v1/requests/${id}`))
        const charge = costMicros(rates.a, told)
        expect([explained.chargeMicros, explained.costMicros]).toEqual([String(charge), String(charge)])
        expect(explained.attempts).toHaveLength(1)
        person.charged += charge
      }
      /* oxlint-enable no-await-in-loop */
      expect([client, world.callsOf(first), world.callsOf(second)]).toEqual([client, at === 0 ? 10 : 1, 0])
    }
    const { circuits } = await app.api('GET', '/v1/health')
    expect(circuits).toEqual([])
    await assertWallet(app, person)
  },
)
