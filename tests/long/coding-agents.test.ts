/**
 * Claude Code, Codex and Gemini CLI as installed from npm, each at a provider of every other wire. The model requests a
 * tool, the agent runs the tool, and the file that the tool writes exists. The agents run without permission prompts,
 * store data only in a folder of the test, and send no data to other servers.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startWorld, upstreams, wireOf, type World } from '../clients/application-with-upstreams.ts'
import { settledBalance, type User } from '../support/harness.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, 'node_modules', '.cache', 'coding-agents')

interface Agent {
  readonly name: string
  readonly package: string
  readonly version: string
  readonly command: string
  readonly wire: 'messages' | 'responses' | 'generate'
  /** The call that writes `text` into a file, in the form that the model must request. */
  order(file: string, text: string): string
  start(at: { gateway: string; key: string; model: string; home: string; prompt: string }): {
    readonly args: readonly string[]
    readonly environment: Readonly<Record<string, string>>
  }
}

const agents: readonly Agent[] = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    version: '2.1.197',
    command: 'claude',
    wire: 'messages',
    order: (file, text) => `[[tool=Write ${JSON.stringify({ file_path: file, content: text })}]]`,
    start: ({ gateway, key, model, prompt }) => ({
      args: ['-p', prompt, '--model', model, '--allowedTools', 'Write'],
      environment: {
        ANTHROPIC_BASE_URL: gateway,
        ANTHROPIC_API_KEY: key,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_ERROR_REPORTING: '1',
        DISABLE_AUTOUPDATER: '1',
      },
    }),
  },
  {
    name: 'Codex',
    package: '@openai/codex',
    version: '0.169.0',
    command: 'codex',
    wire: 'responses',
    order: (file, text) =>
      `[[tool=exec_command ${JSON.stringify({ cmd: `printf %s '${text}' > ${file}` })}]]`,
    start: ({ gateway, key, model, prompt }) => ({
      args: [
        'exec',
        '--skip-git-repo-check',
        // The agent's sandbox is disabled, because it needs permissions that a container does not have. The agent knows
        // only the test's own folder.
        '--dangerously-bypass-approvals-and-sandbox',
        '-m',
        model,
        ...[
          'model_provider="gateway"',
          `model_providers.gateway={name="gateway",base_url="${gateway}/v1",env_key="GATEWAY_KEY",wire_api="responses"}`,
          'check_for_update_on_startup=false',
          'analytics.enabled=false',
        ].flatMap((setting) => ['-c', setting]),
        prompt,
      ],
      environment: { GATEWAY_KEY: key },
    }),
  },
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    version: '0.61.0',
    command: 'gemini',
    wire: 'generate',
    order: (file, text) => `[[tool=write_file ${JSON.stringify({ file_path: file, content: text })}]]`,
    start: ({ gateway, home, key, model, prompt }) => {
      mkdirSync(join(home, '.gemini'))
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      }
      writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings))
      return {
        args: ['-p', prompt, '-m', model, '--approval-mode', 'yolo'],
        environment: {
          GOOGLE_GEMINI_BASE_URL: gateway,
          GEMINI_API_KEY: key,
          GEMINI_CLI_TRUST_WORKSPACE: 'true',
        },
      }
    },
  },
]

const credit = 1_000_000_000n
/** On an idle machine, each agent needs a second or two for a task of one call. */
const taskMs = 300_000
const installMs = 300_000

let world: World
let user: User
let home: string
let workspace: string

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  user = await world.app.newUser({ balanceMicros: credit })
  home = mkdtempSync(join(tmpdir(), 'tollgate-agent-home-'))
  workspace = mkdtempSync(join(tmpdir(), 'tollgate-agent-work-'))
})
afterEach(() => {
  for (const folder of [home, workspace]) rmSync(folder, { recursive: true, force: true })
})

describe.each(agents.map((agent) => [agent.name, agent] as const))('%s', (name, agent) => {
  let command: string | null
  beforeAll(async () => {
    command = await installed(agent)
    if (command === null) console.warn(`${name} cannot be installed here; its tests are left out.`)
    // This timeout is longer than the time limit of the installation.
  }, 2 * installMs)

  const others = upstreams.filter((upstream) => wireOf(upstream, agent.wire) !== agent.wire)
  test.for(others)('a coding agent completes a task over a provider of %s', async (upstream, { skip }) => {
    if (command === null) return skip()
    const file = join(workspace, 'result.txt')
    const prompt = agent.order(file, `written over ${upstream}`)
    const at = { gateway: world.app.gateway, key: user.key, model: `acme/${upstream}`, home, prompt }
    const before = world.vendor.calls.length
    const { args, environment } = agent.start(at)
    const { code, output } = await run(command, args, environment)
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

/**
 * Installs the agent into its own folder, unless it is already installed. Returns null if the registry cannot be
 * reached.
 */
async function installed(agent: Agent): Promise<string | null> {
  const folder = join(cache, `${agent.command}-${agent.version}`)
  const command = join(folder, 'node_modules', '.bin', agent.command)
  if (existsSync(command)) return command
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const npm = [
    'install',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    // If the registry is unreachable for one agent, no other agent is tried, because each attempt would take minutes.
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    `${agent.package}@${agent.version}`,
  ]
  const { code, output } = await execute('npm', npm, { cwd: folder, env: process.env, timeoutMs: installMs })
  if (code !== 0) console.warn(output)
  return code === 0 && existsSync(command) ? command : null
}

function run(file: string, args: readonly string[], environment: Readonly<Record<string, string>>) {
  const path = `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`
  const env = { PATH: path, HOME: home, TERM: 'dumb', ...environment }
  return execute(file, args, { cwd: workspace, env, timeoutMs: taskMs })
}

async function execute(
  file: string,
  args: readonly string[],
  { cwd, env, timeoutMs }: { cwd: string; env: NodeJS.ProcessEnv; timeoutMs: number },
): Promise<{ code: number | null; output: string }> {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  child.stdout.on('data', (piece) => (output += String(piece)))
  child.stderr.on('data', (piece) => (output += String(piece)))
  // Ends the process with all its children.
  const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), timeoutMs)
  try {
    const [code] = await once(child, 'close')
    return { code: typeof code === 'number' ? code : null, output }
  } finally {
    clearTimeout(timer)
  }
}
