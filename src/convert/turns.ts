import type { Part, Turn } from './neutral.ts'

/** Turns with no two of one role in a row; what has no parts is no turn. */
export function joinTurns(turns: readonly Turn[]): readonly Turn[] {
  const joined: { role: Turn['role']; parts: Part[] }[] = []
  for (const { role, parts } of turns) {
    if (parts.length === 0) continue
    const last = joined.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else joined.push({ role, parts: [...parts] })
  }
  return joined
}
