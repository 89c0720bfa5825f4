/** The files are always written as a whole, and only their owner can read them. */
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { usageError } from '#cli/terminal-interface.ts'
import { readToml, tomlText, type Sections } from './toml.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** According to the XDG Base Directory Specification (specifications.freedesktop.org). */
function configFolder(env: Environment): string {
  const base = env['XDG_CONFIG_HOME']
  // A relative path must be ignored.
  const root = base?.startsWith('/') ? base : join(env['HOME'] ?? homedir(), '.config')
  return join(root, 'tollgate')
}

export function configFile(env: Environment): string {
  return join(configFolder(env), 'config.toml')
}

export function credentialsFile(env: Environment): string {
  return join(configFolder(env), 'credentials.toml')
}

/** A missing file counts as empty. */
export function readSections(file: string): Sections {
  const text = textIn(file)
  return text === null ? {} : readToml(text, file)
}

export function writeSections(file: string, head: string, sections: Sections): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  writeFileSync(next, tomlText(head, sections), { mode: 0o600 })
  renameSync(next, file)
}

export function isOpenToOthers(file: string): boolean {
  try {
    return process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0
  } catch {
    return false
  }
}

export function closeToOthers(file: string): void {
  chmodSync(file, 0o600)
}

export interface ProjectFile {
  readonly file: string
  readonly keys: Readonly<Record<string, string>>
}

/**
 * `.tollgate.toml` names a profile and an application but no address. The author of a project must not decide where a
 * user's token is sent.
 */
export function projectFile(folder: string): ProjectFile | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = join(at, '.tollgate.toml')
    const text = textIn(file)
    if (text !== null) {
      const keys = readToml(text, file)[''] ?? {}
      const odd = Object.keys(keys).find((key) => !['app', 'mode', 'profile'].includes(key))
      if (odd !== undefined) {
        throw usageError(`${file} contains ${odd}. A project file can set only app, mode and profile.`)
      }
      return { file, keys }
    }
    if (dirname(at) === at) return null
  }
}

function textIn(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR'))
      return null
    throw usageError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
