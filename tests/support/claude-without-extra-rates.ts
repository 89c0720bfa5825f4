import { expect } from 'vitest'
import { connectAccount, eventually, makeApplication, startServer, upstreamKey } from './start-product.ts'

/**
 * Starts a server with an account whose price has only rates for tokens. The tests use it for usage that the price does
 * not cover.
 */
export async function startClaudeWithoutExtraRates() {
  const server = await startServer()
  const acme = await makeApplication(server)
  const { provider } = acme
  const rates = { input: '1000000', output: '2000000', cacheWrite: '1250000', cacheWriteLong: '2000000' }
  await connectAccount(acme, 'claude', {
    kind: 'anthropic',
    baseUrl: provider.baseUrl,
    apiKey: upstreamKey,
    model: 'claude-opus-4-8',
    price: rates,
  })
  const user = await acme.newUser({ balanceMicros: 1_000_000n })
  return {
    acme,
    rates,
    /** Sends a request, and returns its explanation. The response of the provider contains `more` in its usage. */
    explained: async (more: object) => {
      const body = {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-4-8',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 10, output_tokens: 5, ...more },
      }
      provider.script({ body })
      const answer = await acme.call(user, { model: 'acme/claude', max_tokens: 100 })
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
      return eventually(() => acme.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`))
    },
    /** Returns the findings of the doctor with this code. */
    findings: async (code: string) => {
      const { findings } = await acme.api('GET', '/v1/diagnose')
      return findings.filter((finding: { code: string }) => finding.code === code)
    },
    close: async (): Promise<void> => {
      await provider.close()
      await server.close()
    },
  }
}
