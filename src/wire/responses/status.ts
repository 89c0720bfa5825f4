/**
 * Whether this status means that a whole answer is incomplete. An unknown status does not: vendors add values, and
 * servers that follow this wire spell them in their own ways (`complete`).
 */
export function isUnfinished(status: string): boolean {
  return unfinished.has(status)
}

const unfinished: ReadonlySet<string> = new Set(['failed', 'cancelled', 'queued', 'in_progress'])
