import type { WireName } from './client-interface.ts'
import {
  connectAccount,
  makeApplication,
  startServer,
  type Account,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

/**
 * Each upstream is named after the kind of its provider account. In a model name, the name of the upstream follows
 * `acme/`.
 */
export const upstreams = ['chat', 'openai', 'messages', 'generate'] as const
export type UpstreamName = (typeof upstreams)[number]

/**
 * The account serves a chat client on the chat wire, and every other client on the responses wire, which returns
 * reasoning.
 */
export function wireOf(upstream: UpstreamName, client: WireName): WireName {
  if (upstream !== 'openai') return upstream
  return client === 'chat' ? 'chat' : 'responses'
}

export interface World {
  readonly server: LocalServer
  readonly app: Application
  readonly vendor: Vendor
  close(): Promise<void>
}

/** Fake vendors of tests/support play all upstreams. */
export async function startWorld(): Promise<World> {
  const server = await startServer()
  const app = await makeApplication(server)
  const vendor = await startVendor()
  const { baseUrls } = vendor
  const accounts = {
    chat: { kind: 'openai_compatible', baseUrl: baseUrls.openai },
    openai: { kind: 'openai', baseUrl: baseUrls.openai },
    messages: { kind: 'anthropic', baseUrl: baseUrls.anthropic },
    generate: { kind: 'google', baseUrl: baseUrls.google },
  }
  for (const name of upstreams) {
    // oxlint-disable-next-line no-await-in-loop -- each call needs the one before
    await connect(app, name, { ...accounts[name], apiKey: vendor.apiKey }, models[name])
  }
  return {
    server,
    app,
    vendor,
    async close() {
      await app.provider.close()
      await vendor.close()
      await server.close()
    },
  }
}

/** The newest model of each vendor, because the conversion of thinking depends on the model. */
export const models: Readonly<Record<UpstreamName, string>> = {
  chat: 'deepseek-chat',
  openai: 'gpt-5.4',
  messages: 'claude-opus-4-8',
  generate: 'gemini-3.1-pro-preview',
}

/**
 * A hold covers this number of output tokens if a request to `acme/<name>/short` sets no maximum. The gateway does
 * not send the number to the vendor.
 */
const shortTokens = 1_500

/** The account serves two aliases: `acme/<name>` and `acme/<name>/short`. */
export async function connect(
  app: Application,
  name: string,
  account: Account,
  model: string,
): Promise<void> {
  await connectAccount(app, name, { ...account, model, price })
  const sources = [{ provider: name, model }]
  await app.api('PUT', `/v1/models/${encodeURIComponent(`acme/${name}/short`)}`, {
    sources,
    ceilings: { outputTokens: shortTokens },
  })
}

/** Price in micros per million tokens. The last digit of each price is odd, so that rounding changes the charge. */
export const price = {
  input: '2500000',
  output: '100000001',
  cacheRead: '250000',
  cacheWrite: '3125000',
  cacheWriteLong: '5000000',
}
