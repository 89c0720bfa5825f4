const waitMs = 10_000

/** If the work fails after `waitMs`, the next start of a server finishes the grant, as after a crash. */
export async function waitForGrant(work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, waitMs)
  work.catch(() => {})
  try {
    await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
