export interface StepProps {
  /** Slug; the steps after the first need one. */
  readonly application: string
  /** What was to be done has been done: the server finds it when it looks again. */
  readonly onDone: () => void
}
