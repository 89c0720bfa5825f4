// Every npm script starts here, under any installed Node (20 or newer). This program installs missing packages of the
// lockfile, and then runs the task under the Node version that the lockfile pins. It is plain JavaScript, because the
// installed Node may be unable to run TypeScript.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const nodeMajorMin = 20
if (Number(process.versions.node.split('.')[0]) < nodeMajorMin) {
  console.error(
    `tools/run.mjs: Node.js ${nodeMajorMin} or newer is needed, and this is ${process.versions.node} (${process.execPath}). Install a newer Node.js, or put one first on PATH.`,
  )
  process.exit(1)
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const node = join(modules, '.bin', 'node')
const bin = (name) => join(modules, '.bin', name)

/**
 * Packages of the official clients, with which tests/clients calls the gateway. They are large, and the gateway does
 * not need them.
 */
const clients = join(root, 'tests', 'clients')
/** Maximum time for their installation. If the registry does not respond, `npm test` must still run all other tests. */
const clientsInstallMs = 240_000

/** Builds the files for the browser if their sources have changed. */
const pages = [node, join(root, 'tools', 'web', 'main.ts')]

const vitest = [node, join(modules, 'vitest/vitest.mjs'), 'run']
const tsc = (...words) => [node, bin('tsc'), '--noEmit', ...words]
const format = [node, bin('oxfmt'), '--check', '.']
const prose = (paths) => [node, join(root, 'tools', 'prose', 'main.ts'), ...paths]

const retried = [node, join(root, 'tools', 'retry', 'main.ts')]

const testOptions = `[--retry] | [path…] [options of vitest]

  --retry  runs a failed test file of the pages or the terminal again by itself, and prints "unsteady: <test>" if it passes
  path…    runs only the test files whose path contains one of these words`

/**
 * Maps the name of a task to its help text and its commands, which run in order until one fails. `options` describes
 * the words that may follow the name of the task. If a task has `hasOptions`, its program receives `--help` and lists
 * its options.
 */
const tasks = {
  install: { help: 'Installs the locked packages if they are missing.', commands: () => [] },
  start: {
    help: 'Starts the server, and creates an application on the first start.',
    hasOptions: true,
    commands: (args) => [[join(root, 'bin/tollgate'), 'start', ...args]],
  },
  test: {
    help: 'Runs all tests except the long ones, and enforces full coverage of src/money.',
    options: testOptions,
    // The coverage threshold applies to all tests of money together.
    commands: (args) =>
      args.length > 0 && !isRetried
        ? [pages, [...vitest, ...args]]
        : [
            pages,
            [...vitest, '--project', 'money', '--coverage'],
            [...(isRetried ? retried : vitest), '--project', '!money'],
          ],
  },
  'test:long': {
    help: 'Runs crash, race, fuzz and soak tests, pages in every state, and installed packages.',
    options: testOptions,
    commands: (args) => [
      pages,
      isRetried
        ? [...retried, '--config', 'vitest.long.config.ts']
        : [...vitest, '--config', 'vitest.long.config.ts', ...args],
    ],
  },
  check: {
    help: 'Checks format, lint, types, layers, generated files, prose and dead code.',
    options: `[--quick]

  --quick  checks format, the types of src, layers, generated files and prose, in less than 20 s of CPU time`,
    commands: () => (isQuick ? quickCheck() : check()),
  },
  prose: {
    help: 'Checks the prose of guides, API text, comments, test titles, pages and the command line.',
    options: `[path…] [--sample <seed>]

  path…     checks only these files and folders
  --sample  prints 200 sentences and 60 file names that the seed selects, for readers to rate`,
    commands: (args) => [prose(args)],
  },
  format: { help: 'Formats the files.', commands: () => [[node, bin('oxfmt'), '.']] },
  generate: {
    help: 'Generates openapi.json, the SDKs and the generated reference.',
    commands: () => [[node, 'tools/generate/main.ts']],
  },
  'build:sdk': {
    help: 'Builds the published TypeScript SDK in sdk/typescript/dist.',
    commands: () => [[node, 'tools/package/typescript-sdk.ts']],
  },
  package: {
    help: 'Builds the published archives and a statement of their sources in dist.',
    options: `[--to <folder>] [--builder <uri>]

  --to       folder for the archives (default dist)
  --builder  URI of the builder, in the statement`,
    commands: (args) => [[node, 'tools/package/main.ts', ...args]],
  },
  prices: {
    help: 'Generates prices/prices.json from its source package.',
    hasOptions: true,
    commands: (args) => [[node, 'tools/prices/main.ts', ...args]],
  },
  'hold-figures': {
    help: 'Prints how much is held for recorded requests and for generated documents, compared with their usage.',
    commands: () => [[node, 'tools/hold-figures/main.ts']],
  },
  recordings: {
    help: 'Prints which recorded requests the gateway would reject, and how their bounds compare with their usage.',
    options: `<folder>

  <folder>  cassettes of VCR (YAML) and replays of Google's clients (JSON), also in subfolders`,
    commands: (args) => [[node, 'tools/recordings/main.ts', ...args]],
  },
  'routing-day': {
    help: 'Simulates a day of failing targets for each router policy.',
    options: `[--calls <number>] [--seed <number>]

  --calls  requests of the day (default 1000000)
  --seed   seed of the simulation (default 13)`,
    commands: (args) => [[node, 'tools/routing-day/main.ts', ...args]],
  },
  pictures: {
    help: 'Takes pictures of every page in two screen sizes and both themes, in pictures/.',
    options: `[--only <name>] [--surface console|portal] [--state month|empty] [--full]

  --only     takes one page
  --surface  takes the pages of one surface
  --state    data to show: a month of traffic (default), or an empty application
  --full     takes the whole page instead of the visible part`,
    commands: (args) => [[node, 'tools/pictures/main.ts', ...args]],
  },
  seed: {
    help: 'Fills an empty store with generated requests, to measure reads.',
    options: `--to <postgres url> | --data <folder> [--calls <number>] [--people <number>] [--days <number>]

  --to      PostgreSQL database to fill
  --data    data folder of an embedded store to fill
  --calls   requests (default 1000000)
  --people  end users (default 10000)
  --days    days that the requests are spread over (default 90)`,
    commands: (args) => [[node, 'tools/seed/main.ts', ...args]],
  },
  bench: {
    help: 'Runs the benchmarks, together with a bare proxy as the baseline.',
    hasOptions: true,
    commands: (args) => [[node, 'bench/main.ts', ...args]],
  },
}

function check() {
  return [
    format,
    [node, bin('oxlint'), '--type-aware', '--deny-warnings'],
    tsc(),
    tsc('--project', join(root, 'sdk', 'typescript')),
    tsc('--project', join(root, 'web')),
    tsc('--project', join(root, 'tests', 'pages')),
    // Without the clients, their tests cannot be type-checked.
    ...(isInstalled(clients) ? [tsc('--project', clients)] : []),
    [...vitest, 'tests/architecture.test.ts', 'tests/generated-files-match-sources.test.ts'],
    [node, bin('knip')],
    // Code that only a test calls is unused.
    [node, bin('knip'), '--production', '--workspace', '.'],
    prose([]),
  ]
}

/** A single thread halves the CPU time of the type check. */
function quickCheck() {
  return [
    format,
    tsc('--singleThreaded', '--project', join(root, 'src', 'tsconfig.quick.json')),
    [...vitest, 'tests/architecture.test.ts', 'tests/generated-files-match-sources.test.ts'],
    prose([]),
  ]
}

const [name = '', ...args] = process.argv.slice(2)
const isQuick = args.includes('--quick')
const isRetried = name.startsWith('test') && args[0] === '--retry'
if (name === '--help') {
  console.log(list())
  process.exit()
}
const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined
if (!task) {
  console.error(`tools/run.mjs: no task "${name}".\n\n${list()}`)
  process.exit(2)
}
if (args.includes('--help') && !task.hasOptions) {
  console.log(usage(name, task))
  process.exit()
}
if ((name === 'check' && args.some((word) => word !== '--quick')) || (isRetried && args.length > 1)) {
  console.error(usage(name, task))
  process.exit(2)
}
install()
if (needsClients()) installClients()
// The server already serves requests while the pages are being built, so its address is printed first.
const builder =
  name === 'start'
    ? spawn(pages[0], pages.slice(1), { cwd: root, stdio: 'inherit', env: environment() })
    : null
for (const [command, ...rest] of task.commands(args)) {
  const status = await run(command, rest)
  if (status !== 0) {
    builder?.kill()
    process.exit(status)
  }
}
builder?.kill()

function list() {
  const width = Math.max(...Object.keys(tasks).map((word) => word.length))
  const rows = Object.entries(tasks).map(([word, { help }]) => `  ${word.padEnd(width)}  ${help}`)
  return `Usage: node tools/run.mjs <task> [options]\n\n${rows.join('\n')}\n\nEach task lists its options with --help.`
}

function usage(word, { help, options }) {
  return `${help}\n\nUsage: node tools/run.mjs ${word}${options ? ` ${options}` : ''}`
}

/** Signals are forwarded to the command, so that stopping `npm start` stops the server cleanly. */
async function run(command, words) {
  const child = spawn(command, words, { cwd: root, stdio: 'inherit', env: environment() })
  const passOn = (signal) => child.kill(signal)
  process.on('SIGTERM', passOn)
  // The terminal also sends Ctrl-C to the child process, so this process only has to run until the child has ended.
  const wait = () => {}
  process.on('SIGINT', wait)
  const [status, signal] = await once(child, 'exit')
  process.off('SIGTERM', passOn)
  process.off('SIGINT', wait)
  return status ?? (signal === 'SIGINT' ? 130 : 1)
}

/** Installs exactly the versions in the lockfile, if node_modules is missing or was installed from another lockfile. */
function install() {
  if (isInstalled(root) && existsSync(node)) return
  console.error('Installing the packages that package-lock.json names (once)…')
  if (npmCi(root) && existsSync(node)) return
  console.error('tools/run.mjs: `npm ci` failed; nothing was started.')
  process.exit(1)
}

/**
 * Whether the paths include tests of the official clients. If not, the run does not wait for the installation of the
 * clients.
 */
function needsClients() {
  if (name === 'check') return !isQuick
  return (
    name.startsWith('test') &&
    (args.length === 0 || isRetried || args.some((word) => word.includes('clients')))
  )
}

function installClients() {
  if (isInstalled(clients)) return
  console.error('Installing the official clients that tests/clients/package-lock.json names (once)…')
  if (npmCi(clients, { loglevel: 'silent', timeout: clientsInstallMs })) return
  console.error('tools/run.mjs: the official clients cannot be installed here; tests/clients is skipped.')
}

function npmCi(folder, { loglevel = 'error', timeout = 0 } = {}) {
  // On Windows, npm is a script that only a shell can start.
  const isWindows = process.platform === 'win32'
  // The lockfile determines the versions. With the date in .npmrc, npm would download all metadata of every package.
  const options = ['--before=null', '--no-audit', '--no-fund', `--loglevel=${loglevel}`]
  const { status } = spawnSync('npm', ['ci', ...options], {
    cwd: folder,
    shell: isWindows,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout,
  })
  return status === 0
}

/**
 * When everything is installed, npm writes its own copy of the lockfile to node_modules, even after an `npm ci` by a
 * user. The copy does not list packages for other platforms.
 *
 * If node_modules is a link, the folder belongs to another checkout, which installs the packages. `npm ci` would delete
 * the folder for both checkouts.
 */
function isInstalled(folder) {
  const installed = join(folder, 'node_modules')
  if (lstatSync(installed, { throwIfNoEntry: false })?.isSymbolicLink()) return true
  const copy = join(installed, '.package-lock.json')
  if (!existsSync(copy)) return false
  const { packages: found } = readJson(copy)
  const { packages: wanted } = readJson(join(folder, 'package-lock.json'))
  const isWanted = ([place, { version, integrity, optional }]) => {
    if (place === '') return true
    const there = found[place]
    if (!there) return optional === true
    return there.version === version && (integrity === undefined || there.integrity === integrity)
  }
  return Object.entries(wanted).every(isWanted) && Object.keys(found).every((place) => wanted[place])
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/**
 * The directory of the pinned Node comes first in PATH, so that child processes of a task use the same Node. The
 * settings of .npmrc, which npm exports, are removed, because they do not apply to packages that tests install
 * elsewhere.
 */
function environment() {
  const PATH = `${join(modules, '.bin')}${delimiter}${process.env.PATH ?? ''}`
  const { npm_config_before: _, npm_config_strict_allow_scripts: __, ...others } = process.env
  return { ...others, PATH }
}
