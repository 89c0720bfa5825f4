export interface StepProps {
  /** Slug of the application. Required by all steps after the first. */
  readonly application: string
  /** Called when the step may be complete. The server then checks it again. */
  readonly onDone: () => void
}
