import type { Operation } from './operations-and-results.ts'

/**
 * Selects the operations of the next batch from a queue that is longer than a batch. Applications take turns, one
 * operation each, so an application that queues thousands of operations delays another application by one batch at
 * most. Both the selected and the remaining operations keep the order of arrival, so the operations of one application
 * never overtake each other.
 *
 * @param max the maximum size of the batch; the queue must be longer
 */
export function fairBatch<T extends { readonly operation: Operation }>(
  waiting: readonly T[],
  max: number,
): { readonly batch: T[]; readonly rest: T[] } {
  const left = turnsOf(waiting, max)
  const batch: T[] = []
  const rest: T[] = []
  for (const one of waiting) {
    const application = applicationOf(one.operation)
    const turns = left.get(application) ?? 0
    if (turns > 0) left.set(application, turns - 1)
    ;(turns > 0 ? batch : rest).push(one)
  }
  return { batch, rest }
}

/**
 * Whether the waiting operations of an application use its share of `max`. All applications with waiting operations have
 * equal shares.
 */
export function isShareUsed(
  waiting: readonly { readonly operation: Operation }[],
  applicationId: string,
  max: number,
): boolean {
  const applications = new Set<string>()
  let own = 0
  for (const { operation } of waiting) {
    const application = applicationOf(operation)
    applications.add(application)
    if (application === applicationId) own += 1
  }
  return own * applications.size >= max
}

function turnsOf(waiting: readonly { readonly operation: Operation }[], max: number): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { operation } of waiting) {
    const application = applicationOf(operation)
    counts.set(application, (counts.get(application) ?? 0) + 1)
  }
  // Start with the applications that have the fewest operations, because they leave unused turns to other applications.
  const byCount = [...counts].toSorted(([, one], [, other]) => one - other)
  let room = max
  for (const [index, [application, count]] of byCount.entries()) {
    const turns = Math.min(count, Math.ceil(room / (byCount.length - index)))
    counts.set(application, turns)
    room -= turns
  }
  return counts
}

/** Some rare operations name only a call or an end user, but no application. */
function applicationOf(operation: Operation): string {
  switch (operation.kind) {
    case 'reserve':
    case 'refund':
    case 'late_usage':
    case 'record':
      return operation.request.applicationId
    case 'settle':
    case 'release':
      return operation.request.record.applicationId
    case 'begin_grant':
    case 'continue_grant':
      return operation.terms.applicationId
    case 'extend':
    case 'redirect':
    case 'background':
    case 'checkpoint':
    case 'complete':
    case 'clear_month':
    case 'recover':
      return ''
    default:
      return operation satisfies never
  }
}
