// Every npm script starts here, under any installed Node (20 or newer). It installs the packages of the lockfile if
// they are missing, and then runs the task under the Node version that the lockfile pins. It is plain JavaScript,
// because the installed Node may not strip types.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const node = join(modules, '.bin', 'node')
const bin = (name) => join(modules, '.bin', name)

/** The official clients with which tests/clients calls the gateway: large, and needless for running it. */
const clients = join(root, 'tests', 'clients')
/** If the registry does not respond, `npm test` must still run the tests without clients. */
const clientsInstallMs = 240_000

/** Builds what the browser gets, if its sources have changed. */
const pages = [node, join(root, 'tools', 'web', 'main.ts')]

/** Task name -> the commands it runs, in order; a command that fails ends the task. */
const tasks = {
  install: () => [],
  start: (args) => [[join(root, 'bin/tollgate'), 'start', ...args]],
  // Coverage is required for all tests of money together.
  test: (args) => {
    const vitest = [node, join(modules, 'vitest/vitest.mjs'), 'run']
    if (args.length > 0) return [pages, [...vitest, ...args]]
    return [pages, [...vitest, '--project', 'money', '--coverage'], [...vitest, '--project', '!money']]
  },
  'test:long': (args) => [
    pages,
    [node, join(modules, 'vitest/vitest.mjs'), 'run', '--config', 'vitest.long.config.ts', ...args],
  ],
  check: () => [
    [node, bin('oxfmt'), '--check', '.'],
    [node, bin('oxlint'), '--type-aware', '--deny-warnings'],
    [node, bin('tsc'), '--noEmit'],
    [node, bin('tsc'), '--noEmit', '--project', join(root, 'sdk', 'typescript')],
    [node, bin('tsc'), '--noEmit', '--project', join(root, 'web')],
    [node, bin('tsc'), '--noEmit', '--project', join(root, 'tests', 'pages')],
    // Without the clients their tests cannot be type-checked.
    ...(isInstalled(clients) ? [[node, bin('tsc'), '--noEmit', '--project', clients]] : []),
    [node, join(modules, 'vitest/vitest.mjs'), 'run', 'tests/architecture.test.ts', 'tests/drift.test.ts'],
    [node, bin('knip')],
    // Exclude tests as users, because code that only a test calls is unused.
    [node, bin('knip'), '--production', '--workspace', '.'],
  ],
  format: () => [[node, bin('oxfmt'), '.']],
  generate: () => [[node, 'tools/generate/main.ts']],
  'build:sdk': () => [[node, 'tools/package/typescript-sdk.ts']],
  package: (args) => [[node, 'tools/package/main.ts', ...args]],
  prices: (args) => [[node, 'tools/prices/main.ts', ...args]],
  'routing-day': (args) => [[node, 'tools/routing-day/main.ts', ...args]],
  pictures: (args) => [[node, 'tools/pictures/main.ts', ...args]],
  seed: (args) => [[node, 'tools/seed/main.ts', ...args]],
  bench: (args) => [[node, 'bench/main.ts', ...args]],
}

const [name = '', ...args] = process.argv.slice(2)
const task = tasks[name]
if (!task) {
  console.error(`tools/run.mjs: no task "${name}"; there are: ${Object.keys(tasks).join(', ')}`)
  process.exit(2)
}
install()
if (needsClients()) installClients()
// The server serves requests without pages, so its address is printed while they are built.
const builder =
  name === 'start'
    ? spawn(pages[0], pages.slice(1), { cwd: root, stdio: 'inherit', env: environment() })
    : null
for (const [command, ...rest] of task(args)) {
  const status = await run(command, rest)
  if (status !== 0) {
    builder?.kill()
    process.exit(status)
  }
}
builder?.kill()

/** Runs a command to its end. A signal is passed on, so that stopping `npm start` stops the server well. */
async function run(command, words) {
  const child = spawn(command, words, { cwd: root, stdio: 'inherit', env: environment() })
  const passOn = (signal) => child.kill(signal)
  process.on('SIGTERM', passOn)
  // Ctrl-C reaches the child by itself. This process only has to outlive it.
  const wait = () => {}
  process.on('SIGINT', wait)
  const [status, signal] = await once(child, 'exit')
  process.off('SIGTERM', passOn)
  process.off('SIGINT', wait)
  return status ?? (signal === 'SIGINT' ? 130 : 1)
}

/** Installs when node_modules is missing or comes from another lockfile: exactly its versions. */
function install() {
  if (isInstalled(root) && existsSync(node)) return
  console.error('Installing the packages that package-lock.json names (once)…')
  if (npmCi(root) && existsSync(node)) return
  console.error('tools/run.mjs: `npm ci` failed; nothing was started.')
  process.exit(1)
}

/** All tests, or any of the clients' own; other parts do not wait for them. */
function needsClients() {
  if (name === 'check') return true
  return name === 'test' && (args.length === 0 || args.some((word) => word.includes('clients')))
}

function installClients() {
  if (isInstalled(clients)) return
  console.error('Installing the official clients that tests/clients/package-lock.json names (once)…')
  if (npmCi(clients, { loglevel: 'silent', timeout: clientsInstallMs })) return
  console.error('tools/run.mjs: the official clients cannot be installed here; tests/clients is left out.')
}

function npmCi(folder, { loglevel = 'error', timeout = 0 } = {}) {
  // npm is a script there, which only a shell starts.
  const isWindows = process.platform === 'win32'
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', `--loglevel=${loglevel}`], {
    cwd: folder,
    shell: isWindows,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout,
  })
  if (status === 0) writeFileSync(stampOf(folder), lockOf(folder))
  return status === 0
}

/** A linked node_modules belongs to another checkout, which installs it. `npm ci` would empty it for both. */
function isInstalled(folder) {
  if (lstatSync(join(folder, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) return true
  const stamp = stampOf(folder)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockOf(folder)
}

function stampOf(folder) {
  return join(folder, 'node_modules', '.tollgate-lock')
}

function lockOf(folder) {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
}

/** The pinned Node first on PATH, so that child processes of a task find the same one. */
function environment() {
  return { ...process.env, PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH ?? ''}` }
}
