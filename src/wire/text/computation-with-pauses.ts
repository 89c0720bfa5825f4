/** Other calls are served in the pauses. */
export type Steps<Result> = Generator<undefined, Result>

export function resultOf<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
