/**
 * Simulates a provider that stores conversations like OpenAI, and counts the input of each response from the stored
 * items. The text of a request states how the provider fails: `#<behavior>`. A test identifies a response by its
 * `max_output_tokens`, and finds the input that the provider read.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { listenLocally } from './listen-on-loopback.ts'

/**
 * Ways in which a response can fail. After `error`, `cut` and `late`, the conversation contains the response, but the
 * client has not received it.
 */
export const responseFaults = ['reject', 'busy', 'error', 'cut', 'late', 'silent', 'short'] as const
/** Ways in which adding items can fail. With `slow`, the provider stores the items late, but confirms them. */
export const itemFaults = ['reject', 'error', 'cut', 'late', 'slow'] as const

export const models = { fine: 'gpt-5', coarse: 'gpt-4.1' } as const

export interface ConversationProvider {
  readonly baseUrl: string
  readonly read: ReadonlyMap<number, number>
  readonly started: number
  /** How often the provider rejected a request because another request was using the conversation. */
  readonly locked: number
  running(): Promise<void>
  release(): void
  idle(): Promise<void>
  close(): Promise<void>
}

interface Stored {
  items: { readonly id: string; readonly tokens: number }[]
  isLocked: boolean
}

const framing = 3

export async function startConversationProvider(): Promise<ConversationProvider> {
  const stored = new Map<string, Stored>()
  const read = new Map<number, number>()
  const running = new Set<Promise<void>>()
  let begun = Promise.withResolvers<void>()
  let gate = Promise.withResolvers<void>()
  let locked = 0
  let started = 0
  let ids = 0

  // A word has two tokens for `models.fine`, and one token for `models.coarse`.
  const tokensIn = (text: string): number => 2 * text.split(' ').filter((word) => word !== '').length
  const readAs = (model: string, tokens: number): number =>
    (model === models.coarse ? tokens / 2 : tokens) + framing
  const sumOf = (model: string, items: Stored['items']): number =>
    items.reduce((sum, { tokens }) => sum + readAs(model, tokens), framing)
  const add = (to: Stored, texts: readonly string[]): void => {
    for (const text of texts) to.items.push({ id: `msg_${++ids}`, tokens: tokensIn(text) })
  }

  async function respond(body: Body, response: ServerResponse): Promise<void> {
    const conversation = stored.get(body.conversation ?? '')
    if (conversation === undefined) return send(response, 404, { error: { message: 'unknown' } })
    const how = behaviorIn(body.input ?? '')
    if (how === 'reject') return send(response, 400, { error: { message: 'invalid', code: 'invalid' } })
    if (how === 'busy') return send(response, 429, { error: { message: 'busy', code: 'rate_limit' } })
    if (conversation.isLocked) {
      locked++
      return send(response, 409, { error: { message: 'in use', code: 'conversation_locked' } })
    }
    conversation.isLocked = true
    const { input = '', max_output_tokens: max = 0, model = '' } = body
    const whole = sumOf(model, conversation.items) + readAs(model, tokensIn(input))
    const inputTokens = body.truncation === 'auto' ? Math.min(whole, 100) : whole
    read.set(max, inputTokens)
    started++
    const output = how === 'short' ? '' : 'word '.repeat((max * 7) % 200)
    if (how === 'late') response.destroy()
    if (how === 'slow') {
      begun.resolve()
      await gate.promise
    } else await delay(how === 'late' ? 40 : (max % 4) * 5)
    add(conversation, [input, output])
    conversation.isLocked = false
    const outputTokens = tokensIn(output)
    const usage = { input_tokens: inputTokens, output_tokens: outputTokens }
    const done = {
      id: `resp_${++ids}`,
      object: 'response',
      status: 'completed',
      model,
      store: true,
      conversation: { id: body.conversation },
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: output }] }],
      ...(how !== 'silent' && { usage: { ...usage, total_tokens: inputTokens + outputTokens } }),
    }
    if (how === 'error') return send(response, 500, { error: { message: 'broken' } })
    if (how === 'cut' || how === 'late') return void response.destroy()
    if (body.stream !== true) return send(response, 200, done)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const frame = (type: string, more: object): string => `data: ${JSON.stringify({ type, ...more })}\n\n`
    response.write(frame('response.created', { response: { ...done, status: 'in_progress', usage: null } }))
    response.write(frame('response.output_text.delta', { delta: output, output_index: 0, content_index: 0 }))
    response.end(frame('response.completed', { response: done }))
  }

  async function addItems(to: Stored, items: readonly Item[], response: ServerResponse): Promise<void> {
    const texts = items.map(textOf)
    const how = behaviorIn(texts[0] ?? '')
    if (how === 'reject') return send(response, 400, { error: { message: 'invalid' } })
    if (how === 'late') response.destroy()
    if (how === 'late' || how === 'slow') await delay(40)
    add(to, texts)
    if (how === 'error') return send(response, 500, { error: { message: 'broken' } })
    if (how === 'cut' || how === 'late') return void response.destroy()
    send(response, 200, { object: 'list', data: [], has_more: false })
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const text = Buffer.concat(chunks).toString()
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the gateway of a test sends requests
    const body = (text === '' ? {} : JSON.parse(text)) as Body
    const [, , kind, id, part, item] = (request.url ?? '').split('?')[0]?.split('/') ?? []
    if (kind === 'responses') return respond(body, response)
    if (id === undefined) {
      const made: Stored = { items: [], isLocked: false }
      add(made, (body.items ?? []).map(textOf))
      const newId = `conv_${++ids}`
      stored.set(newId, made)
      return send(response, 200, { id: newId, object: 'conversation', created_at: 1, metadata: {} })
    }
    const conversation = stored.get(id)
    if (conversation === undefined) return send(response, 404, { error: { message: 'unknown' } })
    if (item !== undefined && request.method === 'DELETE') {
      conversation.items = conversation.items.filter((one) => one.id !== item)
      return send(response, 200, { id, object: 'conversation' })
    }
    if (part === 'items' && request.method === 'POST')
      return addItems(conversation, body.items ?? [], response)
    const data = conversation.items.map((one) => ({ id: one.id }))
    return send(response, 200, { object: 'list', data, has_more: false })
  }

  const server = createServer((request, response) => {
    const served = serve(request, response).finally(() => running.delete(served))
    running.add(served)
  })
  const { close, port } = await listenLocally(server)
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    read,
    get locked() {
      return locked
    },
    get started() {
      return started
    },
    running: () => begun.promise,
    release() {
      gate.resolve()
      begun = Promise.withResolvers()
      gate = Promise.withResolvers()
    },
    async idle() {
      while (running.size > 0) {
        // oxlint-disable-next-line no-await-in-loop -- running work may start more
        await Promise.all(running)
      }
    },
    close,
  }
}

interface Item {
  readonly content: unknown
}

function textOf({ content }: Item): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

interface Body {
  readonly conversation?: string
  readonly input?: string
  readonly items?: readonly Item[]
  readonly max_output_tokens?: number
  readonly model?: string
  readonly stream?: boolean
  readonly truncation?: string
}

function behaviorIn(text: string): string {
  return /#(\w+)/.exec(text)?.[1] ?? 'ok'
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
