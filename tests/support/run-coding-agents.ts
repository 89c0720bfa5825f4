/** Runs Claude Code, Codex and Gemini CLI, as installed from npm. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, 'node_modules', '.cache', 'coding-agents')

export interface Agent {
  readonly name: string
  readonly package: string
  readonly version: string
  readonly command: string
  readonly wire: 'messages' | 'responses' | 'generate'
  /** Returns the tool call that writes `text` into a file, as the model must request it. */
  order(file: string, text: string): string
  start(at: Task): {
    readonly args: readonly string[]
    readonly environment: Readonly<Record<string, string>>
  }
}

interface Task {
  readonly gateway: string
  readonly key: string
  readonly model: string
  readonly home: string
  readonly prompt: string
  /** Whether the prompt continues the newest conversation in the agent's folders. */
  readonly isContinued?: boolean
}

export const agents: readonly Agent[] = [
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    version: '2.1.197',
    command: 'claude',
    wire: 'messages',
    order: (file, text) => `[[tool=Write ${JSON.stringify({ file_path: file, content: text })}]]`,
    start: ({ gateway, isContinued, key, model, prompt }) => ({
      args: [
        ...(isContinued ? ['--continue'] : []),
        '-p',
        prompt,
        '--model',
        model,
        '--allowedTools',
        'Write,Read,WebSearch',
      ],
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
    start: ({ gateway, isContinued, key, model, prompt }) => ({
      args: [
        'exec',
        ...(isContinued ? ['resume', '--last'] : []),
        '--skip-git-repo-check',
        // The agent's sandbox is disabled, because containers do not grant the permissions that it needs. The agent can
        // access only the test's own folder.
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
    start: ({ gateway, home, isContinued, key, model, prompt }) => {
      mkdirSync(join(home, '.gemini'), { recursive: true })
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      }
      writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings))
      return {
        args: [
          '-p',
          prompt,
          '-m',
          model,
          '--approval-mode',
          'yolo',
          ...(isContinued ? ['--resume', 'latest'] : []),
        ],
        environment: {
          GOOGLE_GEMINI_BASE_URL: gateway,
          GEMINI_API_KEY: key,
          GEMINI_CLI_TRUST_WORKSPACE: 'true',
        },
      }
    },
  },
]

/** On an idle machine, each agent needs one or two seconds for a task with one call. */
const taskMs = 300_000
export const installMs = 300_000

export interface AgentFolders {
  readonly home: string
  readonly workspace: string
}

export function newAgentFolders(): AgentFolders {
  return {
    home: mkdtempSync(join(tmpdir(), 'tollgate-agent-home-')),
    workspace: mkdtempSync(join(tmpdir(), 'tollgate-agent-work-')),
  }
}

/** Null if the registry cannot be reached. */
export async function installedAgent(agent: Agent): Promise<string | null> {
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
    // If the registry is unreachable for one agent, the tests skip all others. Each attempt would take minutes.
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    `${agent.package}@${agent.version}`,
  ]
  const { code, output } = await execute('npm', npm, { cwd: folder, env: process.env, timeoutMs: installMs })
  if (code !== 0) console.warn(output)
  return code === 0 && existsSync(command) ? command : null
}

export function runAgent(
  { agent, command, folders }: { agent: Agent; command: string; folders: AgentFolders },
  task: Omit<Task, 'home'>,
): Promise<{ code: number | null; output: string }> {
  const { args, environment } = agent.start({ ...task, home: folders.home })
  const path = `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`
  const env = { PATH: path, HOME: folders.home, TERM: 'dumb', ...environment }
  return execute(command, args, { cwd: folders.workspace, env, timeoutMs: taskMs })
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
  const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), timeoutMs)
  try {
    const [code] = await once(child, 'close')
    return { code: typeof code === 'number' ? code : null, output }
  } finally {
    clearTimeout(timer)
  }
}
