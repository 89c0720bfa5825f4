import type { Screen } from '#cli/terminal-interface.ts'

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const

export type Style = keyof typeof codes

export function paint({ hasColour }: Pick<Screen, 'hasColour'>, style: Style, text: string): string {
  return hasColour && text !== '' ? `\u001b[${codes[style]}m${text}\u001b[0m` : text
}

/**
 * The first of these rules decides: NO_COLOR (no-color.org) disables colors, FORCE_COLOR enables them unless it is 0,
 * and TERM=dumb disables them. By default, output on a terminal is colored.
 */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return isTerminal && env['TERM'] !== 'dumb'
}
