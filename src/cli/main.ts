/** The `tollgate` command. What it is compiled to is kept, so that the next start has it: three quarters of its CPU. */
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

const { HOME, XDG_CACHE_HOME } = process.env
const base = XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(HOME || homedir(), '.cache')
// Not in the temporary folder, which others may write: it is code. Where it cannot be written, nothing is kept.
enableCompileCache(join(base, 'tollgate', 'compiled'))

const { processTerminal } = await import('./process-terminal.ts')
const { runCommand } = await import('./run-command.ts')
const exitCode = await runCommand(process.argv.slice(2), processTerminal())
// A command that serves is not done when its action is.
if (exitCode !== null) process.exitCode = exitCode
