/** Official clients use the computer tool of their own vendor with models of other vendors. */
import { Anthropic } from '@anthropic-ai/sdk'
import type { BetaMessageParam, BetaToolUnion } from '@anthropic-ai/sdk/resources/beta/messages'
import OpenAI from 'openai'
import type { Response, ResponseInputItem, Tool } from 'openai/resources/responses/responses'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type World } from './start-application-with-upstreams.ts'

let world: World
let apiKey: string
beforeAll(async () => {
  world = await startWorld()
  apiKey = (await world.app.newUser({ balanceMicros: 1_000_000_000n })).key
})
afterAll(() => world.close())

const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The last request must contain the screenshot, and declare the tool as a function. */
function expectScreenshotSent(): void {
  const call = world.vendor.calls.at(-1)
  expect(call?.status).toBe(200)
  expect(call?.text).toContain(picture)
  expect(call?.text).toContain('"name":"computer"')
}

describe.each([false, true])('computer tools, streamed: %s', (isStream) => {
  describe.each(['chat', 'openai', 'generate'])('the client of Anthropic at %s', (upstream) => {
    test.each<BetaToolUnion>([
      { type: 'computer_20241022', name: 'computer', display_width_px: 1024, display_height_px: 768 },
      { type: 'computer_20250124', name: 'computer', display_width_px: 1024, display_height_px: 768 },
      {
        type: 'computer_20251124',
        name: 'computer',
        display_width_px: 800,
        display_height_px: 600,
        enable_zoom: true,
      },
    ])('the client takes a screenshot and clicks with $type', async (tool) => {
      const client = new Anthropic({ apiKey, baseURL: world.app.gateway, maxRetries: 0 })
      const ran: unknown[] = []
      const orders = ['{"action":"screenshot"}', '{"action":"left_click","coordinate":[3,4]}']
      const messages: BetaMessageParam[] = []
      for (const order of orders) {
        messages.push({ role: 'user', content: `[[tool=computer ${order}]]` })
        // oxlint-disable-next-line no-await-in-loop -- each turn needs the one before
        for (let turn = await ask(messages); ; turn = await ask(messages)) {
          messages.push({ role: 'assistant', content: turn.content })
          const call = turn.content.find((block) => block.type === 'tool_use')
          if (!call) break
          expect(turn.stop_reason).toBe('tool_use')
          ran.push([call.name, call.input])
          const source = { type: 'base64' as const, media_type: 'image/png' as const, data: picture }
          messages.push({
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: call.id, content: [{ type: 'image', source }] }],
          })
        }
        expectScreenshotSent()
      }
      expect(ran).toEqual(orders.map((order) => ['computer', JSON.parse(order)]))

      async function ask(history: BetaMessageParam[]) {
        const body = {
          model: `acme/${upstream}`,
          max_tokens: 900,
          messages: history,
          tools: [tool],
          betas: [],
        }
        return isStream ? client.beta.messages.stream(body).finalMessage() : client.beta.messages.create(body)
      }
    })
  })

  describe.each(['chat', 'messages', 'generate'])('the client of OpenAI at %s', (upstream) => {
    test.each<{ tool: Tool; orders: readonly string[] }>([
      {
        tool: {
          type: 'computer_use_preview',
          display_width: 1024,
          display_height: 768,
          environment: 'browser',
        },
        orders: [
          '{"action":{"type":"screenshot"}}',
          '{"action":{"type":"click","button":"left","x":3,"y":4}}',
        ],
      },
      {
        tool: { type: 'computer' },
        orders: [
          '{"actions":[{"type":"screenshot"}]}',
          '{"actions":[{"type":"click","button":"left","x":3,"y":4},{"type":"type","text":"hi"}]}',
        ],
      },
    ])('the client takes a screenshot and clicks with $tool.type', async ({ tool, orders }) => {
      const client = new OpenAI({ apiKey, baseURL: `${world.app.gateway}/v1`, maxRetries: 0 })
      const ran: unknown[] = []
      const input: ResponseInputItem[] = []
      for (const order of orders) {
        input.push({ role: 'user', content: `[[tool=computer ${order}]]` })
        // oxlint-disable-next-line no-await-in-loop -- each turn needs the one before
        for (let answer = await ask(input); ; answer = await ask(input)) {
          expect(answer.tools).toEqual([tool])
          input.push(...(answer.output as ResponseInputItem[]))
          const call = answer.output.find((item) => item.type === 'computer_call')
          if (!call) break
          const { action, actions, status, pending_safety_checks: checks } = call
          ran.push({ ...(action && { action }), ...(actions && { actions }) })
          expect([status, checks]).toEqual(['completed', []])
          const output = {
            type: 'computer_screenshot' as const,
            image_url: `data:image/png;base64,${picture}`,
          }
          input.push({ type: 'computer_call_output', call_id: call.call_id, output })
        }
        expectScreenshotSent()
      }
      expect(ran).toEqual(orders.map((order) => JSON.parse(order)))

      async function ask(history: ResponseInputItem[]): Promise<Response> {
        const body = { model: `acme/${upstream}`, input: history, tools: [tool] }
        return isStream ? client.responses.stream(body).finalResponse() : client.responses.create(body)
      }
    })
  })
})
