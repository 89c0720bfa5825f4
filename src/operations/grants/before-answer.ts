/** How long a request waits for its grant or reversal; one for many people goes on after its answer. */
const waitMs = 10_000

/** Waits for the work, so long at most. A failure afterwards leaves a grant that is finished like an interrupted one. */
export async function beforeAnswer(work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, waitMs)
  work.catch(() => {})
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
