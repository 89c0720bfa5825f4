/** The flag `--data`: a request body as JSON on the command line, in a file, or on standard input. */
import { readFileSync } from 'node:fs'
import { textOf } from '#cli/text-of-bytes.ts'
import { CommandError, exit, usageError, type Terminal } from '#cli/terminal-interface.ts'

/** @throws CommandError if the text cannot be read or is not an object */
export async function dataOf(data: string, terminal: Terminal): Promise<Readonly<Record<string, unknown>>> {
  const text = data === '-' || data.startsWith('@') ? textOf(await contentOf(data, terminal)) : data
  const name = data === '-' ? 'Standard input' : data.startsWith('@') ? data.slice(1) : '--data'
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw new CommandError(
      `${name} is not valid JSON: ${cause instanceof Error ? cause.message : ''}`,
      exit.usage,
      {
        cause,
      },
    )
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw usageError(`${name} must be a JSON object with the fields of the body.`)
  }
  return { ...parsed }
}

export async function contentOf(source: string, terminal: Terminal): Promise<Uint8Array> {
  if (source === '-') return terminal.input.read()
  try {
    return new Uint8Array(readFileSync(source.slice(1)))
  } catch (cause) {
    throw new CommandError(
      `${source.slice(1)} cannot be read: ${cause instanceof Error ? cause.message : ''}`,
      exit.usage,
      { cause },
    )
  }
}
