#!/usr/bin/env node
// The `tollgate` command of the npm package. It is plain JavaScript that old versions of Node can read, so that they
// can report what is missing. All other code is in dist/.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const [major, minor] = versionOf(engines.node.replace('>=', ''))
const [ownMajor, ownMinor] = versionOf(process.versions.node)

if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  console.error(
    `tollgate: Node.js ${major}.${minor} or newer is needed (24.15 or newer for the embedded store), and this is ${process.versions.node} (${process.execPath}). Install a newer Node.js, or put one first on PATH.`,
  )
  process.exit(1)
}

const program = new URL('../dist/tollgate.js', import.meta.url)
const words = process.argv.slice(2)
// The objects of a call should be collected while young. With the default space for young objects, the garbage
// collector takes 15 us more CPU per call. SIGUSR1 would open Node's inspector to everyone on the machine, with every key in it.
// Node.js 24 would warn that its SQLite is an experiment; what the store asks of it is tested.
const flags = ['--max-semi-space-size=32', '--disable-sigusr1', '--disable-warning=ExperimentalWarning']
const serves = words.some((word) => word === 'serve' || word === 'start')
// The flags take effect only at the start of a process. The process is replaced, so that the process that a supervisor
// started is the server itself, with its pid, signals and exit code. Windows cannot replace a process.
if (serves && process.platform !== 'win32' && !flags.every((flag) => process.execArgv.includes(flag))) {
  process.execve(
    process.execPath,
    [process.execPath, ...process.execArgv, ...flags, fileURLToPath(program), ...words],
    process.env,
  )
}
await import(program.href)

function versionOf(text) {
  return text.split('.').map(Number)
}
