export interface StepProps {
  /** Slug; the steps after the first need one. */
  readonly application: string
  /** Called when the step may be complete. The server then checks it again. */
  readonly onDone: () => void
}
