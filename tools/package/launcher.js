#!/usr/bin/env node
// The `tollgate` command of the npm package. This file is plain JavaScript that old versions of Node can run, so that
// it can report that Node is too old. All other code is in dist/.
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
// A larger space for young objects lets the garbage collector free the objects of a call early. With the default size,
// the garbage collector takes 15 us more CPU time per call. SIGUSR1 is disabled, because it would open Node's inspector
// to all users of the machine, who could then read every key. Node.js 24 warns that its SQLite is experimental. The
// warning is disabled, because tests cover everything that the store uses.
const flags = ['--max-semi-space-size=32', '--disable-sigusr1', '--disable-warning=ExperimentalWarning']
const serves = words.some((word) => word === 'serve' || word === 'start')
// The flags take effect only at the start of a process. The server therefore replaces this process, and keeps its
// process ID. A supervisor can then send signals to the server itself, and receives its exit code. Windows cannot
// replace a process.
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
