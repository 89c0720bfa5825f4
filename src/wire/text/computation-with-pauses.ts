/** A computation that pauses, so that other calls are served in the pauses. */
export type Steps<Result> = Generator<undefined, Result>

/** Runs all steps of a computation without pauses. */
export function resultOf<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
