import type { WireName } from './client.ts'
import {
  connectAccount,
  makeApplication,
  startServer,
  type Account,
  type Application,
  type LocalServer,
} from '../support/harness.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

/** Upstreams, named after the kind of their account. In a model name, the name of the upstream follows `acme/`. */
export const upstreams = ['chat', 'openai', 'messages', 'generate'] as const
export type UpstreamName = (typeof upstreams)[number]

/**
 * The wire on which a client reaches an upstream. An account of OpenAI uses two wires. A chat client is served on its
 * own wire. Every other client is served on the wire responses, which returns reasoning.
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

/**
 * Starts a server with an application that has an alias for each upstream. The three fake vendors of tests/support
 * serve all upstreams.
 */
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

/** The newest model of each vendor, because the thinking of a converted request depends on the model. */
export const models: Readonly<Record<UpstreamName, string>> = {
  chat: 'deepseek-chat',
  openai: 'gpt-5.4',
  messages: 'claude-opus-4-8',
  generate: 'gemini-3.1-pro-preview',
}

/**
 * If the client sets no maximum, a request to `acme/<name>/short` holds money for this number of output tokens. The
 * number is not sent to the vendor.
 */
const shortTokens = 1_500

/** Creates a provider account, and the aliases `acme/<name>` and `acme/<name>/short`, which this account serves. */
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

/** Price in micros per million tokens. The last digit is odd, so that rounding is visible. */
export const price = {
  input: '2500000',
  output: '100000001',
  cacheRead: '250000',
  cacheWrite: '3125000',
  cacheWriteLong: '5000000',
}
