export interface StepProps {
  readonly application: string
  readonly onDone: () => void
}
