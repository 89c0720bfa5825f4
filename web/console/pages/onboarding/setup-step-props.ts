export interface StepProps {
  /** Slug of the application. All steps after the first require the slug. */
  readonly application: string
  /** Called when the step may be complete, so that the server checks the step again. */
  readonly onDone: () => void
}
