/**
 * Reads and writes the subset of TOML (toml.io) in the command line's own files: sections with string values. Any other
 * syntax in a hand-written file is rejected with its line number.
 */
import { usageError } from '#cli/terminal-interface.ts'

/** Maps each section to its keys and their values. Keys before the first section belong to section ''. */
export type Sections = Readonly<Record<string, Readonly<Record<string, string>>>>

export function readToml(text: string, file: string): Sections {
  const sections = table<Record<string, string>>()
  let own = (sections[''] = table<string>())
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const fault = (): never => {
      throw usageError(
        `${file}, line ${at + 1}: expected [section], key = "text" or a comment. Other TOML is not supported.`,
      )
    }
    if (/^\s*(#.*)?$/.test(line)) continue
    const section = /^\s*\[\s*([\w.-]+)\s*\]\s*(#.*)?$/.exec(line)?.[1]
    if (section !== undefined) {
      own = sections[section] ??= table()
      continue
    }
    const [, key = '', quoted = ''] =
      /^\s*([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*")\s*(?:#.*)?$/.exec(line) ?? fault()
    own[key] = textOf(quoted) ?? fault()
  }
  return sections
}

/** The object has no prototype, because `__proto__` and `constructor` are ordinary names here. */
function table<T>(): Record<string, T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has no property yet
  return Object.create(null) as Record<string, T>
}

/** A basic string of TOML has the escapes of JSON and two more, which `tomlText` never writes. */
function textOf(quoted: string): string | null {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return null
  }
}

export function tomlText(head: string, sections: Sections): string {
  const parts = Object.entries(sections)
    .filter(([, keys]) => Object.keys(keys).length > 0)
    .map(([section, keys]) => {
      const lines = Object.entries(keys).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
      return [...(section === '' ? [] : [`[${section}]`]), ...lines].join('\n')
    })
  return `# ${head}\n\n${parts.join('\n\n')}\n`
}
