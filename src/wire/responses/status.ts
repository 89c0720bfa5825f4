/**
 * Whether a whole answer that says this of itself is none. A status that nobody knows stands on an answer like
 * any other: values grow, and servers that follow this wire spell them in their own ways (`complete`).
 */
export function isUnfinished(status: string): boolean {
  return unfinished.has(status)
}

const unfinished: ReadonlySet<string> = new Set(['failed', 'cancelled', 'queued', 'in_progress'])
