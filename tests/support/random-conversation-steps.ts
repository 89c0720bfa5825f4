/** Sends random requests that continue one conversation, add items and delete items, some of them concurrently. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import {
  itemFaults,
  models,
  responseFaults,
  type ConversationProvider,
} from './provider-with-stored-conversations.ts'
import { upstreamKey, type Answer, type Application } from './start-product.ts'
import type { Random } from './seeded-random.ts'

/** Every input token costs one micro, and every output token costs two. */
const price = { input: '1000000', cacheWrite: '1000000', output: '2000000' }

/** Connects one account with two models whose tokens differ: `acme/fine` and `acme/coarse`. */
export async function connectConversations(
  app: Application,
  { baseUrl }: ConversationProvider,
): Promise<void> {
  await app.api('PUT', '/v1/providers/talks', { kind: 'openai', baseUrl, apiKey: upstreamKey })
  for (const [name, model] of Object.entries(models)) {
    // oxlint-disable-next-line no-await-in-loop -- one model after the other
    await app.api('POST', '/v1/providers/talks/price', { model, price })
    // oxlint-disable-next-line no-await-in-loop -- as above
    await app.api('PUT', `/v1/models/${encodeURIComponent(`acme/${name}`)}`, {
      sources: [{ provider: 'talks', model }],
    })
  }
}

/** @throws an error if the server dies */
export type Send = (
  method: string,
  path: string,
  body?: object,
) => Promise<Pick<Answer, 'body' | 'status' | 'text'>>

let maxima = 1_000

interface Responded {
  readonly status: number
  readonly id: string
  readonly max: number
}

export interface Talk {
  readonly id: string
  readonly statuses: number[]
  respond(text: string, more?: object): Promise<Responded>
  readonly send: Send
  /** @param content a text, or a list of parts */
  add(content: string | readonly object[]): ReturnType<Send>
  /** At most three requests are in flight at a time. */
  steps(random: Random, count: number): Promise<void>
}

export async function startTalk(send: Send): Promise<Talk> {
  const items = [{ type: 'message', role: 'user', content: 'Hello' }]
  const { body, text } = await send('POST', '/v1/conversations', { items })
  const id: unknown = body.id
  assert(typeof id === 'string', text)
  const statuses: number[] = []
  const respond: Talk['respond'] = async (input, more = {}) => {
    const max = ++maxima
    const asked = { model: 'acme/fine', input, max_output_tokens: max, conversation: id, ...more }
    const { body: response, status } = await send('POST', '/v1/responses', asked)
    statuses.push(status)
    return { status, max, id: String(response?.id) }
  }
  const add: Talk['add'] = (content) => {
    const added = [{ type: 'message', role: 'user', content }]
    return send('POST', `/v1/conversations/${id}/items`, { items: added })
  }
  const drop = async (): Promise<void> => {
    const { body: list } = await send('GET', `/v1/conversations/${id}/items`)
    const first: unknown = list.data?.[0]?.id
    if (typeof first === 'string') await send('DELETE', `/v1/conversations/${id}/items/${first}`)
  }
  const step = async (random: Random): Promise<void> => {
    const words = 'word '.repeat(random.whole(1, 60))
    const kind = random.next()
    const isFaulty = random.chance(0.4)
    const fault = random.pick(kind < 0.65 ? responseFaults : itemFaults)
    const input = isFaulty ? `#${fault} ${words}` : words
    const more = {
      ...(random.chance(0.3) && { stream: true }),
      ...(random.chance(0.1) && { truncation: 'auto' }),
      ...(random.chance(0.2) && { model: 'acme/coarse' }),
    }
    await delay(random.whole(0, 15))
    if (kind < 0.65) await respond(input, more)
    else if (kind < 0.93) await add(input)
    else await drop()
  }
  return {
    id,
    statuses,
    send,
    respond,
    add,
    async steps(random, count) {
      for (let at = 0; at < count;) {
        const together = Math.min(random.whole(1, 3), count - at)
        at += together
        // oxlint-disable-next-line no-await-in-loop -- one group after the other
        await Promise.all(Array.from({ length: together }, () => step(random).catch(() => {})))
      }
    },
  }
}

export interface Held {
  /** The input tokens that the hold covered. */
  readonly held: number
  readonly status: string
}

export async function heldByMaximum(
  app: Application,
  records: readonly { readonly id: string }[],
): Promise<ReadonlyMap<number, Held>> {
  const held = new Map<number, Held>()
  for (const { id } of records) {
    // oxlint-disable-next-line no-await-in-loop -- one request after the other
    const { quote, reserve, settle, status } = await app.api('GET', `/v1/requests/${id}`)
    const worst = reserve?.firstWorstMicros ?? settle?.worstMicros ?? reserve?.worstMicros
    if (worst === undefined || worst === null || quote === null || quote === undefined) continue
    const max = Number(quote.outputTokensAsked)
    held.set(max, { held: Number(worst) - 2 * max, status })
  }
  return held
}
