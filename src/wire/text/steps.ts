/** A computation with pauses, in which other calls are served. */
export type Steps<Result> = Generator<undefined, Result>

/** Runs a computation without pauses. */
export function resultOf<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
