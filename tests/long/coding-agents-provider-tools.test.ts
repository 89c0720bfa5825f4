/**
 * Runs Claude Code, Codex and Gemini CLI as installed from npm, each at a provider of its own wire. In several turns,
 * the provider searches the web, and the agents read a PDF. The test compares the charge of each request with the usage
 * that the provider reports.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { vendorWorld, type VendorWorld } from '../support/start-application-with-vendor.ts'
import {
  agents,
  installedAgent,
  installMs,
  newAgentFolders,
  runAgent,
  type Agent,
  type AgentFolders,
} from '../support/run-coding-agents.ts'
import { settledBalance, type User } from '../support/start-product.ts'
import type { VendorCall } from '../support/simulated-vendor.ts'

const credit = 1_000_000_000n

/** In micros per million tokens, and in micros per search. */
const price = { input: 2_500_003n, output: 10_000_001n, cacheRead: 250_003n, webSearch: 10_007n }

let world: VendorWorld
let user: User
let folders: AgentFolders

beforeAll(async () => {
  const rates = {
    ...Object.fromEntries(Object.entries(price).map(([name, rate]) => [name, String(rate)])),
    cacheWrite: '3125000',
    cacheWriteLong: '5000000',
  }
  world = await vendorWorld({
    messages: { kind: 'anthropic', model: 'claude-opus-4-8', price: rates },
    responses: { kind: 'openai', model: 'gpt-5.4', price: rates },
    generate: { kind: 'google', model: 'gemini-3.1-pro-preview', price: rates },
  })
  // Gemini CLI sends its searches to this model, whatever model is set (docs/reference/clients.md).
  await world.app.api('PUT', '/v1/models/gemini-3-flash-preview', {
    sources: [{ provider: 'generate', model: 'gemini-3.1-pro-preview' }],
  })
  await world.app.api('POST', '/v1/bundles/basic/allow', { models: ['gemini-3-flash-preview'] })
})
afterAll(() => world.close())
beforeEach(async () => {
  user = await world.app.newUser({ balanceMicros: credit })
  folders = newAgentFolders()
})
afterEach(() => {
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
})

const search = '[[search=2 text=Found it.]]'
const goodbye = '[[cached=1000 text=Goodbye.]]'

/** If a prompt requests a tool call, the agent runs the tool. */
const turns: Readonly<Record<Agent['wire'], (pdf: string) => readonly string[]>> = {
  messages: (pdf) => [call('WebSearch', { query: search }), call('Read', { file_path: pdf }), goodbye],
  responses: (pdf) => [search, call('exec_command', { cmd: `head -c 8 ${pdf}` }), goodbye],
  // Gemini CLI cannot resume a conversation with tool calls, so the last turn calls the tools.
  generate: (pdf) => [
    '[[text=Hello.]]',
    goodbye,
    call('google_web_search', { query: search }) + call('read_file', { file_path: pdf }),
  ],
}

function call(tool: string, args: object): string {
  return `[[tool=${tool} ${JSON.stringify(args)}]]`
}

/** Codex has no tool that reads a PDF. */
const sentPdf: Readonly<Record<Agent['wire'], RegExp>> = {
  messages: /"type":"document","source":\{"type":"base64","media_type":"application\/pdf","data":"JVBERi0/,
  responses: /%PDF-1\.4/,
  generate:
    /"data":"JVBERi0[^"]*","mimeType":"application\/pdf"|"mimeType":"application\/pdf","data":"JVBERi0/,
}

test.for(agents.map((agent) => [agent.name, agent] as const))(
  '%s searches the web and reads a PDF in several turns, and each request is charged as reported',
  { timeout: 3 * installMs },
  async ([name, agent], { skip }) => {
    const command = await installedAgent(agent)
    if (command === null) return skip(`${name} cannot be installed here`)
    const pdf = join(folders.workspace, 'paper.pdf')
    writeFileSync(pdf, onePage)
    const before = world.vendor.calls.length
    let output = ''
    for (const [turn, prompt] of turns[agent.wire](pdf).entries()) {
      const model = `acme/${agent.wire}`
      const task = { gateway: world.app.gateway, key: user.key, model, prompt, isContinued: turn > 0 }
      // oxlint-disable-next-line no-await-in-loop -- each turn continues the conversation
      const ended = await runAgent({ agent, command, folders }, task)
      expect(ended.code, ended.output).toBe(0)
      output += ended.output
    }
    expect(output).toContain('Goodbye.')
    const calls = world.vendor.calls.slice(before).filter(({ purpose }) => purpose === 'answer')
    expect(world.vendor.strays).toEqual([])
    expect(new Set(calls.map(({ status, wire }) => `${wire} ${status}`))).toEqual(
      new Set([`${agent.wire} 200`]),
    )
    expect(calls.filter(({ text }) => sentPdf[agent.wire].test(text))).not.toEqual([])
    const reports = calls.map((one) => reportOf(one))
    expect(reports.reduce((sum, { searches }) => sum + searches, 0)).toBe(2)
    expect(reports.reduce((sum, { cached }) => sum + cached, 0)).toBe(1000)
    const costs = reports.map(costOf)
    const charges = (await user.requests()).map(({ chargeMicros }) => BigInt(chargeMicros))
    expect(charges.toSorted(bySize)).toEqual(costs.toSorted(bySize))
    expect(await settledBalance(user)).toBe(credit - costs.reduce((sum, cost) => sum + cost))
  },
)

interface Report {
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly searches: number
}

function costOf({ cached, input, output, searches }: Report): bigint {
  const tokens =
    BigInt(input - cached) * price.input + BigInt(cached) * price.cacheRead + BigInt(output) * price.output
  return (tokens + 999_999n) / 1_000_000n + BigInt(searches) * price.webSearch
}

function bySize(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Reads the usage in the provider's response as the provider documents it, without the product's code. */
function reportOf({ answer, wire }: VendorCall): Report {
  const events = /^data: /m.test(answer)
    ? [...answer.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
    : [JSON.parse(answer)]
  switch (wire) {
    case 'messages': {
      const usage = Object.assign({}, ...events.map((event) => event.message?.usage ?? event.usage))
      const cached = usage.cache_read_input_tokens
      return {
        input: usage.input_tokens + cached,
        cached,
        output: usage.output_tokens,
        searches: usage.server_tool_use?.web_search_requests ?? 0,
      }
    }
    case 'responses': {
      const { tool_usage: tools, usage } = events.at(-1).response
      return {
        input: usage.input_tokens,
        cached: usage.input_tokens_details.cached_tokens,
        output: usage.output_tokens,
        searches: tools?.web_search?.num_requests ?? 0,
      }
    }
    default: {
      const { candidates, usageMetadata: usage } = events.at(-1)
      return {
        input: usage.promptTokenCount + (usage.toolUsePromptTokenCount ?? 0),
        cached: usage.cachedContentTokenCount ?? 0,
        output: usage.candidatesTokenCount + (usage.thoughtsTokenCount ?? 0),
        searches: candidates[0].groundingMetadata?.webSearchQueries.length ?? 0,
      }
    }
  }
}

const onePage = [
  '%PDF-1.4',
  '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
  '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
  '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj',
  'trailer<</Root 1 0 R>>',
  '%%EOF\n',
].join('\n')
