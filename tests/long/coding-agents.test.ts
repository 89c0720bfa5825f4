/**
 * Runs Claude Code, Codex and Gemini CLI as installed from npm, each at a provider of every other wire. The model
 * requests a tool call, the agent runs the tool, and the tool writes a file, which the test checks. The agents run
 * without permission prompts, store data only in a folder of the test, and send no data to other servers.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startWorld, upstreams, wireOf, type World } from '../clients/start-application-with-upstreams.ts'
import {
  agents,
  installedAgent,
  installMs,
  newAgentFolders,
  runAgent,
  type AgentFolders,
} from '../support/run-coding-agents.ts'
import { settledBalance, type User } from '../support/start-product.ts'

const credit = 1_000_000_000n

let world: World
let user: User
let folders: AgentFolders

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  user = await world.app.newUser({ balanceMicros: credit })
  folders = newAgentFolders()
})
afterEach(() => {
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
})

describe.each(agents.map((agent) => [agent.name, agent] as const))('%s', (name, agent) => {
  let command: string | null
  beforeAll(async () => {
    command = await installedAgent(agent)
    if (command === null) console.warn(`${name} cannot be installed here; its tests are left out.`)
    // The timeout is longer than the time limit of the installation.
  }, 2 * installMs)

  const others = upstreams.filter((upstream) => wireOf(upstream, agent.wire) !== agent.wire)
  test.for(others)('a coding agent completes a task over a provider of %s', async (upstream, { skip }) => {
    if (command === null) return skip()
    const file = join(folders.workspace, 'result.txt')
    const prompt = agent.order(file, `written over ${upstream}`)
    const task = { gateway: world.app.gateway, key: user.key, model: `acme/${upstream}`, prompt }
    const before = world.vendor.calls.length
    const { code, output } = await runAgent({ agent, command, folders }, task)
    expect(code, output).toBe(0)
    expect(readFileSync(file, 'utf8').trim()).toBe(`written over ${upstream}`)
    expect(output).toContain('This is the Tollgate simulator.')
    const calls = world.vendor.calls.slice(before)
    expect(calls.length).toBeGreaterThanOrEqual(2)
    expect(new Set(calls.map((call) => `${call.wire} ${call.status}`))).toEqual(
      new Set([`${wireOf(upstream, agent.wire)} 200`]),
    )
    expect(await settledBalance(user)).toBeLessThan(credit)
  })
})
